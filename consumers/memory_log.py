"""The in-memory twin of the log port: a broker and a member's view of it, for simulations.

Time is the broker's own (`now_ms`), stamped on every record. Offsets may have gaps (`leave_gap`),
as they have behind transactional writers.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence

from consumers.log import (
    Acknowledgement,
    Assignments,
    Bounds,
    CommandLog,
    Fetched,
    Headers,
    LogInterruptedError,
    LogRecord,
    Membership,
    NotAssignedError,
    OutgoingRecord,
    Publisher,
    Publishers,
    PublishRefusedError,
)
from engine.routing import partition_of


class MemoryPartition:
    """The records of one topic partition."""

    def __init__(self) -> None:
        self.start = 0
        self.end = 0
        self._records: list[LogRecord] = []
        self._appended: list[asyncio.Future[None]] = []

    def append(self, record: LogRecord) -> None:
        self._records.append(record)
        self.end = record.offset + 1
        waiting, self._appended = self._appended, []
        for future in waiting:
            if not future.done():
                future.set_result(None)

    def leave_gap(self, offsets: int) -> None:
        """The next record's offset is this much higher."""
        self.end += offsets

    def truncate(self, start: int, end: int) -> None:
        """Keep only the records from `start` and before `end`, as a broker that lost the rest."""
        self._records = [each for each in self._records if start <= each.offset < end]
        self.start, self.end = start, end

    def records(self, low: int = 0) -> list[LogRecord]:
        """All records from the offset `low` on."""
        return [each for each in self._records if each.offset >= low]

    def slice(self, low: int, records_max: int) -> list[LogRecord]:
        first = self._index(low)
        return self._records[first : first + records_max]

    def at(self, offset: int) -> LogRecord | None:
        found = self.slice(offset, 1)
        return found[0] if found and found[0].offset == offset else None

    async def wait(self) -> None:
        """Until the next append."""
        future = asyncio.get_running_loop().create_future()
        self._appended = [each for each in self._appended if not each.done()]
        self._appended.append(future)
        await future

    def _index(self, offset: int) -> int:
        low, high = 0, len(self._records)
        while low < high:
            middle = (low + high) // 2
            if self._records[middle].offset < offset:
                low = middle + 1
            else:
                high = middle
        return low


class MemoryBroker:
    """All topics. `now_ms` is the broker's clock."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self.now_ms = now_ms
        self.topics: dict[str, list[MemoryPartition]] = {}

    def create(self, topic: str, partitions: int) -> None:
        self.topics.setdefault(topic, [MemoryPartition() for _ in range(partitions)])

    def append(self, record: OutgoingRecord) -> Acknowledgement:
        """Write a record. Raises KeyError when there is no such topic."""
        partitions = self.topics[record.topic]
        number = record.partition
        if number is None:
            number = partition_of((record.key or b"").decode(), len(partitions))
        target = partitions[number]
        written = LogRecord(
            partition=number,
            offset=target.end,
            timestamp_ms=self.now_ms(),
            key=record.key,
            value=record.value,
            headers=record.headers,
        )
        target.append(written)
        return Acknowledgement(
            partition=number, offset=written.offset, timestamp_ms=written.timestamp_ms
        )

    def publish(
        self, topic: str, value: bytes | None, *, key: bytes | None = None, headers: Headers = ()
    ) -> Acknowledgement:
        """Write what somebody outside publishes, on the partition of its key."""
        return self.append(OutgoingRecord(topic=topic, key=key, value=value, headers=headers))


class MemoryCommandLog(CommandLog):
    """One member's reading of a command topic. `assign` and `revoke` say what it may fetch."""

    def __init__(self, broker: MemoryBroker, topic: str) -> None:
        self._broker = broker
        self._topic = topic
        self._positions: dict[int, int | None] = {}
        self._interrupted: set[int] = set()
        self.reported: dict[int, int] = {}

    def assign(self, partition: int) -> None:
        self._positions[partition] = None

    def revoke(self, partition: int) -> None:
        self._positions.pop(partition, None)

    def interrupt(self, partition: int) -> None:
        """The next fetch meets a leader change or a reconnect."""
        self._interrupted.add(partition)

    async def partitions(self) -> int:
        return len(self._broker.topics[self._topic])

    async def seek(self, partition: int, offset: int) -> None:
        self._check(partition)
        self._interrupted.discard(partition)
        self._positions[partition] = offset

    async def fetch(self, partition: int, records_max: int, wait_ms: int) -> Fetched:
        start = self._check(partition)
        source = self._partition(partition)
        if start is None or not source.start <= start <= source.end:
            raise LogInterruptedError(f"partition {partition}: no position in the log")
        try:
            async with asyncio.timeout(wait_ms / 1000):
                while not source.slice(start, 1):
                    await source.wait()
        except TimeoutError:
            pass
        if partition in self._interrupted or self._check(partition) != start:
            raise LogInterruptedError(f"partition {partition}: the position was lost")
        records = tuple(source.slice(start, records_max))
        end = records[-1].offset + 1 if records else start
        self._positions[partition] = end
        return Fetched(start=start, records=records, end=end)

    async def bounds(self, partition: int) -> Bounds:
        source = self._partition(partition)
        return Bounds(start=source.start, end=source.end)

    async def record_at(self, partition: int, offset: int) -> LogRecord | None:
        return self._partition(partition).at(offset)

    async def report(self, positions: Mapping[int, int]) -> None:
        self.reported.update(positions)

    def _partition(self, partition: int) -> MemoryPartition:
        return self._broker.topics[self._topic][partition]

    def _check(self, partition: int) -> int | None:
        if partition not in self._positions:
            raise NotAssignedError(f"partition {partition} is not assigned")
        return self._positions[partition]


class MemoryMembership(Membership):
    """A membership whose assignments the test decides: `give` and `take`."""

    def __init__(self, log: MemoryCommandLog) -> None:
        self._log = log
        self._assignments: Assignments | None = None
        self._assigned: list[int] = []

    async def join(self, assignments: Assignments) -> None:
        self._assignments = assignments

    async def give(self, partitions: Sequence[int]) -> None:
        for partition in partitions:
            self._log.assign(partition)
            self._assigned.append(partition)
        if self._assignments is not None:
            await self._assignments.assigned(partitions)

    async def take(self, partitions: Sequence[int]) -> None:
        if self._assignments is not None:
            await self._assignments.revoked(partitions)
        for partition in partitions:
            self._log.revoke(partition)
            self._assigned.remove(partition)

    async def leave(self) -> None:
        await self.take(list(self._assigned))
        self._assignments = None


class MemoryPublisher(Publisher):
    """Writes at once."""

    def __init__(self, broker: MemoryBroker) -> None:
        self._broker = broker

    async def send(self, records: Sequence[OutgoingRecord]) -> list[Acknowledgement]:
        acknowledgements: list[Acknowledgement] = []
        for record in records:
            if record.topic not in self._broker.topics:
                raise PublishRefusedError(f"no topic {record.topic}", len(acknowledgements))
            acknowledgements.append(self._broker.append(record))
        return acknowledgements

    async def close(self) -> None:
        """Nothing is held."""


class MemoryPublishers(Publishers):
    def __init__(self, broker: MemoryBroker) -> None:
        self._broker = broker

    async def open(self) -> Publisher:
        return MemoryPublisher(self._broker)

    def deployed(self, resources: Sequence[bytes]) -> None:
        """Its topics are made by the test."""
