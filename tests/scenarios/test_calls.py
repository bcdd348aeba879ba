"""Call activities: called instances, their ends and errors, and what becomes of them."""

import pytest

from engine import commands as c
from engine.lifecycle import InstanceState
from engine.settings import Settings
from engine.state import CallWait
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    boundary,
    call_activity,
    chain,
    compiled,
    end,
    error,
    error_event,
    exclusive,
    flow,
    looped,
    message,
    message_event,
    multi_instance,
    parallel,
    script_task,
    service_task,
    start,
    sub_process,
    task,
    terminate_event,
    timer,
    user_task,
)
from tests.support.runner import Runner

HOUR = 3_600_000


def child_of(run: Runner, instance_id: str = "a") -> str:
    (call,) = run.waits(CallWait, instance_id)
    assert isinstance(call, CallWait)
    return call.child_id


CALLED = compiled(
    start("s"), service_task("work"), end("e"), chain("s", "work", "e"), process_id="called"
)
CALLER = compiled(start("s"), call_activity("call", "called"), end("e"), chain("s", "call", "e"))


def test_a_call_runs_another_process_and_goes_on_with_its_variables(scenario: Scenario) -> None:
    run = scenario(CALLED, CALLER)
    run.accept(
        c.StartInstance(
            process_id="p", instance_id="a", business_key="order-7", variables='{"n": 1}'
        )
    )
    child = child_of(run)
    assert child.startswith("a~")
    job = run.job("work")
    assert (job.instance_id, job.root_id, job.business_key) == (child, "a", "order-7")
    assert job.variables == '{"n":1}'
    run.complete("work", '{"n": 2, "m": 3}')
    assert run.state("a") is InstanceState.COMPLETED
    assert run.state(child) is InstanceState.COMPLETED
    assert run.result() == '{"n":2,"m":3}'
    assert {effect.root_id for effect in run.effects()} == {"a"}
    run.assert_nothing_left()


def test_mappings_choose_what_goes_in_and_out(scenario: Scenario) -> None:
    caller = compiled(
        start("s"),
        call_activity(
            "call", "called", all_in=False, inputs={"x": "=n + 1"}, outputs={"y": "=x * 10"}
        ),
        chain("s", "call"),
    )
    run = scenario(CALLED, caller)
    run.start("p", variables='{"n": 1}')
    assert run.job("work").variables == '{"x":2}'
    run.complete("work", '{"x": 3, "more": 1}')
    assert run.result() == '{"n":1,"y":30}'


def test_nothing_comes_back_when_the_model_says_so(scenario: Scenario) -> None:
    caller = compiled(
        start("s"), call_activity("call", "called", all_out=False), chain("s", "call")
    )
    run = scenario(CALLED, caller)
    run.start("p", variables='{"n": 1}')
    run.complete("work", '{"n": 2}')
    assert run.result() == '{"n":1}'


def test_a_call_takes_the_latest_version_and_keeps_it(scenario: Scenario) -> None:
    run = scenario(CALLED, CALLER)
    newer = compiled(start("s"), user_task("ask"), chain("s", "ask"), process_id="called")
    run.start("p", "a")
    assert run.deploy(newer) == 2
    run.start("p", "b")
    assert run.active(child_of(run, "a")) == ["work"]
    assert run.active(child_of(run, "b")) == ["ask"]


def test_the_called_process_may_be_named_by_an_expression(scenario: Scenario) -> None:
    caller = compiled(start("s"), call_activity("call", "=target"), chain("s", "call"))
    run = scenario(CALLED, caller)
    run.start("p", variables='{"target": "called"}')
    run.complete("work")
    assert run.state() is InstanceState.COMPLETED


def test_an_unknown_process_is_an_incident_until_it_is_deployed(scenario: Scenario) -> None:
    run = scenario(CALLER)
    run.start("p")
    incident = run.incident()
    assert (incident.kind, incident.step) == ("CALLED_PROCESS_FAILED", "run")
    assert "'called'" in incident.message
    run.deploy(CALLED)
    run.resolve()
    run.complete("work")
    assert run.state() is InstanceState.COMPLETED


def test_a_process_that_cannot_begin_by_itself_is_an_incident(scenario: Scenario) -> None:
    called = compiled(
        message("m", "go"), start("s", message_event("m")), task("t"), chain("s", "t"),
        process_id="called",
    )  # fmt: skip
    run = scenario(called, CALLER)
    run.start("p")
    incident = run.incident()
    assert incident.kind == "CALLED_PROCESS_FAILED"
    assert "none start event" in incident.message
    assert run.active() == ["call"]


