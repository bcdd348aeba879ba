"""What the embedded broker cannot do, each pinned.

Should one of these fail with a newer broker: good news, mend the list in embedded_kafka.py.
"""

import asyncio

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewPartitions, NewTopic
from aiokafka.errors import IncompatibleBrokerVersion, UnknownError

from consumers.dev.kafka_server import Kafka


async def create_topic(kafka: Kafka, topic: str, settings: dict[str, str] | None = None) -> None:
    admin = AIOKafkaAdminClient(bootstrap_servers=kafka.bootstrap)
    await admin.start()
    await admin.create_topics([NewTopic(topic, 1, 1, topic_configs=settings or {})])
    await admin.close()


async def test_no_idempotent_producer_and_no_transactions(embedded_kafka: Kafka) -> None:
    for asked in ({"enable_idempotence": True}, {"transactional_id": "id"}):
        producer = AIOKafkaProducer(bootstrap_servers=embedded_kafka.bootstrap, **asked)
        with pytest.raises(UnknownError):
            await producer.start()
        await producer.stop()


async def test_settings_of_topics_are_taken_but_not_acted_upon(
    embedded_kafka: Kafka, namespace: str
) -> None:
    settings = {"message.timestamp.type": "LogAppendTime", "max.message.bytes": "1000"}
    await create_topic(embedded_kafka, namespace, settings)
    async with AIOKafkaProducer(bootstrap_servers=embedded_kafka.bootstrap) as producer:
        sent = await producer.send_and_wait(
            namespace, b"x" * 10_000, partition=0, timestamp_ms=1_000
        )
    assert (sent.timestamp_type, sent.timestamp) == (0, 1_000)


async def test_a_fetch_past_the_end_is_silent(embedded_kafka: Kafka, namespace: str) -> None:
    await create_topic(embedded_kafka, namespace)
    partition = TopicPartition(namespace, 0)
    consumer = AIOKafkaConsumer(
        bootstrap_servers=embedded_kafka.bootstrap, auto_offset_reset="none"
    )
    async with consumer:
        consumer.assign([partition])
        consumer.seek(partition, 1_000)
        assert await consumer.getmany(timeout_ms=1_000) == {}


async def test_topics_come_into_being_when_asked_for_and_never_grow(
    embedded_kafka: Kafka, namespace: str
) -> None:
    async with AIOKafkaProducer(bootstrap_servers=embedded_kafka.bootstrap) as producer:
        await producer.send_and_wait(namespace, b"x")
    admin = AIOKafkaAdminClient(bootstrap_servers=embedded_kafka.bootstrap)
    await admin.start()
    with pytest.raises(IncompatibleBrokerVersion):
        await admin.create_partitions({namespace: NewPartitions(9)})
    await admin.close()


async def test_joining_a_group_takes_half_the_session_timeout(
    embedded_kafka: Kafka, namespace: str
) -> None:
    await create_topic(embedded_kafka, namespace)
    consumer = AIOKafkaConsumer(
        namespace,
        bootstrap_servers=embedded_kafka.bootstrap,
        group_id=namespace,
        session_timeout_ms=10_000,
    )
    clock = asyncio.get_running_loop().time
    started = clock()
    async with consumer:
        assert 4 < clock() - started < 10
