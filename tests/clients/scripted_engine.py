"""An engine that does what a test tells it to: it speaks the wire, and decides nothing.

It reads every command of a namespace and answers each as scripted; effects and jobs are published
by the test. So the client is tested against real Kafka and the real codecs, without the engine.
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from msgspec.structs import replace

from consumers.kafka_connection import KafkaConnection
from consumers.kafka_topics import KafkaTopics, planned_topics
from consumers.log import LogRecord
from engine.commands import AnyCommand
from engine.partition import InvalidCommand, Stimulus
from engine.records import Effect, Job, Publication, PublishedRecord, Reply, ReplyStatus, Topic
from schemas.catalogue import RecordSchema, catalogue, read_schema
from schemas.codec import Codec
from schemas.frames import Frame
from schemas.publication_writer import OutboxRecord
from tests.schemas.samples import EFFECT, PUBLISHED

PARTITIONS = 3
DEADLINE_S = 20.0
JOB = next(record for record in PUBLISHED if isinstance(record, Job))

Script = Callable[[Stimulus], Reply | None]
"""What to answer a command with; None: nothing."""


def accept(stimulus: Stimulus) -> Reply:
    return Reply(command_id=stimulus.command_id or "", status=ReplyStatus.ACCEPTED)


async def create_topics(bootstrap: str, namespace: str) -> None:
    """The topics of a namespace, as `init` makes them."""
    async with KafkaTopics(KafkaConnection(bootstrap=bootstrap)) as topics:
        for plan in planned_topics(namespace, PARTITIONS, brokers=1):
            await topics.create(plan, replicas=1)


class ScriptedEngine:
    """Collects commands, answers them by `script`, and publishes what a test gives it."""

    def __init__(self, bootstrap: str, namespace: str, frame: Frame) -> None:
        self.bootstrap = bootstrap
        self.namespace = namespace
        self.codec = Codec(namespace, frame)
        self.script: Script = accept
        self.correlation_id: bytes | None = None  # instead of the one that was asked for
        self.received: list[tuple[int, Stimulus]] = []
        self._news = asyncio.Condition()
        self._consumer: Any = None
        self.producer: Any = None

    @property
    def commands(self) -> list[AnyCommand | InvalidCommand]:
        return [stimulus.command for _, stimulus in self.received]

    async def until(self, count: int) -> list[AnyCommand | InvalidCommand]:
        """Wait for so many commands; all that came."""
        async with asyncio.timeout(DEADLINE_S), self._news:
            await self._news.wait_for(lambda: len(self.received) >= count)
        return self.commands

    async def publish(
        self, topic: Topic, record: PublishedRecord, *, suffix: str | None = None, key: str = "k"
    ) -> None:
        """Publish as if the command at partition 0, offset 0 had caused it."""
        partition = record.partition if isinstance(record, Effect) else None
        publication = Publication(
            topic=topic, key=key, record=record, index=0, partition=partition, suffix=suffix
        )
        await self.send(self.codec.encode_publication(publication, 0, 0))

    async def publish_effects(self, *effects: Effect) -> None:
        for effect in effects:
            await self.publish(Topic.EFFECTS, effect)

    async def publish_job(self, job: Job, *, suffix: str | None = JOB.type) -> None:
        await self.publish(Topic.JOBS, job, suffix=suffix, key=job.root_id)

    async def send(self, record: OutboxRecord) -> None:
        await self.producer.send_and_wait(
            record.topic,
            record.value,
            key=record.key,
            partition=record.partition,
            headers=list(record.headers),
        )

    async def create_job_topic(self, job_type: str, partitions: int = 1) -> None:
        async with KafkaTopics(KafkaConnection(bootstrap=self.bootstrap)) as topics:
            (plan,) = [
                plan
                for plan in planned_topics(self.namespace, partitions, brokers=1)
                if plan.name == f"{self.namespace}.jobs"
            ]
            named = type(plan)(
                name=f"{plan.name}.{job_type}", partitions=partitions, settings=plan.settings
            )
            await topics.create(named, replicas=1)

    async def _read(self) -> None:
        async for record in self._consumer:
            found = LogRecord(
                partition=record.partition,
                offset=record.offset,
                timestamp_ms=record.timestamp,
                key=record.key,
                value=record.value,
                headers=tuple(record.headers),
            )
            stimulus = self.codec.decode_command(found)
            await self._answer(stimulus)
            async with self._news:
                self.received.append((record.partition, stimulus))
                self._news.notify_all()

    async def _answer(self, stimulus: Stimulus) -> None:
        reply = self.script(stimulus)
        if reply is None or stimulus.reply is None:
            return
        address = stimulus.reply
        if self.correlation_id is not None:
            address = replace(address, correlation_id=self.correlation_id)
        publication = Publication(
            topic=Topic.REPLIES,
            key=reply.command_id,
            record=reply,
            index=0,
            partition=address.partition,
            reply=address,
        )
        await self.send(self.codec.encode_publication(publication, 0, stimulus.offset))


@asynccontextmanager
async def scripted_engine(
    bootstrap: str, namespace: str, frame: Frame = Frame.SINGLE_OBJECT
) -> AsyncGenerator[ScriptedEngine]:
    """A namespace with its topics, and an engine that accepts every command."""
    await create_topics(bootstrap, namespace)
    engine = ScriptedEngine(bootstrap, namespace, frame)
    consumer = AIOKafkaConsumer(bootstrap_servers=bootstrap, auto_offset_reset="earliest")
    producer = AIOKafkaProducer(bootstrap_servers=bootstrap, acks="all")
    engine._consumer, engine.producer = consumer, producer
    await consumer.start()
    await producer.start()
    topic = f"{namespace}.commands"
    consumer.assign([TopicPartition(topic, each) for each in range(PARTITIONS)])
    reading = asyncio.create_task(engine._read())
    try:
        yield engine
    finally:
        await consumer.stop()
        await producer.stop()
        reading.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await reading


def effect(offset: int, index: int = 0, **changes: Any) -> Effect:
    """An effect of partition 0 at a position, otherwise the example's."""
    identity = {
        "id": f"0-{offset}-{index}",
        "partition": 0,
        "offset": offset,
        "index": index,
        "digest": f"{offset}/{index}",
    }
    return replace(EFFECT, **{**identity, **changes})


# --- a newer engine ---


def newer_schema(name: str) -> RecordSchema:
    """The record as a later version would have it: with one more field."""
    schema = json.loads(catalogue().current[name].text)
    schema["fields"].append({"name": "mood", "type": "string", "default": ""})
    return read_schema(json.dumps(schema))


def by_newer(newer: RecordSchema, record: OutboxRecord) -> OutboxRecord:
    """A record as that version would write it."""
    assert record.value is not None
    value = record.value[:2] + newer.fingerprint + record.value[10:] + b"\x08calm"
    return replace(record, value=value)


def schema_record(engine: ScriptedEngine, schema: RecordSchema) -> OutboxRecord:
    """A schema as the topic of schemas has it."""
    return OutboxRecord(
        topic=f"{engine.namespace}.schemas",
        key=schema.fingerprint.hex().encode(),
        partition=None,
        headers=(),
        value=schema.text.encode(),
    )
