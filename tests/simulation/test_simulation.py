"""The promises of docs/architecture.md over seeded runs; `make simulate SEEDS=n` makes more."""

import multiprocessing
import os

import pytest

from tests.simulation.chance import NONE
from tests.simulation.run import Report, simulate

FEW = range(12)
MANY = 500
CHUNK = 50


def test_an_undisturbed_run_holds_and_ends_every_instance() -> None:
    report = simulate(1, NONE)

    assert report.problems == []
    assert report.commits > 100


@pytest.mark.parametrize("seed", FEW)
def test_the_promises_hold_whatever_goes_wrong(seed: int) -> None:
    report = simulate(seed)

    assert report.problems == [], str(report)


def test_a_seed_is_one_run() -> None:
    first, second = simulate(5), simulate(5)

    assert (first.steps, first.commits, first.trace) == (second.steps, second.commits, second.trace)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, MANY, CHUNK))
def test_the_promises_hold_over_500_seeds(first: int) -> None:
    with multiprocessing.get_context("spawn").Pool(os.cpu_count() or 1) as pool:
        reports: list[Report] = pool.map(simulate, range(first, first + CHUNK))

    broken = [str(report) for report in reports if report.problems]
    assert not broken, "\n".join(broken)
