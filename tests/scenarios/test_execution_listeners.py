"""Execution listeners of Camunda 8: on processes, events, gateways, loops, what an event begins."""

import pytest

from engine import commands as c
from engine import events as e
from engine.lifecycle import InstanceState
from engine.model.elements import ProcessModel
from engine.records import Job
from engine.settings import Settings
from engine.state import AdHocWait, JobWait, SubscriptionWait, TimerWait
from engine.values import decode_object
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    ad_hoc,
    boundary,
    call_activity,
    cancel_event,
    catch,
    chain,
    compensate_event,
    compensation,
    compiled,
    complex_gateway,
    end,
    error,
    error_event,
    escalation,
    escalation_event,
    event_gateway,
    event_sub_process,
    exclusive,
    extension,
    extensions,
    flow,
    for_compensation,
    heard,
    inclusive,
    link_event,
    listener,
    looped,
    message,
    message_event,
    multi_instance,
    parallel,
    receive_task,
    script_task,
    service_task,
    signal,
    signal_event,
    start,
    sub_process,
    tag,
    task,
    terminate_event,
    throw,
    timer,
    transaction,
    user_task,
)
from tests.support.runner import Runner

MINUTE = 60_000


def own(**listeners: str) -> str:
    """Listeners of the process."""
    each = [listener(event, to) for event, types in listeners.items() for to in types.split()]
    return extensions(extension("executionListeners", *each))


def open_types(run: Runner) -> list[str]:
    return [job.type for job in run.jobs()]


def only(run: Runner, job_type: str) -> Job:
    assert open_types(run) == [job_type]
    return run.job(job_type)


def one_by_one(run: Runner, *job_types: str) -> None:
    """These jobs are open one after the other, each alone."""
    for job_type in job_types:
        only(run, job_type)
        run.complete(job_type)


def throw_error(run: Runner, job: Job, code: str = "NO") -> None:
    run.accept(c.ThrowError(code=code, job_id=job.job_id, attempt=job.attempt))


def fail(run: Runner, job: Job) -> None:
    run.accept(c.FailJob(job_id=job.job_id, attempt=job.attempt, retries=0))


def message_comes(run: Runner, variables: str = "{}", name: str = "m") -> None:
    run.accept(c.PublishMessage(name=name, correlation_key="k", variables=variables))


MESSAGE = message("M", "m", key='="k"')


# --- processes ---


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


# --- events ---


def test_a_start_event_has_listeners_at_its_end(scenario: Scenario) -> None:
    run = scenario(compiled(heard(start("s"), end="z"), task("t"), chain("s", "t")))
    run.start("p")
    assert run.active() == ["s"]
    run.complete("z", '{"n": 1}')
    assert decode_object(run.result() or "") == {"n": "1"}


def test_a_catch_event_waits_between_its_listeners(scenario: Scenario) -> None:
    event = heard(catch("w", message_event("M"), outputs={"got": "=content"}), start="a", end="z")
    run = scenario(
        compiled(message("M", "m", key="=key"), start("s"), event, end("e"), chain("s", "w", "e"))
    )
    run.start("p")
    assert run.waits(SubscriptionWait) == []
    run.complete("a", '{"key": "k"}')
    assert [wait.correlation_key for wait in run.waits(SubscriptionWait)] == ["k"]
    message_comes(run, '{"content": 7}')
    assert run.waits(SubscriptionWait) == []
    seen = decode_object(only(run, "z").variables)
    assert seen == {"key": '"k"', "content": "7", "got": "7"}
    run.complete("z", '{"more": 8}')
    assert decode_object(run.result() or "") == {"got": "7", "more": "8"}
    run.assert_nothing_left()


def test_a_timer_runs_from_the_end_of_the_listeners_on(scenario: Scenario) -> None:
    event = heard(catch("w", timer(duration="=wait")), start="a")
    run = scenario(compiled(start("s"), event, end("e"), chain("s", "w", "e")))
    run.start("p")
    run.elapse(5 * MINUTE)
    run.complete("a", '{"wait": "PT2M"}')
    run.elapse(MINUTE)
    assert run.active() == ["w"]
    run.elapse(MINUTE)
    assert run.state() is InstanceState.COMPLETED


