"""Errors, compensation, cancellation and termination among several definitions of one event."""

import pytest

from engine import commands as c
from engine.lifecycle import InstanceState
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    boundary,
    cancel_event,
    chain,
    compensate_event,
    compensation,
    compiled,
    end,
    error,
    error_event,
    escalation,
    escalation_event,
    event_sub_process,
    for_compensation,
    message,
    message_event,
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
)
from tests.support.runner import Runner, subscriptions

ROOTS = (
    message("m", "news", key="=order"),
    signal("go", "go!"),
    error("bad", "BAD"),
    error("worse", "WORSE"),
    escalation("late", "LATE"),
)
SEVERAL = (
    message_event("m") + error_event("bad") + escalation_event("late") + timer(duration="PT1H")
)
WAYS = ["message", "error", "escalation", "timer"]


def begun(scenario: Scenario, *parts: str) -> Runner:
    run = scenario(compiled(*ROOTS, *parts))
    run.start("p", variables='{"order": 7}')
    return run


def occur(run: Runner, way: str) -> None:
    """One of `SEVERAL` happens to the open job `work`."""
    match way:
        case "message":
            run.accept(c.PublishMessage(name="news", correlation_key="7"))
        case "timer":
            run.elapse(3_600_000)
        case "error":
            job = run.job("work")
            run.accept(c.ThrowError(code="BAD", job_id=job.job_id, attempt=1))
        case _:
            run.accept(c.ThrowEscalation(code="LATE", job_id=run.job("work").job_id, attempt=1))


# --- caught ---


@pytest.mark.parametrize("way", WAYS)
def test_any_of_several_with_an_error_interrupts_an_activity(scenario: Scenario, way: str) -> None:
    run = begun(
        scenario,
        start("s"),
        service_task("work"),
        boundary("edge", "work", SEVERAL),
        end("stopped"),
        chain("s", "work"),
        chain("edge", "stopped"),
    )
    occur(run, way)
    assert run.path() == ["s", "edge", "stopped", "p"]
    assert subscriptions(run) == []
    run.assert_nothing_left()


@pytest.mark.parametrize("way", WAYS)
def test_any_of_several_with_an_error_begins_an_event_sub_process(
    scenario: Scenario, way: str
) -> None:
    run = begun(
        scenario,
        start("s"),
        service_task("work"),
        chain("s", "work"),
        event_sub_process("on", start("began", SEVERAL), end("x"), chain("began", "x")),
    )
    occur(run, way)
    assert run.path() == ["s", "began", "x", "on", "p"]
    run.assert_nothing_left()


def test_an_error_among_several_is_caught_by_its_code(scenario: Scenario) -> None:
    run = begun(
        scenario,
        start("s"),
        sub_process("sub", start("i"), service_task("work"), chain("i", "work")),
        boundary("edge", "sub", error_event("worse") + message_event("m")),
        boundary("other", "sub", signal_event("go") + error_event("bad")),
        end("x"),
        end("y"),
        chain("s", "sub"),
        chain("edge", "x"),
        chain("other", "y"),
    )
    occur(run, "error")
    assert run.path() == ["s", "i", "other", "y", "p"]
    run.assert_nothing_left()


@pytest.mark.parametrize("way", ["cancel", "message"])
def test_a_transaction_is_left_by_cancellation_or_something_else(
    scenario: Scenario, way: str
) -> None:
    run = begun(
        scenario,
        start("s"),
        transaction(
            "pay",
            start("i"),
            service_task("book"),
            compensation("book", "unbook"),
            for_compensation(service_task("unbook")),
            service_task("wait"),
            end("given-up", cancel_event()),
            chain("i", "book", "wait", "given-up"),
        ),
        boundary("edge", "pay", message_event("m") + cancel_event()),
        end("x"),
        chain("s", "pay"),
        chain("edge", "x"),
    )
    run.complete("book")
    if way == "message":
        occur(run, "message")
    else:
        run.complete("wait")
        run.complete("unbook")
    assert run.path()[-3:] == ["edge", "x", "p"]
    assert ("unbook" in run.path()) == (way == "cancel")
    run.assert_nothing_left()


# --- thrown ---


def inside(*ending: str) -> tuple[str, ...]:
    """A sub-process with a boundary event for the error BAD, and a second branch in it."""
    return (
        start("s"),
        sub_process("sub", start("i"), service_task("beside"), chain("i", "beside"), *ending),
        boundary("edge", "sub", error_event("bad")),
        end("caught"),
        end("fine"),
        chain("s", "sub", "fine"),
        chain("edge", "caught"),
    )


def test_an_end_event_throws_the_error_after_all_else(scenario: Scenario) -> None:
    ending = end("out", error_event("bad") + signal_event("go") + escalation_event("late"))
    run = begun(scenario, *inside(ending, chain("i", "out")))
    kinds = [
        each.type for each in run.effects() if each.type in {"SignalThrown", "EscalationRaised"}
    ]
    assert kinds == ["SignalThrown", "EscalationRaised"]
    assert run.path() == ["s", "i", "edge", "caught", "p"]
    run.assert_nothing_left()


