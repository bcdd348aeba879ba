"""Events as positions and triggers: each trigger at each position where it may stand.

What a trigger does is in its own scenarios; here every cell of the table in docs/bpmn.md runs once,
and leaves nothing behind. Cells of one kind (link, cancel, compensation, terminate) have no row of
triggers here: their own scenarios show them.
"""

from collections.abc import Callable
from typing import NamedTuple

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
    error,
    error_event,
    escalation,
    escalation_event,
    event_sub_process,
    message,
    message_event,
    service_task,
    signal,
    signal_event,
    start,
    task,
    throw,
    timer,
    user_task,
)
from tests.support.runner import Runner, subscriptions

ROOTS = (
    message("m", "news", key="=order"),
    signal("go", "go!"),
    error("bad", "BAD"),
    escalation("late", "LATE"),
)
HOUR = 3_600_000


class Trigger(NamedTuple):
    """What an event waits for, and how it happens while the job `work` is open, if there is one."""

    definition: str
    happen: Callable[[Runner], None]
    parallel: bool = False

    def at(self, event: str) -> str:
        return event.replace(" id=", ' parallelMultiple="true" id=', 1) if self.parallel else event


def publish(run: Runner) -> None:
    run.accept(c.PublishMessage(name="news", correlation_key="7", variables='{"why": 1}'))


def broadcast(run: Runner) -> None:
    run.accept(c.BroadcastSignal(name="go!"))


def an_hour_passes(run: Runner) -> None:
    run.elapse(HOUR)


def the_condition_comes_true(run: Runner) -> None:
    run.accept(c.SetVariables(instance_id="a", variables='{"level": 2}'))


def work_throws_an_error(run: Runner) -> None:
    job = run.job("work")
    run.accept(c.ThrowError(job_id=job.job_id, attempt=job.attempt, code="BAD"))


def work_escalates(run: Runner) -> None:
    job = run.job("work")
    run.accept(c.ThrowEscalation(job_id=job.job_id, attempt=job.attempt, code="LATE"))


def both_come(run: Runner) -> None:
    publish(run)
    assert "began" not in run.path()
    broadcast(run)


BOTH = message_event("m") + signal_event("go")
OUTSIDE = {
    "message": Trigger(message_event("m"), publish),
    "timer-date": Trigger(timer(date="2023-11-14T23:00:00Z"), an_hour_passes),
    "timer-duration": Trigger(timer(duration="PT1H"), an_hour_passes),
    "timer-cycle": Trigger(timer(cycle="R3/PT1H"), an_hour_passes),
    "timer-cron": Trigger(timer(cycle="0 0 * * * *"), an_hour_passes),
    "signal": Trigger(signal_event("go"), broadcast),
    "conditional": Trigger(conditional_event("=level > 1"), the_condition_comes_true),
    "multiple": Trigger(BOTH, broadcast),
    "parallel-multiple": Trigger(BOTH, both_come, parallel=True),
}
"""What may happen to anybody who waits for it. All of it happens within an hour of the start."""
INSIDE = {
    "error": Trigger(error_event("bad"), work_throws_an_error),
    "escalation": Trigger(escalation_event("late"), work_escalates),
}
"""What is thrown by the activity or the scope itself."""
INTERRUPTING = OUTSIDE | INSIDE
NOT_INTERRUPTING = [name for name in INTERRUPTING if name != "error"]


def begun(scenario: Scenario, *parts: str) -> Runner:
    run = scenario(compiled(*ROOTS, start("s"), *parts))
    run.start("p", variables='{"order": 7, "level": 0}')
    return run


def finished(run: Runner, *path: str) -> None:
    assert run.state() is InstanceState.COMPLETED
    assert run.path() == ["s", *path, "p"]
    assert subscriptions(run) == []
    run.assert_nothing_left()


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_catch_event_waits_for_its_trigger(scenario: Scenario, name: str) -> None:
    trigger = OUTSIDE[name]
    waits = trigger.at(catch("began", trigger.definition))
    run = begun(scenario, waits, end("e"), chain("s", "began", "e"))
    assert run.active() == ["began"]
    trigger.happen(run)
    finished(run, "began", "e")


@pytest.mark.parametrize("name", INTERRUPTING)
def test_an_interrupting_boundary_event_ends_its_activity(scenario: Scenario, name: str) -> None:
    trigger = INTERRUPTING[name]
    run = begun(
        scenario,
        service_task("work"),
        trigger.at(boundary("began", "work", trigger.definition)),
        end("stopped"),
        end("e"),
        chain("s", "work", "e"),
        chain("began", "stopped"),
    )
    trigger.happen(run)
    finished(run, "began", "stopped")
    assert run.jobs() == []


