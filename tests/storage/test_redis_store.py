"""The store on real servers that fail: connections, replies, memory, files, scripts, speed."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio
import redis as redis_py

from consumers.dev.redis_server import Redis, RedisKind, RedisSettings
from storage.errors import FenceLostError, PartitionHaltedError, StoreUnavailableError
from storage.ports import Get, Push, Put, TrimHead
from storage.redis_store import RedisStore, Timeouts
from tests.storage.conftest import RedisBench
from tests.support.fences import commit_of, fence
from tests.support.redis_gate import RedisGate, Side
from tests.support.servers import StartRedis

pytestmark = pytest.mark.redis

START = fence(0)
BOTH = pytest.mark.parametrize(
    "kind", [RedisKind.WHEEL, RedisKind.WHEEL_8], ids=["redis-6", "redis-8"]
)


@pytest_asyncio.fixture
async def store(redis_bench: RedisBench) -> RedisStore:
    """A store whose partition 0 has its first fence."""
    store = await redis_bench.connect()
    await store.initialise(0, START)
    return store


@asynccontextmanager
async def bench_of(server: Redis) -> AsyncIterator[RedisBench]:
    bench = RedisBench(server.url)
    try:
        yield bench
    finally:
        await bench.close()


async def until_available(ask: Callable[[], Awaitable[object]], seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while True:
        try:
            await ask()
        except StoreUnavailableError:
            assert time.monotonic() < deadline
            await asyncio.sleep(0.02)
        else:
            return


async def test_a_connection_killed_after_watch_does_not_commit_over_another_owner(
    redis_bench: RedisBench, store: RedisStore
) -> None:
    outbox = redis_bench.keys().outbox
    await store.read(0, START, [])  # the fence is watched from here on
    redis_bench.kill_connections()
    other = await redis_bench.connect()
    theirs = commit_of(START, Push(outbox, (b"theirs",)), name="a" * 16)
    await other.commit(theirs)
    with pytest.raises((StoreUnavailableError, FenceLostError)):
        await store.commit(commit_of(START, Push(outbox, (b"zombie",)), name="b" * 16))
    loaded = await store.load(0)
    assert loaded.fence == theirs.fence
    assert loaded.outbox == (b"theirs",)


async def test_a_connection_killed_between_read_and_commit_is_an_unclear_outcome(
    redis_bench: RedisBench, store: RedisStore
) -> None:
    outbox = redis_bench.keys().outbox
    await store.read(0, START, [Get(outbox)])
    redis_bench.kill_connections()
    commit = commit_of(START, Push(outbox, (b"e1",)))
    with pytest.raises(StoreUnavailableError):
        await store.commit(commit)
    assert (await store.load(0)).fence == START
    await store.commit(commit)
    assert (await store.load(0)).outbox == (b"e1",)


async def test_a_foreign_commit_after_watch_is_refused_by_the_server(
    redis_bench: RedisBench, store: RedisStore
) -> None:
    """The watch fires; the partitions that travel along are written all the same."""
    await store.initialise(1, START)
    for partition in (0, 1):
        await store.read(partition, START, [])
    other = await redis_bench.connect()
    theirs = commit_of(START, name="a" * 16)
    await other.commit(theirs)
    lost, written = await asyncio.gather(
        store.commit(commit_of(START, name="b" * 16)),
        store.commit(commit_of(START, partition=1)),
        return_exceptions=True,
    )
    assert isinstance(lost, FenceLostError)
    assert written is None
    assert await store.fences([0, 1]) == [theirs.fence, commit_of(START, partition=1).fence]


async def test_a_lost_reply_is_an_unclear_outcome_and_the_commit_is_written_once(
    redis_bench: RedisBench, store: RedisStore
) -> None:
    outbox = redis_bench.keys().outbox
    async with RedisGate(redis_bench.url) as gate:
        behind = await redis_bench.connect(url=gate.url)
        await behind.read(0, START, [])
        commit = commit_of(START, Push(outbox, (b"e1",)))
        gate.close(Side.AFTER_EXEC)
        written = asyncio.create_task(behind.commit(commit))
        await gate.reached()
        gate.cut()
        with pytest.raises(StoreUnavailableError):
            await written
        loaded = await behind.load(0)
        assert loaded.fence == commit.fence
        assert loaded.outbox == (b"e1",)
        with pytest.raises(FenceLostError):
            await behind.commit(commit)
        await behind.close()
    assert (await store.load(0)).outbox == (b"e1",)


async def test_a_lost_reply_is_unclear_for_every_partition_that_travelled_along(
    redis_bench: RedisBench, store: RedisStore
) -> None:
    async with RedisGate(redis_bench.url) as gate:
        behind = await redis_bench.connect(url=gate.url)
        for partition in range(4):
            await behind.initialise(partition, START)
        gate.close(Side.AFTER_EXEC)
        commits = [commit_of(START, partition=partition) for partition in range(4)]
        written = asyncio.gather(
            *(behind.commit(commit) for commit in commits), return_exceptions=True
        )
        await gate.reached()
        gate.cut()
        outcomes = await written
        assert all(isinstance(outcome, StoreUnavailableError) for outcome in outcomes)
        await behind.close()
    assert await store.fences(range(4)) == [commit.fence for commit in commits]


async def test_scripts_that_were_flushed_are_loaded_again(
    redis_bench: RedisBench, store: RedisStore
) -> None:
    outbox = redis_bench.keys().outbox
    redis_bench.admin.script_flush()
    assert await store.read(0, START, [Get(redis_bench.keys().state("i"))]) == [None]
    redis_bench.admin.script_flush()
    commit = commit_of(START, Push(outbox, (b"e1",)))
    await store.commit(commit)
    redis_bench.admin.script_flush()
    both = await asyncio.gather(
        store.load(0), store.commit(commit_of(commit.fence, Push(outbox, (b"e2",)), name="2" * 16))
    )
    assert len(both[0].outbox) in {1, 2}
    assert (await store.load(0)).outbox == (b"e1", b"e2")


@BOTH
async def test_a_full_server_refuses_growth_and_takes_what_only_removes(
    private_redis: StartRedis, kind: RedisKind
) -> None:
    async with bench_of(await private_redis(preference=[kind])) as bench:
        keys = bench.keys()
        store = await bench.connect()
        await store.initialise(0, START)
        filled = commit_of(START, Push(keys.outbox, (b"x" * 4000,) * 100))
        await store.commit(filled)
        bench.admin.config_set("maxmemory", "200kb")
        assert len((await store.load(0)).outbox) == 100
        growing = commit_of(filled.fence, Push(keys.outbox, (b"more",)), name="2" * 16)
        with pytest.raises(StoreUnavailableError, match="OOM"):
            await store.commit(growing)
        mixed = commit_of(
            filled.fence, TrimHead(keys.outbox, 1), Put(keys.state("i"), b"x"), name="3" * 16
        )
        with pytest.raises(StoreUnavailableError, match="OOM"):
            await store.commit(mixed)
        assert (await store.load(0)).fence == filled.fence
        shrinking = commit_of(filled.fence, TrimHead(keys.outbox, 99), name="4" * 16)
        await store.commit(shrinking)
        loaded = await store.load(0)
        assert loaded.fence == shrinking.fence
        assert len(loaded.outbox) == 1


@BOTH
async def test_a_commit_broken_off_inside_the_script_halts_the_partition(
    private_redis: StartRedis, kind: RedisKind
) -> None:
    """A permission is taken away: documents are written already, the fence has not moved."""
    async with bench_of(await private_redis(preference=[kind])) as bench:
        keys = bench.keys()
        store = await bench.connect()
        await store.initialise(0, START)
        bench.admin.acl_setuser("default", enabled=True, commands=["-rpush"])
        broken = commit_of(START, Put(keys.state("i"), b"x"), Push(keys.outbox, (b"e1",)))
        with pytest.raises(PartitionHaltedError, match="half written"):
            await store.commit(broken)
        assert await store.fences([0]) == [START]


@BOTH
async def test_a_permission_missing_from_the_first_write_on_halts_nothing(
    private_redis: StartRedis, kind: RedisKind
) -> None:
    async with bench_of(await private_redis(preference=[kind])) as bench:
        store = await bench.connect()
        await store.initialise(0, START)
        bench.admin.acl_setuser("default", enabled=True, commands=["-rpush"])
        commit = commit_of(START, Push(bench.keys().outbox, (b"e1",)))
        with pytest.raises(StoreUnavailableError):
            await store.commit(commit)
        bench.admin.acl_setuser("default", enabled=True, commands=["+rpush"])
        await store.commit(commit)
        assert (await store.load(0)).outbox == (b"e1",)


@BOTH
async def test_a_read_only_server_is_unavailable(
    private_redis: StartRedis, kind: RedisKind
) -> None:
    """It was the master when the connection was made."""
    async with bench_of(await private_redis(preference=[kind])) as bench:
        store = await bench.connect()
        await store.initialise(0, START)
        bench.admin.replicaof("127.0.0.1", "1")
        commit = commit_of(START, Push(bench.keys().outbox, (b"e1",)))
        with pytest.raises(StoreUnavailableError):
            await store.commit(commit)
        bench.admin.replicaof("NO", "ONE")
        await until_available(lambda: store.load(0))
        await store.commit(commit)
        assert (await store.load(0)).outbox == (b"e1",)


@BOTH
async def test_a_server_killed_and_started_again_is_used_again(
    private_redis: StartRedis, kind: RedisKind
) -> None:
    server = await private_redis(RedisSettings(fsync="always"), [kind])
    async with bench_of(server) as bench:
        store = await bench.connect()
        await store.initialise(0, START)
        commit = commit_of(START, Push(bench.keys().outbox, (b"e1",)))
        await store.commit(commit)
        server.kill()
        with pytest.raises(StoreUnavailableError):
            await store.load(0)
        await server.start()
        await until_available(lambda: store.load(0))
        assert (await store.load(0)).fence == commit.fence


@BOTH
async def test_a_server_that_stands_still_is_given_up_and_its_late_commit_is_whole(
    private_redis: StartRedis, kind: RedisKind
) -> None:
    server = await private_redis(preference=[kind])
    async with bench_of(server) as bench:
        outbox = bench.keys().outbox
        store = await bench.connect(Timeouts(connect_s=0.5, request_s=0.3))
        await store.initialise(0, START)
        server.pause()
        mine = commit_of(START, Push(outbox, (b"mine",)), name="a" * 16)
        with pytest.raises(StoreUnavailableError):
            await store.commit(mine)
        with pytest.raises(StoreUnavailableError):
            await store.load(0)
        server.resume()
        other = await bench.connect()
        current = (await other.load(0)).fence
        assert current in {START, mine.fence}
        theirs = commit_of(current, Push(outbox, (b"theirs",)), name="b" * 16)
        await other.commit(theirs)
        # Whatever of the late commit arrived, it was before theirs or it was not at all.
        loaded = await store.load(0)
        assert loaded.fence == theirs.fence
        assert loaded.outbox == ((b"mine", b"theirs") if current == mine.fence else (b"theirs",))
        with pytest.raises(FenceLostError):
            await store.commit(mine)


@BOTH
async def test_a_log_cut_inside_a_commit_is_loaded_as_of_the_commit_before(
    private_redis: StartRedis, kind: RedisKind, tmp_path: Path
) -> None:
    server = await private_redis(RedisSettings(fsync="always"), [kind])
    async with bench_of(server) as bench:
        keys = bench.keys()
        store = await bench.connect()
        await store.initialise(0, START)
        first = commit_of(START, Put(keys.state("i"), b"first"), Push(keys.outbox, (b"e1",)))
        await store.commit(first)
        log = _append_only_file(server)
        size_before = log.stat().st_size
        second = commit_of(
            first.fence,
            TrimHead(keys.outbox, 1),
            Push(keys.outbox, (b"e2",)),
            Put(keys.state("i"), b"second"),
            name="2" * 16,
        )
        await store.commit(second)
        server.kill()
        whole = log.read_bytes()
        server.copy_data(tmp_path / "whole")
        step = max(1, (len(whole) - size_before) // 6)
        for cut in range(size_before + 1, len(whole), step):
            server.replace_data(tmp_path / "whole")
            log.write_bytes(whole[:cut])
            await server.start()
            await until_available(lambda: store.load(0))
            loaded = await store.load(0)
            assert loaded.fence == first.fence, cut
            assert loaded.outbox == (b"e1",)
            assert await store.query([Get(keys.state("i"))]) == [b"first"]
            server.kill()


def _append_only_file(server: Redis) -> Path:
    """Redis 6 writes one file, 7 and later a folder with increments."""
    found = sorted(server.data_folder.rglob("*.incr.aof")) or sorted(
        server.data_folder.rglob("*.aof")
    )
    return found[-1]


async def test_a_long_answer_to_a_query_does_not_delay_commits(
    redis_bench: RedisBench, store: RedisStore
) -> None:
    """Queries have a connection of their own."""
    await store.query([Get(redis_bench.keys().state("i"))])
    await store.load(0)
    names = [client for client in redis_bench.admin.client_list() if client["name"] == "torpor"]
    assert len(names) >= 2


async def test_one_round_trip_carries_the_commits_of_all_partitions(
    redis_bench: RedisBench, store: RedisStore
) -> None:
    partitions = range(16)
    for partition in partitions:
        await store.initialise(partition, START)
    before = _script_calls(redis_bench.admin)
    await asyncio.gather(
        *(store.commit(commit_of(START, partition=partition)) for partition in partitions)
    )
    assert _script_calls(redis_bench.admin) - before == 1


def _script_calls(admin: "redis_py.Redis") -> int:
    found = admin.info("commandstats").get("cmdstat_evalsha", {})
    return int(found.get("calls", 0))


async def test_who_waits_when_the_store_closes_is_told(store: RedisStore) -> None:
    waiting = asyncio.create_task(store.load(0))
    await asyncio.sleep(0)
    await store.close()
    with pytest.raises(StoreUnavailableError):
        await waiting


async def test_a_waiter_that_is_cancelled_leaves_the_others_their_answers(
    store: RedisStore,
) -> None:
    given_up = asyncio.create_task(store.commit(commit_of(START)))
    others = [asyncio.create_task(store.load(0)) for _ in range(3)]
    await asyncio.sleep(0)
    given_up.cancel()
    loaded = await asyncio.gather(*others)
    assert all(one.fence in {START, commit_of(START).fence} for one in loaded)


async def test_nobody_there_is_unavailable(redis_bench: RedisBench) -> None:
    with pytest.raises(StoreUnavailableError):
        await redis_bench.connect(url="redis://127.0.0.1:1")


async def test_the_server_says_what_it_is(redis_bench: RedisBench, store: RedisStore) -> None:
    (facts,) = await store.facts()
    assert facts.product == "redis"
    assert facts.version >= (6, 2)
    assert facts.role == "master"
    assert facts.eviction_policy == "noeviction"
    assert facts.appends
    assert not facts.is_cluster
    assert facts.memory_share == 0
