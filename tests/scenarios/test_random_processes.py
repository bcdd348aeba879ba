"""Random processes under random stimuli: every run ends, nothing is left, history gives all back.

After each record the runner compares documents with the fold of their history and checks that
counts, waits, timers and sizes agree. A failure names its seed, and the seed gives it again.
"""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from engine import commands as c
from engine.lifecycle import InstanceState
from engine.settings import Settings
from engine.state import ProcessInstance
from tests.support.random_graphs import (
    assert_joins_fired_rightly,
    assert_joins_wait_for_something,
    random_graph,
)
from tests.support.random_processes import CALLED, begin, finish, random_process, stimulate
from tests.support.runner import VARIANTS, Runner, Variant, subscriptions

SEEDS = st.integers(0, 2**32)
HOUR = 3_600_000
CUT = next(variant for variant in VARIANTS if variant.name == "cut")


def start(chance: Random, *variants: Variant) -> list[Runner]:
    """The same random process in each variant."""
    model = random_process(chance)
    runs = []
    for variant in variants:
        run = Runner(CALLED, model, variant=variant, settings=Settings(steps_max=5_000))
        begin(run)
        runs.append(run)
    return runs


def stimuli(chance: Random) -> list[int]:
    return [chance.randrange(10_000) for _ in range(chance.randrange(30))]


@settings(max_examples=150, deadline=None)
@given(seed=SEEDS)
def test_every_run_comes_to_its_end_and_leaves_nothing(seed: int) -> None:
    chance = Random(seed)
    (run,) = start(chance, chance.choice(VARIANTS))
    for choice in stimuli(chance):
        stimulate(run, choice)
    finish(run)
    assert run.state() is InstanceState.COMPLETED
    assert run.path().count("e") == 1  # no branch was lost, and none was doubled
    run.elapse(HOUR)  # what lives of messages is over
    assert subscriptions(run) == []
    run.assert_nothing_left()


@settings(max_examples=75, deadline=None)
@given(seed=SEEDS)
def test_a_run_can_be_terminated_at_any_time_and_leaves_nothing(seed: int) -> None:
    chance = Random(seed)
    (run,) = start(chance, chance.choice(VARIANTS))
    for choice in stimuli(chance):
        stimulate(run, choice)
    if run.state() is InstanceState.RUNNING:
        run.accept(c.TerminateInstance(instance_id="a"))
    run.elapse(HOUR)
    assert subscriptions(run) == []
    run.assert_nothing_left()


@settings(max_examples=100, deadline=None)
@given(seed=SEEDS)
def test_commands_may_meet_transitions_that_were_cut(seed: int) -> None:
    """Several commands are on the log at once, also between a cut transition and its rest."""
    chance = Random(seed)
    (run,) = start(chance, CUT)
    run.posting = True
    for choice in stimuli(chance):
        stimulate(run, choice)
        for _ in range(chance.choice((0, 0, 1, 2, 5, 20))):
            run.step()
    run.posting = False
    run.settle()
    finish(run)
    assert run.state() is InstanceState.COMPLETED
    assert run.path().count("e") == 1
    run.elapse(HOUR)
    assert subscriptions(run) == []
    run.assert_nothing_left()


@settings(max_examples=50, deadline=None)
@given(seed=SEEDS)
def test_repeated_records_lead_to_the_same_documents_and_effects(seed: int) -> None:
    chance = Random(seed)
    once, twice = start(chance, VARIANTS[0], VARIANTS[1])
    for choice in stimuli(chance):
        stimulate(once, choice)
        stimulate(twice, choice)
    assert [effect.type for effect in once.effects()] == [effect.type for effect in twice.effects()]
    assert once.path() == twice.path()
    assert once.state() == twice.state()


@settings(max_examples=200, deadline=None)
@given(seed=SEEDS)
def test_graphs_without_structure_come_to_their_end_and_no_join_hangs(seed: int) -> None:
    chance = Random(seed)
    model = random_graph(chance)
    variant = chance.choice(VARIANTS)
    run = Runner(CALLED, model, variant=variant, settings=Settings(steps_max=50_000))
    run.start("p", variables='{"n": 3, "rounds": 0}')
    for choice in stimuli(chance):
        stimulate(run, choice)
        document = run.document()
        if isinstance(document, ProcessInstance):
            assert_joins_wait_for_something(model, document)
    finish(run)
    assert run.state() is InstanceState.COMPLETED
    assert_joins_fired_rightly(model, run.events())
    run.elapse(HOUR)
    run.assert_nothing_left()
