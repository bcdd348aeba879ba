"""The command topic on Kafka, read as a member of the consumer group.

One consumer fetches for all partitions of this process. The group says which partitions those are;
the offset it keeps for them is for lag monitoring only: a position comes from `seek` alone, and is
lost with everything after which another log might answer.

With the classic protocol a rebalance takes all partitions away and gives most of them back. Loops
of partitions that stay are not stopped for that: they read nothing meanwhile, find their position
lost and load anew. Until a partition's new owner is told, its old one may go on; the fence makes
that harmless.
"""

import asyncio
import logging
import os
import socket
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from aiokafka import ConsumerRebalanceListener, TopicPartition
from aiokafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor
from aiokafka.errors import (
    CorruptRecordException,
    IllegalStateError,
    KafkaError,
    NoOffsetForPartitionError,
    OffsetOutOfRangeError,
    RecordTooLargeError,
)

from consumers.kafka_connection import KafkaConnection, WatchedConsumer
from consumers.kafka_position import Position
from consumers.kafka_reader import LogReader, log_record, reading_options
from consumers.log import (
    Assignments,
    Bounds,
    CommandLog,
    Fetched,
    LogInterruptedError,
    LogRecord,
    LogUnavailableError,
    Membership,
    NotAssignedError,
)

log = logging.getLogger(__name__)

SESSION_MS = 10_000
HEARTBEAT_MS = 500
METADATA_MS = 10_000
"""A topic that was deleted and made anew is looked at after so long, to be refused."""

LEAVE_TIMEOUT_S = 5.0
DRAIN_MS = 1_000
DRAIN_RECORDS = 2_000
TROUBLE_S = 0.5
"""Between two looks whether what keeps the member from fetching has passed."""

IDLE_MS_MAX = 2**31 - 1
"""aiokafka leaves the group when nobody has fetched for so long; ours always fetches, or halts."""

POSITION_LOST = (
    CorruptRecordException,
    NoOffsetForPartitionError,
    OffsetOutOfRangeError,
    RecordTooLargeError,
)


