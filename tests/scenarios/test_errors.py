"""BPMN errors: who catches them on the way outward, and what happens when nobody does."""

import pytest
from msgspec.structs import replace

from engine import commands as c
from engine.lifecycle import InstanceState
from engine.model.elements import BoundaryEvent, ErrorTrigger
from engine.records import EffectError
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    boundary,
    call_activity,
    chain,
    compiled,
    end,
    error,
    error_event,
    extension,
    extensions,
    service_task,
    start,
    sub_process,
    tag,
    task,
    timer,
    user_task,
)
from tests.support.runner import Runner

LOW = error("low", "LOW")
HIGH = error("high", "HIGH")


def throw(run: Runner, code: str, **fields: str) -> None:
    job = run.job("work")
    run.accept(c.ThrowError(job_id=job.job_id, attempt=job.attempt, code=code, **fields))


def guarded(scenario: Scenario) -> Runner:
    """A task with an event for LOW and one for all errors, in a sub-process with one for HIGH."""
    run = scenario(
        compiled(
            LOW,
            HIGH,
            start("s"),
            sub_process(
                "sub",
                start("s2"),
                service_task("work"),
                boundary("any", "work", error_event()),
                boundary("on_low", "work", error_event("low")),
                chain("s2", "work"),
            ),
            boundary("on_high", "sub", error_event("high")),
            task("after"),
            chain("s", "sub", "after"),
        )
    )
    run.start("p")
    return run


def test_an_exact_code_comes_before_one_that_catches_all(scenario: Scenario) -> None:
    run = guarded(scenario)
    throw(run, "LOW")
    assert run.path() == ["s", "s2", "on_low", "sub", "after", "p"]
    run.assert_nothing_left()


def test_the_innermost_scope_comes_first_even_if_it_catches_all(scenario: Scenario) -> None:
    run = guarded(scenario)
    throw(run, "HIGH")
    assert run.path() == ["s", "s2", "any", "sub", "after", "p"]


def outward(scenario: Scenario) -> Runner:
    run = scenario(
        compiled(
            LOW,
            HIGH,
            start("s"),
            sub_process(
                "outer",
                start("s2"),
                sub_process(
                    "inner",
                    start("s3"),
                    service_task("work"),
                    user_task("beside"),
                    boundary("on_low", "work", error_event("low")),
                    chain("s3", "work"),
                    chain("s3", "beside"),
                ),
                chain("s2", "inner"),
            ),
            boundary("on_high", "outer", error_event("high")),
            task("after"),
            chain("s", "outer", "after"),
            chain("on_high", "after"),
        )
    )
    run.start("p")
    return run


def test_an_error_ends_every_scope_that_it_leaves(scenario: Scenario) -> None:
    run = outward(scenario)
    throw(run, "HIGH", message="too much", variables='{"limit": 5}')
    assert run.path() == ["s", "s2", "s3", "on_high", "after", "p"]
    assert len(run.effects("TaskCanceled")) == 1
    assert run.result() == '{"limit":5}'
    (failed,) = run.effects("JobFailed")
    assert failed.error is not None
    assert (failed.error.code, failed.error.message) == ("HIGH", "too much")
    assert run.effects("JobCanceled") == []
    run.assert_nothing_left()


def test_an_error_that_nobody_catches_is_an_incident_that_gives_another_attempt(
    scenario: Scenario,
) -> None:
    run = outward(scenario)
    throw(run, "OTHER", message="who knows")
    incident = run.incident()
    assert incident.kind == "UNHANDLED_ERROR"
    assert "'OTHER'" in incident.message
    assert "who knows" in incident.message
    assert sorted(run.active()) == ["beside", "inner", "outer", "work"]
    run.resolve()
    assert run.job("work").attempt == 2
    throw(run, "HIGH")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_an_error_end_event_throws_outward(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            HIGH,
            start("s"),
            sub_process(
                "sub",
                start("s2"),
                service_task("beside"),
                end("bad", error_event("high")),
                chain("s2", "beside"),
                chain("s2", "bad"),
            ),
            boundary("on_high", "sub", error_event("high")),
            task("after"),
            chain("s", "sub"),
            chain("on_high", "after"),
        )
    )
    run.start("p")
    assert run.path() == ["s", "s2", "on_high", "after", "p"]
    run.assert_nothing_left()


def test_an_error_end_event_that_nobody_catches_is_an_incident(scenario: Scenario) -> None:
    run = scenario(compiled(HIGH, start("s"), end("bad", error_event("high")), chain("s", "bad")))
    run.start("p")
    assert run.incident().kind == "UNHANDLED_ERROR"
    assert run.active() == ["bad"]
    run.resolve()
    assert run.incident().kind == "UNHANDLED_ERROR"


def test_a_user_task_may_throw_an_error(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            LOW,
            start("s"),
            user_task("approve"),
            boundary("refused", "approve", error_event("low")),
            task("after"),
            chain("s", "approve"),
            chain("refused", "after"),
        )
    )
    run.start("p")
    task_id = run.task("approve").task_id
    run.accept(c.ThrowError(task_id=task_id, code="NONE"))
    assert run.incident().kind == "UNHANDLED_ERROR"
    assert run.task("approve").task_id == task_id
    run.accept(c.ThrowError(task_id=task_id, code="LOW"))
    assert run.path() == ["s", "refused", "after", "p"]
    assert [effect.type for effect in run.effects()].count("IncidentResolved") == 1
    run.assert_nothing_left()