def test_an_event_with_listeners_at_its_end_occurs_once(scenario: Scenario) -> None:
    several = catch("w", message_event("M") + timer(duration="PT1M"))
    run = scenario(
        compiled(MESSAGE, start("s"), heard(several, end="z"), end("e"), chain("s", "w", "e"))
    )
    run.start("p")
    message_comes(run)
    run.elapse(5 * MINUTE)
    one_by_one(run, "z")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_a_throw_event_throws_between_its_listeners(scenario: Scenario) -> None:
    event = heard(throw("t", signal_event("S")), start="a", end="z")
    model = compiled(
        signal("S", "now"), start("s"), parallel("f"), catch("w", signal_event("S")), event,
        chain("s", "f", "w"), chain("f", "t"),
    )  # fmt: skip
    run = scenario(model)
    run.start("p")
    assert run.active() == ["w", "t"]
    run.complete("a")
    assert run.active() == ["t"]
    one_by_one(run, "z")
    assert run.state() is InstanceState.COMPLETED


def test_a_link_jumps_after_the_listeners_of_one_end_and_before_the_others(
    scenario: Scenario,
) -> None:
    away = heard(throw("away", link_event("L")), start="a", end="b")
    there = heard(catch("there", link_event("L")), start="c", end="d")
    run = scenario(
        compiled(start("s"), away, there, task("t"), chain("s", "away"), chain("there", "t"))
    )
    run.start("p")
    one_by_one(run, "a", "b")
    assert run.path() == ["s", "away"]
    one_by_one(run, "c", "d")
    assert run.path() == ["s", "away", "there", "t", "p"]


def test_an_end_event_waits_for_its_listeners(scenario: Scenario) -> None:
    run = scenario(compiled(start("s"), heard(end("e"), start="a", end="z"), chain("s", "e")))
    run.start("p")
    run.complete("a", '{"own": 1}')
    assert decode_object(only(run, "z").variables) == {"own": "1"}
    run.complete("z", '{"result": 2}')
    assert decode_object(run.result() or "") == {"result": "2"}


def test_a_terminate_end_event_ends_its_scope_after_its_listeners(scenario: Scenario) -> None:
    over = heard(end("over", terminate_event()), start="a", end="z")
    model = compiled(
        start("s"), parallel("f"), user_task("t"), over, chain("s", "f", "t"), flow("f", "over")
    )
    run = scenario(model)
    run.start("p")
    one_by_one(run, "a")
    assert len(run.tasks()) == 1
    one_by_one(run, "z")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_an_error_is_thrown_after_the_listeners(scenario: Scenario) -> None:
    bad = heard(end("bad", error_event("E")), start="a")
    inside = sub_process("sub", start("i"), bad, chain("i", "bad"))
    model = compiled(
        error("E", "NO"), start("s"), inside,
        heard(boundary("b", "sub", error_event("E")), end="z"), task("t"),
        chain("s", "sub"), chain("b", "t"),
    )  # fmt: skip
    run = scenario(model)
    run.start("p")
    one_by_one(run, "a")
    assert run.active() == ["b"]
    one_by_one(run, "z")
    assert run.path()[-2:] == ["t", "p"]
    run.assert_nothing_left()


def test_an_interrupting_escalation_leaves_no_end_for_its_thrower(scenario: Scenario) -> None:
    up = heard(throw("up", escalation_event("U")), start="a", end="z")
    inside = sub_process("sub", start("i"), up, chain("i", "up"))
    model = compiled(
        escalation("U", "UP"), start("s"), inside,
        boundary("b", "sub", escalation_event("U")), task("t"), chain("s", "sub"), chain("b", "t"),
    )  # fmt: skip
    run = scenario(model)
    run.start("p")
    one_by_one(run, "a")
    assert run.jobs() == []
    assert run.state() is InstanceState.COMPLETED


