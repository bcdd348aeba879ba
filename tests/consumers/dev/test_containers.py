"""Servers in Docker: killed and started again; and what is said without an engine."""

import asyncio
import socket
from pathlib import Path

import pytest

from consumers.dev.containers import answers_at, require_docker
from consumers.dev.errors import UnavailableError
from consumers.dev.kafka_server import KafkaKind
from consumers.dev.redis_server import RedisKind, answers
from consumers.dev.servers import start_kafka, start_redis
from tests.support.servers import taken


@pytest.fixture
def docker_engine() -> None:
    """Docker is one way of several to get servers, so its absence skips even where CI is set."""
    try:
        require_docker()
    except UnavailableError as absent:
        pytest.skip(str(absent))


def test_a_socket_without_an_engine_is_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "s"
    assert not answers_at(f"unix://{path}")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        assert not answers_at(f"unix://{path}")
        listener.listen()
        assert answers_at(f"unix://{path}")
    assert not answers_at("tcp://127.0.0.1:1")
    assert not answers_at("nonsense")


def test_without_an_engine_the_address_that_was_asked_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:1")
    with pytest.raises(UnavailableError, match=r"no Docker engine answers at tcp://127\.0\.0\.1:1"):
        require_docker()


@pytest.mark.docker
@pytest.mark.usefixtures("docker_engine")
async def test_servers_in_docker_can_be_killed_and_restarted() -> None:
    kafka_in_docker = start_kafka([KafkaKind.DOCKER], say=taken.append)
    redis_in_docker = start_redis([RedisKind.DOCKER], say=taken.append)
    async with kafka_in_docker as kafka, redis_in_docker as redis:
        kafka.kill()
        redis.kill()
        assert not await answers(redis.url)
        await asyncio.gather(kafka.restart(), redis.start())
