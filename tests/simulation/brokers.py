"""The log's side: a broker whose clocks differ, and one owner's connections to it."""

import asyncio
from collections.abc import Callable, Sequence

from consumers.log import (
    Acknowledgement,
    Fetched,
    LogInterruptedError,
    LogUnavailableError,
    OutgoingRecord,
    Publisher,
    Publishers,
    PublishFailedError,
    PublishRefusedError,
)
from consumers.memory_log import MemoryBroker, MemoryCommandLog
from tests.simulation.chance import Chances
from tests.simulation.loop import WORLD
from tests.simulation.network import LATE_S, TIMEOUT_S, Network

EPOCH_MS = 1_700_000_000_000


class SimulatedBroker(MemoryBroker):
    """Each partition of the command topic has a leader with a clock of its own, ahead or behind."""

    def __init__(self, network: Network, chances: Callable[[], Chances], commands: str) -> None:
        super().__init__(self._clock)
        self._network = network
        self._chances = chances
        self._commands = commands
        self._ahead_ms: dict[int | None, int] = {}
        self._partition: int | None = None
        self.watchers: list[Callable[[str, int], None]] = []

    def append(self, record: OutgoingRecord) -> Acknowledgement:
        random = self._network.random
        self._partition = record.partition
        if record.topic == self._commands and random.random() < self._chances().gap:
            partition = record.partition or 0
            self.topics[record.topic][partition].leave_gap(random.randrange(1, 4))
        acknowledgement = super().append(record)
        for watcher in self.watchers:
            watcher(record.topic, acknowledgement.partition)
        return acknowledgement

    def change_leader(self, partition: int) -> None:
        """Another broker leads the partition from now on, with another clock."""
        self._ahead_ms[partition] = self._network.random.randrange(-2_000, 2_000)

    def _clock(self) -> int:
        ahead = self._ahead_ms.get(self._partition, 0)
        return EPOCH_MS + int(self._network.loop.time() * 1000) + ahead


class SimulatedLog(MemoryCommandLog):
    """One owner's reading of the command topic."""

    def __init__(
        self, broker: MemoryBroker, topic: str, network: Network, chances: Callable[[], Chances]
    ) -> None:
        super().__init__(broker, topic)
        self._network = network
        self._chances = chances

    async def fetch(self, partition: int, records_max: int, wait_ms: int) -> Fetched:
        await self._network.delay()
        random = self._network.random
        if random.random() < self._chances().fetch_failed:
            kind = random.choice((LogInterruptedError, LogUnavailableError))
            raise kind("the fetch failed")
        return await super().fetch(partition, random.randint(1, records_max), wait_ms)


class SimulatedPublisher(Publisher):
    """A producer with acks=all: in order within a call, and over once a send has failed."""

    def __init__(
        self, broker: MemoryBroker, network: Network, chances: Callable[[], Chances]
    ) -> None:
        self._broker = broker
        self._network = network
        self._chances = chances
        self._is_over = False

    async def send(self, records: Sequence[OutgoingRecord]) -> list[Acknowledgement]:
        if self._is_over:
            raise PublishFailedError("the publisher is over")
        chances, random = self._chances(), self._network.random
        if random.random() < chances.send_refused and self._may_refuse(records[0].topic):
            raise PublishRefusedError("no such topic, for the moment")
        if random.random() < chances.send_failed:
            return await self._fail(0)
        if random.random() < chances.send_late:
            self._network.loop.spawn(WORLD, self._write_late(list(records)))
            return await self._fail(0)
        count = len(records)
        if random.random() < chances.send_partly:
            count = random.randint(0, len(records))
        written = await self._write(records[:count])
        if count < len(records) or written is None:
            return await self._fail(random.randint(0, count if written is not None else 0))
        return written

    async def close(self) -> None:
        self._is_over = True

    def _may_refuse(self, topic: str) -> bool:
        return ".jobs" in topic or ".replies" in topic

    async def _write(self, records: Sequence[OutgoingRecord]) -> list[Acknowledgement] | None:
        """Written by the broker whatever becomes of the caller; None: no answer in time."""
        done: asyncio.Future[list[Acknowledgement]] = self._network.loop.create_future()
        self._network.loop.spawn(WORLD, self._append(records, done))
        try:
            async with asyncio.timeout(TIMEOUT_S):
                return await done
        except TimeoutError:
            return None

    async def _append(
        self, records: Sequence[OutgoingRecord], done: "asyncio.Future[list[Acknowledgement]]"
    ) -> None:
        written = []
        for record in records:
            await self._network.delay()
            written.append(self._broker.append(record))
        await self._network.delay()
        if not done.done():
            done.set_result(written)

    async def _write_late(self, records: Sequence[OutgoingRecord]) -> None:
        await self._network.delay(LATE_S)
        for record in records:
            await self._network.delay()
            self._broker.append(record)

    async def _fail(self, acknowledged: int) -> list[Acknowledgement]:
        await self._network.delay()
        self._is_over = True
        raise PublishFailedError("the send failed", acknowledged)


class SimulatedPublishers(Publishers):
    def __init__(
        self, broker: MemoryBroker, network: Network, chances: Callable[[], Chances]
    ) -> None:
        self._broker = broker
        self._network = network
        self._chances = chances

    async def open(self) -> Publisher:
        await self._network.delay()
        return SimulatedPublisher(self._broker, self._network, self._chances)

    def deployed(self, resources: Sequence[bytes]) -> None:
        """Its topics are made by the simulation."""