def test_a_boundary_event_has_listeners_at_its_end(scenario: Scenario) -> None:
    edge = boundary("b", "t", timer(cycle="R2/PT1M"), interrupting=False)
    model = compiled(
        start("s"), user_task("t"), heard(edge, end="z"), task("beside"), chain("s", "t"),
        chain("b", "beside"),
    )  # fmt: skip
    run = scenario(model)
    run.start("p")
    run.elapse(2 * MINUTE)
    assert open_types(run) == ["z", "z"]
    run.complete_task("t")
    run.complete("z")
    run.complete("z")
    assert run.path().count("beside") == 2
    run.assert_nothing_left()


@pytest.mark.parametrize("event", ["start", "end"])
def test_a_boundary_event_ends_an_activity_with_its_listener(
    scenario: Scenario, event: str
) -> None:
    model = compiled(
        start("s"), heard(task("t"), **{event: "slow"}), boundary("b", "t", timer(duration="PT1M")),
        end("late"), chain("s", "t"), chain("b", "late"),
    )  # fmt: skip
    run = scenario(model)
    run.start("p")
    job = only(run, "slow")
    run.elapse(MINUTE)
    assert run.state() is InstanceState.COMPLETED
    assert run.jobs() == []
    run.reject(c.CompleteJob(job_id=job.job_id, attempt=job.attempt))
    run.assert_nothing_left()


def test_compensation_is_waited_for_before_the_listeners_at_the_end(scenario: Scenario) -> None:
    undo = heard(throw("undo", compensate_event()), start="a", end="z")
    handler = heard(for_compensation(service_task("un")), start="b", end="y")
    model = compiled(
        start("s"), task("t"), handler, compensation("t", "un"), undo, chain("s", "t", "undo")
    )
    run = scenario(model)
    run.start("p")
    one_by_one(run, "a", "b", "un", "y", "z")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_a_cancel_end_event_cancels_after_its_listeners(scenario: Scenario) -> None:
    giving_up = heard(end("c", cancel_event()), start="a", end="z")
    given_up = heard(transaction("ta", start("i"), task("x"), giving_up, chain("i", "x", "c")),
                     start="in", end="never")  # fmt: skip
    model = compiled(
        start("s"), given_up, heard(boundary("b", "ta", cancel_event()), end="after"), task("t"),
        chain("s", "ta"), chain("b", "t"),
    )  # fmt: skip
    run = scenario(model)
    run.start("p")
    one_by_one(run, "in", "a", "z", "after")
    assert run.path()[-2:] == ["t", "p"]
    run.assert_nothing_left()


# --- gateways ---


def test_the_listeners_of_a_gateway_choose_its_way(scenario: Scenario) -> None:
    model = compiled(
        start("s"), heard(exclusive("x", default="other"), start="choose"), task("t"), task("u"),
        chain("s", "x"), flow("x", "t", condition="=way = 1"), flow("x", "u", flow_id="other"),
    )  # fmt: skip
    run = scenario(model)
    run.start("p")
    run.complete("choose", '{"way": 1}')
    assert run.path() == ["s", "x", "t", "p"]
    assert run.result() == "{}"


def test_a_gateway_that_is_stuck_does_not_call_its_listeners_again(scenario: Scenario) -> None:
    model = compiled(
        start("s"), heard(exclusive("x"), start="a"), task("t"), chain("s", "x"),
        flow("x", "t", condition="=way = 1"),
    )  # fmt: skip
    run = scenario(model)
    run.start("p", variables='{"way": 2}')
    run.complete("a")
    run.resolve(variables='{"way": 1}')
    assert run.state() is InstanceState.COMPLETED


def joined(split: str, join: str) -> ProcessModel:
    return compiled(
        start("s"), split, user_task("t"), user_task("u"), join, task("after"), chain("s", "f"),
        chain("f", "t", "j", "after"), chain("f", "u", "j"),
    )  # fmt: skip


