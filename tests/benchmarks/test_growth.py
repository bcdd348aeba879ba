"""What an item costs does not depend on how many there are: shown by counting, not by a clock.

Counted are the calls that the interpreter makes, also those by which a generator or a built-in
function goes on, and the bytes that a commit writes. A wide instance may cost a little more of
both: its pages are passed over, and they are full.
"""

import sys
from types import FrameType

import pytest

from benchmarks.driver import Driver
from benchmarks.growth import RUNS, Run
from benchmarks.models import compiled
from engine import commands as c
from engine.instances.joins.tokens import map_of, tokens_of

NARROW, WIDE = 500, 4_000
COUNTED_EVERY = 25


class CountingDriver(Driver):
    """Counts the calls that some of its commands take."""

    sent = counted = calls = 0

    def send(self, command: c.AnyCommand) -> None:
        self.sent += 1
        if self.sent % COUNTED_EVERY != 1:
            super().send(command)
            return
        self.counted += 1
        before = sys.getprofile()
        sys.setprofile(self._count)
        try:
            super().send(command)
        finally:
            sys.setprofile(before)

    def _count(self, _frame: FrameType, event: str, _argument: object) -> None:
        self.calls += event in {"call", "c_call"}


def work(run: Run, width: int) -> dict[str, tuple[float, float]]:
    """Calls and bytes written an item, by step."""
    model = compiled(run.model(width))
    for join in map_of(model).indexes:
        tokens_of(model, join)  # once for a model: no cost of an item
    driver = CountingDriver(model, stores=True)
    found: dict[str, tuple[float, float]] = {}
    for name, step in run.steps:
        driver.sent = driver.counted = driver.calls = driver.written = 0
        items = step(driver, width)
        commands = items if driver.sent == 1 else driver.counted
        found[name] = (driver.calls / commands, driver.written / items)
    return found


@pytest.mark.parametrize("run", RUNS, ids=[run.what for run in RUNS])
def test_an_item_costs_the_same_in_a_wide_instance(run: Run) -> None:
    narrow, wide = work(run, NARROW), work(run, min(WIDE, run.widths[-1]))
    for name, (calls, written) in wide.items():
        calls_narrow, written_narrow = narrow[name]
        assert calls < 1.5 * calls_narrow, name  # up to eight times as wide
        assert written < 2 * written_narrow + 64, name
