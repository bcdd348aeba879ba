"""Loops of thousands: no record holds its partition, and what one item costs does not grow."""

import pytest

from engine import commands as c
from engine import events as e
from engine.lifecycle import InstanceState
from engine.settings import Settings
from tests.support.models import (
    boundary,
    chain,
    compiled,
    conditional_event,
    looped,
    multi_instance,
    script_task,
    service_task,
    start,
    sub_process,
    task,
    timer,
    user_task,
)
from tests.support.runner import Runner

HOUR = 3_600_000


def run_wide(activity: str, items: int) -> Runner:
    many = multi_instance(times=str(items), output="=loopCounter", into="all")
    late = boundary("late", "t", timer(duration="PT1H"))
    run = Runner(compiled(start("s"), looped(activity, many), late, chain("s", "t")))
    run.start("p")
    return run


@pytest.mark.parametrize("items", [1_000, 4_000])
def test_begins_in_records_of_bounded_size(items: int) -> None:
    run = run_wide(service_task("t"), items)
    assert len(run.jobs()) == items
    activated = [
        sum(isinstance(event, e.ElementActivated) for event in part.events)
        for part in run.history["a"]
    ]
    assert max(activated) <= run.settings.steps_per_command_max + 2


@pytest.mark.parametrize("items", [1_000, 4_000])
def test_an_item_that_completes_is_told_in_a_few_events(items: int) -> None:
    run = run_wide(service_task("t"), items)
    before = len(run.events())
    for job in run.jobs()[:10]:
        run.accept(c.CompleteJob(job_id=job.job_id, attempt=1))
    assert len(run.events()) - before == 3 * 10


def test_items_without_a_wait_run_through() -> None:
    run = run_wide(task("t"), 4_000)
    assert run.state() is InstanceState.COMPLETED
    assert len(run.path()) == 4_000 + 3


def test_ends_in_records_of_bounded_size() -> None:
    run = run_wide(service_task("t"), 4_000)
    run.elapse(HOUR)
    ended = [
        sum(isinstance(event, e.ElementTerminated) for event in part.events)
        for part in run.history["a"]
    ]
    assert sum(ended) == 4_001
    assert max(ended) <= run.settings.terminations_per_command_max
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


EXPENSIVE = "=count(for i in 1..5000 return i * n)"
"""More than 5,000 steps, each time."""


def completed_at_once(run: Runner) -> list[int]:
    """How many elements completed in each transition."""
    return [
        sum(isinstance(event, e.ElementCompleted) for event in part.events)
        for part in run.history["a"]
    ]


def test_expensive_expressions_cut_a_transition_before_its_steps_do() -> None:
    loop = multi_instance(times="60", sequential=True)
    run = Runner(
        compiled(start("s"), looped(script_task("t", EXPENSIVE), loop), chain("s", "t")),
        settings=Settings(steps_per_command_max=100),
    )
    run.start("p", variables='{"n": 2}')
    assert run.state() is InstanceState.COMPLETED
    assert 1 < max(completed_at_once(run)) <= 100_000 // 5_000 + 2


def test_however_expensive_an_expression_is_each_transition_takes_a_step() -> None:
    loop = multi_instance(times="5")
    run = Runner(
        compiled(start("s"), looped(script_task("t", EXPENSIVE), loop), chain("s", "t")),
        settings=Settings(steps_per_command_max=1),
    )
    run.start("p", variables='{"n": 2}')
    assert run.state() is InstanceState.COMPLETED
    assert run.path().count("t") == 6


@pytest.mark.parametrize("activity", [service_task("t"), user_task("t")])
def test_large_variables_cut_the_transition_that_hands_them_out(activity: str) -> None:
    """Each of very many jobs carries them all: together they must fit a commit."""
    run = Runner(
        compiled(start("s"), looped(activity, multi_instance(times="120")), chain("s", "t")),
        settings=Settings(steps_per_command_max=100),
    )
    run.start("p", variables=f'{{"large": "{"x" * 100_000}"}}')
    assert len(run.jobs()) + len(run.tasks()) == 120
    began = [
        sum(isinstance(event, e.ElementActivated) for event in part.events)
        for part in run.history["a"]
    ]
    assert 1 < max(began) <= 100 * 16_384 // 100_000 + 4


def test_expensive_conditions_cut_the_transition_that_makes_more_of_them_wait() -> None:
    inside = sub_process(
        "sub",
        start("i"),
        user_task("u"),
        boundary("when", "u", conditional_event(EXPENSIVE + " < 0"), interrupting=False),
        chain("i", "u"),
    )
    run = Runner(
        compiled(start("s"), looped(inside, multi_instance(times="40")), chain("s", "sub")),
        settings=Settings(steps_per_command_max=100),
    )
    run.start("p", variables='{"n": 2}')
    assert len(run.tasks()) == 40
    assert len(run.history["a"]) > 3