@pytest.mark.parametrize("kind", [parallel, inclusive])
def test_a_join_is_complete_before_its_listeners(scenario: Scenario, kind: object) -> None:
    gateway = parallel if kind is parallel else inclusive
    run = scenario(joined(heard(gateway("f"), start="fork"), heard(gateway("j"), start="join")))
    run.start("p")
    one_by_one(run, "fork")
    run.complete_task("t")
    assert run.jobs() == []
    run.complete_task("u")
    one_by_one(run, "join")
    assert run.path().count("after") == 1
    run.assert_nothing_left()


def test_an_inclusive_join_waits_for_a_gateway_with_a_listener(scenario: Scenario) -> None:
    model = compiled(
        start("s"), inclusive("f"), heard(exclusive("x"), start="slow"), inclusive("j"),
        task("after"), chain("s", "f", "x", "j", "after"), flow("f", "j", flow_id="straight"),
    )  # fmt: skip
    run = scenario(model)
    run.start("p")
    assert "after" not in run.path()
    one_by_one(run, "slow")
    assert run.path().count("after") == 1


def test_an_event_gateway_opens_its_arms_after_its_listeners(scenario: Scenario) -> None:
    model = compiled(
        message("M", "m", key="=key"), start("s"), heard(event_gateway("g"), start="a"),
        heard(catch("w", message_event("M")), end="z"), catch("late", timer(duration="PT1M")),
        chain("s", "g", "w"), flow("g", "late"),
    )  # fmt: skip
    run = scenario(model)
    run.start("p")
    assert run.waits(TimerWait) == []
    run.complete("a", '{"key": "k"}')
    message_comes(run)
    run.elapse(5 * MINUTE)
    one_by_one(run, "z")
    assert run.path() == ["s", "g", "w", "p"]
    run.assert_nothing_left()


def test_what_follows_an_event_gateway_has_only_the_listeners_at_its_end(
    scenario: Scenario,
) -> None:
    model = compiled(
        MESSAGE, start("s"), event_gateway("g"),
        heard(receive_task("r", "M"), start="never", end="z"), catch("l", timer(duration="PT1M")),
        chain("s", "g", "r"), flow("g", "l"),
    )  # fmt: skip
    run = scenario(model)
    run.start("p")
    message_comes(run)
    one_by_one(run, "z")
    assert run.path() == ["s", "g", "r", "p"]


def test_each_cycle_of_a_complex_gateway_has_its_listeners(scenario: Scenario) -> None:
    gate = heard(complex_gateway("j", "=activationCount >= needed"), start="ask")
    run = scenario(joined(parallel("f"), gate))
    run.start("p")
    run.complete_task("t")
    only(run, "ask")
    run.complete_task("u")
    assert run.active() == ["j"]
    run.complete("ask", '{"needed": 1}')
    assert run.jobs() == []
    assert run.path().count("after") == 1
    run.assert_nothing_left()


def test_a_complex_gateway_calls_its_listeners_once_a_cycle(scenario: Scenario) -> None:
    gate = heard(complex_gateway("j", "=activationCount >= 2"), start="ask")
    run = scenario(joined(parallel("f"), gate))
    run.start("p")
    run.complete_task("t")
    one_by_one(run, "ask")
    run.complete_task("u")
    assert run.jobs() == []
    assert run.path().count("after") == 1
    run.assert_nothing_left()


def test_a_complex_gateway_with_a_listener_ends_with_its_ad_hoc_sub_process(
    scenario: Scenario,
) -> None:
    gate = heard(complex_gateway("j", "=activationCount >= 2"), start="ask")
    model = compiled(
        start("s"),
        ad_hoc("pool", user_task("t"), task("u"), parallel("f"), gate, chain("u", "f", "j"),
               flow("f", "j", flow_id="again"), active='=["u", "t"]',
               until="=numberOfCompletedInstances = 2", cancels=False),
        chain("s", "pool"),
    )  # fmt: skip
    run = scenario(model)
    run.start("p")
    run.complete_task("t")
    while run.jobs():
        run.complete(run.jobs()[0].type)
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


# --- what an event begins, and loops ---


