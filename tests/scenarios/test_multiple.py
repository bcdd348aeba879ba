"""Multiple events: any of several, all of several, and several thrown by one event."""

import pytest

from engine import commands as c
from engine.lifecycle import InstanceState
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    boundary,
    catch,
    chain,
    compiled,
    conditional_event,
    end,
    escalation,
    escalation_event,
    event_sub_process,
    message,
    message_event,
    service_task,
    signal,
    signal_event,
    start,
    sub_process,
    throw,
    timer,
    together,
    user_task,
)
from tests.support.runner import Runner, subscriptions

ROOTS = (
    message("m", "news", key="=order"),
    message("other", "other", key="=order"),
    signal("go", "go!"),
    escalation("late", "LATE"),
)
HOUR = 3_600_000
ALL = (
    message_event("m")
    + signal_event("go")
    + timer(duration="PT1H")
    + conditional_event("=n > 1")
    + conditional_event("=n < -1")
)


def publish(run: Runner, variables: str = "{}", name: str = "news") -> None:
    run.accept(c.PublishMessage(name=name, correlation_key="7", variables=variables))


def occur(run: Runner, kind: str) -> None:
    match kind:
        case "message":
            publish(run)
        case "signal":
            run.accept(c.BroadcastSignal(name="go!"))
        case "timer":
            run.elapse(HOUR)
        case "condition":
            run.accept(c.SetVariables(instance_id="a", variables='{"n": 2}'))
        case _:
            run.accept(c.SetVariables(instance_id="a", variables='{"n": -2}'))


KINDS = ("message", "signal", "timer", "condition", "another condition")


def begun(scenario: Scenario, *parts: str) -> Runner:
    run = scenario(compiled(*ROOTS, *parts))
    run.start("p", variables='{"order": 7}')
    return run


@pytest.mark.parametrize("kind", KINDS)
def test_any_of_several_ends_the_wait_for_all(scenario: Scenario, kind: str) -> None:
    run = begun(scenario, start("s"), catch("wait", ALL), end("e"), chain("s", "wait", "e"))
    assert sorted(kind for _, kind in run.waiting()) == [
        "condition", "condition", "message", "signal", "timer",
    ]  # fmt: skip
    occur(run, kind)
    assert run.path() == ["s", "wait", "e", "p"]
    assert subscriptions(run) == []
    run.assert_nothing_left()


@pytest.mark.parametrize("kind", KINDS)
def test_any_of_several_interrupts_an_activity(scenario: Scenario, kind: str) -> None:
    run = begun(
        scenario,
        start("s"),
        user_task("work"),
        boundary("edge", "work", ALL),
        end("stopped"),
        chain("s", "work"),
        chain("edge", "stopped"),
    )
    occur(run, kind)
    assert run.path() == ["s", "edge", "stopped", "p"]
    run.assert_nothing_left()


@pytest.mark.parametrize("interrupting", [True, False])
def test_any_of_several_begins_an_event_sub_process(
    scenario: Scenario, *, interrupting: bool
) -> None:
    run = begun(
        scenario,
        start("s"),
        service_task("work"),
        chain("s", "work"),
        event_sub_process(
            "on",
            start("began", ALL, interrupting=interrupting),
            service_task("handle"),
            chain("began", "handle"),
        ),
    )
    for kind in KINDS[:4]:
        occur(run, kind)
    assert len(run.jobs("handle")) == (1 if interrupting else 4)
    for job in run.jobs():
        run.accept(c.CompleteJob(job_id=job.job_id, attempt=job.attempt))
    run.assert_nothing_left()


def test_an_escalation_may_be_one_of_them(scenario: Scenario) -> None:
    run = begun(
        scenario,
        start("s"),
        sub_process("sub", start("i"), throw("tell", escalation_event("late")), chain("i", "tell")),
        boundary("edge", "sub", timer(duration="PT1H") + escalation_event("late")),
        end("stopped"),
        chain("s", "sub"),
        chain("edge", "stopped"),
    )
    assert run.path() == ["s", "i", "edge", "stopped", "p"]
    run.assert_nothing_left()


