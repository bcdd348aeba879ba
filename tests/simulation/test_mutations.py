"""Each known hole, put back on purpose, is found: the simulation looks where it must."""

import pytest

from tests.simulation.chance import NONE
from tests.simulation.mutations import MUTATIONS
from tests.simulation.run import simulate

SEEDS = 200

# These two differ from the whole only where batches, failures or copies differ from the plain run.
HARMLESS_WHEN_UNDISTURBED = ("H9 window of recent sends", "H3 load in two reads")


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", MUTATIONS)
def test_a_hole_is_found_within_200_seeds(name: str) -> None:
    for seed in range(SEEDS):
        problems = simulate(seed, mutation=MUTATIONS[name]).problems
        assert not any("engine_faults" in problem for problem in problems), "the seam has moved"
        if problems:
            return
    raise AssertionError(f"{name}: not found in {SEEDS} seeds")


@pytest.mark.slow
@pytest.mark.parametrize("name", HARMLESS_WHEN_UNDISTURBED)
def test_a_hole_is_found_for_what_it_does_and_not_for_how_it_is_made(name: str) -> None:
    assert simulate(1, NONE, MUTATIONS[name]).problems == []
