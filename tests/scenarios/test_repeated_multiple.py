"""Events that need several things and do not interrupt: each time all have occurred, then anew."""

import pytest

from engine import commands as c
from engine import state as s
from engine.lifecycle import InstanceState
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    boundary,
    chain,
    compiled,
    conditional_event,
    end,
    event_sub_process,
    looped,
    message,
    message_event,
    multi_instance,
    service_task,
    signal,
    signal_event,
    start,
    timer,
    together,
    user_task,
)
from tests.support.runner import Runner, subscriptions

ROOTS = (
    message("m", "news", key="=order"),
    message("other", "other", key="=order"),
    signal("go", "go!"),
)
BOTH = message_event("m") + message_event("other")
HOUR = 3_600_000
POSITIONS = ["boundary", "event-sub-process"]


def repeated(position: str, definitions: str) -> tuple[str, ...]:
    """A task with an event that needs all of these and begins the job `note` each time."""
    work = (start("s"), user_task("work"), end("e"), chain("s", "work", "e"))
    if position == "boundary":
        event = boundary("edge", "work", definitions, interrupting=False)
        return (*work, together(event), service_task("note"), chain("edge", "note"))
    inner = together(start("edge", definitions, interrupting=False))
    return (
        *work,
        event_sub_process("on", inner, service_task("note"), chain("edge", "note")),
    )


def begun(scenario: Scenario, position: str, definitions: str) -> Runner:
    run = scenario(compiled(*ROOTS, *repeated(position, definitions)))
    run.start("p", variables='{"order": 7, "n": 0}')
    return run


def publish(run: Runner, name: str = "news", variables: str = "{}", ttl_ms: int = 0) -> None:
    run.accept(c.PublishMessage(name=name, correlation_key="7", variables=variables, ttl_ms=ttl_ms))


def set_n(run: Runner, value: int) -> None:
    run.accept(c.SetVariables(instance_id="a", variables=f'{{"n": {value}}}'))


def notes(run: Runner) -> int:
    return len(run.jobs("note"))


def finish(run: Runner) -> None:
    run.complete_task("work")
    while run.jobs("note"):
        run.complete("note")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


@pytest.mark.parametrize("position", POSITIONS)
def test_it_occurs_each_time_that_all_have_occurred_since(
    scenario: Scenario, position: str
) -> None:
    run = begun(scenario, position, BOTH)
    publish(run)
    assert notes(run) == 0
    publish(run, "other")
    assert notes(run) == 1
    publish(run, "other")
    assert notes(run) == 1
    publish(run)
    assert notes(run) == 2
    assert "work" in run.active()
    finish(run)


@pytest.mark.parametrize("position", POSITIONS)
def test_more_of_one_kind_do_not_stand_for_another(scenario: Scenario, position: str) -> None:
    run = begun(scenario, position, BOTH)
    for _ in range(3):
        publish(run)
    publish(run, "other")
    assert notes(run) == 1
    publish(run, "other")
    assert notes(run) == 1
    finish(run)


@pytest.mark.parametrize("position", POSITIONS)
def test_a_message_that_is_kept_counts_for_the_next_time(scenario: Scenario, position: str) -> None:
    run = begun(scenario, position, BOTH)
    for _ in range(2):
        publish(run, ttl_ms=HOUR)
    publish(run, "other")
    assert notes(run) == 1
    publish(run, "other")
    assert notes(run) == 2
    run.elapse(HOUR)
    finish(run)


@pytest.mark.parametrize("position", POSITIONS)
def test_signals_and_conditions_count_anew(scenario: Scenario, position: str) -> None:
    run = begun(scenario, position, signal_event("go") + conditional_event("=n > 1"))
    set_n(run, 2)
    assert notes(run) == 0
    run.accept(c.BroadcastSignal(name="go!"))
    assert notes(run) == 1
    run.accept(c.BroadcastSignal(name="go!"))
    assert notes(run) == 1, "the condition still holds: it has not become true since"
    set_n(run, 0)
    assert notes(run) == 1
    set_n(run, 2)
    assert notes(run) == 2
    finish(run)


@pytest.mark.parametrize("position", POSITIONS)
def test_conditions_alone_that_stay_true_occur_once(scenario: Scenario, position: str) -> None:
    run = begun(scenario, position, conditional_event("=n > 1") + conditional_event("=n > 2"))
    set_n(run, 2)
    assert notes(run) == 0
    set_n(run, 3)
    assert notes(run) == 1
    set_n(run, 1)
    set_n(run, 3)
    assert notes(run) == 2
    finish(run)


@pytest.mark.parametrize("position", POSITIONS)
def test_a_cycle_runs_by_its_schedule_and_counts_once_each_time(
    scenario: Scenario, position: str
) -> None:
    run = begun(scenario, position, message_event("m") + timer(cycle="R/PT1H"))
    run.elapse(HOUR)
    assert notes(run) == 0
    publish(run)
    assert notes(run) == 1
    publish(run)
    assert notes(run) == 1, "the next hour is not over"
    run.elapse(HOUR)
    assert notes(run) == 2
    run.elapse(3 * HOUR)
    assert notes(run) == 2
    publish(run)
    assert notes(run) == 3, "three hours without a message are one occurrence"
    (wait,) = run.waits(s.TimerWait)
    assert not wait.ahead
    assert wait.due_ms == run.now + HOUR
    finish(run)


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize(
    ("when", "times"),
    [(timer(duration="PT1H"), 1), (timer(cycle="R2/PT1H"), 2), (timer(cycle="R1/PT1H"), 1)],
)
def test_a_time_that_does_not_come_again_ends_the_event(
    scenario: Scenario, position: str, when: str, times: int
) -> None:
    run = begun(scenario, position, message_event("m") + when)
    for _ in range(3):
        run.elapse(HOUR)
        publish(run)
    assert notes(run) == times
    assert subscriptions(run) == []
    finish(run)


@pytest.mark.parametrize("position", POSITIONS)
def test_what_cannot_wait_anew_is_an_incident_and_does_once_that_is_resolved(
    scenario: Scenario, position: str
) -> None:
    run = begun(scenario, position, BOTH)
    publish(run)
    publish(run, "other", '{"order": null}')
    incident = run.incident()
    assert (incident.kind, incident.step) == ("EXPRESSION_FAILED", "rearm")
    assert notes(run) == 1
    run.resolve(variables='{"order": 7}')
    publish(run)
    publish(run, "other")
    assert notes(run) == 2
    finish(run)


def test_an_activity_that_ends_in_the_middle_ends_the_wait(scenario: Scenario) -> None:
    run = begun(scenario, "boundary", BOTH)
    publish(run)
    run.complete_task("work")
    assert run.path() == ["s", "work", "e", "p"]
    run.assert_nothing_left()


def test_it_spans_a_whole_loop(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            *ROOTS,
            start("s"),
            looped(service_task("work"), multi_instance(times="=2")),
            together(boundary("edge", "work", BOTH, interrupting=False)),
            end("noted"),
            chain("s", "work"),
            chain("edge", "noted"),
        )
    )
    run.start("p", variables='{"order": 7}')
    for _ in range(2):
        publish(run)
        publish(run, "other")
    assert run.path().count("noted") == 2
    run.complete("work")
    run.complete("work")
    run.assert_nothing_left()
