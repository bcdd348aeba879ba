"""Ending very much at once: part by part, and nothing wakes that is already over."""

from collections.abc import Callable

import pytest

from engine import commands as c
from engine import events as e
from engine.lifecycle import InstanceState
from engine.settings import Settings
from engine.state import ProcessInstance
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    boundary,
    call_activity,
    chain,
    compiled,
    end,
    looped,
    message,
    message_event,
    multi_instance,
    receive_task,
    service_task,
    start,
    sub_process,
    terminate_event,
    timer,
    user_task,
)
from tests.support.runner import Runner

HOUR = 3_600_000
FEW = Settings(terminations_per_command_max=5)
LATE = (
    boundary("late", "many", timer(duration="PT1H")),
    user_task("after"),
    chain("late", "after"),
)


def wide(
    activity: str, *parts: str, times: str = "23", until: str | None = None
) -> tuple[str, ...]:
    many = looped(activity, multi_instance(times=times, until=until))
    return (start("s"), many, chain("s", "many"), *parts)


def parts_of(run: Runner) -> list[int]:
    """How many element instances each transition ended, of those that ended some."""
    ended = [
        sum(isinstance(event, e.ElementTerminated) for event in part.events)
        for part in run.history["a"]
    ]
    return [count for count in ended if count]


def test_an_interruption_goes_on_at_once_and_ends_the_rest_part_by_part(
    scenario: Scenario,
) -> None:
    run = scenario(compiled(*wide(service_task("many"), *LATE)), settings=FEW)
    run.start("p")
    run.elapse(HOUR)
    assert run.active() == ["after"]
    assert sum(parts_of(run)) == 24
    assert max(parts_of(run)) <= 5
    assert run.jobs() == []
    run.complete_task("after")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_an_instance_ends_when_all_in_it_is_ended(scenario: Scenario) -> None:
    inside = sub_process("many", start("s2"), user_task("t"), chain("s2", "t"))
    run = scenario(compiled(*wide(inside, *LATE)), settings=FEW)
    run.start("p")
    run.accept(c.TerminateInstance(instance_id="a", reason="enough"))
    assert run.state() is InstanceState.TERMINATED
    assert sum(parts_of(run)) == 1 + 1 + 2 * 23
    assert max(parts_of(run)) <= 5
    last = run.events()[-1]
    assert isinstance(last, e.InstanceChanged)
    assert last.reason == "enough"
    assert [effect.type for effect in run.effects()].count("InstanceTerminated") == 1
    run.assert_nothing_left()


def test_called_instances_go_with_their_callers(scenario: Scenario) -> None:
    called = compiled(start("s"), user_task("t"), chain("s", "t"), process_id="called")
    run = scenario(called, compiled(*wide(call_activity("many", "called"), *LATE)), settings=FEW)
    run.start("p")
    assert len(run.tasks()) == 23
    run.elapse(HOUR)
    assert [task.element_id for task in run.tasks()] == ["after"]
    run.complete_task("after")
    run.assert_nothing_left()


def test_a_completion_condition_ends_a_wide_loop_part_by_part(scenario: Scenario) -> None:
    until = "=numberOfCompletedInstances = 2"
    run = scenario(compiled(*wide(service_task("many"), until=until)), settings=FEW)
    run.start("p")
    run.complete("many")
    run.complete("many")
    assert run.state() is InstanceState.COMPLETED
    assert sum(parts_of(run)) == 21
    assert max(parts_of(run)) <= 5
    assert run.path() == ["s", "many", "many", "many", "p"]
    run.assert_nothing_left()


def test_a_terminate_end_event_ends_a_wide_loop_part_by_part(scenario: Scenario) -> None:
    inner = looped(user_task("many"), multi_instance(times="23"))
    run = scenario(
        compiled(
            start("s"),
            sub_process(
                "sub",
                start("s2"),
                inner,
                service_task("stop"),
                end("over", terminate_event()),
                chain("s2", "many"),
                chain("s2", "stop", "over"),
            ),
            user_task("after"),
            chain("s", "sub", "after"),
        ),
        settings=FEW,
    )
    run.start("p")
    run.complete("stop")
    assert run.active() == ["after"]
    assert max(parts_of(run)) <= 5
    run.complete_task("after")
    run.assert_nothing_left()


# --- between the parts ---


def half_ended(*models: str) -> Runner:
    """The loop was interrupted, and only a part of it is ended."""
    run = Runner(compiled(*models), settings=FEW)
    run.start("p", variables='{"k": "k"}')
    run.posting = True
    run.sleep(HOUR)
    for _ in range(2):
        assert run.step()
    state = run.document()
    assert isinstance(state, ProcessInstance)
    assert any(element.ordinal for element in state.elements.values())
    return run


def go_on(run: Runner) -> None:
    run.posting = False
    run.settle()
    assert run.active() == ["after"]
    run.complete_task("after")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


@pytest.mark.parametrize(
    "answer",
    [
        lambda job: c.CompleteJob(job_id=job, attempt=1),
        lambda job: c.FailJob(job_id=job, attempt=1, retries=0),
        lambda job: c.ThrowError(job_id=job, attempt=1, code="ANY"),
    ],
)
def test_jobs_of_what_is_over_cannot_be_answered(answer: Callable[[str], c.AnyCommand]) -> None:
    run = half_ended(*wide(service_task("many"), *LATE))
    job = run.jobs("many")[0]
    run.post(answer(job.job_id))
    go_on(run)
    assert run.path() == ["s", "late", "after", "p"]


def test_timers_of_what_is_over_do_nothing() -> None:
    edge = boundary("soon", "t", timer(duration="PT2H"))
    inside = sub_process("many", start("s2"), user_task("t"), edge, chain("s2", "t"))
    run = half_ended(*wide(inside, *LATE))
    run.sleep(2 * HOUR)
    go_on(run)
    assert "soon" not in run.path()


def test_messages_for_what_is_over_are_left_to_others() -> None:
    run = half_ended(
        message("m", "news", key="=k"),
        *wide(receive_task("many", "m"), *LATE),
    )
    run.post(c.PublishMessage(name="news", correlation_key="k", ttl_ms=HOUR))
    run.posting = False
    run.settle()
    assert run.path() == ["s", "late"]
    run.send(c.TerminateInstance(instance_id="a"))
    run.elapse(2 * HOUR)
    run.assert_nothing_left()


def test_a_non_interrupting_event_inside_what_is_over_begins_nothing() -> None:
    note = boundary("note", "t", message_event("m"), interrupting=False)
    inside = sub_process("many", start("s2"), user_task("t"), note, chain("s2", "t"))
    run = half_ended(message("m", "news", key="=k"), *wide(inside, *LATE))
    run.post(c.PublishMessage(name="news", correlation_key="k"))
    go_on(run)
    assert "note" not in run.path()


def test_an_instance_that_is_ending_may_be_terminated_again() -> None:
    run = half_ended(*wide(service_task("many"), *LATE))
    run.post(c.TerminateInstance(instance_id="a"))
    run.post(c.TerminateInstance(instance_id="a"))
    run.posting = False
    run.settle()
    assert run.state() is InstanceState.TERMINATED
    run.assert_nothing_left()
