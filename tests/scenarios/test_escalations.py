"""Escalations: thrown by events, workers and called processes; caught, or told of and gone on."""

import pytest

from engine import commands as c
from engine.events import EventThrown
from engine.lifecycle import InstanceState
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    boundary,
    call_activity,
    chain,
    compiled,
    end,
    error,
    error_event,
    escalation,
    escalation_event,
    event_sub_process,
    service_task,
    start,
    sub_process,
    task,
    throw,
    user_task,
)
from tests.support.runner import Runner

LATE = escalation("late", "LATE")


def inside(
    scenario: Scenario,
    *around: str,
    thrown: str | None = None,
    handler: str = "",
    interrupting: bool = True,
) -> Runner:
    """A sub-process that throws and then works on, with a boundary event that catches."""
    run = scenario(
        compiled(
            LATE,
            escalation("other", "OTHER"),
            start("s"),
            sub_process(
                "sub",
                start("i"),
                thrown or throw("tell", escalation_event("late")),
                service_task("work"),
                end("ie"),
                chain("i", "tell", "work", "ie"),
                handler,
            ),
            boundary("edge", "sub", escalation_event("late"), interrupting=interrupting),
            service_task("calm"),
            end("e"),
            chain("s", "sub", "e"),
            chain("edge", "calm"),
            *around,
        )
    )
    run.start("p")
    return run


def test_an_interrupting_boundary_event_ends_what_threw(scenario: Scenario) -> None:
    run = inside(scenario)
    assert run.active() == ["calm"]
    run.complete("calm")
    assert run.path() == ["s", "i", "edge", "calm", "p"]
    assert run.effects("EscalationRaised") == []
    run.assert_nothing_left()


def test_another_boundary_event_lets_what_threw_go_on(scenario: Scenario) -> None:
    run = inside(scenario, interrupting=False)
    assert sorted(run.active()) == ["calm", "sub", "work"]
    run.complete("work")
    run.complete("calm")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_an_event_that_catches_all_serves_where_no_other_names_the_code(
    scenario: Scenario,
) -> None:
    run = inside(
        scenario,
        boundary("any", "sub", escalation_event(), interrupting=False),
        task("whatever"),
        chain("any", "whatever"),
        thrown=throw("tell", escalation_event("other")),
    )
    assert run.active() == ["sub", "work"]
    assert "whatever" in run.path()


@pytest.mark.parametrize("interrupting", [True, False])
def test_an_event_sub_process_catches_before_the_boundary_of_its_scope(
    scenario: Scenario, *, interrupting: bool
) -> None:
    handler = event_sub_process(
        "on",
        start("began", escalation_event("late"), interrupting=interrupting),
        service_task("handle"),
        chain("began", "handle"),
    )
    run = inside(scenario, handler=handler)
    assert run.jobs("calm") == []
    assert len(run.jobs("handle")) == 1
    assert len(run.jobs("work")) == (0 if interrupting else 1)
    if not interrupting:
        run.complete("work")
    run.complete("handle")
    assert run.path()[-3:] == ["sub", "e", "p"]
    run.assert_nothing_left()


def test_what_a_handler_throws_goes_on_outward_once_its_scope_is_interrupted(
    scenario: Scenario,
) -> None:
    handler = event_sub_process(
        "on",
        start("began", escalation_event()),
        end("more", escalation_event("late")),
        chain("began", "more"),
    )
    run = inside(scenario, handler=handler)
    assert run.path() == ["s", "i", "began", "edge"]
    assert run.active() == ["calm"]


def test_a_handler_that_interrupts_nothing_does_not_catch_what_it_throws(
    scenario: Scenario,
) -> None:
    more = end("more", escalation_event("late"))
    handler = event_sub_process(
        "on",
        start("began", escalation_event("late"), interrupting=False),
        sub_process("deeper", start("d"), more, chain("d", "more")),
        chain("began", "deeper"),
    )
    run = inside(scenario, handler=handler)
    assert run.path() == ["s", "i", "tell", "began", "d", "edge"]
    assert run.active() == ["calm"]


def test_an_end_event_throws_and_ends(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            LATE,
            start("s"),
            sub_process(
                "sub", start("i"), end("tell", escalation_event("late")), chain("i", "tell")
            ),
            boundary("edge", "sub", escalation_event("late"), interrupting=False),
            task("calm"),
            chain("s", "sub"),
            chain("edge", "calm"),
        )
    )
    run.start("p")
    assert sorted(run.path()) == ["calm", "edge", "i", "p", "s", "sub", "tell"]
    run.assert_nothing_left()


