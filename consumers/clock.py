"""The clock port, and what a partition knows of the broker's clock.

Timers are due by the broker's clock, which stamps the records that fire them. It is learned from
records and acknowledgements; the process's own clock only counts how much time has passed since.
"""

import asyncio
import time
from typing import Protocol

DRIFT_PER_MILLION = 100
"""How far two clocks part at most: 100 parts in a million, 9 seconds a day."""


class Clock(Protocol):
    """The time that passes in this process. It may stand for any instant."""

    def monotonic_ms(self) -> int:
        """Milliseconds since some instant; never steps back."""
        ...

    async def sleep(self, duration_ms: int) -> None: ...


class SystemClock:
    """The clock of the machine."""

    def monotonic_ms(self) -> int:
        return time.monotonic_ns() // 1_000_000

    async def sleep(self, duration_ms: int) -> None:
        await asyncio.sleep(duration_ms / 1000)


class BrokerClock:
    """The clock of the broker that leads one partition, as far as it is known.

    An acknowledgement tells it exactly (it was stamped a moment ago), a record only that it is
    at least as late as the record's timestamp: the record may have been lying there for long.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._difference_ms: int | None = None
        self._learned_at_ms = 0
        self._lowest_difference_ms: int | None = None

    def acknowledged(self, timestamp_ms: int) -> None:
        """A record of ours was stamped just now."""
        now = self._clock.monotonic_ms()
        self._difference_ms = timestamp_ms - now
        self._lowest_difference_ms = self._difference_ms
        self._learned_at_ms = now

    def read(self, timestamp_ms: int) -> None:
        """A record with this timestamp was read."""
        difference = timestamp_ms - self._clock.monotonic_ms()
        if self._lowest_difference_ms is None or difference > self._lowest_difference_ms:
            self._lowest_difference_ms = difference

    def earliest_ms(self) -> int | None:
        """The broker's clock shows at least this; None: nothing is known."""
        if self._lowest_difference_ms is None:
            return None
        return self._clock.monotonic_ms() + self._lowest_difference_ms - self._drift_ms()

    def latest_ms(self) -> int | None:
        """The broker's clock shows at most this; None: nothing is known."""
        if self._difference_ms is None:
            return None
        difference = max(self._difference_ms, self._lowest_difference_ms or self._difference_ms)
        return self._clock.monotonic_ms() + difference + self._drift_ms()

    def _drift_ms(self) -> int:
        if self._difference_ms is None:
            return 0
        return (self._clock.monotonic_ms() - self._learned_at_ms) * DRIFT_PER_MILLION // 1_000_000
