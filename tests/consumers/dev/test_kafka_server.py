"""What every Kafka for development does, and what only a real one does."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic

from consumers.dev.errors import NotSupportedError
from consumers.dev.kafka_server import Kafka, KafkaKind, answers
from consumers.dev.process import free_port
from consumers.dev.servers import start_kafka
from tests.support.servers import required, taken

DEADLINE_S = 30


@asynccontextmanager
async def admin_of(kafka: Kafka) -> AsyncGenerator[AIOKafkaAdminClient]:
    admin = AIOKafkaAdminClient(bootstrap_servers=kafka.bootstrap)
    await admin.start()
    try:
        yield admin
    finally:
        await admin.close()


async def create_topic(kafka: Kafka, topic: str, **settings: str) -> None:
    named = {name.replace("_", "."): value for name, value in settings.items()}
    async with admin_of(kafka) as admin:
        await admin.create_topics([NewTopic(topic, 1, kafka.brokers, topic_configs=named)])


async def produce(kafka: Kafka, topic: str, *values: bytes) -> None:
    async with AIOKafkaProducer(bootstrap_servers=kafka.bootstrap, acks="all") as producer:
        for value in values:
            await producer.send_and_wait(topic, value, key=b"key", partition=0)


async def consume(kafka: Kafka, topic: str, number: int) -> list[bytes]:
    consumer = AIOKafkaConsumer(bootstrap_servers=kafka.bootstrap, auto_offset_reset="none")
    async with consumer:
        partition = TopicPartition(topic, 0)
        consumer.assign([partition])
        consumer.seek(partition, 0)
        async with asyncio.timeout(DEADLINE_S):
            return [(await consumer.getone()).value for _ in range(number)]


async def test_records_come_back_in_order(any_kafka: Kafka, namespace: str) -> None:
    topic = f"{namespace}.commands"
    await create_topic(any_kafka, topic)
    await produce(any_kafka, topic, b"one", b"two", b"three")
    assert await consume(any_kafka, topic, 3) == [b"one", b"two", b"three"]


async def test_a_group_consumes_and_commits(any_kafka: Kafka, namespace: str) -> None:
    topic = f"{namespace}.commands"
    await create_topic(any_kafka, topic)
    await produce(any_kafka, topic, b"one", b"two")
    consumer = AIOKafkaConsumer(
        topic,
        bootstrap_servers=any_kafka.bootstrap,
        group_id=f"{namespace}-group",
        auto_offset_reset="earliest",
        enable_auto_commit=False,
    )
    async with consumer, asyncio.timeout(DEADLINE_S):
        assert (await consumer.getone()).value == b"one"
        await consumer.commit()
        assert await consumer.committed(TopicPartition(topic, 0)) == 1


async def test_a_real_kafka_stamps_records_with_its_own_time(kafka: Kafka, namespace: str) -> None:
    topic = f"{namespace}.commands"
    await create_topic(kafka, topic, message_timestamp_type="LogAppendTime")
    async with AIOKafkaProducer(bootstrap_servers=kafka.bootstrap) as producer:
        sent = await producer.send_and_wait(topic, b"x", partition=0, timestamp_ms=1_000)
    assert sent.timestamp_type == 1
    assert sent.timestamp > 1_000


async def test_a_real_kafka_creates_no_topic_by_itself(kafka: Kafka, namespace: str) -> None:
    async with admin_of(kafka) as admin:
        [topic] = await admin.describe_topics([f"{namespace}.nobody-made-it"])
    assert topic["error_code"] == 3  # UNKNOWN_TOPIC_OR_PARTITION


@pytest.mark.kafka
async def test_the_one_broker_comes_back_with_its_data_after_sigkill(namespace: str) -> None:
    kafka_of_our_own = start_kafka([KafkaKind.APACHE_KAFKA], say=taken.append)
    async with required(kafka_of_our_own) as kafka:
        await create_topic(kafka, namespace)
        await produce(kafka, namespace, b"before")
        before = kafka.pids
        kafka.kill()
        assert not await answers(kafka.bootstrap, 1)
        await kafka.restart()
        assert kafka.pids != before
        assert await consume(kafka, namespace, 1) == [b"before"]


async def test_three_brokers_go_on_when_one_is_killed(kafka_cluster: Kafka, namespace: str) -> None:
    await create_topic(kafka_cluster, namespace, min_insync_replicas="2")
    await produce(kafka_cluster, namespace, b"before")
    kafka_cluster.kill(1)
    async with asyncio.timeout(DEADLINE_S):
        await produce(kafka_cluster, namespace, b"while")
    await kafka_cluster.restart(1)
    assert await consume(kafka_cluster, namespace, 2) == [b"before", b"while"]


async def test_a_kafka_that_was_given_is_left_alone(embedded_kafka: Kafka) -> None:
    lines: list[str] = []
    async with start_kafka(given=embedded_kafka.bootstrap, say=lines.append) as given:
        assert given.kind == KafkaKind.GIVEN
        assert given.bootstrap == embedded_kafka.bootstrap
        with pytest.raises(NotSupportedError, match="not started by us"):
            given.kill()
    assert lines == [f"kafka: the address given at {embedded_kafka.bootstrap}"]
    assert await answers(embedded_kafka.bootstrap, 1)


async def test_nobody_answers_where_nobody_listens() -> None:
    assert not await answers(f"127.0.0.1:{free_port()}", 1)
    assert not await answers("no address", 1)