def test_what_nobody_catches_goes_on_and_is_told(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            LATE,
            start("s"),
            throw("tell", escalation_event("late"), inputs={"why": '="slow"'}),
            service_task("work"),
            chain("s", "tell", "work"),
        )
    )
    run.start("p")
    (told,) = run.effects("EscalationRaised")
    assert (told.element_id, told.variables) == ("tell", '{"why":"slow"}')
    assert told.error is not None
    assert told.error.code == "LATE"
    assert [event.name for event in run.events() if isinstance(event, EventThrown)] == ["LATE"]
    run.complete("work")
    assert run.state() is InstanceState.COMPLETED


def test_variables_come_along(scenario: Scenario) -> None:
    run = inside(
        scenario, thrown=throw("tell", escalation_event("late"), inputs={"why": '="slow"'})
    )
    assert run.variables() == {"why": '"slow"'}


def worked(scenario: Scenario, work: str, *, interrupting: bool) -> Runner:
    run = scenario(
        compiled(
            LATE,
            start("s"),
            work,
            boundary("edge", "work", escalation_event("late"), interrupting=interrupting),
            task("calm"),
            end("e"),
            chain("s", "work", "e"),
            chain("edge", "calm"),
        )
    )
    run.start("p")
    return run


@pytest.mark.parametrize("interrupting", [True, False])
def test_a_worker_throws_and_works_on_unless_it_is_interrupted(
    scenario: Scenario, *, interrupting: bool
) -> None:
    run = worked(scenario, service_task("work"), interrupting=interrupting)
    job = run.job("work")
    run.accept(
        c.ThrowEscalation(job_id=job.job_id, attempt=job.attempt, code="LATE", variables='{"n": 1}')
    )
    assert "calm" in run.path()
    assert len(run.jobs("work")) == (0 if interrupting else 1)
    if not interrupting:
        run.complete("work")
    assert run.result() == '{"n":1}'
    run.assert_nothing_left()


def test_people_throw_too(scenario: Scenario) -> None:
    run = worked(scenario, user_task("work"), interrupting=False)
    run.accept(c.ThrowEscalation(task_id=run.task("work").task_id, code="LATE"))
    assert "calm" in run.path()
    run.complete_task("work")
    assert run.state() is InstanceState.COMPLETED


def test_a_stale_attempt_and_a_nameless_thrower_are_rejected(scenario: Scenario) -> None:
    run = worked(scenario, service_task("work"), interrupting=True)
    job = run.job("work")
    code, _ = run.reject(c.ThrowEscalation(job_id=job.job_id, attempt=2, code="LATE"))
    assert code == "STALE_ATTEMPT"
    code, _ = run.reject(c.ThrowEscalation(code="LATE", job_id=job.job_id, task_id=job.job_id))
    assert code == "INVALID_ARGUMENT"


CALLED = compiled(
    LATE,
    start("s"),
    throw("tell", escalation_event("late"), inputs={"why": '="slow"'}),
    service_task("work"),
    end("e"),
    chain("s", "tell", "work", "e"),
    process_id="called",
)


def calling(scenario: Scenario, *edge: str) -> Runner:
    run = scenario(
        CALLED,
        compiled(
            LATE,
            start("s"),
            call_activity("call", "called", all_out=False),
            end("e"),
            chain("s", "call", "e"),
            *edge,
        ),
    )
    run.start("p")
    return run


@pytest.mark.parametrize("interrupting", [True, False])
def test_what_a_called_process_throws_is_caught_at_the_call(
    scenario: Scenario, *, interrupting: bool
) -> None:
    run = calling(
        scenario,
        boundary("edge", "call", escalation_event("late"), interrupting=interrupting),
        task("calm"),
        chain("edge", "calm"),
    )
    assert "calm" in run.path()
    assert len(run.jobs("work")) == (0 if interrupting else 1)
    if not interrupting:
        run.complete("work")
    assert run.result() == '{"why":"slow"}'
    assert run.effects("EscalationRaised") == []
    run.assert_nothing_left()


def test_what_no_caller_catches_is_told_of_the_outermost(scenario: Scenario) -> None:
    run = calling(scenario)
    (told,) = run.effects("EscalationRaised")
    assert (told.instance_id, told.element_id) == ("a", "call")
    run.complete("work")
    assert run.state() is InstanceState.COMPLETED


def test_errors_and_escalations_of_one_code_are_told_apart(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            LATE,
            error("bad", "LATE"),
            start("s"),
            sub_process(
                "sub", start("i"), end("tell", escalation_event("late")), chain("i", "tell")
            ),
            boundary("edge", "sub", error_event("bad")),
            end("failed"),
            end("e"),
            chain("s", "sub", "e"),
            chain("edge", "failed"),
        )
    )
    run.start("p")
    assert run.path() == ["s", "i", "tell", "sub", "e", "p"]