class KafkaMember(CommandLog, Membership):
    """One process's membership of the group, and its reading of the partitions it is given.

    A member of which nothing was heard for `session_ms` has lost its partitions.
    """

    def __init__(
        self, connection: KafkaConnection, topic: str, group: str, session_ms: int = SESSION_MS
    ) -> None:
        self._connection = connection
        self._topic = topic
        self._group = group
        self._session_ms = session_ms
        self._positions: dict[int, Position] = {}
        self._assignments: Assignments | None = None
        self._consumer: WatchedConsumer | None = None
        self._fetching: asyncio.Task[None] | None = None
        self._trouble: str | None = None
        self._reader = LogReader(connection, topic)
        self.is_assigned = False

    # --- membership ---

    async def join(self, assignments: Assignments) -> None:
        # aiokafka's assignor keeps what this member had on its class: each member gets its own.
        assignor = type("MemberAssignor", (StickyPartitionAssignor,), {})
        consumer = WatchedConsumer(
            on_broken=self._broken,
            group_id=self._group,
            client_id=f"torpor-{socket.gethostname()}-{os.getpid()}",
            partition_assignment_strategy=(assignor,),
            session_timeout_ms=self._session_ms,
            heartbeat_interval_ms=HEARTBEAT_MS,
            max_poll_interval_ms=IDLE_MS_MAX,
            metadata_max_age_ms=METADATA_MS,
            enable_auto_commit=False,
            **reading_options(self._connection),
        )
        try:
            await consumer.start()
        except KafkaError as error:
            await consumer.stop()
            raise LogUnavailableError(f"Kafka cannot be reached: {error}") from error
        self._assignments = assignments
        self._consumer = consumer
        consumer.subscribe([self._topic], listener=_Listener(self))
        self._fetching = asyncio.create_task(self._fetch_ahead(consumer), name="kafka-fetch")

    async def leave(self) -> None:
        consumer, self._consumer = self._consumer, None
        await self._take(list(self._positions))
        if self._fetching is not None:
            self._fetching.cancel()
            await asyncio.wait([self._fetching])
        if consumer is not None:
            with suppress(KafkaError, TimeoutError):
                async with asyncio.timeout(LEAVE_TIMEOUT_S):
                    await consumer.stop()
        await self._reader.close()

    @property
    def missing_topic(self) -> str | None:
        """The command topic when the brokers know none: then the group has no partitions to give,
        which looks as if others had them all."""
        if self._consumer is None or self._consumer.knows(self._topic):
            return None
        return self._topic

    async def lost(self) -> None:
        """Returns when the membership has broken down for good, which aiokafka does not mend."""
        assert self._consumer is not None
        await self._consumer.ended()

    def suspend(self) -> None:
        """The group rebalances: all positions are lost, whoever keeps the partition."""
        self._lose(self._positions, "the group rebalances")

    async def assign(self, partitions: Iterable[int]) -> None:
        """The group's new answer, whole."""
        self.is_assigned = True
        given = sorted(partitions)
        gone = [number for number in self._positions if number not in given]
        added = [number for number in given if number not in self._positions]
        self._lose(self._positions, "the group has rebalanced")
        self._positions.update((number, Position()) for number in added)
        self._hold(given)
        await self._take(gone)
        if self._assignments is not None and added:
            await self._assignments.assigned(added)

    def _hold(self, partitions: Iterable[int]) -> None:
        """Keep aiokafka from looking for positions by itself: it would use the group's."""
        assert self._consumer is not None
        for number in partitions:
            topic_partition = TopicPartition(self._topic, number)
            self._consumer.seek(topic_partition, 0)
            self._consumer.pause(topic_partition)

    async def _take(self, partitions: list[int]) -> None:
        for number in partitions:
            self._positions.pop(number).lose("it was taken away")
        if self._assignments is not None and partitions:
            await self._assignments.revoked(partitions)

    def _broken(self, partitions: Iterable[TopicPartition]) -> None:
        self._lose([each.partition for each in partitions], "a fetch failed")

    def _lose(self, partitions: Iterable[int], why: str) -> None:
        for number in list(partitions):
            position = self._positions.get(number)
            if position is not None:
                position.lose(why)

    # --- reading ---

    async def partitions(self) -> int:
        return await self._reader.partitions()

    async def seek(self, partition: int, offset: int) -> None:
        consumer, position = self._assigned(partition)
        topic_partition = TopicPartition(self._topic, partition)
        try:
            consumer.seek(topic_partition, offset)
        except IllegalStateError as error:
            # The group is about to take it away, or to give it back with the next assignment.
            raise LogUnavailableError(f"partition {partition} is being reassigned") from error
        consumer.resume(topic_partition)
        position.seek(offset, consumer.leader_of(topic_partition))

    async def fetch(self, partition: int, records_max: int, wait_ms: int) -> Fetched:
        consumer, position = self._assigned(partition)
        topic_partition = TopicPartition(self._topic, partition)
        self._check(consumer, topic_partition, position)
        if not position.has_records:
            await self._arrival(position, wait_ms)
            # Nothing is awaited from here on: the records and the position belong together.
            if self._positions.get(partition) is not position:
                raise NotAssignedError(f"partition {partition} was taken away")
            self._check(consumer, topic_partition, position)
            if self._trouble is not None and not position.has_records:
                raise LogUnavailableError(f"partition {partition}: {self._trouble}")
        fetched = position.take(records_max)
        if position.is_low and consumer.is_assigned(topic_partition):
            consumer.resume(topic_partition)
        return fetched

    async def _arrival(self, position: Position, wait_ms: int) -> None:
        position.changed.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(wait_ms / 1000):
                await position.changed.wait()

    async def _fetch_ahead(self, consumer: WatchedConsumer) -> None:
        """Take everything that arrives, at once: what aiokafka holds keeps it from fetching more.

        While one partition's records lie there, it asks that partition's broker for nothing, for
        no partition, up to a tenth of a second; and partitions are busy for that long.
        """
        while True:
            try:
                found = await consumer.getmany(timeout_ms=DRAIN_MS, max_records=DRAIN_RECORDS)
            except POSITION_LOST as error:
                self._lose(_named(error) or self._positions, f"a fetch failed: {error!r}")
            except KafkaError as error:
                self._trouble = repr(error)
                await asyncio.sleep(TROUBLE_S)
            else:
                self._trouble = None
                for topic_partition, records in found.items():
                    await self._add(consumer, topic_partition, records)

    async def _add(
        self, consumer: WatchedConsumer, partition: TopicPartition, records: Sequence[Any]
    ) -> None:
        """Nothing is really awaited here: aiokafka knows the position behind what it gave."""
        position = self._positions.get(partition.partition)
        if position is None or position.lost is not None:
            return
        end = await consumer.position(partition)
        position.add([log_record(each) for each in records], end)
        if position.is_full:
            consumer.pause(partition)

    async def bounds(self, partition: int) -> Bounds:
        return await self._reader.bounds(partition)

    async def record_at(self, partition: int, offset: int) -> LogRecord | None:
        return await self._reader.record_at(partition, offset)

    async def report(self, positions: Mapping[int, int]) -> None:
        offsets = {
            TopicPartition(self._topic, number): offset
            for number, offset in positions.items()
            if number in self._positions
        }
        if self._consumer is None or not offsets:
            return
        try:
            await self._consumer.commit(offsets)
        except (KafkaError, IllegalStateError) as error:
            log.debug("positions not reported: %r", error)

    def _assigned(self, partition: int) -> tuple[WatchedConsumer, Position]:
        position = self._positions.get(partition)
        if position is None or self._consumer is None:
            raise NotAssignedError(f"partition {partition} is not this member's")
        return self._consumer, position

    def _check(
        self, consumer: WatchedConsumer, partition: TopicPartition, position: Position
    ) -> None:
        leader = consumer.leader_of(partition)
        if leader != position.leader:
            position.lose(f"its leader was {position.leader} and is {leader}")
        if position.lost is not None:
            raise LogInterruptedError(f"partition {partition.partition}: {position.lost}")


def _named(error: KafkaError) -> list[int]:
    """The partitions that an error is about, as far as it says."""
    named = error.args[0] if error.args else ()
    if isinstance(named, TopicPartition):
        return [named.partition]
    return [each.partition for each in named] if isinstance(named, dict) else []


class _Listener(ConsumerRebalanceListener):  # type: ignore[misc]  # aiokafka ships no types
    def __init__(self, member: KafkaMember) -> None:
        self._member = member

    async def on_partitions_revoked(self, revoked: Iterable[TopicPartition]) -> None:
        self._member.suspend()

    async def on_partitions_assigned(self, assigned: Iterable[TopicPartition]) -> None:
        await self._member.assign([each.partition for each in assigned])
