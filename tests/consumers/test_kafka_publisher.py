"""Publishing to a real Kafka: order, refusals, topics made as needed, and what ends a producer."""

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest
from aiokafka import AIOKafkaConsumer, TopicPartition

from consumers.dev.kafka_server import Kafka
from consumers.kafka_connection import KafkaConnection
from consumers.kafka_publisher import KafkaPublishers
from consumers.kafka_topics import KafkaTopics, TopicPlan
from consumers.log import (
    LogUnavailableError,
    OutgoingRecord,
    PublishFailedError,
    PublishRefusedError,
)
from engine.routing import partition_of

PARTITIONS = 4


@pytest.fixture
def connection(kafka: Kafka) -> KafkaConnection:
    return KafkaConnection(bootstrap=kafka.bootstrap)


@pytest.fixture
async def topic(connection: KafkaConnection, namespace: str) -> str:
    return await create(connection, f"{namespace}.effects")


@pytest.fixture
async def publishers(connection: KafkaConnection, namespace: str) -> AsyncIterator[KafkaPublishers]:
    found = KafkaPublishers(connection, namespace, PARTITIONS)
    yield found
    await found.close()


async def create(connection: KafkaConnection, name: str, **settings: str) -> str:
    appended = {"message.timestamp.type": "LogAppendTime", "max.message.bytes": "2097152"}
    plan = TopicPlan(
        name=name,
        partitions=PARTITIONS,
        settings={**appended, **{key.replace("_", "."): value for key, value in settings.items()}},
    )
    async with KafkaTopics(connection) as topics:
        await topics.create(plan, 1)
    return name


async def read(connection: KafkaConnection, topic: str, count: int) -> list[tuple[int, bytes]]:
    """Partition and value of the first `count` records, in order within a partition."""
    options = {**connection.options(), "auto_offset_reset": "earliest"}
    async with AIOKafkaConsumer(group_id=None, **options) as consumer:
        consumer.assign([TopicPartition(topic, number) for number in range(PARTITIONS)])
        found: list[tuple[int, bytes]] = []
        async with asyncio.timeout(20):
            while len(found) < count:
                record = await consumer.getone()
                found.append((record.partition, record.value))
        return found


def records(topic: str, values: Sequence[bytes], partition: int | None = 0) -> list[OutgoingRecord]:
    return [
        OutgoingRecord(topic=topic, key=b"k", value=each, partition=partition) for each in values
    ]


def numbered(count: int, size: int = 10) -> list[bytes]:
    return [str(number).encode().ljust(size, b".") for number in range(count)]


async def test_records_are_acknowledged_in_order_with_the_brokers_time(
    publishers: KafkaPublishers, connection: KafkaConnection, topic: str
) -> None:
    publisher = await publishers.open()
    headers = (("ce_id", b"1"), ("ce_type", b"torpor.effect.x"))
    record = OutgoingRecord(topic=topic, key=b"k", value=b"v", partition=2, headers=headers)
    (first,) = await publisher.send([record])
    assert (first.partition, first.offset) == (2, 0)
    values = numbered(3000, 500)  # some batches
    acknowledged = await publisher.send(records(topic, values, partition=2))
    assert [each.offset for each in acknowledged] == list(range(1, 3001))
    times = [each.timestamp_ms for each in acknowledged]
    assert times == sorted(times)
    assert times[0] >= first.timestamp_ms > 1_700_000_000_000
    assert await read(connection, topic, 3001) == [(2, b"v"), *((2, each) for each in values)]
    assert publishers.is_idempotent


async def test_a_keyed_record_goes_to_its_keys_partition(
    publishers: KafkaPublishers, topic: str
) -> None:
    publisher = await publishers.open()
    keys = [f"order-{number}" for number in range(50)]
    sent = [OutgoingRecord(topic=topic, key=key.encode(), value=b"v") for key in keys]
    found = [each.partition for each in await publisher.send(sent)]
    assert found == [partition_of(key, PARTITIONS) for key in keys]
    assert len(set(found)) == PARTITIONS
    no_value = OutgoingRecord(topic=topic, key=b"task", value=None)
    no_key = OutgoingRecord(topic=topic, key=None, value=None)
    assert len(await publisher.send([no_value, no_key])) == 2


