"""The stores that the contract is held against, and what a test may do behind their back."""

import secrets
from collections.abc import AsyncIterator
from typing import Protocol

import pytest
import pytest_asyncio
import redis as redis_py

from consumers.dev.redis_server import Redis, RedisKind
from consumers.dev.servers import start_redis
from storage.keys import PartitionKeys
from storage.memory_store import ListValue, MemoryKeyspace, MemoryStore
from storage.ports import Store
from storage.redis_store import RedisStore, Timeouts, connect_store
from tests.support.servers import required, taken

QUICK = Timeouts(connect_s=2.0, request_s=5.0)


class Bench(Protocol):
    """A store under test. `connect` gives another client of the same server."""

    namespace: str

    async def connect(self) -> Store: ...
    def plant_list(self, key: str) -> None: ...
    def plant_string(self, key: str) -> None: ...


class MemoryBench:
    def __init__(self) -> None:
        self.namespace = "contract"
        self._keyspace = MemoryKeyspace()

    async def connect(self) -> Store:
        return MemoryStore(self._keyspace, self.namespace)

    def plant_list(self, key: str) -> None:
        self._keyspace.set(key, ListValue((b"planted",)))

    def plant_string(self, key: str) -> None:
        self._keyspace.set(key, b"planted")


class RedisBench:
    """`admin` is a client that is not ours; every test has a namespace of its own."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.namespace = f"t{secrets.token_hex(6)}"
        self.admin = redis_py.Redis.from_url(url, protocol=2)
        self._stores: list[RedisStore] = []

    async def connect(self, timeouts: Timeouts = QUICK, url: str | None = None) -> RedisStore:
        store = await connect_store(url or self.url, self.namespace, timeouts)
        self._stores.append(store)
        return store

    def keys(self, partition: int = 0) -> PartitionKeys:
        return PartitionKeys(self.namespace, partition)

    def plant_list(self, key: str) -> None:
        self.admin.rpush(key, "planted")

    def plant_string(self, key: str) -> None:
        self.admin.set(key, "planted")

    def kill_connections(self) -> None:
        """Every connection but the admin's own."""
        self.admin.client_kill_filter(_type="normal", skipme=True)

    async def close(self) -> None:
        for store in self._stores:
            await store.close()
        self.admin.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def redis_6() -> AsyncIterator[Redis]:
    async with required(start_redis([RedisKind.WHEEL], say=taken.append)) as found:
        yield found


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def redis_8() -> AsyncIterator[Redis]:
    async with required(start_redis([RedisKind.WHEEL_8], say=taken.append)) as found:
        yield found


@pytest.fixture(
    params=[
        pytest.param(None, id="memory"),
        pytest.param("redis_6", id="redis-6", marks=pytest.mark.redis),
        pytest.param("redis_8", id="redis-8", marks=pytest.mark.redis),
    ]
)
def server(request: pytest.FixtureRequest) -> Redis | None:
    """None: the in-memory twin."""
    if request.param is None:
        return None
    found: Redis = request.getfixturevalue(request.param)
    return found


@pytest.fixture
async def bench(server: Redis | None) -> AsyncIterator[Bench]:
    if server is None:
        yield MemoryBench()
        return
    found = RedisBench(server.url)
    yield found
    await found.close()


@pytest.fixture
async def store(bench: Bench) -> Store:
    return await bench.connect()


@pytest.fixture
async def redis_bench(any_redis: Redis) -> AsyncIterator[RedisBench]:
    found = RedisBench(any_redis.url)
    yield found
    await found.close()
