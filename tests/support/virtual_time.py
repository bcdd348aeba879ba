"""Asynchronous tests in virtual time: what waits for an hour takes no time at all.

@in_virtual_time
async def test_it_waits() -> None:
    await asyncio.sleep(3600)
"""

import asyncio
import functools
from collections.abc import Callable, Coroutine
from random import Random
from typing import Any

from consumers.clock import Clock
from tests.simulation.loop import SeededLoop

STEPS_MAX = 200_000


def in_virtual_time(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Run an asynchronous test on a loop whose time moves when nothing else can."""

    @functools.wraps(test)
    def run(*arguments: Any, **fixtures: Any) -> None:
        loop = SeededLoop(Random(0), STEPS_MAX)
        try:
            loop.run_until_complete(test(*arguments, **fixtures))
            assert loop.errors == []
        finally:
            loop.dispose()

    return run


class VirtualClock(Clock):
    """The clock of a process in virtual time."""

    def monotonic_ms(self) -> int:
        return round(asyncio.get_running_loop().time() * 1000)

    async def sleep(self, duration_ms: int) -> None:
        await asyncio.sleep(duration_ms / 1000)
