"""One producer for all partitions of this process: one batch under way a topic partition.

Records that wait while a batch is under way go out together in the next. A batch that follows is
sent only when the one before is acknowledged, so no record is ever written before its predecessor,
whatever the broker does: aiokafka by itself lets a batch fail and sends the next.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

import msgspec
from aiokafka import TopicPartition
from aiokafka.errors import (
    InvalidTopicError,
    KafkaError,
    MessageSizeTooLargeError,
    PolicyViolationError,
    RecordListTooLargeError,
    TopicAuthorizationFailedError,
)

from consumers.kafka_connection import OrderedProducer
from consumers.log import (
    Acknowledgement,
    OutgoingRecord,
    PublishError,
    PublishFailedError,
    PublishRefusedError,
)

log = logging.getLogger(__name__)

BATCH_BYTES = 512 * 1024
"""Below every topic's `max.message.bytes`, which bounds batches. A larger record goes alone."""

REFUSALS = (
    InvalidTopicError,
    MessageSizeTooLargeError,
    PolicyViolationError,
    RecordListTooLargeError,
    TopicAuthorizationFailedError,
)
"""With these the broker says that it has not written the batch and will not."""


Answer = TypeVar("Answer")


class _Segment(msgspec.Struct, eq=False):
    """What one caller has for one topic partition, in order."""

    records: Sequence[OutgoingRecord]
    answered: asyncio.Future[list[Acknowledgement]]
    written: list[Acknowledgement]

    @property
    def waiting(self) -> Sequence[OutgoingRecord]:
        return self.records[len(self.written) :]


class ProducerSession:
    """A producer until its first failure. Then it is over, for all who use it."""

    def __init__(
        self, producer: OrderedProducer, untimed: Callable[[str], None] = lambda _: None
    ) -> None:
        """`untimed` is told the topics on which the broker keeps the senders' timestamps."""
        self.producer = producer
        self._untimed = untimed
        self.failure: str | None = None
        self._over = asyncio.Event()
        self._queues: dict[TopicPartition, deque[_Segment]] = {}
        self._pumps: dict[TopicPartition, asyncio.Task[None]] = {}

    async def publish(
        self, partition: TopicPartition, records: Sequence[OutgoingRecord]
    ) -> list[Acknowledgement]:
        """Write in order. Raises PublishFailedError, PublishRefusedError."""
        if self.failure is not None:
            raise PublishFailedError(self.failure)
        segment = _Segment(records, asyncio.get_running_loop().create_future(), [])
        self._queues.setdefault(partition, deque()).append(segment)
        if partition not in self._pumps:
            self._pumps[partition] = asyncio.create_task(self._pump(partition))
        return await segment.answered

    async def unless_over(self, question: Coroutine[Any, Any, Answer]) -> Answer:
        """Ask something through the producer: when it ends, aiokafka leaves questions unanswered.

        Raises PublishFailedError, and what the question raises.
        """
        asking, over = asyncio.ensure_future(question), asyncio.ensure_future(self._over.wait())
        try:
            await asyncio.wait([asking, over], return_when=asyncio.FIRST_COMPLETED)
            if not asking.done():
                raise PublishFailedError(self.failure or "the producer is over")
            return asking.result()
        finally:
            asking.cancel()
            over.cancel()

    async def end(self, why: str) -> None:
        """Give up what is under way; everybody who waits learns that it is unclear."""
        if self.failure is None:
            self.failure = why
        self._over.set()
        for pump in self._pumps.values():
            pump.cancel()
        for queue in self._queues.values():
            for segment in queue:
                _fail(segment, PublishFailedError(self.failure, len(segment.written)))
        self._queues.clear()
        await self.producer.abort()

    async def _pump(self, partition: TopicPartition) -> None:
        queue = self._queues[partition]
        while queue:
            try:
                await self._send_next(partition, queue)
            except Exception as error:  # whatever it was, the records' fate is unknown
                self.failure = f"{partition.topic}-{partition.partition}: {error!r}"
                log.warning("producer given up: %s", self.failure)
                for segment in queue:
                    _fail(segment, PublishFailedError(self.failure, len(segment.written)))
                queue.clear()
        self._queues.pop(partition, None)
        self._pumps.pop(partition, None)

    async def _send_next(self, partition: TopicPartition, queue: deque[_Segment]) -> None:
        """Write one batch from the head of the queue, and answer the segments that are done."""
        if self.failure is not None:
            raise PublishFailedError(self.failure)
        try:
            await self._send_batch(partition, list(queue))
        except REFUSALS as error:
            # Which record it was is not said: find it by sending them one by one.
            is_single = len(queue) == 1 and len(queue[0].waiting) == 1
            if is_single or not await self._send_apart(partition, queue):
                segment = queue.popleft()
                _fail(segment, PublishRefusedError(repr(error), len(segment.written)))
        while queue and not queue[0].waiting:
            segment = queue.popleft()
            if not segment.answered.done():
                segment.answered.set_result(segment.written)

    async def _send_apart(self, partition: TopicPartition, queue: deque[_Segment]) -> bool:
        """Whether the first caller's next record alone was taken."""
        head = queue[0]
        try:
            await self._send_batch(partition, [head], records_max=1)
        except REFUSALS:
            return False
        return True

    async def _send_batch(
        self,
        partition: TopicPartition,
        segments: Sequence[_Segment],
        records_max: int | None = None,
    ) -> None:
        batch, taken = self._fill(segments, records_max)
        built_at_ms = time.time_ns() // 1_000_000
        try:
            delivery = await self.producer.send_batch(
                batch, partition.topic, partition=partition.partition
            )
            metadata = await delivery
        except REFUSALS:
            self.producer.forget_refused(partition, len(taken))
            raise
        if metadata.offset < 0:
            raise KafkaError("the broker took it for a repetition and did not say where it is")
        if metadata.timestamp < 0:
            self._untimed(partition.topic)
        for number, segment in enumerate(taken):
            segment.written.append(
                Acknowledgement(
                    partition=partition.partition,
                    offset=metadata.offset + number,
                    # A broker that keeps the producers' time does not tell its own.
                    timestamp_ms=built_at_ms if metadata.timestamp < 0 else metadata.timestamp,
                )
            )

    def _fill(
        self, segments: Sequence[_Segment], records_max: int | None
    ) -> tuple[Any, list[_Segment]]:
        """A batch of what waits, as much as it takes, and whose each of its records is."""
        batch = self.producer.create_batch()
        taken: list[_Segment] = []
        for segment in segments:
            for record in segment.waiting[:records_max]:
                headers = [*record.headers]
                if not batch.append(
                    timestamp=None, key=record.key, value=record.value, headers=headers
                ):
                    return batch, taken
                taken.append(segment)
        batch.close()
        return batch, taken


def _fail(segment: _Segment, error: PublishError) -> None:
    if not segment.answered.done():
        segment.answered.set_exception(error)