def test_a_task_with_an_unhandled_error_can_still_be_completed(scenario: Scenario) -> None:
    run = scenario(compiled(start("s"), user_task("approve"), chain("s", "approve")))
    run.start("p")
    run.accept(c.ThrowError(task_id=run.task("approve").task_id, code="NONE"))
    run.resolve()
    run.complete_task("approve")
    assert run.state() is InstanceState.COMPLETED


def test_an_error_event_hands_on_code_and_message_through_its_outputs(
    scenario: Scenario,
) -> None:
    definition = tag("errorEventDefinition", errorRef="low")
    mapping = extensions(
        extension("ioMapping", extension("output", source="=limit + 1", target="next"))
    )
    run = scenario(
        compiled(
            LOW,
            start("s"),
            service_task("work"),
            tag("boundaryEvent", mapping, definition, id="on_low", attachedToRef="work"),
            chain("s", "work"),
        )
    )
    run.start("p")
    throw(run, "LOW", variables='{"limit": 5}')
    assert run.result() == '{"next":6}'


@pytest.mark.parametrize(
    "fields", [{}, {"job_id": "a:1", "task_id": "a:2"}], ids=["neither", "both"]
)
def test_an_error_names_a_job_or_a_task(scenario: Scenario, fields: dict[str, str]) -> None:
    run = guarded(scenario)
    code, detail = run.reject(c.ThrowError(code="LOW", **fields))  # type: ignore[arg-type]  # texts
    assert code == "INVALID_ARGUMENT"
    assert "job_id" in detail


def test_an_error_code_keeps_to_its_length(scenario: Scenario) -> None:
    run = guarded(scenario)
    command = c.ThrowError(job_id=run.job("work").job_id, code="x" * 1_001)
    assert run.reject(command)[0] == "INVALID_ARGUMENT"


def test_an_error_may_leave_the_attempt_out(scenario: Scenario) -> None:
    run = guarded(scenario)
    run.accept(c.ThrowError(job_id=run.job("work").job_id, code="LOW"))
    assert "on_low" in run.path()


def test_an_error_end_event_gives_its_inputs_to_what_catches(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            error("low", "LOW"),
            start("s"),
            sub_process(
                "sub",
                start("i"),
                end("fail", error_event("low"), inputs={"left": "=stock - 1"}),
                chain("i", "fail"),
            ),
            boundary("caught", "sub", error_event("low")),
            chain("s", "sub"),
        )
    )
    run.start("p", variables='{"stock": 5}')
    assert run.result() == '{"stock":5,"left":4}'


def test_an_error_event_may_keep_code_and_message_in_variables(scenario: Scenario) -> None:
    model = compiled(
        LOW,
        start("s"),
        service_task("work"),
        boundary("on_low", "work", error_event("low")),
        chain("s", "work"),
    )
    event = model.element("on_low")
    assert isinstance(event, BoundaryEvent)
    assert isinstance(event.trigger, ErrorTrigger)
    trigger = replace(event.trigger, code_variable="code", message_variable="why")
    elements = list(model.elements)
    elements[event.index] = replace(event, trigger=trigger)
    run = scenario(replace(model, elements=tuple(elements)))
    run.start("p")
    throw(run, "LOW", message="no stock")
    assert run.result() == '{"code":"LOW","why":"no stock"}'


def test_an_error_beyond_the_instances_limit_is_refused(scenario: Scenario) -> None:
    run = guarded(scenario)
    big = '{"x": "' + "y" * 600_000 + '"}'
    command = c.ThrowError(job_id=run.job("work").job_id, code="LOW", variables=big)
    assert run.reject(command)[0] == "TOO_LARGE"


def test_other_events_at_an_activity_do_not_catch_errors(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            LOW,
            start("s"),
            service_task("work"),
            boundary("late", "work", timer(duration="PT1H")),
            boundary("on_low", "work", error_event("low")),
            chain("s", "work"),
        )
    )
    run.start("p")
    throw(run, "LOW")
    assert run.path() == ["s", "on_low", "p"]
    run.assert_nothing_left()


FAILING = extensions(
    extension("properties", extension("property", name="torpor:uncaughtErrors", value="fail"))
)


def test_an_error_that_nobody_catches_ends_an_instance_whose_model_asks_for_that(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled(
            FAILING,
            LOW,
            start("s"),
            service_task("work"),
            user_task("beside"),
            boundary("edge", "work", error_event("low")),
            end("caught"),
            chain("s", "work"),
            chain("s", "beside"),
            chain("edge", "caught"),
        )
    )
    run.start("p")
    throw(run, "HIGH", message="no stock")
    assert run.state() is InstanceState.FAILED
    (failed,) = run.effects("InstanceFailed")
    assert failed.error == EffectError(code="HIGH", message="no stock")
    assert (run.jobs(), run.tasks(), run.effects("IncidentRaised")) == ([], [], [])
    run.assert_nothing_left()
    run.start("p", "b")
    throw(run, "LOW")
    assert "caught" in run.path("b")


@pytest.mark.parametrize("caught", [False, True])
def test_a_called_instance_that_fails_hands_its_error_to_its_caller(
    scenario: Scenario, *, caught: bool
) -> None:
    called = compiled(FAILING, start("cs"), service_task("work"), chain("cs", "work"),
                      process_id="called")  # fmt: skip
    edge = (boundary("edge", "call", error_event()), end("x"), chain("edge", "x"))
    run = scenario(
        called,
        compiled(start("s"), call_activity("call", "called"), chain("s", "call"),
                 *(edge if caught else ())),
    )  # fmt: skip
    run.start("p")
    throw(run, "HIGH")
    assert len(run.effects("InstanceFailed")) == 1
    if caught:
        assert run.path() == ["s", "edge", "x", "p"]
    else:
        assert run.incident().kind == "UNHANDLED_ERROR"
