"""Kafka and Valkey as containers, with the settings that the same servers get without Docker."""

from typing import TYPE_CHECKING

from consumers.dev.apache_kafka import SETTINGS, kafka_version
from consumers.dev.containers import ServerContainer, require_docker
from consumers.dev.errors import UnavailableError
from consumers.dev.kafka_server import Kafka, KafkaKind, KafkaWanted
from consumers.dev.process import free_port
from consumers.dev.redis_server import Redis, RedisKind, RedisWanted

if TYPE_CHECKING:
    from testcontainers.core.container import DockerContainer

VALKEY_IMAGE = "valkey/valkey:8.1"
CONTROLLER_PORT = 9093
REDIS_PORT = 6379


async def docker_kafka(wanted: KafkaWanted) -> Kafka:
    """Raises UnavailableError without a Docker engine, or when more than one broker is wanted."""
    if wanted.brokers != 1:
        raise UnavailableError("one broker only; several are run from Maven's jars")
    host = require_docker()
    version = kafka_version(SETTINGS / "pom.xml")
    image = f"apache/kafka:{version}"
    # The same port inside and outside: a broker tells its clients where to find it.
    port = free_port()
    container = new_container(image).with_bind_ports(port, port)
    for name, value in broker_settings(host, port).items():
        container.with_env("KAFKA_" + name.upper().replace(".", "_"), value)
    server = ServerContainer(f"the container of {image}", container)
    kafka = Kafka(KafkaKind.DOCKER, f"{image} in Docker", [f"{host}:{port}"], [server])
    try:
        await kafka.start()
    except BaseException:
        kafka.end()
        raise
    return kafka


def broker_settings(host: str, port: int) -> dict[str, str]:
    """The common settings, and what a single broker in a container adds."""
    lines = (SETTINGS / "server.properties").read_text().splitlines()
    common = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    return common | {
        "node.id": "1",
        "controller.quorum.voters": f"1@localhost:{CONTROLLER_PORT}",
        "listeners": f"PLAINTEXT://:{port},CONTROLLER://:{CONTROLLER_PORT}",
        "advertised.listeners": f"PLAINTEXT://{host}:{port}",
        "offsets.topic.replication.factor": "1",
        "transaction.state.log.replication.factor": "1",
        "transaction.state.log.min.isr": "1",
        "share.coordinator.state.topic.replication.factor": "1",
        "share.coordinator.state.topic.min.isr": "1",
    }


async def docker_redis(wanted: RedisWanted) -> Redis:
    """Raises UnavailableError without a Docker engine. The data folder is not within reach."""
    host = require_docker()
    port = free_port()
    container = new_container(VALKEY_IMAGE).with_bind_ports(REDIS_PORT, port)
    container.with_command(["valkey-server", *wanted.settings.arguments()])
    server = ServerContainer(f"the container of {VALKEY_IMAGE}", container)
    redis = Redis(RedisKind.DOCKER, f"{VALKEY_IMAGE} in Docker", f"redis://{host}:{port}", server)
    try:
        await redis.start()
    except BaseException:
        redis.end()
        raise
    return redis


def new_container(image: str) -> "DockerContainer":
    from testcontainers.core.container import DockerContainer  # noqa: PLC0415 - installed for tests only

    return DockerContainer(image)
