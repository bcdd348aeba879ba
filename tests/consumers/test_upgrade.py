"""The secrets of a namespace, on real servers: made, kept, lost, given back, replaced."""

import json
from pathlib import Path

import pytest
import redis as redis_py
from aiokafka import AIOKafkaProducer
from msgspec.structs import replace

from consumers.config import Config, read_config
from consumers.dev.kafka_server import Kafka
from consumers.dev.redis_server import Redis
from consumers.init import initialise
from consumers.namespace import NamespaceError, NamespaceRecord
from consumers.secret_file import SecretSource, read_secrets
from consumers.upgrade import upgrade
from schemas.frames import Frame
from schemas.seals import Epoch
from storage.keys import namespace_key
from tests.support.stored import namespace_record

PARTITIONS = 2
TRUSTING = SecretSource(trust_log=True)


@pytest.fixture
def config(kafka: Kafka, redis_server: Redis, namespace: str) -> Config:
    return read_config(
        {}, kafka=kafka.bootstrap, redis=redis_server.url, namespace=namespace, http="127.0.0.1:0"
    )


@pytest.fixture
def kept(tmp_path: Path) -> SecretSource:
    return SecretSource(file=tmp_path / "secrets.json")


async def stored(config: Config) -> NamespaceRecord:
    return await namespace_record(config.redis, config.namespace)


async def epochs(config: Config) -> tuple[Epoch, ...]:
    return (await stored(config)).epochs


def change(config: Config, **fields: bytes | None) -> None:
    """What the record in Redis has in these fields; None: it has them no more."""
    client = redis_py.Redis.from_url(config.redis, protocol=2)
    for name, value in fields.items():
        key = namespace_key(config.namespace)
        client.hdel(key, name) if value is None else client.hset(key, name, value)
    client.close()


def lose(config: Config) -> None:
    """Redis forgets the namespace."""
    client = redis_py.Redis.from_url(config.redis, protocol=2)
    keys = [*client.scan_iter(f"{{{config.namespace}:*"), namespace_key(config.namespace)]
    client.delete(*keys)
    client.close()


async def command(config: Config) -> None:
    """One more record on partition 0 of the log."""
    producer = AIOKafkaProducer(bootstrap_servers=config.kafka.bootstrap)
    async with producer:
        await producer.send_and_wait(f"{config.namespace}.commands", b"{}", partition=0)


async def test_init_makes_a_secret_and_tells_it_to_nobody(config: Config) -> None:
    made = await initialise(config, PARTITIONS)
    (epoch,) = await epochs(config)
    assert epoch.since == (0, 0)
    assert epoch.secret is not None
    assert "secrets that seal what engines send" in made.created
    shown = json.dumps([str(made), repr(await stored(config))])
    assert epoch.secret.hex() not in shown
    assert repr(epoch.secret)[2:12] not in shown
    await initialise(config)
    assert await epochs(config) == (epoch,)


async def test_a_lost_redis_gets_its_secrets_back_from_the_file(
    config: Config, kept: SecretSource
) -> None:
    made = await initialise(config, PARTITIONS, secrets=kept)
    assert f"a copy of the secrets in {kept.file}" in made.created
    before = await epochs(config)
    await command(config)
    lose(config)
    again = await initialise(config, PARTITIONS, secrets=kept)
    assert f"a copy of the secrets in {kept.file}" in again.found
    assert await epochs(config) == before


async def test_what_was_fixed_at_first_comes_back_from_the_file_and_is_not_given_otherwise(
    config: Config, kept: SecretSource
) -> None:
    await initialise(config, PARTITIONS, Frame.JSON, "Europe/Berlin", kept)
    before = await stored(config)
    await command(config)
    lose(config)
    with pytest.raises(NamespaceError, match="has the time zone Europe/Berlin") as refused:
        await initialise(config, zone="UTC", secrets=kept)
    assert str(kept.file) in str(refused.value)
    with pytest.raises(NamespaceError, match="has the frame json"):
        await initialise(config, frame=Frame.SINGLE_OBJECT, secrets=kept)
    with pytest.raises(NamespaceError, match="has 2 partitions, which cannot be changed to 3"):
        await initialise(config, 3, secrets=kept)
    again = await initialise(config, secrets=kept)
    assert any(f"as {kept.file} says" in what for what in again.created)
    assert await stored(config) == before


