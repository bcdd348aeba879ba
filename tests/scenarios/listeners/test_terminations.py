"""Listeners of a process that is ended before its time."""

import pytest

from engine import commands as c
from engine import events as e
from engine.lifecycle import InstanceState
from engine.records import Job
from engine.settings import Settings
from engine.values import decode_object
from tests.scenarios.conftest import Scenario
from tests.support.listening import (
    MINUTE,
    fail,
    one_by_one,
    only,
    own,
)
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
    heard,
    listener,
    looped,
    multi_instance,
    parallel,
    service_task,
    start,
    tag,
    timer,
    user_task,
)

CANCELED = compiled(
    own(cancel="a b"), start("s"), parallel("f"), user_task("t"), service_task("work"),
    parallel("j"), chain("s", "f", "t", "j"), chain("f", "work", "j"),
)  # fmt: skip


def test_a_terminated_process_ends_when_its_listeners_are_done(scenario: Scenario) -> None:
    run = scenario(CANCELED)
    run.start("p", variables='{"n": 1}')
    run.complete("work")
    run.accept(c.TerminateInstance(instance_id="a", reason="enough"))
    assert run.tasks() == []
    assert run.active() == []
    job = only(run, "a")
    assert (job.element_id, job.headers["torpor:listenerEvent"]) == ("p", "cancel")
    assert decode_object(job.variables) == {"n": "1"}
    run.accept(c.TerminateInstance(instance_id="a"))
    assert run.state() is InstanceState.RUNNING
    run.complete("a", '{"m": 2}')
    assert decode_object(only(run, "b").variables) == {"n": "1", "m": "2"}
    run.complete("b")
    assert run.state() is InstanceState.TERMINATED
    ended = [event for event in run.events() if isinstance(event, e.InstanceChanged)][-1]
    assert ended.reason == "enough"
    run.assert_nothing_left()


def test_a_listener_of_a_termination_fails_as_any_other(scenario: Scenario) -> None:
    run = scenario(CANCELED)
    run.start("p")
    run.accept(c.TerminateInstance(instance_id="a"))
    job = only(run, "a")
    run.accept(c.FailJob(job_id=job.job_id, attempt=job.attempt, retries=1, backoff_ms=MINUTE))
    run.elapse(MINUTE)
    fail(run, only(run, "a"))
    assert run.incident().kind == "JOB_RETRIES_EXHAUSTED"
    run.resolve(retries=1)
    job = only(run, "a")
    code, _ = run.reject(c.ThrowError(code="NO", job_id=job.job_id, attempt=job.attempt))
    assert code == "INVALID_STATE"
    one_by_one(run, "a", "b")
    assert run.state() is InstanceState.TERMINATED
    run.assert_nothing_left()


def test_a_listener_of_a_termination_whose_type_fails_holds_it(scenario: Scenario) -> None:
    run = scenario(compiled(own(cancel="=kind"), start("s"), user_task("t"), chain("s", "t")))
    run.start("p")
    run.accept(c.TerminateInstance(instance_id="a"))
    assert run.incident().kind == "EXPRESSION_FAILED"
    run.resolve(variables='{"kind": "a"}')
    one_by_one(run, "a")
    assert run.state() is InstanceState.TERMINATED


def test_a_called_process_that_is_given_up_tells_its_listeners(scenario: Scenario) -> None:
    called = compiled(own(cancel="a", end="never"), start("s"), user_task("t"), chain("s", "t"),
                      process_id="called")  # fmt: skip
    caller = compiled(
        start("s"), call_activity("c", "called"), boundary("b", "c", timer(duration="PT1M")),
        chain("s", "c"),
    )  # fmt: skip
    run = scenario(called, caller)
    run.start("p")
    run.elapse(MINUTE)
    assert run.state() is InstanceState.COMPLETED
    one_by_one(run, "a")
    run.assert_nothing_left()


def test_listeners_of_tasks_come_before_those_of_the_process(scenario: Scenario) -> None:
    canceling = extension("taskListeners", listener("canceling", "task", kind="task"))
    asked = tag("userTask", extensions(canceling), id="t")
    run = scenario(compiled(own(cancel="a"), start("s"), asked, chain("s", "t")))
    run.start("p")
    run.accept(c.TerminateInstance(instance_id="a"))
    one_by_one(run, "task", "a")
    assert run.state() is InstanceState.TERMINATED
    run.assert_nothing_left()


def test_a_wide_instance_tells_its_listeners_once_all_in_it_has_ended(scenario: Scenario) -> None:
    each = looped(user_task("t"), multi_instance(times="20"))
    model = compiled(own(cancel="a"), start("s"), each, chain("s", "t"))
    run = scenario(model, settings=Settings(terminations_per_command_max=3))
    run.start("p")
    run.accept(c.TerminateInstance(instance_id="a"))
    assert run.tasks() == []
    one_by_one(run, "a")
    assert run.state() is InstanceState.TERMINATED
    run.assert_nothing_left()


def test_a_process_that_fails_does_not_tell_its_listeners(scenario: Scenario) -> None:
    fails = extensions(
        extension("properties", extension("property", name="torpor:uncaughtErrors", value="fail")),
        extension("executionListeners", listener("cancel", "never")),
    )
    model = compiled(error("E", "NO"), fails, start("s"), end("e", error_event("E")),
                     chain("s", "e"))  # fmt: skip
    run = scenario(model)
    run.start("p")
    assert run.state() is InstanceState.FAILED
    run.assert_nothing_left()


@pytest.mark.parametrize("event", ["start", "end"])
def test_a_termination_withdraws_other_listeners_before_it_tells_its_own(
    scenario: Scenario, event: str
) -> None:
    listening = own(**{event: "other", "cancel": "a"})
    run = scenario(compiled(listening, start("s"), end("e"), chain("s", "e")))
    run.start("p")
    only(run, "other")
    run.accept(c.TerminateInstance(instance_id="a"))
    one_by_one(run, "a")
    assert run.state() is InstanceState.TERMINATED
    run.assert_nothing_left()


def test_a_listener_whose_type_only_an_expression_tells_has_no_topic_of_its_own(
    scenario: Scenario,
) -> None:
    task_of = heard(service_task("t", type="work"), start='="look-"+kind', end="after")
    run = scenario(compiled(start("s"), task_of, chain("s", "t")))
    run.start("p", variables='{"kind": "x"}')
    one_by_one(run, "look-x", "work", "after")
    published = [each for each in run.publications if isinstance(each.record, Job)]
    assert [each.suffix for each in published] == [None, "work", "after"]
