"""What goes wrong in an instance never passes unseen: incidents, failed jobs, a broken engine."""

from pathlib import Path

import pytest

from consumers.cli.scenario_report import path_line
from scenarios.simulation import Simulation
from tests.support.models import (
    boundary,
    bpmn,
    chain,
    conditional_event,
    end,
    error,
    error_event,
    flow,
    process,
    service_task,
    start,
    timer,
    user_task,
)
from tests.support.yaml_scenarios import failures, named, ran

ASK = bpmn(
    process(
        "p", start("s"), named(service_task("ask", type="bureau", retries="2"), "Ask bureau"),
        end("e"), chain("s", "ask", "e"), boundary("down", "ask", error_event("E")), end("f"),
        flow("down", "f"),
    ),
    error("E", "BUREAU_DOWN"),
)  # fmt: skip
TEN = "2026-01-05T10:00:00Z"


def told(folder: Path, *steps: str) -> str:
    body = "".join(f"      - {step}\n" for step in steps)
    (done,) = ran(folder, ASK, f"scenarios:\n  - name: one\n    steps:\n{body}")
    return path_line(done.journeys[0])


def test_a_scenario_that_leaves_an_incident_fails_at_the_step_that_caused_it(
    tmp_path: Path,
) -> None:
    (found,) = failures(
        tmp_path, ASK, "start: p", "{throw error: BUREAU_DWN}", "{expect: {waiting at: ask}}"
    )
    assert found.place.line == 6
    assert found.what == "Ask bureau has an incident, which nothing expects."
    (line,) = found.found
    assert line.startswith("UNHANDLED_ERROR: Expected an event that catches the error 'BUREAU_DWN'")
    assert line.endswith("Did you mean 'BUREAU_DOWN'?")
    assert "`incidents: {kind: UNHANDLED_ERROR}`" in found.hint


def test_a_mock_that_throws_what_nothing_catches_is_told_likewise(tmp_path: Path) -> None:
    head = "mocks: {jobs: {bureau: {throw error: BUREAU_DWN}}}\n"
    (found,) = failures(tmp_path, ASK, "start: p", head=head)
    assert found.found[0].endswith("Did you mean 'BUREAU_DOWN'?")


def test_an_incident_that_any_step_expected_may_stay(tmp_path: Path) -> None:
    throw = "{throw error: other, expect: {incidents: {kind: UNHANDLED_ERROR}}}"
    assert failures(tmp_path, ASK, "start: p", throw, "elapse: PT1H") == []
    (found,) = failures(tmp_path, ASK, "start: p", throw, "start: p", "{throw error: other}")
    assert found.place.line == 8, "the second instance's incident was not expected"


def test_an_incident_that_was_resolved_needs_no_expectation(tmp_path: Path) -> None:
    steps = ["start: p", "{throw error: other}", "{resolve incident: null}", "complete job: ask"]
    assert failures(tmp_path, ASK, *steps) == []


def test_the_path_shows_what_went_wrong(tmp_path: Path) -> None:
    throw = "{throw error: other}"
    assert told(tmp_path, "start: p", throw) == "s → [Ask bureau: incident UNHANDLED_ERROR]"
    fail = "{fail job: bureau, backoff: PT1H}"
    assert told(tmp_path, "start: p", fail) == f"s → [Ask bureau: failed, next try {TEN}]"
    assert told(tmp_path, "start: p") == "s → [Ask bureau]"


def test_the_next_try_of_a_failed_job_can_be_expected(tmp_path: Path) -> None:
    fail = "{fail job: bureau, backoff: PT1H, expect: {jobs: [], retrying: %s}}"
    for pattern in (
        "bureau",
        f"{{element: Ask bureau, next try: {TEN}, retries: 1}}",
        "{next try: 2026-01-05T11:00:00+01:00}",
    ):
        later = "{elapse: PT1H, expect: {jobs: bureau, retrying: []}}"
        assert failures(tmp_path, ASK, "start: p", fail % pattern, later) == []
    line = f"bureau, element: Ask bureau, next try: {TEN}, retries: 1"
    for pattern in ("[]", "{next try: 2026-01-05T10:00:01Z}", "{retries: 2}"):
        (found,) = failures(tmp_path, ASK, "start: p", fail % pattern)
        assert found.found == (line,)