async def test_many_callers_share_batches_and_each_keeps_its_order(
    publishers: KafkaPublishers, connection: KafkaConnection, topic: str
) -> None:
    found = [await publishers.open() for _ in range(20)]

    async def publish(caller: int) -> None:
        for turn in range(5):
            values = [f"{caller}/{turn}/{number}".encode() for number in range(10)]
            await found[caller].send(records(topic, values))

    await asyncio.gather(*(publish(caller) for caller in range(20)))
    values = [value for _, value in await read(connection, topic, 1000)]
    for caller in range(20):
        mine = [each for each in values if each.startswith(f"{caller}/".encode())]
        assert mine == [f"{caller}/{t}/{n}".encode() for t in range(5) for n in range(10)]


async def test_the_topic_of_a_job_type_is_made_with_its_first_job(
    publishers: KafkaPublishers, connection: KafkaConnection, namespace: str
) -> None:
    publisher = await publishers.open()
    topic = f"{namespace}.jobs.charge-card"
    many = [publisher.send(records(topic, [b"job"], partition=None)) for _ in range(5)]
    assert len(await asyncio.gather(*many)) == 5
    async with KafkaTopics(connection) as topics:
        found = (await topics.find([topic]))[topic]
    assert found.partitions == PARTITIONS
    assert found.settings is not None
    assert found.settings["retention.ms"] == "-1"
    assert found.settings["max.message.bytes"] == "2097152"


async def test_a_topic_that_is_not_there_is_refused_and_not_made(
    publishers: KafkaPublishers, connection: KafkaConnection, namespace: str, topic: str
) -> None:
    publisher = await publishers.open()
    missing = f"{namespace}.replies.mistyped"
    with pytest.raises(PublishRefusedError):
        await publisher.send(records(missing, [b"reply"]))
    with pytest.raises(PublishRefusedError):
        await publisher.send(records(topic, [b"x"], partition=99))
    with pytest.raises(PublishRefusedError):
        await publisher.send(records(f"{namespace}.jobs.no good", [b"job"]))
    assert (await publisher.send(records(topic, [b"x"])))[0].offset == 0
    async with KafkaTopics(connection) as topics:
        assert missing not in await topics.names()


async def test_a_partition_that_is_not_there_is_refused_and_what_comes_before_it_is_written(
    publishers: KafkaPublishers, topic: str
) -> None:
    publisher = await publishers.open()
    found = [*records(topic, [b"1", b"2"]), *records(topic, [b"3"], partition=99)]
    with pytest.raises(PublishRefusedError) as refused:
        await publisher.send(found)
    assert refused.value.acknowledged == 2
    assert (await publisher.send(records(topic, [b"4"])))[0].offset == 2


async def test_a_reply_to_a_partition_that_is_not_there_holds_up_no_other(
    publishers: KafkaPublishers, connection: KafkaConnection, namespace: str
) -> None:
    topic = await create(connection, f"{namespace}.replies")
    publisher = await publishers.open()
    mistaken = records(topic, [b"lost"], partition=99)
    acknowledged = await publisher.send([*mistaken, *records(topic, [b"kept"])])
    assert len(acknowledged) == 2
    assert (0, b"kept") in await read(connection, topic, 2)


async def test_a_record_too_large_is_refused_and_those_before_it_are_written(
    publishers: KafkaPublishers, connection: KafkaConnection, topic: str
) -> None:
    publisher = await publishers.open()
    large = b"x" * 1_900_000
    assert (await publisher.send(records(topic, [large])))[0].offset == 0
    with pytest.raises(PublishRefusedError) as refused:
        await publisher.send(records(topic, [b"1", b"2", b"x" * 3_000_000, b"4"]))
    assert refused.value.acknowledged == 2
    assert (await publisher.send(records(topic, [b"4"])))[0].offset == 3
    assert [value for _, value in await read(connection, topic, 4)] == [large, b"1", b"2", b"4"]


async def test_a_refusal_of_the_broker_names_the_record_and_ends_nothing(
    publishers: KafkaPublishers, connection: KafkaConnection, namespace: str
) -> None:
    """Its topic takes less than ours do: sequence numbers of the refused batch are used again."""
    topic = await create(connection, f"{namespace}.replies", max_message_bytes="20000")
    publisher, other = await publishers.open(), await publishers.open()
    values = [b"0", b"1", b"x" * 50_000, b"3"]
    sends = [
        publisher.send(records(topic, values)),
        other.send(records(topic, [b"other"])),
    ]
    refused, taken = await asyncio.gather(*sends, return_exceptions=True)
    assert isinstance(refused, PublishRefusedError)
    assert refused.acknowledged == 2
    assert isinstance(taken, list)
    await publisher.send(records(topic, [b"3"]))
    found = [value for _, value in await read(connection, topic, 4)]
    assert sorted(found) == [b"0", b"1", b"3", b"other"]
    assert found.index(b"0") < found.index(b"1") < found.index(b"3")


