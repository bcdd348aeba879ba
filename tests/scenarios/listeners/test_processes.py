"""Listeners of processes, called or not: before they begin, and before they complete."""

import pytest

from engine import commands as c
from engine.lifecycle import InstanceState
from engine.state import TimerWait
from engine.values import decode_object
from tests.scenarios.conftest import Scenario
from tests.support.listening import (
    MINUTE,
    fail,
    one_by_one,
    only,
    own,
    throw_error,
)
from tests.support.models import (
    boundary,
    call_activity,
    chain,
    compiled,
    end,
    error,
    error_event,
    event_sub_process,
    flow,
    heard,
    message,
    message_event,
    parallel,
    start,
    task,
    terminate_event,
    timer,
    user_task,
)


def test_a_process_waits_for_its_listeners_before_it_begins_and_completes(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled(own(start="a b", end="y z"), start("s"), task("t"), end("e"), chain("s", "t", "e"))
    )
    run.start("p", variables='{"n": 1}')
    job = only(run, "a")
    assert (job.element_id, job.headers["torpor:listenerEvent"]) == ("p", "start")
    assert decode_object(job.variables) == {"n": "1"}
    assert run.active() == []
    run.complete("a", '{"n": 2}')
    assert run.path() == []
    assert decode_object(only(run, "b").variables) == {"n": "2"}
    run.complete("b")
    assert run.path() == ["s", "t", "e"]
    assert run.state() is InstanceState.RUNNING
    one_by_one(run, "y")
    run.complete("z", '{"done": true}')
    assert decode_object(run.result() or "") == {"n": "2", "done": "true"}
    run.assert_nothing_left()


@pytest.mark.parametrize("event", ["start", "end"])
def test_a_listener_of_a_process_that_fails_is_an_incident_of_the_process(
    scenario: Scenario, event: str
) -> None:
    run = scenario(compiled(own(**{event: "a b"}), start("s"), end("e"), chain("s", "e")))
    run.start("p")
    run.complete("a")
    fail(run, only(run, "b"))
    incident = run.incident()
    assert (incident.kind, incident.element_id) == ("JOB_RETRIES_EXHAUSTED", "p")
    run.resolve(retries=1)
    run.complete("b")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_a_listener_of_a_process_whose_type_fails_is_called_again_with_those_before(
    scenario: Scenario,
) -> None:
    model = compiled(own(start="a =kind"), start("s"), end("e"), chain("s", "e"))
    run = scenario(model)
    run.start("p")
    run.complete("a")
    assert run.incident().kind == "EXPRESSION_FAILED"
    run.resolve(variables='{"kind": "b"}')
    one_by_one(run, "a", "b")
    assert run.state() is InstanceState.COMPLETED


def test_an_error_of_a_listener_of_a_process_ends_what_called_it(scenario: Scenario) -> None:
    called = compiled(own(start="a"), start("s"), end("e"), chain("s", "e"), process_id="called")
    caller = compiled(
        error("E", "NO"), start("s"), call_activity("c", "called"), end("e"),
        boundary("b", "c", error_event("E")), task("other"), chain("s", "c", "e"),
        flow("b", "other"),
    )  # fmt: skip
    run = scenario(called, caller)
    run.start("p")
    throw_error(run, only(run, "a"))
    assert run.path() == ["s", "b", "other", "p"]
    run.assert_nothing_left()


def test_an_uncaught_error_of_a_listener_of_a_process_is_an_incident(scenario: Scenario) -> None:
    run = scenario(compiled(own(start="a"), start("s"), end("e"), chain("s", "e")))
    run.start("p")
    throw_error(run, only(run, "a"))
    assert run.incident().kind == "UNHANDLED_ERROR"
    run.resolve()
    run.complete("a")
    assert run.state() is InstanceState.COMPLETED


@pytest.mark.parametrize("event", ["start", "end"])
def test_a_terminated_instance_withdraws_a_listener_of_the_process(
    scenario: Scenario, event: str
) -> None:
    run = scenario(compiled(own(**{event: "a"}), start("s"), end("e"), chain("s", "e")))
    run.start("p")
    only(run, "a")
    run.accept(c.TerminateInstance(instance_id="a"))
    assert run.state() is InstanceState.TERMINATED
    run.assert_nothing_left()


def test_a_called_process_has_its_listeners_too(scenario: Scenario) -> None:
    called = compiled(
        own(start="in", end="out"), start("s"), end("e"), chain("s", "e"), process_id="called"
    )
    calling = heard(call_activity("c", "called"), start="before", end="after")
    caller = compiled(start("s"), calling, end("e"), chain("s", "c", "e"))
    run = scenario(called, caller)
    run.start("p")
    one_by_one(run, "before", "in", "out", "after")
    assert run.state() is InstanceState.COMPLETED


def test_a_message_begins_a_process_after_its_listeners(scenario: Scenario) -> None:
    begin = heard(start("s", message_event("M"), outputs={"got": "=content"}), end="begun")
    run = scenario(compiled(message("M", "m"), own(start="a"), begin, task("t"), chain("s", "t")))
    run.accept(c.PublishMessage(name="m", correlation_key="", variables='{"content": 7}'))
    job = only(run, "a")
    assert run.path(job.instance_id) == []
    run.complete("a")
    only(run, "begun")
    run.complete("begun", '{"more": 8}')
    assert decode_object(run.result(job.instance_id) or "") == {"got": "7", "more": "8"}
    run.assert_nothing_left()


def test_the_listeners_of_a_process_see_what_began_it(scenario: Scenario) -> None:
    model = compiled(
        message("M", "m"), own(start="a"), start("s", message_event("M")), task("t"),
        chain("s", "t"),
    )  # fmt: skip
    run = scenario(model)
    run.accept(c.PublishMessage(name="m", correlation_key="", variables='{"content": 7}'))
    assert decode_object(only(run, "a").variables) == {"content": "7"}


def test_event_sub_processes_of_a_process_wait_once_its_listeners_are_done(
    scenario: Scenario,
) -> None:
    aside = event_sub_process("aside", start("late", timer(duration="PT1M")), task("x"),
                              chain("late", "x"))  # fmt: skip
    model = compiled(own(start="a", end="z"), start("s"), user_task("t"), aside, chain("s", "t"))
    run = scenario(model)
    run.start("p")
    run.elapse(5 * MINUTE)
    run.complete("a")
    assert len(run.waits(TimerWait)) == 1
    run.complete_task("t")
    only(run, "z")
    assert run.waits(TimerWait) == []
    run.elapse(5 * MINUTE)
    run.complete("z")
    assert "x" not in run.path()
    run.assert_nothing_left()


def test_an_event_sub_process_that_cannot_wait_does_not_call_the_listeners_again(
    scenario: Scenario,
) -> None:
    aside = event_sub_process("aside", start("late", timer(duration="=after")), task("x"),
                              chain("late", "x"))  # fmt: skip
    run = scenario(compiled(own(start="a"), start("s"), task("t"), aside, chain("s", "t")))
    run.start("p")
    run.complete("a")
    run.resolve(variables='{"after": "PT1M"}')
    assert run.jobs() == []
    assert run.state() is InstanceState.COMPLETED


def test_a_terminate_end_event_completes_a_process_by_its_listeners(scenario: Scenario) -> None:
    model = compiled(
        own(end="z"), start("s"), parallel("f"), user_task("t"), end("over", terminate_event()),
        chain("s", "f", "t"), flow("f", "over"),
    )  # fmt: skip
    run = scenario(model)
    run.start("p")
    assert run.tasks() == []
    one_by_one(run, "z")
    assert run.state() is InstanceState.COMPLETED
