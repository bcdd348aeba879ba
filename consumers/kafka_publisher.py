"""Publishing to Kafka: acks=all, idempotent where brokers are able to, topics made as needed."""

import asyncio
import logging
from collections.abc import Sequence

from aiokafka import TopicPartition
from aiokafka.errors import (
    ClusterAuthorizationFailedError,
    IncompatibleBrokerVersion,
    KafkaError,
    UnknownError,
    UnsupportedVersionError,
)

from consumers.kafka_connection import KafkaConnection, OrderedProducer, asking
from consumers.kafka_job_topics import JobTopics
from consumers.kafka_producer import BATCH_BYTES, ProducerSession
from consumers.log import (
    Acknowledgement,
    LogUnavailableError,
    OutgoingRecord,
    Publisher,
    PublishError,
    Publishers,
    PublishFailedError,
    PublishRefusedError,
)
from engine.records import Topic
from engine.routing import murmur2
from schemas.topics import is_reply_topic, topic_name
from torpor_client.connection import expecting_no_producer_id

log = logging.getLogger(__name__)

START_TIMEOUT_S = 10.0
REQUEST_TIMEOUT_MS = 30_000
TOPIC_APPEARS_S = 5.0
POLL_S = 0.05

NOT_IDEMPOTENT = (
    ClusterAuthorizationFailedError,
    IncompatibleBrokerVersion,
    UnknownError,
    UnsupportedVersionError,
)
"""How brokers answer who asks for a producer id, and cannot or must not have one."""

RECORD_BYTES_MAX = 2 * 1024 * 1024 - 4096
"""What our topics take, less the frame of a batch. Told apart here, before anything is sent."""


class KafkaPublishers(Publishers):
    """All publishers of this process share one producer, until its first failure."""

    def __init__(self, connection: KafkaConnection, namespace: str, partitions: int) -> None:
        self.namespace = namespace
        self._connection = connection
        self._job_topics = JobTopics(connection, namespace, partitions)
        self._session: ProducerSession | None = None
        self._opening = asyncio.Lock()
        self._creating = asyncio.Lock()
        self._commands = topic_name(namespace, Topic.COMMANDS)
        self.is_idempotent: bool | None = None
        self.keeps_senders_times = False

    async def open(self) -> Publisher:
        async with self._opening:
            session = self._session
            if session is not None and session.failure is None:
                return KafkaPublisher(self, session)
            if session is not None:
                await session.end("another publication of this process failed")
            self._session = ProducerSession(await self._start(), self._say_untimed)
            return KafkaPublisher(self, self._session)

    def deployed(self, resources: Sequence[bytes]) -> None:
        self._job_topics.deployed(resources)

    async def close(self) -> None:
        self._job_topics.close()
        if self._session is not None:
            await self._session.end("the process stops")

    async def partitions_of(self, producer: OrderedProducer, topic: str) -> int:
        """How many partitions a topic has; one of a job type is created when it is missing.

        Raises PublishRefusedError when there is none, LogUnavailableError.
        """
        async with self._creating, asking(topic):
            if topic not in await producer.existing():
                if not self._job_topics.is_one(topic):
                    raise PublishRefusedError(f"there is no topic {topic}")
                await self._job_topics.create([topic])
            return await self._appearance(producer, topic)

    async def _appearance(self, producer: OrderedProducer, topic: str) -> int:
        """Wait until the brokers tell of a topic that exists."""
        deadline = asyncio.get_running_loop().time() + TOPIC_APPEARS_S
        while True:
            found = await producer.learn(topic)
            if found is not None:
                return found
            if asyncio.get_running_loop().time() > deadline:
                raise PublishRefusedError(f"the brokers do not tell of {topic} yet")
            await asyncio.sleep(POLL_S)

    def _say_untimed(self, topic: str) -> None:
        """Some brokers take the setting LogAppendTime, and do not do it."""
        if topic == self._commands and not self.keeps_senders_times:
            self.keeps_senders_times = True
            log.warning(
                "this broker does not stamp records: the clocks of those who send commands rule"
                " timers. Good for trying things out; for more use Apache Kafka"
            )

    async def _start(self) -> OrderedProducer:
        if self.is_idempotent is not False:
            try:
                producer = await self._start_one(is_idempotent=True)
            except NOT_IDEMPOTENT as error:
                if self.is_idempotent:  # it was able to: this is something else
                    raise LogUnavailableError(f"no producer id: {error!r}") from error
                self.is_idempotent = False
                log.warning(
                    "this broker has no idempotent producers (%r): after a failed request, records"
                    " may be published more than once",
                    error,
                )
            else:
                self.is_idempotent = True
                return producer
        return await self._start_one(is_idempotent=False)

    async def _start_one(self, *, is_idempotent: bool) -> OrderedProducer:
        """Raises those of NOT_IDEMPOTENT, LogUnavailableError."""
        producer = OrderedProducer(
            acks="all",
            enable_idempotence=is_idempotent,
            max_batch_size=BATCH_BYTES,
            request_timeout_ms=REQUEST_TIMEOUT_MS,
            **self._connection.options(),
        )
        try:
            with expecting_no_producer_id():
                async with asyncio.timeout(START_TIMEOUT_S):
                    await producer.start()
        except BaseException as error:
            await producer.abort()
            if isinstance(error, NOT_IDEMPOTENT):
                raise
            if isinstance(error, KafkaError | TimeoutError):
                raise LogUnavailableError(f"Kafka cannot be reached: {error!r}") from error
            raise
        return producer


