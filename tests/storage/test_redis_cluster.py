"""The store on a Redis Cluster of three masters: slots that move, masters that die."""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from redis.crc import key_slot

from consumers.dev.redis_server import RedisKind
from storage.errors import FenceLostError, StoreUnavailableError
from storage.keys import PartitionKeys
from storage.ports import Get, ListRange, Loaded, Push, Put
from storage.redis_store import RedisStore, Timeouts, connect_store
from tests.support.fences import commit_of, fence
from tests.support.redis_cluster import RedisCluster, redis_cluster

pytestmark = pytest.mark.redis

START = fence(0)
PARTITIONS = range(24)


@pytest_asyncio.fixture(
    scope="module",
    loop_scope="module",
    params=[RedisKind.WHEEL, RedisKind.WHEEL_8],
    ids=["redis-6", "redis-8"],
)
async def cluster(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[RedisCluster]:
    folder: Path = tmp_path_factory.mktemp("cluster")
    async with redis_cluster(folder, request.param) as found:
        yield found


@pytest.fixture
async def store(cluster: RedisCluster, namespace: str) -> AsyncIterator[RedisStore]:
    """Found by the address of one of its servers; every partition has its first fence."""
    timeouts = Timeouts(connect_s=2, request_s=3)
    store = await connect_store(cluster.url, namespace, timeouts)
    for partition in PARTITIONS:
        assert await store.initialise(partition, START)
    yield store
    await store.close()


async def load_when_available(store: RedisStore, partition: int) -> Loaded:
    deadline = time.monotonic() + 20
    while True:
        try:
            return await store.load(partition)
        except StoreUnavailableError:
            assert time.monotonic() < deadline
            await asyncio.sleep(0.05)


async def test_the_address_of_a_plain_server_is_taken_for_its_cluster(store: RedisStore) -> None:
    assert store.is_cluster
    assert len(await store.facts()) == 3


async def test_partitions_lie_on_all_masters_and_commit_at_once(
    cluster: RedisCluster, store: RedisStore, namespace: str
) -> None:
    keys = [PartitionKeys(namespace, partition) for partition in PARTITIONS]
    owners = {cluster.owner_of(key_slot(one.fence.encode())) for one in keys}
    assert owners == {0, 1, 2}
    stale = commit_of(fence(9), Push(keys[3].outbox, (b"zombie",)), partition=3)
    commits = [
        commit_of(
            START,
            Put(one.state("i"), b"x"),
            Push(one.outbox, (str(one.partition).encode(),)),
            partition=one.partition,
        )
        for one in keys
    ]
    commits[3] = stale
    outcomes = await asyncio.gather(*map(store.commit, commits), return_exceptions=True)
    assert isinstance(outcomes.pop(3), FenceLostError)
    assert set(outcomes) == {None}
    fences = await store.fences(PARTITIONS)
    assert fences == [START if n == 3 else commits[n].fence for n in PARTITIONS]
    answers = await store.query([ListRange(one.outbox, 0, -1) for one in keys])
    assert answers == [[] if n == 3 else [str(n).encode()] for n in PARTITIONS]


async def test_a_slot_that_moved_is_unavailable_once_and_found_again(
    cluster: RedisCluster, store: RedisStore, namespace: str
) -> None:
    keys = PartitionKeys(namespace, 0)
    first = commit_of(START, Push(keys.outbox, (b"e1",)), Put(keys.state("i"), b"x"))
    await store.commit(first)
    assert await store.read(0, first.fence, [Get(keys.state("i"))]) == [b"x"]
    slot = key_slot(keys.fence.encode())
    source = cluster.owner_of(slot)
    target = (source + 1) % 3
    cluster.move(slot, source, target)
    second = commit_of(first.fence, Push(keys.outbox, (b"e2",)), name="2" * 16)
    try:
        with pytest.raises(StoreUnavailableError, match="MOVED"):
            await store.commit(second)
        loaded = await load_when_available(store, 0)
        assert loaded.fence == first.fence
        await store.commit(second)
        assert (await store.load(0)).outbox == (b"e1", b"e2")
    finally:
        cluster.move(slot, target, source)


async def test_a_connection_killed_after_watch_does_not_commit_over_another_owner(
    cluster: RedisCluster, store: RedisStore, namespace: str
) -> None:
    outbox = PartitionKeys(namespace, 1).outbox
    await store.read(1, START, [])
    for admin in cluster.admins:
        admin.client_kill_filter(_type="normal", skipme=True)
    other = await connect_store(cluster.url, namespace)
    theirs = commit_of(START, Push(outbox, (b"theirs",)), partition=1, name="a" * 16)
    await other.commit(theirs)
    await other.close()
    mine = commit_of(START, Push(outbox, (b"zombie",)), partition=1, name="b" * 16)
    with pytest.raises((StoreUnavailableError, FenceLostError)):
        await store.commit(mine)
    loaded = await load_when_available(store, 1)
    assert loaded.fence == theirs.fence
    assert loaded.outbox == (b"theirs",)


async def test_a_master_that_is_away_holds_up_its_own_partitions_only(
    cluster: RedisCluster, store: RedisStore, namespace: str
) -> None:
    """The cluster calls itself down without a slot's master; what matters is that it comes back."""
    owner_of = {
        n: cluster.owner_of(key_slot(PartitionKeys(namespace, n).fence.encode()))
        for n in PARTITIONS
    }
    mine = next(n for n in PARTITIONS if owner_of[n] == 2)
    server = cluster.servers[2]
    server.kill()
    with pytest.raises(StoreUnavailableError):
        await store.load(mine)
    await server.start()
    assert (await load_when_available(store, mine)).fence == START
    for partition in PARTITIONS:
        assert (await load_when_available(store, partition)).fence == START
