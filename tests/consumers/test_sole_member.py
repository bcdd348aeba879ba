"""Whether engines run is told from who answers, on a broker that keeps the dead in its lists."""

import pytest

from consumers.config import read_config
from consumers.dev.environment import DevEnvironment, DevOptions
from consumers.dev.kafka_server import Kafka
from consumers.dev.redis_server import Redis
from consumers.kafka_topics import KafkaTopics
from consumers.namespace import NamespaceError, engines_of
from consumers.upgrade import upgrade

SEALED_ANEW = "another secret that seals what engines send"


@pytest.mark.slow
async def test_on_the_embedded_broker_a_secret_is_replaced_once_the_last_engine_is_killed(
    embedded_kafka: Kafka, redis_server: Redis, namespace: str
) -> None:
    options = DevOptions(
        kafka=embedded_kafka.bootstrap,
        redis=redis_server.url,
        namespace=namespace,
        partitions=4,
        engines=2,
        variables={"TORPOR_SESSION_MS": "6000"},
    )
    config = read_config(
        {},
        kafka=embedded_kafka.bootstrap,
        redis=redis_server.url,
        namespace=namespace,
        http="127.0.0.1:0",
    )
    async with DevEnvironment(options, lambda _: None) as environment:
        first, second = environment.engines
        killed = first.pid
        first.kill()
        with pytest.raises(NamespaceError, match="are running") as refused:
            await upgrade(config, rotate=True)
        assert f"-{second.pid}-" in str(refused.value), "who is to be stopped is named"
        assert f"-{killed}-" not in str(refused.value)
        await second.wait_ready()
        second.kill()
        async with KafkaTopics(config.kafka) as topics:
            assert await topics.members(engines_of(namespace)), "the broker lists the dead"
        assert SEALED_ANEW in (await upgrade(config, rotate=True)).changed
        again = environment.add_engine()
        await again.wait_ready()
        assert SEALED_ANEW in (await upgrade(config, rotate=True, force=True)).changed
