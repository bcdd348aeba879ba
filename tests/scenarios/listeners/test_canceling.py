"""Task listeners at `canceling`: what interrupts a user task goes on when they are done."""

import pytest

from engine import commands as c
from engine.lifecycle import InstanceState
from engine.records import Topic
from engine.settings import Settings
from engine.values import decode_object, encode
from tests.scenarios.conftest import Scenario
from tests.support.listening import only
from tests.support.models import (
    ad_hoc,
    boundary,
    call_activity,
    cancel_event,
    chain,
    compensation,
    compiled,
    end,
    error,
    error_event,
    event_sub_process,
    extension,
    extensions,
    flow,
    for_compensation,
    looped,
    message,
    message_event,
    multi_instance,
    parallel,
    service_task,
    start,
    sub_process,
    tag,
    task,
    terminate_event,
    timer,
    transaction,
    user_task,
)
from tests.support.runner import Runner

HOUR = 3_600_000


def heard(element_id: str = "t", *job_types: str, **more: str) -> str:
    """A user task with listeners at its cancellation."""
    listeners = {"canceling": " ".join(job_types) or "gone", **more}
    found = [
        extension("taskListener", eventType=event, type=job_type)
        for event, names in listeners.items()
        for job_type in names.split()
    ]
    return tag("userTask", extensions(extension("taskListeners", *found)), id=element_id)


def ended(run: Runner) -> None:
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_a_boundary_event_goes_on_when_the_listeners_are_done(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            message("M", "stop", key='="k"'), start("s"), heard("t", "one", "two"),
            boundary("edge", "t", message_event("M")), user_task("after"), chain("s", "t"),
            chain("edge", "after"),
        )
    )  # fmt: skip
    run.start("p", variables='{"n": 1}')
    task_id = run.task("t").task_id
    stop = c.PublishMessage(name="stop", correlation_key="k", variables='{"why": "late"}')
    run.accept(stop)
    assert only(run, "one").headers["torpor:listenerEvent"] == "canceling"
    assert run.task("t").state == "canceling"
    assert decode_object(only(run, "one").variables) == {"n": "1"}
    assert run.reject(c.CompleteTask(task_id=task_id))[0] == "INVALID_STATE"
    assert run.effects("TaskCanceled") == []
    run.complete("one", '{"own": 1}')
    assert [found.element_id for found in run.tasks()] == ["t"]
    run.complete("two")
    assert [found.element_id for found in run.tasks()] == ["after"]
    assert run.path() == ["s", "edge"]
    assert run.variables() == {"n": "1", "why": '"late"'}
    assert len(run.effects("TaskCanceled")) == 1
    run.complete_task("after")
    ended(run)


def test_an_instance_that_is_terminated_ends_after_the_listeners(scenario: Scenario) -> None:
    inner = sub_process("sub", start("a"), heard(), chain("a", "t"))
    run = scenario(
        compiled(
            start("s"), parallel("f"), inner, heard("u", "other"), service_task("job"),
            chain("s", "f", "sub"), flow("f", "u"), flow("f", "job"),
        )
    )  # fmt: skip
    run.start("p")
    run.accept(c.TerminateInstance(instance_id="a", reason="enough"))
    assert sorted(job.type for job in run.jobs()) == ["gone", "other"]
    assert run.state() is InstanceState.RUNNING
    run.accept(c.TerminateInstance(instance_id="a"))
    assert run.active() == ["sub", "u", "t"]
    run.complete("gone")
    assert run.active() == ["u"]
    run.complete("other")
    assert run.state() is InstanceState.TERMINATED
    assert len(run.effects("InstanceTerminated")) == 1
    run.assert_nothing_left()


def test_an_event_sub_process_begins_after_the_listeners(scenario: Scenario) -> None:
    inside = event_sub_process(
        "handle", start("stop", message_event("M")), service_task("tidy"), chain("stop", "tidy")
    )
    run = scenario(
        compiled(
            message("M", "stop", key='="k"'), start("s"), parallel("f"), heard(), user_task("u"),
            chain("s", "f", "t"), flow("f", "u"), inside,
        )
    )  # fmt: skip
    run.start("p")
    run.accept(c.PublishMessage(name="stop", correlation_key="k", variables='{"why": "late"}'))
    assert [found.element_id for found in run.tasks()] == ["t"]
    only(run, "gone")
    run.complete("gone")
    assert decode_object(only(run, "tidy").variables) == {"why": '"late"'}
    run.complete("tidy")
    ended(run)