class KafkaPublisher(Publisher):
    """One load's way to publish. It ends with the producer that it was opened on."""

    def __init__(self, publishers: KafkaPublishers, session: ProducerSession) -> None:
        self._publishers = publishers
        self._session = session

    async def send(self, records: Sequence[OutgoingRecord]) -> list[Acknowledgement]:
        if self._session.failure is not None:
            raise PublishFailedError(self._session.failure)
        targets: list[TopicPartition] = []
        refusal: PublishRefusedError | None = None
        try:
            for record in records:
                targets.append(await self._target(record))  # noqa: PERF401 - some, if one raises
        except LogUnavailableError as error:
            raise PublishFailedError(str(error)) from error
        except PublishRefusedError as error:
            refusal = error
        return await self._send_to(targets, records, refusal)

    async def close(self) -> None:
        """The producer is the process's."""

    async def _send_to(
        self,
        targets: Sequence[TopicPartition],
        records: Sequence[OutgoingRecord],
        refusal: PublishRefusedError | None,
    ) -> list[Acknowledgement]:
        """Each topic partition's share at once; answers in the order of the call.

        `refusal` is of the record behind the last target.
        """
        sendable, too_large = _sendable(records[: len(targets)])
        refusal = too_large or refusal
        shares: dict[TopicPartition, list[int]] = {}
        for number, target in enumerate(targets[:sendable]):
            shares.setdefault(target, []).append(number)
        outcomes = await asyncio.gather(
            *(
                self._session.publish(target, [records[number] for number in numbers])
                for target, numbers in shares.items()
            ),
            return_exceptions=True,
        )
        found: dict[int, Acknowledgement] = {}
        failures: list[BaseException] = []
        for numbers, outcome in zip(shares.values(), outcomes, strict=True):
            if not isinstance(outcome, BaseException):
                found.update(zip(numbers, outcome, strict=True))
                continue
            failures.append(outcome)
            written = outcome.acknowledged if isinstance(outcome, PublishError) else 0
            found.update((number, _UNTOLD) for number in numbers[:written])
        if refusal is not None:
            failures.append(refusal)
        if failures:
            raise _gravest(failures, _prefix(found))
        return [found[number] for number in range(len(records))]

    async def _target(self, record: OutgoingRecord) -> TopicPartition:
        producer = self._session.producer
        count = producer.topic_partitions(record.topic)
        if count is None:
            question = self._publishers.partitions_of(producer, record.topic)
            count = await self._session.unless_over(question)
        partition = record.partition
        if partition is None:
            partition = _partition_of_key(record, count)
        elif partition >= count and is_reply_topic(self._publishers.namespace, record.topic):
            # A mistake of who asked for it there: the replies to others must not wait for it.
            partition = _partition_of_key(record, count)
        elif partition >= count:
            raise PublishRefusedError(f"{record.topic} has no partition {partition}")
        return TopicPartition(record.topic, partition)


_UNTOLD = Acknowledgement(partition=-1, offset=-1, timestamp_ms=-1)
"""Stands for a record that was written by a call which failed later on."""


def _partition_of_key(record: OutgoingRecord, count: int) -> int:
    return (murmur2(record.key or b"") & 0x7FFFFFFF) % count


def _sendable(records: Sequence[OutgoingRecord]) -> tuple[int, PublishRefusedError | None]:
    """How many records from the first on are not too large, and what is said of the next."""
    for number, record in enumerate(records):
        headers = sum(len(name) + len(value) for name, value in record.headers)
        size = len(record.key or b"") + len(record.value or b"") + headers
        if size > RECORD_BYTES_MAX:
            return number, PublishRefusedError(f"{record.topic}: {size} bytes are too many")
    return len(records), None


def _prefix(found: dict[int, Acknowledgement]) -> int:
    """How many records from the first on are written."""
    number = 0
    while number in found:
        number += 1
    return number


def _gravest(failures: Sequence[BaseException], acknowledged: int) -> BaseException:
    """Unclear outcomes before refusals; a bug before both."""
    for failure in failures:
        if not isinstance(failure, PublishError):
            return failure
    unclear = [each for each in failures if isinstance(each, PublishFailedError)]
    if unclear:
        return PublishFailedError(str(unclear[0]), acknowledged)
    return PublishRefusedError(str(failures[0]), acknowledged)
