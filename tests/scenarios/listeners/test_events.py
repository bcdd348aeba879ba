"""Listeners of events: of what they wait for and throw, and of the ways in which they end."""

import pytest

from engine import commands as c
from engine.lifecycle import InstanceState
from engine.state import SubscriptionWait
from engine.values import decode_object
from tests.scenarios.conftest import Scenario
from tests.support.listening import (
    MESSAGE,
    MINUTE,
    message_comes,
    one_by_one,
    only,
    open_types,
)
from tests.support.models import (
    boundary,
    cancel_event,
    catch,
    chain,
    compensate_event,
    compensation,
    compiled,
    end,
    error,
    error_event,
    escalation,
    escalation_event,
    flow,
    for_compensation,
    heard,
    link_event,
    message,
    message_event,
    parallel,
    service_task,
    signal,
    signal_event,
    start,
    sub_process,
    task,
    terminate_event,
    throw,
    timer,
    transaction,
    user_task,
)


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
