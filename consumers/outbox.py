"""The outbox publisher: what the store's outbox holds goes to Kafka, in order, and is then trimmed.

One lane a topic. A lane has one batch under way at most, and goes on only when it is acknowledged:
so whoever publishes an entry knows that all before it on its topic are written, and first copies
are in order. An entry is settled when it is acknowledged; only a settled head is trimmed.
"""

import asyncio
from collections import deque
from collections.abc import Iterator, Sequence

from consumers.log import PublishError, PublishRefusedError
from consumers.services import Limits, Services
from consumers.together import Together
from consumers.undeliverable import Undeliverable
from consumers.wire import outgoing
from schemas.errors import CorruptDocumentError
from schemas.publication_writer import OutboxRecord
from schemas.snapshot import decode
from storage.errors import PartitionHaltedError


class Slot:
    """One entry of the outbox, and whether it needs no more publishing."""

    __slots__ = ("is_settled", "record", "size")

    def __init__(self, entry: bytes) -> None:
        try:
            self.record = decode(entry, OutboxRecord)
        except CorruptDocumentError as error:
            raise PartitionHaltedError(f"an entry of the outbox is corrupt: {error}") from error
        self.size = len(entry)
        self.is_settled = False


class Outbox:
    """The entries of the store's outbox as the owner knows them, from the head."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._slots: deque[Slot] = deque()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._slots)

    def replace(self, entries: Sequence[bytes], settled: int) -> None:
        """What a load found; the first `settled` are known to be acknowledged.

        Raises PartitionHaltedError, NewerDocumentError.
        """
        self._slots.clear()
        self._bytes = 0
        for slot in self.extend(entries)[:settled]:
            slot.is_settled = True

    def extend(self, entries: Sequence[bytes]) -> list[Slot]:
        """What a commit has pushed."""
        slots = [Slot(entry) for entry in entries]
        self._slots.extend(slots)
        self._bytes += sum(slot.size for slot in slots)
        return slots

    def trim(self, count: int) -> None:
        """A commit has removed the first `count` entries."""
        for _ in range(count):
            self._bytes -= self._slots.popleft().size

    def unsettled(self) -> Iterator[Slot]:
        return (slot for slot in self._slots if not slot.is_settled)

    @property
    def settled_head(self) -> int:
        """How many entries from the head on may be trimmed."""
        for count, slot in enumerate(self._slots):
            if not slot.is_settled:
                return count
        return len(self._slots)

    @property
    def is_full(self) -> bool:
        limits = self._limits
        return len(self) >= limits.outbox_entries_max or self._bytes >= limits.outbox_bytes_max


class OutboxPublisher:
    """Publishes an outbox from one load to the next; each load has a new publisher."""

    def __init__(self, outbox: Outbox, services: Services, partition: int) -> None:
        self._outbox = outbox
        self._services = services
        self._undeliverable = Undeliverable(services, partition)
        self._partition = partition
        self._lanes: dict[str, deque[Slot]] = {}
        self._refused_at_ms: dict[str, int] = {}
        self._running: Together | None = None
        self.settled = asyncio.Event()

    async def run(self) -> None:
        """Publish what there is and what is offered, until cancelled or a send fails.

        Raises LogUnavailableError, or a group of PublishFailedError.
        """
        publisher = await self._services.publishers.open()
        try:
            self._publisher = publisher
            self._running = Together()
            self.offer(list(self._outbox.unsettled()))
            await self._running.run()
        finally:
            await publisher.close()

    def offer(self, slots: Sequence[Slot]) -> None:
        """Take new entries of the outbox. Before `run` has begun it finds them by itself."""
        if self._running is None:
            return
        for slot in slots:
            topic = slot.record.topic
            if topic not in self._lanes:
                self._lanes[topic] = deque()
                self._running.start(self._run_lane(topic))
            self._lanes[topic].append(slot)

    async def _run_lane(self, topic: str) -> None:
        """Publish a topic's entries until there are none. Raises PublishFailedError."""
        lane, seals = self._lanes[topic], self._services.codec.seals
        while lane:
            batch = self._next_batch(lane)
            try:
                await self._publisher.send([outgoing(slot.record, seals) for slot in batch])
            except PublishError as error:
                self._settle(lane, error.acknowledged)
                if not isinstance(error, PublishRefusedError):
                    raise
                if error.acknowledged:
                    self._refused_at_ms.pop(topic, None)
                await self._endure(topic, error)
            else:
                self._settle(lane, len(batch))
                self._refused_at_ms.pop(topic, None)
        del self._lanes[topic]
        self._refused_at_ms.pop(topic, None)

    def _next_batch(self, lane: deque[Slot]) -> list[Slot]:
        limits = self._services.limits
        batch: list[Slot] = []
        size = 0
        for slot in lane:
            size += slot.size
            if batch and (
                size > limits.publish_bytes_max or len(batch) >= limits.publish_records_max
            ):
                break
            batch.append(slot)
        return batch

    def _settle(self, lane: deque[Slot], count: int) -> None:
        for _ in range(count):
            lane.popleft().is_settled = True
        if count:
            self._services.metrics.count(
                "torpor_effects_published_total", count, partition=self._partition
            )
            self.settled.set()

    async def _endure(self, topic: str, error: PublishRefusedError) -> None:
        """The head of the lane was refused.

        Patience is with the topic: once it has ended, what follows is given up as soon as it is
        refused, too. With each for itself a topic that does not exist would fill the outbox.
        """
        lane = self._lanes[topic]
        now = self._services.clock.monotonic_ms()
        waited = now - self._refused_at_ms.setdefault(topic, now)
        publisher = self._publisher
        if await self._undeliverable.endure(lane[0].record, waited, publisher, error):
            self._settle(lane, 1)