def test_execution_listeners_of_what_interrupts_come_after_those_of_the_task(
    scenario: Scenario,
) -> None:
    own = extension(
        "executionListeners", extension("executionListener", eventType="start", type="first")
    )
    inside = event_sub_process(
        "handle", extensions(own), start("stop", message_event("M")), service_task("tidy"),
        chain("stop", "tidy"),
    )  # fmt: skip
    run = scenario(
        compiled(message("M", "stop", key='="k"'), start("s"), heard(), chain("s", "t"), inside)
    )
    run.start("p")
    run.accept(c.PublishMessage(name="stop", correlation_key="k", variables='{"why": "late"}'))
    only(run, "gone")
    assert run.active() == ["t", "handle"]
    run.complete("gone")
    only(run, "first")
    run.complete("first")
    assert decode_object(only(run, "tidy").variables) == {"why": '"late"'}
    run.complete("tidy")
    ended(run)


def test_what_is_ended_inside_a_sub_process_holds_the_event_on_it(scenario: Scenario) -> None:
    inner = sub_process(
        "sub", start("a"), parallel("f"), heard(), service_task("work"), chain("a", "f", "t"),
        flow("f", "work"),
    )  # fmt: skip
    run = scenario(
        compiled(
            error("E", "NO"), start("s"), inner, boundary("edge", "sub", error_event("E")),
            service_task("after"), chain("s", "sub"), chain("edge", "after"),
        )
    )  # fmt: skip
    run.start("p")
    job = run.job("work")
    run.accept(c.ThrowError(code="NO", job_id=job.job_id, attempt=1))
    only(run, "gone")
    assert run.active() == ["sub", "t", "edge"]
    run.complete("gone")
    run.complete("after")
    ended(run)


def test_a_terminate_end_event_waits_for_the_listeners(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"), parallel("f"), heard(), service_task("work"),
            end("e", terminate_event()), chain("s", "f", "t"), chain("f", "work", "e"),
        )
    )  # fmt: skip
    run.start("p")
    run.complete("work")
    assert run.state() is InstanceState.RUNNING
    run.complete("gone")
    ended(run)


@pytest.mark.parametrize("interrupting", [True, False])
def test_a_terminated_scope_begins_no_event_sub_process_while_it_waits(
    scenario: Scenario, *, interrupting: bool
) -> None:
    on_stop = start("stop", message_event("M"), interrupting=interrupting)
    run = scenario(
        compiled(
            message("M", "stop", key='="k"'), start("s"), parallel("f"), heard(),
            service_task("work"), end("e", terminate_event()), chain("s", "f", "t"),
            chain("f", "work", "e"),
            event_sub_process("handle", on_stop, service_task("tidy"), chain("stop", "tidy")),
        )
    )  # fmt: skip
    run.start("p")
    run.complete("work")
    run.accept(c.PublishMessage(name="stop", correlation_key="k"))
    only(run, "gone")
    run.complete("gone")
    ended(run)


def test_a_multi_instance_that_is_completed_waits_for_the_listeners(scenario: Scenario) -> None:
    loop = multi_instance(times="3", until="=numberOfCompletedInstances = 1")
    run = scenario(
        compiled(start("s"), looped(heard(), loop), task("after"), chain("s", "t", "after"))
    )
    run.start("p")
    run.complete_task("t")
    assert [job.type for job in run.jobs()] == ["gone", "gone"]
    assert run.path() == ["s", "t"]
    run.complete("gone")
    assert "after" not in run.path()
    run.complete("gone")
    ended(run)


def test_an_ad_hoc_sub_process_that_is_completed_waits_for_the_listeners(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled(start("s"), ad_hoc("pool", heard(), task("x")), end("e"), chain("s", "pool", "e"))
    )
    run.start("p")
    run.activate("pool", "t")
    run.activate("pool")
    only(run, "gone")
    assert run.state() is InstanceState.RUNNING
    run.complete("gone")
    ended(run)


def test_a_canceled_transaction_compensates_after_the_listeners(scenario: Scenario) -> None:
    inner = transaction(
        "ta", start("a"), parallel("f"), service_task("book"),
        for_compensation(service_task("unbook")), compensation("book", "unbook"), heard(),
        end("cancel", cancel_event()), chain("a", "f", "book", "cancel"), flow("f", "t"),
    )  # fmt: skip
    run = scenario(
        compiled(
            start("s"), inner, boundary("edge", "ta", cancel_event()), task("after"),
            chain("s", "ta"), chain("edge", "after"),
        )
    )  # fmt: skip
    run.start("p")
    run.complete("book")
    only(run, "gone")
    run.complete("gone")
    only(run, "unbook")
    run.complete("unbook")
    assert "after" in run.path()
    ended(run)