def test_a_call_that_passes_more_than_an_instance_may_have_is_an_incident(
    scenario: Scenario,
) -> None:
    """The count of the loop goes along with all that the caller has."""
    caller = compiled(
        start("s"), looped(call_activity("call", "called"), multi_instance(times="1")), end("e"),
        chain("s", "call", "e"),
    )  # fmt: skip
    run = scenario(CALLED, caller, settings=Settings(variables_bytes_max=100))
    run.start("p", variables=f'{{"v": "{"x" * 90}"}}')
    assert run.incident().kind == "CALLED_PROCESS_FAILED"
    assert "Expected variables of at most 100 bytes, found 10" in run.incident().message
    run.resolve(variables='{"v": 1}')
    run.complete("work")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_an_error_of_the_called_process_is_caught_at_the_call(scenario: Scenario) -> None:
    failure = error("bad", "BAD")
    called = compiled(
        failure,
        start("s"),
        service_task("work"),
        end("e", error_event("bad")),
        user_task("beside"),
        chain("s", "work", "e"),
        chain("s", "beside"),
        process_id="called",
    )
    caller = compiled(
        failure,
        start("s"),
        call_activity("call", "called"),
        boundary("caught", "call", error_event("bad")),
        task("after"),
        chain("s", "call"),
        chain("caught", "after"),
    )
    run = scenario(called, caller)
    run.start("p")
    child = child_of(run)
    run.complete("work")
    assert run.state(child) is InstanceState.FAILED
    assert run.path() == ["s", "caught", "after", "p"]
    (failed,) = run.effects("InstanceFailed")
    assert failed.error is not None
    assert (failed.instance_id, failed.error.code) == (child, "BAD")
    run.assert_nothing_left()


def test_an_error_bubbles_through_several_calls(scenario: Scenario) -> None:
    failure = error("bad", "BAD")
    middle = compiled(
        start("s"),
        sub_process("sub", call_activity("call", "called")),
        chain("s", "sub"),
        process_id="middle",
    )
    caller = compiled(
        failure,
        start("s"),
        call_activity("call", "middle"),
        boundary("caught", "call", error_event("bad")),
        task("after"),
        chain("s", "call"),
        chain("caught", "after"),
    )
    run = scenario(CALLED, middle, caller)
    run.start("p")
    job = run.job("work")
    assert job.instance_id.count("~") == 2
    run.accept(c.ThrowError(job_id=job.job_id, attempt=1, code="BAD"))
    assert run.path() == ["s", "caught", "after", "p"]
    run.assert_nothing_left()


@pytest.mark.parametrize("settings", [Settings(), Settings(terminations_per_command_max=1)])
def test_what_comes_with_an_error_bubbles_with_it(scenario: Scenario, settings: Settings) -> None:
    failure = error("bad", "BAD")
    thrower = compiled(
        failure,
        start("s"),
        parallel("fork"),
        *(service_task(name) for name in ("one", "other", "work")),
        end("fail", error_event("bad"), inputs={"why": '="late " + day'}),
        chain("s", "fork", "one"),
        chain("fork", "other"),
        chain("fork", "work", "fail"),
        process_id="called",
    )
    middle = compiled(
        start("s"), call_activity("call", "called"), chain("s", "call"), process_id="middle"
    )
    caller = compiled(
        failure,
        start("s"),
        call_activity("call", "middle"),
        boundary("caught", "call", error_event("bad"), outputs={"reason": "=why"}),
        chain("s", "call"),
    )
    run = scenario(thrower, middle, caller, settings=settings)
    run.start("p", variables='{"day": "today"}')
    run.complete("work", '{"inner": 1}')
    assert run.result() == '{"day":"today","reason":"late today"}'
    run.assert_nothing_left()


def test_an_error_that_no_caller_catches_is_an_incident_at_the_outermost_call(
    scenario: Scenario,
) -> None:
    run = scenario(CALLED, CALLER)
    run.start("p")
    first = child_of(run)
    run.accept(c.ThrowError(job_id=run.job("work").job_id, attempt=1, code="BAD", message="why"))
    incident = run.incident()
    assert (incident.kind, incident.element_id) == ("UNHANDLED_ERROR", "call")
    assert "why" in incident.message
    run.resolve()
    assert child_of(run) != first
    run.complete("work")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_terminating_the_caller_terminates_what_it_called(scenario: Scenario) -> None:
    middle = compiled(
        start("s"), call_activity("call", "called"), chain("s", "call"), process_id="middle"
    )
    caller = compiled(start("s"), call_activity("call", "middle"), chain("s", "call"))
    run = scenario(CALLED, middle, caller)
    run.start("p")
    child = child_of(run)
    grandchild = child_of(run, child)
    run.accept(c.TerminateInstance(instance_id="a"))
    for instance_id in ("a", child, grandchild):
        assert run.state(instance_id) is InstanceState.TERMINATED
    assert len(run.effects("JobCanceled")) == 1
    run.assert_nothing_left()


