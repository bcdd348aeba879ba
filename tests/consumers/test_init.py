"""`init` on real servers: what it makes, what it finds, what it refuses."""

import asyncio

import pytest
import redis as redis_py
from msgspec.structs import replace

from consumers.app import checked, open_engine
from consumers.config import Config, read_config
from consumers.dev.kafka_server import Kafka
from consumers.dev.redis_server import Redis
from consumers.init import initialise
from consumers.kafka_connection import KafkaConnection
from consumers.kafka_reader import keys_of
from consumers.kafka_topics import KafkaTopics, TopicPlan
from consumers.namespace import NamespaceError
from consumers.start_checks import StartError
from schemas.catalogue import published_schemas
from schemas.frames import Frame
from storage.errors import StoreUnavailableError
from storage.keys import PartitionKeys, namespace_key
from storage.redis_store import connect_store


@pytest.fixture
def config(kafka: Kafka, redis_server: Redis, namespace: str) -> Config:
    return read_config(
        {}, kafka=kafka.bootstrap, redis=redis_server.url, namespace=namespace, http="127.0.0.1:0"
    )


async def check(config: Config) -> None:
    store = await connect_store(config.redis, config.namespace)
    try:
        await checked(config, store)
    finally:
        await store.close()


async def test_what_is_missing_is_made_and_then_found(config: Config) -> None:
    with pytest.raises(StartError, match="torpor init"):
        await check(config)
    made = await initialise(config, 4)
    assert made.partitions == 4
    assert made.zone == "UTC"
    assert made.found == ()
    assert f"topic {config.namespace}.commands, 4 partitions" in made.created
    assert "fences of 4 partitions" in made.created
    again = await initialise(config)
    assert again.partitions == 4
    assert again.created == ()
    assert again.found == made.created
    await check(config)
    schemas = await keys_of(config.kafka, f"{config.namespace}.schemas")
    assert schemas == {fingerprint.encode() for fingerprint in published_schemas()}


async def test_topics_are_as_the_wire_says(config: Config) -> None:
    await initialise(config, 4)
    names = [f"{config.namespace}.{kind}" for kind in ("commands", "tasks", "replies", "jobs")]
    async with KafkaTopics(config.kafka) as topics:
        found = await topics.find(names)
    commands, tasks, replies, jobs = (found[name].settings for name in names)
    assert commands is not None
    assert commands["message.timestamp.type"] == "LogAppendTime"
    assert commands["cleanup.policy"] == "delete"
    assert commands["retention.ms"] == str(7 * 24 * 3600 * 1000)
    assert commands["max.message.bytes"] == str(2 * 1024 * 1024)
    assert commands["unclean.leader.election.enable"] == "false"
    assert tasks is not None
    assert tasks["cleanup.policy"] == "compact"
    assert replies is not None
    assert replies["retention.ms"] == str(3600 * 1000)
    assert jobs is not None
    assert jobs["retention.ms"] == "-1"


async def test_two_at_once_make_one_namespace(config: Config) -> None:
    results = await asyncio.gather(initialise(config, 4), initialise(config, 4))
    created = [what for result in results for what in result.created]
    name = f"namespace {config.namespace}, 4 partitions, time zone UTC"
    assert created.count(name) == 1
    await check(config)


async def test_another_number_of_partitions_is_refused(config: Config) -> None:
    await initialise(config, 4)
    with pytest.raises(NamespaceError, match="cannot be changed to 8"):
        await initialise(config, 8)
    with pytest.raises(NamespaceError, match="1 to"):
        await initialise(config, 0)


async def test_a_topic_with_other_partitions_is_refused_before_anything_is_written(
    config: Config,
) -> None:
    name = f"{config.namespace}.commands"
    async with KafkaTopics(config.kafka) as topics:
        await topics.create(TopicPlan(name=name, partitions=3, settings={}), 1)
    with pytest.raises(NamespaceError, match="--partitions 3") as refused:
        await initialise(config, 4)
    assert "delete" not in str(refused.value), "it may be the log of a Redis that was lost"
    store = await connect_store(config.redis, config.namespace)
    assert await store.fences([0, 1]) == [None, None]
    await store.close()
    # The topic's own number is possible, but its timestamps are not what the engine needs.
    await initialise(config, 3)
    with pytest.raises(StartError, match="LogAppendTime"):
        await check(config)


async def test_a_fence_that_was_lost_is_not_written_anew_over_data(config: Config) -> None:
    await initialise(config, 2)
    keys = PartitionKeys(config.namespace, 1)
    admin = redis_py.Redis.from_url(config.redis, protocol=2)
    admin.delete(keys.fence)
    assert "fences of 1 partitions" in (await initialise(config)).created
    admin.rpush(keys.outbox, "entry")
    admin.delete(keys.fence)
    with pytest.raises(NamespaceError, match="no fence"):
        await initialise(config)
    admin.close()


async def test_a_record_of_a_newer_version_or_of_nobody_is_refused(config: Config) -> None:
    await initialise(config, 2)
    admin = redis_py.Redis.from_url(config.redis, protocol=2)
    admin.hset(namespace_key(config.namespace), "format", "99")
    with pytest.raises(NamespaceError, match="newer version"):
        await check(config)
    admin.hset(namespace_key(config.namespace), "format", "one")
    with pytest.raises(NamespaceError, match="cannot be read"):
        await initialise(config)
    admin.close()


async def test_a_namespace_has_its_time_zone_from_the_first_init_on(config: Config) -> None:
    assert (await initialise(config, 2, zone="Europe/Berlin")).zone == "Europe/Berlin"
    assert (await initialise(config)).zone == "Europe/Berlin"
    async with open_engine(config) as engine:
        assert engine.settings.zone == "Europe/Berlin"
    with pytest.raises(NamespaceError, match="cannot be changed to UTC"):
        await initialise(config, zone="UTC")


async def test_a_time_zone_that_nobody_knows_is_refused(config: Config) -> None:
    with pytest.raises(NamespaceError, match="Mars/Olympus"):
        await initialise(config, 2, zone="Mars/Olympus")


async def test_a_frame_without_its_registry_is_refused(config: Config) -> None:
    with pytest.raises(NamespaceError, match="registry"):
        await initialise(config, 2, Frame.CONFLUENT)
    assert (await initialise(config, 2, Frame.JSON)).frame == "json"
    assert (await initialise(config)).frame == "json"
    with pytest.raises(NamespaceError, match="has the frame json, which cannot be changed to"):
        await initialise(config, frame=Frame.SINGLE_OBJECT)


async def test_servers_that_are_away_are_said(config: Config) -> None:
    with pytest.raises(StoreUnavailableError):
        await initialise(replace(config, redis="redis://127.0.0.1:1"))


async def test_the_embedded_broker_is_prepared_as_well(
    embedded_kafka: Kafka, redis_server: Redis, namespace: str
) -> None:
    connection = KafkaConnection(bootstrap=embedded_kafka.bootstrap)
    config = Config(kafka=connection, redis=redis_server.url, namespace=namespace)
    assert "fences of 4 partitions" in (await initialise(config, 4)).created
    assert (await initialise(config)).created == ()
    await check(config)
