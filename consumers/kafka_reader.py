"""Single records and bounds of a topic, read beside the consumer group."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import KafkaError, OffsetOutOfRangeError

from consumers.kafka_connection import KafkaConnection, WatchedConsumer, asking
from consumers.log import Bounds, LogRecord, LogUnavailableError

REQUEST_TIMEOUT_MS = 10_000
FETCH_WAIT_MS = 100
"""A partition that has just been read is asked for again only with the next fetch of its broker."""

PARTITION_FETCH_BYTES = 4 * 1024 * 1024
"""Above the largest record: aiokafka would step over one that is larger."""

CLOSE_TIMEOUT_S = 5.0
RECORD_S = 5.0
"""How long a record may take to be read before the log's end is asked for."""


class LogReader:
    """A consumer of all partitions, each paused but for the moment in which it is read."""

    def __init__(self, connection: KafkaConnection, topic: str) -> None:
        self._connection = connection
        self._topic = topic
        self._consumer: WatchedConsumer | None = None
        self._lock = asyncio.Lock()

    async def partitions(self) -> int:
        async with self._lock, asking(self._topic):
            consumer = await self._started()
            found = await consumer.known_partitions(self._topic)
            if not found:
                raise LogUnavailableError(f"there is no topic {self._topic}")
            return len(found)

    async def bounds(self, partition: int) -> Bounds:
        async with self._lock, asking(self._topic):
            consumer = await self._started()
            topic_partition = TopicPartition(self._topic, partition)
            starts = await consumer.beginning_offsets([topic_partition])
            ends = await consumer.end_offsets([topic_partition])
            return Bounds(start=starts[topic_partition], end=ends[topic_partition])

    async def record_at(self, partition: int, offset: int) -> LogRecord | None:
        """None only when the log has no record there: neither a gap nor an end is a slow answer.

        The fetch comes before the question for the end, because a broker may name an end that is
        too low: the embedded one does while the last batch has several records.
        """
        async with self._lock, asking(self._topic):
            consumer = await self._started()
            topic_partition = TopicPartition(self._topic, partition)
            consumer.seek(topic_partition, offset)
            consumer.resume(topic_partition)
            try:
                async with asyncio.timeout(RECORD_S):
                    found = await consumer.getone(topic_partition)
            except OffsetOutOfRangeError:
                return None
            except TimeoutError:
                found = None
            finally:
                consumer.pause(topic_partition)
                consumer.seek(topic_partition, 0)  # drops the rest, which would delay the next
        if found is not None:
            return log_record(found) if found.offset == offset else None
        bounds = await self.bounds(partition)
        if bounds.start <= offset < bounds.end:
            raise LogUnavailableError(
                f"{self._topic}: offset {offset} was not read in {RECORD_S} s"
            )
        return None

    async def close(self) -> None:
        consumer, self._consumer = self._consumer, None
        if consumer is not None:
            with suppress(KafkaError, TimeoutError):
                async with asyncio.timeout(CLOSE_TIMEOUT_S):
                    await consumer.stop()

    async def _started(self) -> WatchedConsumer:
        if self._consumer is not None:
            return self._consumer
        consumer = WatchedConsumer(
            on_broken=_ignore, group_id=None, **reading_options(self._connection)
        )
        try:
            await consumer.start()
            found = await consumer.known_partitions(self._topic)
        except BaseException:
            await consumer.stop()
            raise
        if not found:
            await consumer.stop()
            raise LogUnavailableError(f"there is no topic {self._topic}")
        partitions = [TopicPartition(self._topic, number) for number in sorted(found)]
        consumer.assign(partitions)
        for each in partitions:
            consumer.seek(each, 0)  # without a position aiokafka looks for one
        consumer.pause(*partitions)
        self._consumer = consumer
        return consumer


async def keys_of(connection: KafkaConnection, topic: str) -> set[bytes]:
    """The keys of all records of a topic of one partition. Raises LogUnavailableError."""
    partition = TopicPartition(topic, 0)
    keys: set[bytes] = set()
    async with asking(topic), AIOKafkaConsumer(**reading_options(connection)) as consumer:
        consumer.assign([partition])
        starts = await consumer.beginning_offsets([partition])
        ends = await consumer.end_offsets([partition])
        consumer.seek(partition, starts[partition])
        while await consumer.position(partition) < ends[partition]:
            found = await consumer.getmany(partition, timeout_ms=FETCH_WAIT_MS)
            keys.update(record.key or b"" for record in found.get(partition, ()))
    return keys


async def ends_of(connection: KafkaConnection, topic: str, partitions: int) -> tuple[int, ...]:
    """The offset after the last record, by partition. Raises LogUnavailableError.

    Not only of committed records: what is behind a transaction that is still open counts as well.
    """
    options = {**reading_options(connection), "isolation_level": "read_uncommitted"}
    numbers = [TopicPartition(topic, number) for number in range(partitions)]
    async with asking(topic), AIOKafkaConsumer(**options) as consumer:
        consumer.assign(numbers)
        ends = await consumer.end_offsets(numbers)
    return tuple(ends[each] for each in numbers)


def reading_options(connection: KafkaConnection) -> dict[str, Any]:
    """Options of every consumer: committed records only, and no position but the one sought."""
    return {
        **connection.options(),
        "isolation_level": "read_committed",
        "auto_offset_reset": "none",
        "fetch_max_wait_ms": FETCH_WAIT_MS,
        "max_partition_fetch_bytes": PARTITION_FETCH_BYTES,
        "request_timeout_ms": REQUEST_TIMEOUT_MS,
    }


def log_record(found: Any) -> LogRecord:
    return LogRecord(
        partition=found.partition,
        offset=found.offset,
        timestamp_ms=found.timestamp,
        key=found.key,
        value=found.value,
        headers=tuple(found.headers),
    )


def _ignore(partitions: Iterable[TopicPartition]) -> None:
    """A reader has no position to lose."""