async def test_a_file_of_secrets_that_is_not_there_is_said_when_it_is_needed(
    config: Config, kept: SecretSource
) -> None:
    await initialise(config, PARTITIONS)
    await command(config)
    lose(config)
    with pytest.raises(NamespaceError, match=f"{kept.file} does not exist"):
        await initialise(config, PARTITIONS, secrets=kept)
    assert kept.file is not None
    assert not kept.file.exists()


async def test_without_its_secrets_a_log_is_not_applied_unless_it_is_trusted(
    config: Config,
) -> None:
    await initialise(config, PARTITIONS)
    (lost,) = await epochs(config)
    await command(config)
    lose(config)
    with pytest.raises(NamespaceError, match="--trust-log"):
        await initialise(config, PARTITIONS)
    await initialise(config, PARTITIONS, secrets=TRUSTING)
    trusting, sealing = await epochs(config)
    assert (trusting.since, trusting.secret) == ((0, 0), None)
    assert sealing.since == (1, 0)
    assert sealing.secret not in {None, lost.secret}


async def test_an_empty_log_needs_no_trust(config: Config) -> None:
    await initialise(config, PARTITIONS)
    lose(config)
    assert len((await initialise(config, PARTITIONS)).created) == 3
    assert len(await epochs(config)) == 1


async def test_the_copy_of_a_namespace_that_is_there_may_be_made_later(
    config: Config, kept: SecretSource
) -> None:
    await initialise(config, PARTITIONS)
    await initialise(config, secrets=kept)
    assert read_secrets(kept.file, config.namespace, PARTITIONS) == await epochs(config)


async def test_a_namespace_of_an_older_version_stays_as_it_is_until_it_is_upgraded(
    config: Config, kept: SecretSource
) -> None:
    await initialise(config, PARTITIONS)
    change(config, format=b"1", epochs=None)
    await command(config)
    found = (await initialise(config, secrets=kept)).found
    assert any("torpor upgrade" in what for what in found)
    assert (await stored(config)).format == 1
    done = await upgrade(config, secrets=kept)
    assert len(done.changed) == 2
    record = await stored(config)
    assert record.format == 2
    assert [(each.since, each.secret is None) for each in record.epochs] == [
        ((0, 0), True),
        ((1, 0), False),
    ]
    assert read_secrets(kept.file, config.namespace, PARTITIONS) == record.epochs
    assert (await upgrade(config, secrets=kept)).changed == ()


async def test_a_secret_is_replaced_from_the_log_s_end_on(
    config: Config, kept: SecretSource
) -> None:
    await initialise(config, PARTITIONS, secrets=kept)
    (first,) = await epochs(config)
    await command(config)
    await upgrade(config, rotate=True, secrets=kept)
    before, second = await epochs(config)
    assert before == first
    assert second.since == (1, 0)
    assert second.secret != first.secret
    assert read_secrets(kept.file, config.namespace, PARTITIONS) == (first, second)


async def test_a_redis_from_before_a_secret_was_replaced_gets_it_from_the_file(
    config: Config, kept: SecretSource
) -> None:
    await initialise(config, PARTITIONS, secrets=kept)
    (first,) = await epochs(config)
    await command(config)
    await upgrade(config, rotate=True, secrets=kept)
    latest = await epochs(config)
    change(config, epochs=replace(await stored(config), epochs=(first,)).fields()["epochs"])
    with pytest.raises(NamespaceError, match="torpor upgrade"):
        await initialise(config, secrets=kept)
    assert (await upgrade(config, secrets=kept)).changed == ("secrets that Redis had lost",)
    assert await epochs(config) == latest


async def test_what_is_not_registered_is_not_upgraded(config: Config) -> None:
    with pytest.raises(NamespaceError, match="torpor init"):
        await upgrade(config)


async def test_trusting_the_log_begins_anew(config: Config, kept: SecretSource) -> None:
    await initialise(config, PARTITIONS, secrets=kept)
    await command(config)
    await upgrade(config, secrets=replace(kept, trust_log=True))
    trusting, sealing = await epochs(config)
    assert (trusting.secret, sealing.since) == (None, (1, 0))
    assert read_secrets(kept.file, config.namespace, PARTITIONS) == (trusting, sealing)
