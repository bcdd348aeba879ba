"""What is left of the data of a Redis that is killed, stopped or given an older copy."""

import asyncio
import contextlib
from pathlib import Path

import pytest

from consumers.dev.errors import NotSupportedError
from consumers.dev.process import LOOPBACK, free_port
from consumers.dev.redis_server import Redis, RedisKind, RedisSettings, answers
from consumers.dev.servers import start_redis
from tests.support.servers import StartRedis

SNAPSHOTS = RedisSettings(persistence="snapshots")


async def ask(redis: Redis, command: str) -> str:
    """One inline command, the one line of its reply (of an array: of its last element)."""
    host, port = redis.url.removeprefix("redis://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    with contextlib.closing(writer):
        writer.write(command.encode() + b"\r\n")
        reply = (await reader.readline()).strip()
        if reply.startswith(b"$") and reply != b"$-1":
            reply = (await reader.readline()).strip()
        elif reply.startswith(b"*"):
            *_, reply = [(await reader.readline()).strip() for _ in range(2 * int(reply[1:]))]
    return reply.decode()


async def test_what_was_acknowledged_is_there_after_sigkill(private_redis: StartRedis) -> None:
    redis = await private_redis()
    before = redis.pid
    assert await ask(redis, "SET key value") == "+OK"
    redis.kill()
    assert not await answers(redis.url)
    await redis.start()
    assert redis.pid != before
    assert await ask(redis, "GET key") == "value"


async def test_an_older_copy_of_the_data_is_the_older_state(
    private_redis: StartRedis, tmp_path: Path
) -> None:
    redis = await private_redis()
    await ask(redis, "SET key older")
    redis.copy_data(tmp_path / "copy")
    await ask(redis, "SET key newer")
    redis.kill()
    redis.replace_data(tmp_path / "copy")
    await redis.start()
    assert await ask(redis, "GET key") == "older"


async def test_with_snapshots_sigkill_loses_what_came_after_the_last(
    private_redis: StartRedis,
) -> None:
    redis = await private_redis(SNAPSHOTS)
    await ask(redis, "SET key saved")
    assert await ask(redis, "SAVE") == "+OK"
    await ask(redis, "SET key lost")
    redis.kill()
    await redis.start()
    assert await ask(redis, "GET key") == "saved"


async def test_with_snapshots_an_orderly_stop_saves(private_redis: StartRedis) -> None:
    redis = await private_redis(SNAPSHOTS)
    await ask(redis, "SET key value")
    await redis.stop()
    await redis.start()
    assert await ask(redis, "GET key") == "value"


async def test_every_version_refuses_to_evict_and_keeps_a_log(any_redis: Redis) -> None:
    assert await ask(any_redis, "CONFIG GET maxmemory-policy") == "noeviction"
    assert await ask(any_redis, "CONFIG GET appendonly") == "yes"
    assert await ask(any_redis, "CONFIG GET appendfsync") == "everysec"


async def test_further_settings_reach_the_server(private_redis: StartRedis) -> None:
    redis = await private_redis(RedisSettings(fsync="always", more={"maxmemory": "10mb"}))
    assert await ask(redis, "CONFIG GET appendfsync") == "always"
    assert await ask(redis, "CONFIG GET maxmemory") == str(10 * 1024 * 1024)


async def test_a_unix_socket_serves_as_well(private_redis: StartRedis) -> None:
    redis = await private_redis(RedisSettings(unix_socket=True))
    assert redis.url.startswith("unix:///")
    assert await answers(redis.url)


async def test_a_paused_server_answers_again_when_it_is_resumed(
    private_redis: StartRedis,
) -> None:
    redis = await private_redis()
    redis.pause()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(ask(redis, "PING"), 0.2)
    redis.resume()
    assert await ask(redis, "PING") == "+PONG"


async def test_data_in_a_given_folder_outlive_the_server(
    private_redis: StartRedis, tmp_path: Path
) -> None:
    kind = (await private_redis()).kind
    async with start_redis([kind], folder=tmp_path, say=lambda _: None) as redis:
        await ask(redis, "SET key value")
    assert not await answers(redis.url)
    async with start_redis([kind], folder=tmp_path, say=lambda _: None) as redis:
        assert await ask(redis, "GET key") == "value"


async def test_a_redis_that_was_given_is_left_alone(redis_server: Redis) -> None:
    lines: list[str] = []
    async with start_redis(given=redis_server.url, say=lines.append) as given:
        assert given.kind == RedisKind.GIVEN
        with pytest.raises(NotSupportedError, match="not started by us"):
            given.kill()
        with pytest.raises(NotSupportedError, match="not within reach"):
            _ = given.data_folder
    assert lines == [f"redis: the address given at {redis_server.url}"]
    assert await answers(redis_server.url)


async def test_nobody_answers_where_nobody_listens(tmp_path: Path) -> None:
    assert not await answers(f"redis://{LOOPBACK}:{free_port()}")
    assert not await answers(f"unix://{tmp_path}/redis.sock")
    assert not await answers("redis://localhost:no-port")