def test_an_event_sub_process_begins_and_ends_with_its_listeners(scenario: Scenario) -> None:
    begin = heard(start("got", message_event("M"), outputs={"mine": "=content"}), end="begun")
    aside = heard(event_sub_process("aside", begin, user_task("x"), chain("got", "x")),
                  start="in", end="out")  # fmt: skip
    run = scenario(compiled(MESSAGE, start("s"), user_task("t"), aside, chain("s", "t")))
    run.start("p")
    message_comes(run, '{"content": 7}')
    assert run.tasks() == []
    assert run.path() == ["s"]
    one_by_one(run, "in", "begun")
    run.complete_task("x")
    one_by_one(run, "out")
    assert run.path() == ["s", "got", "x", "aside", "p"]
    run.assert_nothing_left()


def test_event_sub_processes_with_listeners_run_beside_each_other(scenario: Scenario) -> None:
    begin = start("tick", timer(cycle="R3/PT1M"), interrupting=False)
    aside = heard(event_sub_process("aside", begin, task("x"), chain("tick", "x")),
                  start="in", end="out")  # fmt: skip
    run = scenario(compiled(start("s"), user_task("t"), aside, chain("s", "t")))
    run.start("p")
    run.elapse(MINUTE)
    run.complete("in")
    run.elapse(2 * MINUTE)
    assert open_types(run) == ["out", "in", "in"]
    run.complete_task("t")
    for job_type in ("in", "in", "out", "out", "out"):
        run.complete(job_type)
    assert run.path().count("x") == 3
    run.assert_nothing_left()


def test_an_event_sub_process_within_waits_for_the_listeners_of_the_outer_one(
    scenario: Scenario,
) -> None:
    inner = event_sub_process("inner", start("late", timer(duration="PT1M")), task("y"),
                              chain("late", "y"))  # fmt: skip
    outer = heard(
        event_sub_process("outer", start("got", message_event("M")), user_task("x"), inner,
                          chain("got", "x")),
        start="in",
    )  # fmt: skip
    run = scenario(compiled(MESSAGE, start("s"), user_task("t"), outer, chain("s", "t")))
    run.start("p")
    message_comes(run)
    assert run.waits(TimerWait) == []
    run.complete("in")
    run.elapse(MINUTE)
    assert "y" in run.path()
    run.assert_nothing_left()


def test_an_error_of_a_listener_of_an_event_sub_process_leaves_it(scenario: Scenario) -> None:
    aside = heard(event_sub_process("aside", start("got", message_event("M")), task("x"),
                                    chain("got", "x")), start="in")  # fmt: skip
    model = compiled(
        MESSAGE, error("E", "NO"), start("s"),
        sub_process("sub", start("i"), user_task("t"), aside, chain("i", "t")),
        boundary("b", "sub", error_event("E")), task("other"), chain("s", "sub"),
        chain("b", "other"),
    )  # fmt: skip
    run = scenario(model)
    run.start("p")
    message_comes(run)
    throw_error(run, only(run, "in"))
    assert run.path() == ["s", "i", "b", "other", "p"]
    run.assert_nothing_left()


def test_a_compensating_event_sub_process_has_its_listeners(scenario: Scenario) -> None:
    undoing = heard(event_sub_process("undoing", start("u", compensate_event()), task("x"),
                                      chain("u", "x")), start="in", end="out")  # fmt: skip
    inside = sub_process("sub", start("i"), task("t"), undoing, chain("i", "t"))
    model = compiled(start("s"), inside, end("e", compensate_event("sub")), chain("s", "sub", "e"))
    run = scenario(model)
    run.start("p")
    one_by_one(run, "in", "out")
    assert "x" in run.path()
    assert run.state() is InstanceState.COMPLETED


@pytest.mark.parametrize("sequential", [True, False])
def test_before_all_iterations_their_collection_is_made(
    scenario: Scenario, *, sequential: bool
) -> None:
    loop = multi_instance(over="=ids", item="id", sequential=sequential)
    each = heard(script_task("t", "=id + extra"), beforeAll="find more", start="a")
    run = scenario(compiled(start("s"), looped(each, loop), end("e"), chain("s", "t", "e")))
    run.start("p")
    assert only(run, "find").headers["torpor:listenerEvent"] == "beforeAll"
    run.complete("find", '{"ids": [1, 2]}')
    run.complete("more", '{"extra": 10}')
    assert run.jobs("find") == []
    for number in ("1", "2"):
        job = run.job("a")
        seen = decode_object(job.variables)
        assert (seen["id"], seen["extra"]) == (number, "10")
        run.complete("a")
    assert run.state() is InstanceState.COMPLETED
    assert "ids" not in decode_object(run.result() or "")


