"""Compensation of very much: cut as any advance is, and carried on by later records."""

import pytest

from engine import commands as c
from engine import events as e
from engine.lifecycle import InstanceState
from engine.model.elements import ProcessModel
from engine.settings import Settings
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    boundary,
    cancel_event,
    chain,
    compensate_event,
    compensation,
    compiled,
    end,
    for_compensation,
    looped,
    multi_instance,
    parallel,
    service_task,
    start,
    task,
    throw,
    transaction,
    undone_by_iteration,
)
from tests.support.runner import Runner

MANY = 60
STEPS = 10
SETTINGS = Settings(steps_per_command_max=STEPS, terminations_per_command_max=STEPS)


def handlers(run: Runner) -> list[int]:
    """How many handlers began in each transition, where some did."""
    counts = [
        sum(
            isinstance(event, e.ElementActivated) and event.compensates > 0 for event in part.events
        )
        for part in run.history["a"]
    ]
    return [count for count in counts if count]


def booked() -> tuple[str, ...]:
    """An activity that ran many times, whose handler waits for nothing."""
    return (
        looped(task("book"), multi_instance(times=f"={MANY}")),
        compensation("book", "unbook"),
        for_compensation(task("unbook")),
    )


def booking_process(*parts: str) -> ProcessModel:
    return undone_by_iteration(compiled(*parts))


@pytest.mark.parametrize("wait", [True, False])
def test_a_wide_sweep_is_cut_and_goes_on(scenario: Scenario, *, wait: bool) -> None:
    run = scenario(
        booking_process(
            start("s"),
            *booked(),
            throw("undo", compensate_event(wait=wait)),
            end("e"),
            chain("s", "book", "undo", "e"),
        ),
        settings=SETTINGS,
    )
    run.start("p")
    assert sum(handlers(run)) == MANY
    assert max(handlers(run)) <= STEPS
    assert run.path().count("unbook") == MANY
    run.assert_nothing_left()


def test_a_wide_transaction_is_given_up_part_by_part(scenario: Scenario) -> None:
    run = scenario(
        booking_process(
            start("s"),
            transaction(
                "pay", start("i"), *booked(), end("out", cancel_event()), chain("i", "book", "out")
            ),
            boundary("edge", "pay", cancel_event()),
            end("x"),
            chain("s", "pay"),
            chain("edge", "x"),
        ),
        settings=SETTINGS,
    )
    run.start("p")
    assert sum(handlers(run)) == MANY
    assert max(handlers(run)) <= STEPS
    assert run.path()[-3:] == ["edge", "x", "p"]
    assert run.path().count("unbook") == MANY
    run.assert_nothing_left()


def test_what_happens_between_two_parts_neither_ends_the_scope_nor_begins_it_anew(
    scenario: Scenario,
) -> None:
    run = scenario(
        booking_process(
            start("s"),
            *booked(),
            throw("undo", compensate_event(wait=False)),
            parallel("fork"),
            service_task("work"),
            chain("s", "fork", "work"),
            chain("fork", "book", "undo"),
        ),
        settings=SETTINGS,
    )
    run.posting = True
    run.accept(c.StartInstance(process_id="p", instance_id="a"))
    while "a" not in run.history or not handlers(run):
        assert run.step()
    job = run.job("work")
    assert sum(handlers(run)) < MANY
    run.accept(c.CompleteJob(job_id=job.job_id, attempt=job.attempt))
    run.posting = False
    run.settle()
    assert run.state() is InstanceState.COMPLETED
    assert run.path().count("unbook") == MANY
    assert run.path().count("s") == 1
    run.assert_nothing_left()


def test_an_instance_that_ends_in_the_middle_undoes_no_more(scenario: Scenario) -> None:
    run = scenario(
        booking_process(
            start("s"),
            *booked(),
            throw("undo", compensate_event()),
            chain("s", "book", "undo"),
        ),
        settings=SETTINGS,
    )
    run.posting = True
    run.accept(c.StartInstance(process_id="p", instance_id="a"))
    while "a" not in run.history or not handlers(run):
        assert run.step()
    run.accept(c.TerminateInstance(instance_id="a"))
    run.posting = False
    run.settle()
    assert run.state() is InstanceState.TERMINATED
    assert sum(handlers(run)) < MANY
    run.assert_nothing_left()
