"""The demo's checks find what they are to find: second contents, missing ends, rows left."""

from collections.abc import Sequence
from contextlib import closing

import pytest
from aiokafka import AIOKafkaProducer

from consumers.config import read_config
from consumers.dev.kafka_server import Kafka
from consumers.dev.redis_server import Redis
from consumers.init import initialise
from examples import checks
from examples.checks import CheckFailed, check_effects, check_nothing_left
from tests.support.stored import Stored

COMPLETED = "InstanceCompleted"


async def published(kafka: Kafka, topic: str, effects: Sequence[tuple[str, str, str]]) -> None:
    """Effects of one instance `a`, as id, type and content."""
    producer = AIOKafkaProducer(bootstrap_servers=kafka.bootstrap)
    await producer.start()
    try:
        for effect_id, kind, content in effects:
            headers = [
                ("ce_id", effect_id.encode()),
                ("ce_type", f"torpor.effect.{kind}".encode()),
                ("ce_subject", b"a"),
            ]
            await producer.send_and_wait(topic, content.encode(), partition=0, headers=headers)
    finally:
        await producer.stop()


@pytest.fixture
async def initialised(kafka: Kafka, redis_server: Redis, namespace: str) -> str:
    config = read_config({}, kafka=kafka.bootstrap, redis=redis_server.url, namespace=namespace)
    await initialise(config, 1)
    return namespace


async def test_copies_of_an_effect_are_counted_and_allowed(kafka: Kafka, initialised: str) -> None:
    effects = [("0-1-0", "InstanceStarted", "x"), ("0-2-0", COMPLETED, "y")]
    await published(kafka, f"{initialised}.effects", [*effects, *effects])
    said: list[str] = []
    await check_effects(kafka.bootstrap, initialised, ["a"], said.append)
    assert said == ["checked  2 effects, each with one id and one content (2 copies)"]


async def test_a_second_content_of_one_id_is_a_failure(kafka: Kafka, initialised: str) -> None:
    await published(kafka, f"{initialised}.effects", [("0-1-0", "x", "1"), ("0-1-0", "x", "2")])
    with pytest.raises(CheckFailed, match="the effect 0-1-0 has two contents"):
        await check_effects(kafka.bootstrap, initialised, [], print)


@pytest.mark.parametrize("ends", [0, 2])
async def test_every_instance_has_one_end(kafka: Kafka, initialised: str, ends: int) -> None:
    effects = [(f"0-{number}-0", COMPLETED, "end") for number in range(ends)]
    await published(kafka, f"{initialised}.effects", [("9-9-9", "x", "x"), *effects])
    with pytest.raises(CheckFailed, match="expected one end for each"):
        await check_effects(kafka.bootstrap, initialised, ["a"], print)


async def test_a_row_that_stays_is_a_failure_with_its_name(
    redis_server: Redis, initialised: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    await check_nothing_left(redis_server.url, initialised, 1, said.append)
    assert len(said) == 1
    monkeypatch.setattr(checks, "PATIENCE_S", 0.2)
    stored = Stored(redis_server.url, initialised, 1)
    with closing(stored):
        stored.client.zadd(stored.partitions[0].timers, {"a:1": 7})
    with pytest.raises(CheckFailed, match=r"rows are left in Redis: .*timers.*: 1"):
        await check_nothing_left(redis_server.url, initialised, 1, said.append)