BOTH = message_event("m") + message_event("other")


@pytest.mark.parametrize("order", [("news", "other"), ("other", "news")])
def test_all_of_several_are_waited_for_in_any_order(
    scenario: Scenario, order: tuple[str, str]
) -> None:
    run = begun(
        scenario,
        start("s"),
        together(catch("wait", BOTH, outputs={"sum": "=news + other"})),
        end("e"),
        chain("s", "wait", "e"),
    )
    for number, name in enumerate(order, start=1):
        assert run.state() is InstanceState.RUNNING
        publish(run, f'{{"{name}": {number}}}', name)
    assert run.result() == '{"order":7,"sum":3}'
    run.assert_nothing_left()


def test_one_of_several_does_not_count_twice(scenario: Scenario) -> None:
    run = begun(
        scenario, start("s"), together(catch("wait", BOTH)), end("e"), chain("s", "wait", "e")
    )
    publish(run)
    publish(run)
    assert run.waiting() == [("wait", "message")]
    publish(run, name="other")
    assert run.state() is InstanceState.COMPLETED


def test_all_of_several_interrupt_an_activity(scenario: Scenario) -> None:
    mixed = message_event("m") + signal_event("go") + timer(duration="PT1H")
    run = begun(
        scenario,
        start("s"),
        user_task("work"),
        together(boundary("edge", "work", mixed)),
        end("stopped"),
        chain("s", "work"),
        chain("edge", "stopped"),
    )
    occur(run, "signal")
    publish(run, '{"why": 1}')
    assert run.active() == ["work"]
    occur(run, "timer")
    assert run.path() == ["s", "edge", "stopped", "p"]
    assert run.result() == '{"order":7,"why":1}'
    run.assert_nothing_left()


def test_an_activity_that_ends_first_ends_the_wait_for_the_rest(scenario: Scenario) -> None:
    run = begun(
        scenario,
        start("s"),
        user_task("work"),
        together(boundary("edge", "work", BOTH)),
        chain("s", "work"),
    )
    publish(run)
    run.complete_task("work")
    assert subscriptions(run) == []
    run.assert_nothing_left()


def test_all_of_several_begin_an_event_sub_process(scenario: Scenario) -> None:
    run = begun(
        scenario,
        start("s"),
        service_task("work"),
        chain("s", "work"),
        event_sub_process("on", together(start("began", BOTH)), end("x"), chain("began", "x")),
    )
    publish(run)
    assert run.active() == ["work"]
    publish(run, name="other")
    assert run.path() == ["s", "began", "x", "on", "p"]
    run.assert_nothing_left()


def test_one_event_throws_several(scenario: Scenario) -> None:
    run = begun(
        scenario,
        start("s"),
        throw("all", message_event("m") + signal_event("go") + escalation_event("late")),
        end("x", signal_event("go") + escalation_event("late")),
        chain("s", "all", "x"),
    )
    kinds = [
        each.type for each in run.effects() if each.type.endswith(("Thrown", "EscalationRaised"))
    ]
    assert kinds == [
        "MessageThrown", "SignalThrown", "EscalationRaised", "SignalThrown", "EscalationRaised",
    ]  # fmt: skip
    assert run.state() is InstanceState.COMPLETED


def test_what_cannot_be_thrown_keeps_all_of_it_back(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            *ROOTS, start("s"), throw("all", signal_event("go") + message_event("m")),
            chain("s", "all"),
        )
    )  # fmt: skip
    run.start("p")
    assert run.incident().kind == "EXPRESSION_FAILED"
    assert run.effects("SignalThrown") == []
    run.resolve(variables='{"order": 7}')
    assert len(run.effects("SignalThrown")) == 1
    assert run.state() is InstanceState.COMPLETED


def test_any_of_several_starts_a_process(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            *ROOTS,
            start("s", message_event("m") + signal_event("go") + message_event("other")),
            user_task("work"),
            chain("s", "work"),
        )
    )
    publish(run)
    publish(run, name="other")
    run.accept(c.BroadcastSignal(name="go!"))
    started = run.effects("InstanceStarted")
    assert len({each.instance_id for each in started}) == 3