def test_a_collection_that_fails_does_not_call_the_listeners_before_all_again(
    scenario: Scenario,
) -> None:
    loop = multi_instance(over="=ids", item="id")
    each = looped(heard(task("t"), beforeAll="find"), loop)
    run = scenario(compiled(start("s"), each, chain("s", "t")))
    run.start("p")
    run.complete("find", '{"ids": 1}')
    assert run.jobs() == []
    run.resolve(variables='{"ids": [1]}')
    assert run.state() is InstanceState.COMPLETED


def test_a_multi_instance_sub_process_has_listeners_around_and_in_each(
    scenario: Scenario,
) -> None:
    inside = sub_process("sub", start("i"), task("x"), chain("i", "x"))
    each = looped(heard(inside, beforeAll="first", start="a", end="z"), multi_instance(times="2"))
    model = compiled(
        start("s"), each, boundary("b", "sub", timer(duration="PT1M")), chain("s", "sub")
    )
    run = scenario(model)
    run.start("p")
    one_by_one(run, "first")
    assert open_types(run) == ["a", "a"]
    run.complete("a")
    assert open_types(run) == ["a", "z"]
    run.elapse(MINUTE)
    assert run.jobs() == []
    run.assert_nothing_left()


def test_a_listener_at_the_end_writes_around_the_activity(scenario: Scenario) -> None:
    activity = heard(service_task("t", inputs={"n": "=1"}), end="z")
    run = scenario(compiled(start("s"), activity, chain("s", "t")))
    run.start("p")
    run.complete("t")
    run.complete("z", '{"n": 2}')
    assert decode_object(run.result() or "") == {"n": "2"}


def test_an_event_sub_process_interrupts_listeners_of_its_scope(scenario: Scenario) -> None:
    aside = event_sub_process("aside", start("got", message_event("M")), task("x"),
                              chain("got", "x"))  # fmt: skip
    model = compiled(
        MESSAGE, start("s"), parallel("f"), heard(exclusive("x1"), start="a"),
        heard(end("e"), end="b"), aside, chain("s", "f", "x1"), flow("f", "e"),
    )  # fmt: skip
    run = scenario(model)
    run.start("p")
    assert open_types(run) == ["a", "b"]
    message_comes(run)
    assert run.jobs() == []
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_a_listener_has_headers_of_its_own(scenario: Scenario) -> None:
    given = "".join(extension("header", key=key, value=f"own {key}") for key in ("k", "l"))
    hearing = extension(
        "executionListener", extension("taskHeaders", given), eventType="start", type="a"
    )
    activity = service_task("t", headers={"k": "of all", "m": "of all"}).replace(
        "</bpmn:extensionElements>",
        extension("executionListeners", hearing) + "</bpmn:extensionElements>",
    )
    run = scenario(compiled(start("s"), activity, chain("s", "t")))
    run.start("p")
    headers = only(run, "a").headers
    assert [headers[key] for key in ("k", "l", "m")] == ["own k", "own l", "of all"]
    run.complete("a")
    assert only(run, "t").headers == {"k": "of all", "m": "of all"}


def test_an_ad_hoc_sub_process_offers_nothing_while_its_listener_runs(scenario: Scenario) -> None:
    pool = heard(ad_hoc("pool", task("t"), active="=ids"), start="in")
    run = scenario(compiled(start("s"), pool, chain("s", "pool")))
    run.start("p")
    assert run.waits(AdHocWait) == []
    assert len(run.waits(JobWait)) == 1
    run.complete("in", '{"ids": ["t"]}')
    assert run.state() is InstanceState.COMPLETED


# --- what is ended before its time ---


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
