"""Effects without duplicates, by the rule of the wire: one pair of numbers a partition.

Effects of command partition n are on effects partition n, and are first published in order; so an
effect is new if its (offset, index) is above the last one taken. A duplicate has the digest of the
first copy, or something is badly wrong.
"""

import asyncio
from collections import OrderedDict, deque
from types import TracebackType
from typing import Any, Literal, TypeAlias

import msgspec
from aiokafka import TopicPartition
from aiokafka.errors import (
    KafkaError,
    NoOffsetForPartitionError,
    OffsetOutOfRangeError,
)

from torpor_client import routing
from torpor_client.connection import Connection, existing, log
from torpor_client.errors import (
    DigestMismatchError,
    KafkaUnavailableError,
    NamespaceNotFoundError,
    PositionLostError,
    UndecodableRecordError,
)
from torpor_client.frames import FrameError, Schemas, read_published
from torpor_client.records import Effect, Position
from torpor_client.schema_topic import SchemaTopic

Start: TypeAlias = Literal["earliest", "latest"] | int
"""Where to begin; a number is an instant in epoch milliseconds."""

DIGESTS_MAX = 10_000
"""Digests remembered a partition, to compare duplicates with. A rewind repeats far fewer."""

RECORDS_MAX = 500
RETRY_S = 0.5


class EffectPosition(msgspec.Struct, frozen=True, kw_only=True):
    """How far a subscriber is in one partition. Keep it together with what you made of the effects.

    `next_offset` is where to read on in the effects topic; `taken` the last effect's position, and
    `digest` its digest.
    """

    partition: int
    next_offset: int
    taken: Position | None = None
    digest: str | None = None


class EffectOptions(msgspec.Struct, frozen=True, kw_only=True):
    """See `Client.effects`. `partitions` is the namespace's number of partitions."""

    start: Start
    positions: tuple[EffectPosition, ...]
    instance_id: str | None
    follow: bool
    partitions: int


class PartitionReading:
    """What was taken of one partition, and which copies are no news. Pure."""

    def __init__(self, position: EffectPosition) -> None:
        self.position = position
        self._digests: OrderedDict[Position, str] = OrderedDict()
        if position.taken is not None and position.digest is not None:
            self._digests[position.taken] = position.digest

    def skip(self, next_offset: int) -> None:
        """Something that is no effect was passed."""
        self.position = msgspec.structs.replace(self.position, next_offset=next_offset)

    def take(self, effect: Effect, next_offset: int) -> bool:
        """Whether the effect is new. Raises DigestMismatchError for another content of one id."""
        self.skip(next_offset)
        found = effect.position
        taken = self.position.taken
        if taken is not None and found <= taken:
            known = self._digests.get(found, effect.digest)
            if known != effect.digest:
                raise DigestMismatchError(effect.id, (known, effect.digest))
            return False
        self._digests[found] = effect.digest
        if len(self._digests) > DIGESTS_MAX:
            self._digests.popitem(last=False)
        self.position = EffectPosition(
            partition=self.position.partition,
            next_offset=next_offset,
            taken=found,
            digest=effect.digest,
        )
        return True