def test_a_failed_job_that_is_not_open_yet_is_told_where_a_job_is_looked_for(
    tmp_path: Path,
) -> None:
    steps = ["start: p", "{fail job: bureau, backoff: PT1H}"]
    line = f"Ask bureau (job bureau, failed, next try {TEN}, 1 left)"
    (found,) = failures(tmp_path, ASK, *steps, "complete job: bureau")
    assert found.found == (line,)
    (found,) = failures(tmp_path, ASK, *steps, "{expect: {jobs: bureau}}")
    assert found.found == ("no open jobs", line)
    (found,) = failures(tmp_path, ASK, *steps, "{expect: {state: completed}}")
    assert found.found == ("running", line)


def test_conditions_that_cannot_be_evaluated_must_be_expected(tmp_path: Path) -> None:
    model = bpmn(
        process(
            "hot", start("h", conditional_event("=heat > 30")), user_task("t"), chain("h", "t")
        ),
        process("odd", start("o", conditional_event("=heat + 1")), user_task("u"), chain("o", "u")),
    )
    (found,) = failures(tmp_path, model, "evaluate conditions: {heat: 31}")
    assert found.what == "Not all conditions could be evaluated."
    assert found.found[0].startswith("odd: Expected true or false, found 32")
    assert failures(tmp_path, model, "{evaluate conditions: {heat: 31}, failed: odd}") == []
    (found,) = failures(tmp_path, model, "{evaluate conditions: {heat: 31}, failed: [odd, hot]}")
    assert found.expected == ("a failure of odd", "a failure of hot")
    (found,) = failures(tmp_path, model, "{evaluate conditions: {cold: 1}, failed: odd}")
    assert found.what == "All conditions could be evaluated."


def test_a_name_that_is_the_id_of_another_element_is_refused(tmp_path: Path) -> None:
    model = bpmn(
        process(
            "p", start("s"), user_task("t"), chain("s", "t"),
            named(boundary("Nag", "t", timer(duration="PT1H"), interrupting=False), "Every hour"),
            named(service_task("NagMail", type="mail"), "Nag"), flow("Nag", "NagMail"),
        )
    )  # fmt: skip
    said = "'Nag' is the name of 'NagMail' and the id of 'Every hour' in 'p'."
    for step in ("fire timer: Nag", "{expect: {not completed: Nag}}", "{expect: {timers: Nag}}"):
        (found,) = failures(tmp_path, model, "start: p", step)
        assert (found.what, found.hint) == (
            said, "Say 'NagMail' for the one, 'Every hour' for the other."
        )  # fmt: skip
    fire = "{fire timer: Every hour, expect: {jobs: {element: NagMail}}}"
    assert failures(tmp_path, model, "start: p", fire, "complete job: mail") == []


def test_an_id_that_is_its_own_name_is_clear_though_others_have_the_name(tmp_path: Path) -> None:
    model = bpmn(
        process("p", start("s"), user_task("Ask", name="Ask"), user_task("b", name="Ask"),
                chain("s", "Ask", "b"))
    )  # fmt: skip
    assert failures(tmp_path, model, "{start: p, expect: {waiting at: Ask}}") == []


def test_an_engine_that_breaks_fails_the_scenario(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*_: object) -> None:
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr(Simulation, "fire_due", breaks)
    model = bpmn(process("p", start("s", timer(duration="PT1H")), end("e"), chain("s", "e")))
    (found,) = failures(tmp_path, model, "elapse: PT2H")
    assert found.place.line == 5
    assert "a fault of Torpor, not of the model: ZeroDivisionError: by nothing" in found.what
    assert found.hint.startswith("Please report it")
    assert "test_stuck.py:" in found.hint