def test_a_boundary_event_ends_the_called_instance(scenario: Scenario) -> None:
    caller = compiled(
        start("s"),
        call_activity("call", "called"),
        boundary("late", "call", timer(duration="PT1H")),
        end("e"),
        chain("s", "call"),
        chain("late", "e"),
    )
    run = scenario(CALLED, caller)
    run.start("p")
    child = child_of(run)
    run.elapse(HOUR)
    assert run.state(child) is InstanceState.TERMINATED
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_a_called_instance_terminated_from_outside_is_an_incident_of_its_caller(
    scenario: Scenario,
) -> None:
    run = scenario(CALLED, CALLER)
    run.start("p")
    run.accept(c.TerminateInstance(instance_id=child_of(run)))
    incident = run.incident()
    assert incident.kind == "CALLED_PROCESS_FAILED"
    assert "TERMINATED" in incident.message
    run.resolve()
    run.complete("work")
    assert run.state() is InstanceState.COMPLETED


def test_a_recursion_stops_at_the_limit_of_depth(scenario: Scenario) -> None:
    endless = compiled(start("s"), call_activity("call", "p"), chain("s", "call"))
    run = scenario(endless, settings=Settings(call_depth_max=3))
    run.start("p")
    deepest = "a"
    for _ in range(3):
        deepest = child_of(run, deepest)
    incident = run.incident(deepest)
    assert incident.kind == "CALLED_PROCESS_FAILED"
    assert "at most 3 deep" in incident.message
    run.accept(c.TerminateInstance(instance_id="a"))
    run.assert_nothing_left()


def test_a_recursion_that_ends_gives_its_results_back(scenario: Scenario) -> None:
    countdown = compiled(
        start("s"),
        script_task("count", "=n - 1", result="n"),
        exclusive("more", default="stop"),
        call_activity("call", "p"),
        end("e"),
        chain("s", "count", "more"),
        flow("more", "call", condition="=n > 0"),
        flow("more", "e", flow_id="stop"),
        flow("call", "e"),
    )
    run = scenario(countdown)
    run.start("p", variables='{"n": 10}')
    assert run.result() == '{"n":0}'
    assert len(run.effects("InstanceCompleted")) == 10
    run.assert_nothing_left()


def test_an_endless_loop_of_calls_is_stopped(scenario: Scenario) -> None:
    called = compiled(start("s"), task("t"), chain("s", "t"), process_id="called")
    caller = compiled(
        start("s"),
        exclusive("again"),
        call_activity("call", "called"),
        chain("s", "again", "call", "again"),
    )
    run = scenario(called, caller, settings=Settings(steps_per_command_max=10, steps_max=100))
    run.start("p")
    assert run.incident().kind == "STEP_LIMIT"
    assert len(run.effects("InstanceCompleted")) < 100


def test_the_end_of_a_call_that_was_given_up_changes_nothing(scenario: Scenario) -> None:
    run = scenario(CALLED, CALLER)
    run.start("p")
    child, owner = child_of(run), run.waits(CallWait)[0].owner
    before = run.living()
    for parent_element, child_id in ((owner, "a~1"), (owner + 99, child)):
        ended = c.ChildEnded(
            instance_id="a",
            parent_element=parent_element,
            child_id=child_id,
            state="COMPLETED",
        )
        run.internal(ended)
    assert run.living() == before
    run.internal(c.TerminateChild(instance_id=child, parent_element=owner + 99))
    assert run.state(child) is InstanceState.RUNNING


def test_a_terminate_end_event_of_the_called_process_lets_its_caller_go_on(
    scenario: Scenario,
) -> None:
    called = compiled(
        start("s"),
        user_task("left"),
        service_task("work"),
        end("kill", terminate_event()),
        chain("s", "left"),
        chain("s", "work", "kill"),
        process_id="called",
    )
    run = scenario(called, CALLER)
    run.start("p")
    child = child_of(run)
    run.complete("work")
    assert run.tasks() == []
    assert run.state(child) is InstanceState.COMPLETED
    assert run.path() == ["s", "call", "e", "p"]
    run.assert_nothing_left()