class EffectStream:
    """An asynchronous iterator of effects; an asynchronous context manager.

    Raises while iterating DigestMismatchError and UndecodableRecordError (going on skips the
    record), PositionLostError. While Kafka is away it waits.
    """

    def __init__(
        self, connection: Connection, namespace: str, schemas: SchemaTopic, options: EffectOptions
    ) -> None:
        self._connection = connection
        self._namespace = namespace
        self._topic = f"{namespace}.effects"
        self._schemas = schemas
        self._options = options
        self._readings: dict[int, PartitionReading] = {}
        self._records: deque[Any] = deque()
        self._ends: dict[int, int] = {}
        self._consumer: Any = None

    @property
    def positions(self) -> list[EffectPosition]:
        """How far it is, the effect that was given last included. For `Client.effects`."""
        return [reading.position for reading in self._readings.values()]

    async def __aenter__(self) -> "EffectStream":
        # No reset: a stream that lost its place must say so, and not begin somewhere.
        self._consumer = self._connection.consumer(auto_offset_reset="none")
        try:
            await self._consumer.start()
            await self._begin(await self._wanted())
        except KafkaError as error:
            await self._consumer.stop()
            raise KafkaUnavailableError(f"effects cannot be read: {error!r}") from error
        except BaseException:
            await self._consumer.stop()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._consumer.stop()

    def __aiter__(self) -> "EffectStream":
        return self

    async def __anext__(self) -> Effect:
        while True:
            if not self._records and not await self._fetch():
                raise StopAsyncIteration
            while self._records:
                known = await self._schemas_for(self._records[0].value)
                effect = self._take(self._records.popleft(), known)
                if effect is not None:
                    return effect

    async def _wanted(self) -> list[TopicPartition]:
        counts = await existing(self._consumer.client, [self._topic])
        if self._topic not in counts:
            raise NamespaceNotFoundError(self._namespace, self._topic)
        partitions = counts[self._topic]
        instance_id = self._options.instance_id
        if instance_id is None:
            return [TopicPartition(self._topic, each) for each in range(partitions)]
        root = routing.root_of(instance_id)
        owner = routing.partition_of(root, self._options.partitions or partitions)
        return [TopicPartition(self._topic, owner)]

    async def _begin(self, assigned: list[TopicPartition]) -> None:
        consumer = self._consumer
        consumer.assign(assigned)
        ends = await consumer.end_offsets(assigned)
        starts = await self._starts(assigned)
        known = {position.partition: position for position in self._options.positions}
        for each in assigned:
            fresh = EffectPosition(partition=each.partition, next_offset=starts[each])
            position = known.get(each.partition, fresh)
            consumer.seek(each, position.next_offset)
            self._readings[each.partition] = PartitionReading(position)
            self._ends[each.partition] = ends[each]

    async def _starts(self, assigned: list[TopicPartition]) -> dict[TopicPartition, int]:
        consumer, start = self._consumer, self._options.start
        if start == "earliest":
            found: dict[TopicPartition, int] = await consumer.beginning_offsets(assigned)
            return found
        ends = await consumer.end_offsets(assigned)
        if start == "latest":
            return dict(ends)
        times = await consumer.offsets_for_times(dict.fromkeys(assigned, start))
        return {each: times[each].offset if times[each] else ends[each] for each in assigned}

    async def _fetch(self) -> bool:
        """Fill the buffer; False when everything asked for was read."""
        while not self._records:
            if not self._options.follow and await self._is_at_end():
                return False
            try:
                batches = await self._consumer.getmany(timeout_ms=500, max_records=RECORDS_MAX)
            except (NoOffsetForPartitionError, OffsetOutOfRangeError) as error:
                raise PositionLostError(f"the effects to go on from are gone: {error}") from error
            except KafkaError as error:
                log.warning("effects cannot be read at the moment: %r", error)
                await asyncio.sleep(RETRY_S)
                continue
            for records in batches.values():
                self._records.extend(records)
        return True

    async def _is_at_end(self) -> bool:
        for number, end in self._ends.items():
            if await self._consumer.position(TopicPartition(self._topic, number)) < end:
                return False
        return True

    async def _schemas_for(self, value: bytes | None) -> Schemas:
        while True:
            try:
                return await self._schemas.for_record(value or b"")
            except KafkaUnavailableError as error:
                log.warning("effects cannot be read at the moment: %s", error)
                await asyncio.sleep(RETRY_S)

    def _take(self, record: Any, schemas: Schemas) -> Effect | None:
        """The effect in a record, if it is new and asked for."""
        reading = self._readings[record.partition]
        value = record.value or b""
        try:
            effect = read_published(value, Effect, schemas)
        except FrameError as error:
            reading.skip(record.offset + 1)
            where = f"{self._topic}, partition {record.partition}, offset {record.offset}"
            raise UndecodableRecordError(str(error), value, where) from None
        if not reading.take(effect, record.offset + 1):
            return None
        wanted = self._options.instance_id
        return effect if wanted is None or effect.instance_id == wanted else None
