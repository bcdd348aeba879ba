"""Coverage: which elements and flows any scenario has passed."""

from pathlib import Path

from scenarios.coverage import Coverage, percent
from tests.support.models import (
    bpmn,
    chain,
    compensate_event,
    compensation,
    end,
    exclusive,
    flow,
    for_compensation,
    process,
    service_task,
    start,
    throw,
    user_task,
)
from tests.support.yaml_scenarios import ran

MODEL = bpmn(
    process(
        "p",
        start("s"),
        exclusive("x", default="x-b"),
        user_task("a", name="Do  it"),
        user_task("b"),
        end("e"),
        chain("s", "x"),
        flow("x", "a", condition="=n > 1"),
        flow("x", "b"),
        chain("a", "e"),
        chain("b", "e"),
    ),
    process("never", start("s2"), end("e2"), chain("s2", "e2")),
)


def test_what_was_passed_is_counted_and_the_rest_is_named(tmp_path: Path) -> None:
    coverage = Coverage()
    text = "scenarios:\n  - name: a\n    steps:\n      - {start: p, variables: {n: 1}}\n"
    cases = ran(tmp_path, MODEL, text)
    coverage.expect(cases[0].case.models)
    ran(tmp_path, MODEL, text, coverage)
    process_p, never = coverage.report()
    assert (process_p.process, process_p.elements, process_p.flows) == ("p", 5, 5)
    assert [part.label for part in process_p.missing_elements] == ["Do it", "e"]
    assert [part.label for part in process_p.missing_flows] == ["x → Do it", "Do it → e", "b → e"]
    assert (process_p.covered, process_p.total) == (5, 10)
    assert (never.covered, never.total) == (0, 3)
    assert round(percent(coverage.report())) == 38


def test_what_several_scenarios_passed_counts_together(tmp_path: Path) -> None:
    coverage = Coverage()
    text = """\
    scenarios:
      - name: much
        steps: [{start: p, variables: {n: 2}}, {complete task: a}]
      - name: little
        steps: [{start: p, variables: {n: 1}}, {complete task: b}]
    """
    coverage.expect(ran(tmp_path, MODEL, text)[0].case.models)
    ran(tmp_path, MODEL, text, coverage)
    assert coverage.report()[0].missing_elements == ()
    assert coverage.report()[0].missing_flows == ()


def test_a_compensation_counts_once_its_handler_ran(tmp_path: Path) -> None:
    model = bpmn(
        process(
            "p", start("s"), service_task("book"), compensation("book", "cancel"),
            for_compensation(service_task("cancel")),
            throw("back", compensate_event()), end("e"), chain("s", "book", "back", "e"),
        )
    )  # fmt: skip
    coverage = Coverage()
    head = "mocks: {jobs: {book: {complete: {}}}}\n"
    text = f"{head}scenarios: {{name: a, steps: [start: p]}}\n"
    coverage.expect(ran(tmp_path, model, text)[0].case.models)
    ran(tmp_path, model, text, coverage)
    (found,) = coverage.report()
    assert [part.id for part in found.missing_elements] == ["e"]


def test_no_model_is_all_covered() -> None:
    assert percent([]) == 100