def test_an_interruption_that_is_interrupted_itself_leaves_nothing(scenario: Scenario) -> None:
    inner = sub_process(
        "sub", start("a"), heard(), boundary("first", "t", timer(duration="PT1H")),
        task("never"), chain("a", "t"), chain("first", "never"),
    )  # fmt: skip
    run = scenario(
        compiled(
            start("s"), inner, boundary("second", "sub", timer(duration="PT2H")), task("after"),
            chain("s", "sub"), chain("second", "after"),
        )
    )  # fmt: skip
    run.start("p")
    run.elapse(HOUR)
    only(run, "gone")
    run.elapse(HOUR)
    only(run, "gone")
    run.complete("gone")
    assert "never" not in run.path()
    assert "after" in run.path()
    ended(run)


def test_a_listener_cannot_deny_a_cancellation_nor_throw(scenario: Scenario) -> None:
    run = scenario(compiled(start("s"), heard(), chain("s", "t")))
    run.start("p")
    run.accept(c.TerminateInstance(instance_id="a"))
    job = only(run, "gone")
    denied = c.CompleteJob(job_id=job.job_id, attempt=1, result=encode({"denied": True}))
    assert run.reject(denied) == (
        "INVALID_ARGUMENT",
        "Expected no denial: canceling a task cannot be denied",
    )
    for thrown in (
        c.ThrowError(code="E", job_id=job.job_id, attempt=1),
        c.ThrowEscalation(code="E", job_id=job.job_id, attempt=1),
    ):
        assert run.reject(thrown)[0] == "INVALID_STATE"
    run.accept(
        c.CompleteJob(job_id=job.job_id, attempt=1, result=encode({"corrections": {"priority": 1}}))
    )
    run.assert_nothing_left()


def test_a_listener_that_fails_holds_the_end_until_it_is_resolved(scenario: Scenario) -> None:
    run = scenario(compiled(start("s"), heard("t", "one", "=kind"), chain("s", "t")))
    run.start("p")
    run.accept(c.TerminateInstance(instance_id="a"))
    job = only(run, "one")
    run.accept(c.FailJob(job_id=job.job_id, attempt=1, retries=1, backoff_ms=HOUR))
    run.elapse(HOUR)
    job = only(run, "one")
    run.accept(c.FailJob(job_id=job.job_id, attempt=2, retries=0))
    run.resolve(retries=1)
    run.complete("one")
    assert run.incident().kind == "EXPRESSION_FAILED"
    run.resolve(variables='{"kind": "two"}')
    run.complete("one")
    run.complete("two")
    assert run.state() is InstanceState.TERMINATED
    run.assert_nothing_left()


def test_what_is_changed_meanwhile_is_given_up(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"), heard("t", "gone", completing="z", creating="c"),
            boundary("edge", "t", timer(duration="PT1H")), chain("s", "t"),
        )
    )  # fmt: skip
    run.start("p")
    run.complete("c")
    run.complete_task("t", '{"n": 1}')
    only(run, "z")
    run.elapse(HOUR)
    job = only(run, "gone")
    assert "n" not in decode_object(job.variables)
    run.complete("gone")
    ended(run)


def test_a_task_that_nobody_has_seen_is_withdrawn_in_silence(scenario: Scenario) -> None:
    run = scenario(compiled(start("s"), heard("t", "gone", creating="c"), chain("s", "t")))
    run.start("p")
    run.accept(c.TerminateInstance(instance_id="a"))
    only(run, "gone")
    run.complete("gone")
    assert [item for item in run.publications if item.topic is Topic.TASKS] == []
    assert run.effects("TaskCanceled") == []
    run.assert_nothing_left()


def test_a_wide_instance_is_ended_in_parts_and_waits_for_all_listeners(
    scenario: Scenario,
) -> None:
    loop = multi_instance(times="12")
    inner = sub_process("sub", start("a"), heard(), chain("a", "t"))
    run = scenario(
        compiled(
            start("s"), looped(inner, loop), boundary("edge", "sub", timer(duration="PT1H")),
            task("after"), chain("s", "sub"), chain("edge", "after"),
        ),
        settings=Settings(terminations_per_command_max=5),
    )  # fmt: skip
    run.start("p")
    run.elapse(HOUR)
    assert len(run.jobs()) == 12
    for _ in range(12):
        assert "after" not in run.path()
        run.complete("gone")
    ended(run)


def test_a_called_instance_ends_after_its_listeners_and_its_caller_goes_on(
    scenario: Scenario,
) -> None:
    called = compiled(start("s"), heard(), chain("s", "t"), process_id="called")
    caller = compiled(
        start("s"), call_activity("call", "called"),
        boundary("edge", "call", timer(duration="PT1H")), task("after"), chain("s", "call"),
        chain("edge", "after"),
    )  # fmt: skip
    run = scenario(called, caller)
    run.start("p")
    run.elapse(HOUR)
    assert run.state() is InstanceState.COMPLETED
    only(run, "gone")
    run.complete("gone")
    run.assert_nothing_left()
