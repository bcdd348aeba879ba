"""From the log to a commit, again and again, for one partition.

A fetch counts only as the first after the load's seek, or as the direct continuation of the one
before. What was fetched and not yet taken is dropped at the next seek.
"""

import asyncio
from collections import deque
from itertools import islice

from consumers.log import LogInterruptedError, LogRecord
from consumers.outbox import Outbox, OutboxPublisher
from consumers.preparation import Preparation
from consumers.services import Services
from consumers.timers import Timers
from storage.partition import PartitionState


class Batches:
    """The batches of one partition, for as long as this process owns it."""

    def __init__(
        self, services: Services, state: PartitionState, outbox: Outbox, timers: Timers, number: int
    ) -> None:
        self._services = services
        self._limits = services.limits
        self._state = state
        self._outbox = outbox
        self._timers = timers
        self._partition = number
        self._preparation = Preparation(services, state, number)
        self._fetched: deque[LogRecord] = deque()
        self._position = 0

    async def seek(self, offset: int) -> None:
        """Go on from this offset; whatever was fetched before is dropped. Raises LogError."""
        self._fetched.clear()
        self._position = offset
        await self._services.log.seek(self._partition, offset)

    async def leave(self) -> None:
        """The partition is given up."""
        await self._preparation.leave()

    async def run(self, publisher: OutboxPublisher) -> None:
        """Take batches until cancelled. Raises StorageError, LogError, SchemaError.

        First what is settled goes: a store that is full takes a commit that only removes, and with
        it gets the room for the next.
        """
        await self._trim()
        while True:
            if self._outbox.is_full or not self._services.may_take():
                await self._relieve(publisher)
            elif self._fetched or await self._fetch():
                await self._take_batch(publisher)
            else:
                await self._trim()

    async def _fetch(self) -> bool:
        """Fetch what follows; whether there was anything."""
        wait_ms = self._limits.trim_idle_ms if len(self._outbox) else self._limits.idle_ms
        records_max = self._limits.batch_records_max
        fetched = await self._services.log.fetch(self._partition, records_max, wait_ms)
        if fetched.start != self._position:
            raise LogInterruptedError(
                f"partition {self._partition}: fetched from {fetched.start}, not {self._position}"
            )
        self._position = fetched.end
        self._fetched.extend(fetched.records)
        if fetched.records:
            self._timers.clock.read(fetched.records[-1].timestamp_ms)
        return bool(fetched.records)

    async def _relieve(self, publisher: OutboxPublisher) -> None:
        """Make room in the outbox; wait for it where nothing can be trimmed yet."""
        if self._outbox.settled_head:
            await self._trim()
            return
        publisher.settled.clear()
        try:
            async with asyncio.timeout(self._limits.trim_idle_ms / 1000):
                await publisher.settled.wait()
        except TimeoutError:
            return

    async def _trim(self) -> None:
        """Commit nothing but the removal of what is settled."""
        head = self._outbox.settled_head
        if not head:
            return
        async with self._state.exclusive:
            await self._state.trim(head)
        self._outbox.trim(head)
        self._count(0)

    async def _take_batch(self, publisher: OutboxPublisher) -> None:
        async with self._state.exclusive:
            records = list(islice(self._fetched, self._limits.batch_records_max))
            trim = self._outbox.settled_head
            prepared = await self._preparation.prepare(records, trim)
            await self._state.write(prepared.commit, prepared.batch)
        for _ in range(prepared.count):
            self._fetched.popleft()
        self._outbox.trim(trim)
        publisher.offer(self._outbox.extend(prepared.batch.entries))
        if prepared.batch.contents:
            self._services.publishers.deployed(prepared.batch.contents)
        self._timers.committed(self._state.fence.next_offset, prepared.batch.next_due())
        self._count(prepared.count)

    def _count(self, records: int) -> None:
        metrics, number = self._services.metrics, self._partition
        metrics.count("torpor_commits_total", partition=number)
        metrics.count("torpor_records_total", records, partition=number)
        metrics.set("torpor_fence_offset", self._state.fence.next_offset, partition=number)
        metrics.set("torpor_outbox_entries", len(self._outbox), partition=number)
