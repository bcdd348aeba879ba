"""Timers of one partition: sleep until the next is due, then put `FireTimer` into the log.

The index in the store says what is armed; only commits write it. What was published is remembered
with the offset at which it was acknowledged, and published again only when the fence has passed
that offset and the entry is still there: a `FireTimer` that came early, or whose effect was lost.
Due is judged by the broker's clock, which stamps the record; when it is not known well enough, one
`FireTimer` is published as a probe, for its acknowledgement tells the time.
"""

import asyncio
import logging
from collections.abc import Sequence

from consumers.clock import BrokerClock
from consumers.log import Publisher
from consumers.services import Services
from consumers.wire import unnumbered_command
from engine import commands as c
from storage.partition import DueTimer, PartitionState

log = logging.getLogger(__name__)

SLEEP_MS_MAX = 3600 * 1000


class Timers:
    """The timers of one partition, for as long as this process owns it."""

    def __init__(self, services: Services, state: PartitionState, partition: int) -> None:
        self._services = services
        self._state = state
        self._partition = partition
        self._published: dict[DueTimer, int] = {}
        self._wake = asyncio.Event()
        self._wakes_at_ms = 0
        self.clock = BrokerClock(services.clock)

    def committed(self, next_offset: int, next_due_ms: int | None) -> None:
        """A commit has moved the fence, and armed timers of which the first is due then."""
        passed = any(offset < next_offset for offset in self._published.values())
        if passed or (next_due_ms is not None and next_due_ms < self._wakes_at_ms):
            self._wake.set()

    async def run(self) -> None:
        """Publish what is due until cancelled, on one load.

        Raises FenceLostError, StoreUnavailableError, LogUnavailableError, PublishError.
        """
        publisher = await self._services.publishers.open()
        try:
            while True:
                self._wake.clear()
                waiting = await self._look()
                due = self._due(waiting)
                if due:
                    await self._publish(publisher, due)
                else:
                    await self._sleep(waiting)
        finally:
            await publisher.close()

    async def _look(self) -> list[DueTimer]:
        """The timers that are due first and not on their way; reading them checks the fence."""
        async with self._state.exclusive:
            timers = await self._state.next_timers(self._services.limits.timers_chunk)
            next_offset = self._state.fence.next_offset
        self._published = {
            timer: offset for timer, offset in self._published.items() if offset >= next_offset
        }
        return [timer for timer in timers if timer not in self._published]

    def _due(self, waiting: Sequence[DueTimer]) -> Sequence[DueTimer]:
        earliest, latest = self.clock.earliest_ms(), self.clock.latest_ms()
        if earliest is not None:
            due = [timer for timer in waiting if timer.due_ms <= earliest]
            if due:
                return due
        if latest is None:
            return waiting[:1]
        return [timer for timer in waiting[:1] if timer.due_ms <= latest]

    async def _publish(self, publisher: Publisher, due: Sequence[DueTimer]) -> None:
        seals = self._services.codec.seals
        records = [
            unnumbered_command(
                seals,
                self._partition,
                c.FireTimer(address=timer.address, timer=timer.timer, due_ms=timer.due_ms),
            )
            for timer in due
        ]
        acknowledgements = await publisher.send(records)
        for timer, acknowledgement in zip(due, acknowledgements, strict=True):
            self._published[timer] = acknowledgement.offset
        self.clock.acknowledged(acknowledgements[-1].timestamp_ms)
        self._services.metrics.count(
            "torpor_timers_fired_total", len(due), partition=self._partition
        )

    async def _sleep(self, waiting: Sequence[DueTimer]) -> None:
        """Until the next may be due, or a commit wakes us."""
        now = self.clock.latest_ms()
        duration = SLEEP_MS_MAX
        if waiting and now is not None:
            duration = min(waiting[0].due_ms - now, SLEEP_MS_MAX)
        self._wakes_at_ms = waiting[0].due_ms if waiting else _NEVER
        try:
            async with asyncio.timeout(duration / 1000):
                await self._wake.wait()
        except TimeoutError:
            return


_NEVER = 2**53
