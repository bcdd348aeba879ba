"""Runs of random processes, each from its seed alone, with all that must hold of it.

A check takes a seed; whatever it raises names that seed.
"""

from collections.abc import Callable
from random import Random
from typing import Final

from engine import commands as c
from engine.lifecycle import InstanceState
from engine.model.elements import ProcessModel
from engine.settings import Settings
from engine.state import ProcessInstance
from tests.support.random_graphs import (
    assert_joins_fired_rightly,
    assert_joins_wait_for_something,
    random_graph,
)
from tests.support.random_processes import CALLED, NEXT, VARIABLES, random_process
from tests.support.random_stimuli import finish, let_go, stimulate
from tests.support.runner import VARIANTS, Runner, Variant, subscriptions
from tests.support.vendor_rendering import VENDORS

HOUR: Final = 3_600_000
PLAIN, TWICE, ENCODED, CUT = (
    next(variant for variant in VARIANTS if variant.name == name)
    for name in ("plain", "twice", "encoded", "cut")
)
VENDOR_VARIABLES: Final = VARIABLES.replace("{", '{"level": 0, ', 1)
"""JUEL that meets no variable at all is an incident, where FEEL is null."""


def begin(
    model: ProcessModel, variant: Variant, *, steps_max: int = 5_000, variables: str = VARIABLES
) -> Runner:
    """Start the instance "a", by its message if the process begins with one."""
    run = Runner(CALLED, model, variant=variant, settings=Settings(steps_max=steps_max))
    run.deploy_decisions(NEXT)
    table = run.partitions[0].definitions
    begins = [element for process, element in table.message_starts("begin") if process == "p"]
    if not begins:
        run.accept(
            c.StartInstance(process_id="p", instance_id="a", business_key="k", variables=variables)
        )
        return run
    run.internal(
        c.StartByMessage(
            instance_id="a",
            process_id="p",
            version=1,
            start_element=begins[0],
            name="begin",
            correlation_key="k",
            message=1,
            variables=variables,
            conversation=table.conversation("p", begins[0], "k"),
        )
    )
    return run


def stimuli(chance: Random) -> list[int]:
    return [chance.randrange(10_000) for _ in range(chance.randrange(30))]


def assert_over(run: Runner) -> None:
    """Once the lifetimes of messages are over too, nothing is left; the log gives it all again."""
    run.elapse(HOUR)
    assert subscriptions(run) == []
    run.assert_nothing_left()
    run.assert_replays()


def assert_ended(run: Runner) -> None:
    assert run.state() is InstanceState.COMPLETED
    assert run.path().count("e") == 1, "a branch was lost, or doubled"
    assert_over(run)


def to_the_end(seed: int) -> None:
    """Every run comes to its end and leaves nothing, and at each moment waits for something."""
    chance = Random(seed)
    model = random_process(chance)
    run = begin(model, chance.choice(VARIANTS))
    for choice in stimuli(chance):
        stimulate(run, choice)
        document = run.document()
        if isinstance(document, ProcessInstance):
            assert_joins_wait_for_something(model, document)
    finish(run)
    assert_ended(run)


def of_other_vendors(seed: int) -> None:
    """The same with models and expressions of Camunda 7 and Flowable."""
    chance = Random(seed)
    model = random_process(chance, chance.choice(VENDORS))
    run = begin(model, chance.choice(VARIANTS), variables=VENDOR_VARIABLES)
    for choice in stimuli(chance):
        stimulate(run, choice)
    finish(run)
    assert_ended(run)


def terminated(seed: int) -> None:
    """A run can be terminated at any time and leaves nothing."""
    chance = Random(seed)
    run = begin(random_process(chance), chance.choice(VARIANTS))
    for choice in stimuli(chance):
        stimulate(run, choice)
    if run.state() is InstanceState.RUNNING:
        run.accept(c.TerminateInstance(instance_id="a"))
        let_go(run)
    assert_over(run)


def meeting_cut_transitions(seed: int) -> None:
    """Several commands are on the log at once, also between a cut transition and its rest."""
    chance = Random(seed)
    run = begin(random_process(chance), CUT)
    run.posting = True
    for choice in stimuli(chance):
        stimulate(run, choice)
        for _ in range(chance.choice((0, 0, 1, 2, 5, 20))):
            run.step()
    run.posting = False
    run.settle()
    finish(run)
    assert_ended(run)


def repeated_or_encoded(seed: int) -> None:
    """Repeated records and encoded documents change nothing at all.

    In the other variants something may come earlier or later, and meet other stimuli.
    """
    chance = Random(seed)
    model = random_process(chance)
    once, other = (begin(model, variant) for variant in (PLAIN, chance.choice((TWICE, ENCODED))))
    for choice in stimuli(chance):
        stimulate(once, choice)
        stimulate(other, choice)
    assert [each.type for each in once.effects()] == [each.type for each in other.effects()]
    assert once.path() == other.path()
    assert once.state() == other.state()


def of_graphs_without_structure(seed: int) -> None:
    """Splits, joins and loops as they come: each branch ends, and no join hangs or fires early."""
    chance = Random(seed)
    model = random_graph(chance)
    run = begin(model, chance.choice(VARIANTS), steps_max=50_000)
    for choice in stimuli(chance):
        stimulate(run, choice)
        document = run.document()
        if isinstance(document, ProcessInstance):
            assert_joins_wait_for_something(model, document)
    finish(run)
    assert run.state() is InstanceState.COMPLETED
    assert_joins_fired_rightly(model, run.events())
    assert_over(run)


CHECKS: Final[tuple[Callable[[int], None], ...]] = (
    to_the_end,
    of_other_vendors,
    terminated,
    meeting_cut_transitions,
    repeated_or_encoded,
    of_graphs_without_structure,
)


def check(which: Callable[[int], None], seed: int) -> None:
    """Run one check; the exception of one that fails says how to see it again."""
    try:
        which(seed)
    except Exception as error:
        name = which.__name__
        error.add_note(f"again: python -m tests.scenarios --check {name} --seed {seed}")
        raise
