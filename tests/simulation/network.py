"""Calls to servers that take time, fail, and arrive without the caller ever knowing.

A request is on its way in the world, not in the caller: it may arrive after the caller has given
up, was paused, or died.
"""

import asyncio
from collections.abc import Callable, Coroutine
from random import Random
from typing import Any, TypeVar

import msgspec

from tests.simulation.loop import WORLD, SeededLoop

T = TypeVar("T")

TIMEOUT_S = 2.0
LATENCY_S = 0.02
LATE_S = 30.0


class Fate(msgspec.Struct, frozen=True, kw_only=True):
    """What becomes of one call.

    `is_lost`: the request never arrives. `is_late`: it arrives long after the caller gave up.
    `is_repeated`: the client library sends it again on a new connection, silently, and gives the
    second answer. `is_unanswered`: the answer never arrives.
    """

    is_lost: bool = False
    is_late: bool = False
    is_repeated: bool = False
    is_unanswered: bool = False


class Network:
    """Carries calls; the random source says how long they take."""

    def __init__(self, loop: SeededLoop, random: Random) -> None:
        self.loop = loop
        self.random = random

    async def delay(self, longest_s: float = LATENCY_S) -> None:
        await asyncio.sleep(self.random.random() * longest_s)

    async def call(
        self, perform: Callable[[], T], fate: Fate, unavailable: Callable[[str], Exception]
    ) -> T:
        """Have a server do something. Raises what it raises, or `unavailable(reason)`."""
        answer: asyncio.Future[T] = self.loop.create_future()
        self.loop.spawn(WORLD, self._serve(perform, fate, answer))
        if (fate.is_late or fate.is_lost) and self.random.random() < 0.5:
            await self.delay()
            raise unavailable("the connection was cut")
        try:
            async with asyncio.timeout(TIMEOUT_S):
                return await answer
        except TimeoutError:
            raise unavailable("no answer in time") from None

    async def _serve(
        self, perform: Callable[[], T], fate: Fate, answer: "asyncio.Future[T]"
    ) -> None:
        if fate.is_lost:
            return
        await self.delay(LATE_S if fate.is_late else LATENCY_S)
        outcome = _outcome(perform)
        if fate.is_repeated:
            await self.delay()
            outcome = _outcome(perform)
        if fate.is_unanswered:
            return
        await self.delay()
        if not answer.done():
            if isinstance(outcome, Exception):
                answer.set_exception(outcome)
            else:
                answer.set_result(outcome)


def _outcome(perform: Callable[[], T]) -> T | Exception:
    try:
        return perform()
    except Exception as error:
        return error


def now(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that never waits: what the twins' methods are."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    coroutine.close()
    raise AssertionError("the twin waits")