@pytest.mark.parametrize("name", NOT_INTERRUPTING)
def test_another_boundary_event_begins_a_way_beside_its_activity(
    scenario: Scenario, name: str
) -> None:
    trigger = INTERRUPTING[name]
    run = begun(
        scenario,
        service_task("work"),
        trigger.at(boundary("began", "work", trigger.definition, interrupting=False)),
        service_task("note"),
        end("e"),
        chain("s", "work", "e"),
        chain("began", "note"),
    )
    trigger.happen(run)
    run.complete("work")
    assert run.state() is InstanceState.RUNNING
    run.complete("note")
    finished(run, "began", "work", "e", "note")


@pytest.mark.parametrize("name", INTERRUPTING)
def test_a_boundary_event_is_over_with_its_activity(scenario: Scenario, name: str) -> None:
    trigger = INTERRUPTING[name]
    run = begun(
        scenario,
        service_task("work"),
        trigger.at(boundary("began", "work", trigger.definition)),
        user_task("next"),
        task("stopped"),
        chain("s", "work", "next"),
        chain("began", "stopped"),
    )
    run.complete("work")
    assert run.waiting() == [("next", "task")]
    assert subscriptions(run) == []
    if name in OUTSIDE:
        trigger.happen(run)
    run.complete_task("next")
    finished(run, "work", "next")


def handled(trigger: Trigger, *, interrupting: bool) -> tuple[str, ...]:
    begins = trigger.at(start("began", trigger.definition, interrupting=interrupting))
    inside = (begins, service_task("note"), chain("began", "note"))
    return (
        service_task("work"),
        end("e"),
        chain("s", "work", "e"),
        event_sub_process("on", *inside),
    )


@pytest.mark.parametrize("name", INTERRUPTING)
def test_an_interrupting_event_sub_process_takes_the_place_of_its_scope(
    scenario: Scenario, name: str
) -> None:
    trigger = INTERRUPTING[name]
    run = begun(scenario, *handled(trigger, interrupting=True))
    trigger.happen(run)
    assert run.active() == ["on", "note"]
    run.complete("note")
    finished(run, "began", "note", "on")


@pytest.mark.parametrize("name", NOT_INTERRUPTING)
def test_another_event_sub_process_runs_beside_its_scope_which_waits_for_it(
    scenario: Scenario, name: str
) -> None:
    trigger = INTERRUPTING[name]
    run = begun(scenario, *handled(trigger, interrupting=False))
    trigger.happen(run)
    run.complete("work")
    assert run.active() == ["on", "note"]
    run.complete("note")
    finished(run, "began", "work", "e", "note", "on")


def conditions_are_asked(run: Runner) -> None:
    run.accept(c.EvaluateConditions(variables='{"level": 2}'))


STARTS = {name: OUTSIDE[name] for name in ("message", "signal", "multiple")} | {
    "conditional": Trigger(conditional_event("=level > 1"), conditions_are_asked)
}


@pytest.mark.parametrize("name", STARTS)
def test_a_start_event_begins_an_instance_at_its_trigger(scenario: Scenario, name: str) -> None:
    trigger = STARTS[name]
    begins = trigger.at(start("began", trigger.definition))
    news = message("m", "news")
    run = scenario(compiled(news, *ROOTS[1:], begins, end("e"), chain("began", "e")))
    assert run.effects("InstanceStarted") == []
    trigger.happen(run)
    (started,) = run.effects("InstanceStarted")
    assert run.path(started.instance_id) == ["began", "e", "p"]
    run.assert_nothing_left()


THROWN = {
    "none": ("", []),
    "message": (message_event("m"), ["MessageThrown"]),
    "signal": (signal_event("go"), ["SignalThrown"]),
    "escalation": (escalation_event("late"), ["EscalationRaised"]),
    "multiple": (
        signal_event("go") + escalation_event("late"),
        ["SignalThrown", "EscalationRaised"],
    ),
}


def thrown(run: Runner) -> list[str]:
    kinds = ("MessageThrown", "SignalThrown", "EscalationRaised")
    return [effect.type for effect in run.effects() if effect.type in kinds]


@pytest.mark.parametrize("name", THROWN)
def test_a_throw_event_throws_and_goes_on(scenario: Scenario, name: str) -> None:
    definition, effects = THROWN[name]
    run = begun(scenario, throw("tell", definition), end("e"), chain("s", "tell", "e"))
    assert thrown(run) == effects
    finished(run, "tell", "e")


@pytest.mark.parametrize("name", THROWN)
def test_an_end_event_throws_and_ends(scenario: Scenario, name: str) -> None:
    definition, effects = THROWN[name]
    run = begun(scenario, end("tell", definition), chain("s", "tell"))
    assert thrown(run) == effects
    finished(run, "tell")