async def test_a_failure_ends_all_publishers_of_the_producer_and_the_next_is_new(
    publishers: KafkaPublishers, connection: KafkaConnection, topic: str
) -> None:
    publisher, other = await publishers.open(), await publishers.open()
    await publisher.send(records(topic, [b"0"]))
    session = publisher._session  # type: ignore[attr-defined]  # what a broken broker would do
    session.failure = "a request was lost"
    with pytest.raises(PublishFailedError):
        await publisher.send(records(topic, [b"1"]))
    with pytest.raises(PublishFailedError):
        await other.send(records(topic, [b"1"]))
    fresh = await publishers.open()
    assert (await fresh.send(records(topic, [b"1"])))[0].offset == 1
    with pytest.raises(PublishFailedError):
        await publisher.send(records(topic, [b"2"]))


async def test_who_waits_when_the_producer_ends_learns_that_it_is_unclear(
    publishers: KafkaPublishers, topic: str
) -> None:
    publisher = await publishers.open()
    waiting = asyncio.create_task(publisher.send(records(topic, numbered(2000, 1000))))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    await publishers.close()
    with pytest.raises(PublishFailedError):
        await waiting


async def test_nobody_there_is_unavailable() -> None:
    publishers = KafkaPublishers(KafkaConnection(bootstrap="127.0.0.1:1"), "none", 1)
    with pytest.raises(LogUnavailableError):
        await publishers.open()


async def test_a_broker_killed_under_load_loses_and_disorders_nothing(
    kafka_cluster: Kafka, namespace: str
) -> None:
    connection = KafkaConnection(bootstrap=kafka_cluster.bootstrap)
    topic = f"{namespace}.effects"
    plan = TopicPlan(name=topic, partitions=PARTITIONS, settings={"min.insync.replicas": "2"})
    async with KafkaTopics(connection) as topics:
        await topics.create(plan, 3)
    publishers = KafkaPublishers(connection, namespace, PARTITIONS)
    try:
        values = numbered(400)
        killing = asyncio.create_task(asyncio.to_thread(kafka_cluster.kill, 1))
        published = await publish_all(publishers, topic, values)
        await killing
        found = await read(connection, topic, len(values) * PARTITIONS)
        for partition in range(PARTITIONS):
            mine = [value for number, value in found if number == partition]
            firsts = list(dict.fromkeys(mine))
            assert firsts == values[: len(firsts)]
        assert published == len(values) * PARTITIONS
    finally:
        await kafka_cluster.restart(1)
        await publishers.close()


async def publish_all(publishers: KafkaPublishers, topic: str, values: Sequence[bytes]) -> int:
    """As the outbox does: a failure begins again at the first record not acknowledged."""

    async def publish(partition: int) -> int:
        start = 0
        while start < len(values):
            publisher = await publishers.open()
            chunk = values[start : start + 10]
            try:
                start += len(await publisher.send(records(topic, chunk, partition)))
            except PublishFailedError as error:
                start += error.acknowledged
        return start

    return sum(await asyncio.gather(*(publish(number) for number in range(PARTITIONS))))


async def test_a_broker_without_producer_ids_is_used_without_them(
    embedded_kafka: Kafka, namespace: str, caplog: pytest.LogCaptureFixture
) -> None:
    connection = KafkaConnection(bootstrap=embedded_kafka.bootstrap)
    topic = await create(connection, f"{namespace}.commands")
    publishers = KafkaPublishers(connection, namespace, PARTITIONS)
    try:
        publisher = await publishers.open()
        found = await publisher.send(records(topic, numbered(500, 2000)))
        assert [each.offset for each in found] == list(range(500))
        assert found[0].timestamp_ms > 1_700_000_000_000
        assert publishers.is_idempotent is False
        await publishers.open()
    finally:
        await publishers.close()
    assert [each for each in caplog.records if each.levelname == "ERROR"] == []
    for word in ("idempotent", "does not stamp"):
        assert len([each for each in caplog.records if word in each.getMessage()]) == 1