def test_an_error_that_nothing_catches_keeps_all_of_it_back(scenario: Scenario) -> None:
    run = begun(
        scenario, start("s"), end("out", signal_event("go") + error_event("worse")),
        chain("s", "out"),
    )  # fmt: skip
    assert run.incident().kind == "UNHANDLED_ERROR"
    assert run.effects("SignalThrown") == []


def test_an_end_event_throws_and_terminates_its_scope(scenario: Scenario) -> None:
    ending = end("out", terminate_event() + signal_event("go"))
    run = begun(scenario, *inside(ending, chain("i", "out")))
    assert len(run.effects("SignalThrown")) == 1
    assert run.path() == ["s", "i", "out", "sub", "fine", "p"]
    run.assert_nothing_left()


def undone(*ending: str) -> tuple[str, ...]:
    """Two activities with handlers that complete before the ending of their sub-process."""
    return (
        start("s"),
        sub_process(
            "sub",
            start("i"),
            service_task("first"),
            compensation("first", "unfirst"),
            for_compensation(service_task("unfirst")),
            service_task("second"),
            compensation("second", "unsecond"),
            for_compensation(service_task("unsecond")),
            chain("i", "first", "second"),
            *ending,
        ),
        boundary("edge", "sub", error_event("bad")),
        end("caught"),
        end("fine"),
        chain("s", "sub", "fine"),
        chain("edge", "caught"),
    )


def test_compensation_comes_before_the_error_of_the_same_event(scenario: Scenario) -> None:
    ending = end("out", error_event("bad") + compensate_event() + signal_event("go"))
    run = begun(scenario, *undone(ending, chain("second", "out")))
    run.complete("first")
    run.complete("second")
    assert len(run.effects("SignalThrown")) == 1
    assert [job.type for job in run.jobs()] == ["unsecond"]
    run.complete("unsecond")
    assert run.active() == ["sub", "out", "unfirst"]
    run.complete("unfirst")
    assert run.path()[-3:] == ["edge", "caught", "p"]
    assert len(run.effects("SignalThrown")) == 1
    run.assert_nothing_left()


def test_with_nothing_to_compensate_the_error_comes_at_once(scenario: Scenario) -> None:
    ending = end("out", error_event("bad") + compensate_event())
    run = begun(scenario, *inside(ending, chain("i", "out")))
    assert run.path() == ["s", "i", "edge", "caught", "p"]
    run.assert_nothing_left()


def test_an_event_waits_for_all_that_it_compensates(scenario: Scenario) -> None:
    both = compensate_event("first") + compensate_event("second") + signal_event("go")
    run = begun(scenario, *undone(throw("undo", both), end("e"), chain("second", "undo", "e")))
    run.complete("first")
    run.complete("second")
    assert sorted(job.type for job in run.jobs()) == ["unfirst", "unsecond"]
    run.complete("unsecond")
    assert "undo" in run.active()
    run.complete("unfirst")
    assert run.path()[-5:] == ["undo", "e", "sub", "fine", "p"]
    run.assert_nothing_left()


def test_an_end_event_tells_others_and_cancels_its_transaction(scenario: Scenario) -> None:
    run = begun(
        scenario,
        start("s"),
        transaction(
            "pay",
            start("i"),
            service_task("beside"),
            end("out", cancel_event() + signal_event("go")),
            chain("i", "beside"),
            chain("i", "out"),
        ),
        boundary("edge", "pay", cancel_event()),
        end("x"),
        chain("s", "pay"),
        chain("edge", "x"),
    )
    assert len(run.effects("SignalThrown")) == 1
    assert run.path() == ["s", "i", "out", "edge", "x", "p"]
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (escalation_event("late"), terminate_event()),
        (escalation_event("late"), error_event("bad")),
        (escalation_event("late"), signal_event("other")),
        (signal_event("go"), escalation_event("never")),
    ],
    ids=["terminate", "error", "signal", "escalation"],
)
def test_an_event_that_is_ended_by_what_it_throws_throws_nothing_more(
    scenario: Scenario, first: str, then: str
) -> None:
    """Also where so much is inside the scope that it is ended part by part."""
    run = begun(
        scenario,
        signal("other", "other!"),
        escalation("never", "NEVER"),
        start("s"),
        sub_process(
            "sub",
            start("i"),
            service_task("first"),
            service_task("second"),
            service_task("third"),
            end("out", first + then),
            chain("i", "first", "out"),
            chain("i", "second"),
            chain("i", "third"),
        ),
        boundary("edge", "sub", first),
        boundary("error", "sub", error_event("bad")),
        boundary("beside", "sub", signal_event("other"), interrupting=False),
        boundary("above", "sub", escalation_event("never")),
        task("after"),
        chain("s", "sub"),
        chain("edge", "after"),
    )
    run.complete("first")
    assert run.path() == ["s", "i", "first", "edge", "after", "p"]
    run.assert_nothing_left()
