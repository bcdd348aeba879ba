"""What every store promises, held against Redis and against its in-memory twin."""

import asyncio

import pytest

from storage.errors import FenceLostError, PartitionHaltedError
from storage.keys import PartitionKeys, namespace_key
from storage.ports import (
    Answer,
    Commit,
    Delete,
    Fence,
    Get,
    HashDelete,
    HashGet,
    HashGetAll,
    HashPut,
    ListRange,
    Operation,
    Push,
    Put,
    SortedAdd,
    SortedRange,
    SortedRemove,
    Store,
    StoreRead,
    TrimHead,
)
from tests.storage.conftest import Bench
from tests.support.fences import commit_of, fence

START = fence(0)


@pytest.fixture
async def keys(bench: Bench, store: Store) -> PartitionKeys:
    """The keys of partition 0, which has its first fence."""
    assert await store.initialise(0, START)
    return PartitionKeys(bench.namespace, 0)


async def write(store: Store, expected: Fence, *operations: Operation) -> Fence:
    """Commit, and the fence after it."""
    commit = commit_of(expected, *operations)
    await store.commit(commit)
    return commit.fence


async def test_a_partition_never_initialised_has_no_fence(store: Store) -> None:
    loaded = await store.load(7)
    assert loaded.fence is None
    assert loaded.outbox == ()
    assert await store.fences([7, 8]) == [None, None]


async def test_the_first_fence_is_written_once(store: Store) -> None:
    assert await store.initialise(3, START)
    assert not await store.initialise(3, fence(99))
    assert (await store.load(3)).fence == START


async def test_a_commit_replaces_the_fence_and_extends_the_outbox(
    store: Store, keys: PartitionKeys
) -> None:
    after = await write(store, START, Push(keys.outbox, (b"one", b"two")))
    loaded = await store.load(0)
    assert loaded.fence == after
    assert loaded.outbox == (b"one", b"two")
    assert await store.fences([0, 1]) == [after, None]


async def test_every_operation_is_seen_by_its_read(store: Store, keys: PartitionKeys) -> None:
    after = await write(
        store,
        START,
        Put(keys.state("i"), b"\x00binary\xff"),
        HashPut(keys.parts("i"), {"1": b"{}", "2": b"\xfe"}),
        SortedAdd(keys.timers, {"a": 1_700_000_000_001, "b": 2**53 - 1}),
        Push(keys.outbox, (b"e1", b"e2")),
    )
    answers = await store.read(
        0,
        after,
        [
            Get(keys.state("i")),
            HashGet(keys.parts("i"), ("2", "none", "1")),
            HashGetAll(keys.parts("i")),
            SortedRange(keys.timers, 0, 2**53, 10),
            ListRange(keys.outbox, 0, -1),
        ],
    )
    assert answers == [
        b"\x00binary\xff",
        [b"\xfe", None, b"{}"],
        {"1": b"{}", "2": b"\xfe"},
        [("a", 1_700_000_000_001), ("b", 2**53 - 1)],
        [b"e1", b"e2"],
    ]


async def test_what_is_missing_reads_as_empty(store: Store, keys: PartitionKeys) -> None:
    reads: list[StoreRead] = [
        Get(keys.state("i")),
        HashGet(keys.parts("i"), ("1",)),
        HashGet(keys.parts("i"), ()),
        HashGetAll(keys.parts("i")),
        SortedRange(keys.timers, 0, 10, 10),
        ListRange(keys.outbox, 0, -1),
    ]
    nothing: list[bytes | None] = [None]
    expected: list[Answer] = [None, nothing, [], {}, [], []]
    assert await store.read(0, START, reads) == expected
    assert await store.query(reads) == expected


async def test_removals_take_away_and_leave_no_empty_key(store: Store, keys: PartitionKeys) -> None:
    after = await write(
        store,
        START,
        Put(keys.state("i"), b"x"),
        HashPut(keys.parts("i"), {"1": b"{}"}),
        SortedAdd(keys.timers, {"a": 1, "b": 2}),
        Push(keys.outbox, (b"e1", b"e2", b"e3")),
    )
    after = await write(
        store,
        after,
        Delete(keys.state("i")),
        HashDelete(keys.parts("i"), ("1", "none")),
        SortedRemove(keys.timers, ("a", "none")),
        TrimHead(keys.outbox, 2),
    )
    answers = await store.query(
        [Get(keys.state("i")), HashGetAll(keys.parts("i")), SortedRange(keys.timers, 0, 9, 9)]
    )
    assert answers == [None, {}, [("b", 2)]]
    assert (await store.load(0)).outbox == (b"e3",)
    # A hash that became empty is no key: a value of another type may take its place.
    await write(store, after, TrimHead(keys.outbox, 5), Put(keys.parts("i"), b"string"))
    assert (await store.load(0)).outbox == ()


async def test_operations_are_applied_in_order(store: Store, keys: PartitionKeys) -> None:
    after = await write(store, START, Push(keys.outbox, (b"e1", b"e2")))
    await write(
        store,
        after,
        Put(keys.state("i"), b"first"),
        Push(keys.outbox, (b"e3",)),
        TrimHead(keys.outbox, 2),
        Put(keys.state("i"), b"second"),
    )
    assert (await store.load(0)).outbox == (b"e3",)
    assert await store.query([Get(keys.state("i"))]) == [b"second"]


async def test_operations_without_members_do_nothing(store: Store, keys: PartitionKeys) -> None:
    after = await write(
        store,
        START,
        HashPut(keys.parts("i"), {}),
        HashDelete(keys.parts("i"), ()),
        SortedAdd(keys.timers, {}),
        SortedRemove(keys.timers, ()),
        Push(keys.outbox, ()),
        TrimHead(keys.outbox, 0),
    )
    assert (await store.load(0)).fence == after


async def test_a_sorted_range_is_ordered_by_score_then_member(
    store: Store, keys: PartitionKeys
) -> None:
    members = {"z": 5, "b": 10, "a": 10, "é": 10, "c": 20}
    await write(store, START, SortedAdd(keys.timers, members))
    ranges = [
        SortedRange(keys.timers, 0, 100, 10),
        SortedRange(keys.timers, 6, 10, 2, skip=1),
        SortedRange(keys.timers, 11, 19, 10),
    ]
    assert await store.query(ranges) == [
        [("z", 5), ("a", 10), ("b", 10), ("é", 10), ("c", 20)],
        [("b", 10), ("é", 10)],
        [],
    ]


async def test_adding_a_member_again_moves_it(store: Store, keys: PartitionKeys) -> None:
    after = await write(store, START, SortedAdd(keys.timers, {"a": 1, "b": 2}))
    await write(store, after, SortedAdd(keys.timers, {"a": 3}))
    assert await store.query([SortedRange(keys.timers, 0, 9, 9)]) == [[("b", 2), ("a", 3)]]


@pytest.mark.parametrize(
    ("start", "stop", "expected"),
    [(0, 1, [b"0", b"1"]), (1, -1, [b"1", b"2", b"3"]), (-2, -1, [b"2", b"3"]), (4, 9, [])],
)
async def test_a_list_range_counts_as_redis_does(
    store: Store, keys: PartitionKeys, start: int, stop: int, expected: list[bytes]
) -> None:
    await write(store, START, Push(keys.outbox, (b"0", b"1", b"2", b"3")))
    assert await store.query([ListRange(keys.outbox, start, stop)]) == [expected]


async def test_a_commit_on_another_fence_writes_nothing(store: Store, keys: PartitionKeys) -> None:
    after = await write(store, START, Push(keys.outbox, (b"e1",)))
    late = commit_of(START, Push(keys.outbox, (b"zombie",)), Put(keys.state("i"), b"zombie"))
    with pytest.raises(FenceLostError):
        await store.commit(late)
    loaded = await store.load(0)
    assert loaded.fence == after
    assert loaded.outbox == (b"e1",)
    assert await store.query([Get(keys.state("i"))]) == [None]


async def test_the_same_offset_under_another_name_is_another_fence(
    store: Store, keys: PartitionKeys
) -> None:
    await store.commit(commit_of(START, Push(keys.outbox, (b"e1",)), name="a" * 16))
    mine = commit_of(START, Push(keys.outbox, (b"e1",)), name="b" * 16).fence
    with pytest.raises(FenceLostError):
        await store.commit(commit_of(mine, TrimHead(keys.outbox, 1)))
    with pytest.raises(FenceLostError):
        await store.read(0, mine, [Get(keys.state("i"))])
    assert (await store.load(0)).outbox == (b"e1",)


async def test_a_commit_without_a_fence_to_replace_is_refused(store: Store) -> None:
    with pytest.raises(FenceLostError):
        await store.commit(commit_of(START, partition=5))
    with pytest.raises(FenceLostError):
        await store.read(5, START, [])


async def test_a_commit_that_is_repeated_is_written_once(store: Store, keys: PartitionKeys) -> None:
    commit = commit_of(START, Push(keys.outbox, (b"e1",)))
    await store.commit(commit)
    with pytest.raises(FenceLostError):
        await store.commit(commit)
    assert (await store.load(0)).outbox == (b"e1",)


async def test_a_wrong_type_halts_and_nothing_is_written(
    bench: Bench, store: Store, keys: PartitionKeys
) -> None:
    bench.plant_string(keys.outbox)
    with pytest.raises(PartitionHaltedError):
        await store.commit(
            commit_of(START, Put(keys.state("i"), b"new"), Push(keys.outbox, (b"e1",)))
        )
    assert await store.fences([0]) == [START]
    assert await store.query([Get(keys.state("i")), Get(keys.outbox)]) == [None, b"planted"]


async def test_reading_a_wrong_type_halts(bench: Bench, store: Store, keys: PartitionKeys) -> None:
    bench.plant_list(keys.state("i"))
    bench.plant_string(keys.outbox)
    with pytest.raises(PartitionHaltedError):
        await store.read(0, START, [Get(keys.state("i"))])
    with pytest.raises(PartitionHaltedError):
        await store.query([Get(keys.state("i"))])
    with pytest.raises(PartitionHaltedError):
        await store.load(0)


async def test_of_many_writers_on_one_fence_exactly_one_wins(
    bench: Bench, store: Store, keys: PartitionKeys
) -> None:
    stores = [store, *[await bench.connect() for _ in range(3)]]
    current = START
    for turn in range(20):
        commits = [
            commit_of(
                current, Push(keys.outbox, (f"{turn}-{owner}".encode(),)), name=f"{owner:016x}"
            )
            for owner in range(len(stores))
        ]
        outcomes = await asyncio.gather(
            *(one.commit(commit) for one, commit in zip(stores, commits, strict=True)),
            return_exceptions=True,
        )
        winners = [number for number, outcome in enumerate(outcomes) if outcome is None]
        assert len(winners) == 1, outcomes
        losers = [outcome for outcome in outcomes if outcome is not None]
        assert all(isinstance(outcome, FenceLostError) for outcome in losers)
        current = commits[winners[0]].fence
        assert (await store.load(0)).fence == current
    assert len((await store.load(0)).outbox) == 20


async def test_commits_of_many_partitions_travel_together_and_fail_alone(
    bench: Bench, store: Store
) -> None:
    partitions = range(24)
    for partition in partitions:
        await store.initialise(partition, START)
    bench.plant_string(PartitionKeys(bench.namespace, 5).outbox)

    def commit_for(partition: int) -> Commit:
        keys = PartitionKeys(bench.namespace, partition)
        expected = fence(77) if partition == 3 else START
        entry = Push(keys.outbox, (str(partition).encode(),))
        return commit_of(expected, entry, partition=partition)

    outcomes = await asyncio.gather(
        *(store.commit(commit_for(partition)) for partition in partitions), return_exceptions=True
    )
    failed = {number: type(outcome) for number, outcome in enumerate(outcomes) if outcome}
    assert failed == {3: FenceLostError, 5: PartitionHaltedError}
    for partition in partitions:
        if partition in failed:
            assert await store.fences([partition]) == [START]
        else:
            loaded = await store.load(partition)
            assert loaded.fence == commit_for(partition).fence
            assert loaded.outbox == (str(partition).encode(),)


async def test_large_commits_and_outboxes_come_back_whole(
    store: Store, keys: PartitionKeys
) -> None:
    entries = tuple(f"{number}".encode().ljust(1500, b".") for number in range(7001))
    timers = {f"t{number}": number for number in range(20_001)}
    fields = {str(number): b"v" for number in range(9_999)}
    after = await write(
        store,
        START,
        Push(keys.outbox, entries),
        SortedAdd(keys.timers, timers),
        HashPut(keys.parts("i"), fields),
    )
    assert (await store.load(0)).outbox == entries
    found = await store.read(0, after, [HashGet(keys.parts("i"), (*fields, "none"))])
    assert found == [[b"v"] * 9_999 + [None]]
    after = await write(
        store,
        after,
        SortedRemove(keys.timers, tuple(timers)[1:]),
        HashDelete(keys.parts("i"), tuple(fields)[1:]),
        TrimHead(keys.outbox, 7000),
    )
    answers = await store.query(
        [SortedRange(keys.timers, 0, 2**53, 10), HashGetAll(keys.parts("i"))]
    )
    assert answers == [[("t0", 0)], {"0": b"v"}]
    assert (await store.load(0)).outbox == entries[7000:]


async def test_attempts_are_counted_by_fence_until_one_survives(
    store: Store, keys: PartitionKeys
) -> None:
    other = fence(0, "f" * 16)
    assert [await store.begin_attempt(0, START) for _ in range(3)] == [1, 2, 3]
    assert await store.begin_attempt(0, other) == 1
    await store.withdraw_attempt(0, START)
    assert await store.begin_attempt(0, START) == 3
    await store.end_attempt(0, START)
    assert await store.begin_attempt(0, START) == 1
    assert (await store.load(0)).fence == START


async def test_the_namespace_is_registered_once(bench: Bench, store: Store) -> None:
    record = {"partitions": b"8", "format": b"1"}
    assert await store.register(record)
    assert not await store.register({"partitions": b"9"})
    assert await store.query([HashGetAll(namespace_key(bench.namespace))]) == [record]


async def test_the_namespace_is_changed_by_who_has_seen_it_last(bench: Bench, store: Store) -> None:
    assert not await store.amend("epochs", b"", {"epochs": b"[1]"})
    await store.register({"partitions": b"8", "format": b"1"})
    assert await store.amend("epochs", b"", {"epochs": b"[1]", "format": b"2"})
    assert not await store.amend("epochs", b"", {"epochs": b"[2]"})
    assert await store.amend("epochs", b"[1]", {"epochs": b"[3]"})
    expected = {"partitions": b"8", "format": b"2", "epochs": b"[3]"}
    assert await store.query([HashGetAll(namespace_key(bench.namespace))]) == [expected]


async def test_one_query_reads_many_partitions(bench: Bench, store: Store) -> None:
    for partition in range(8):
        keys = PartitionKeys(bench.namespace, partition)
        await store.initialise(partition, START)
        value = str(partition).encode()
        await store.commit(commit_of(START, Put(keys.state("i"), value), partition=partition))
    reads = [Get(PartitionKeys(bench.namespace, number).state("i")) for number in range(9)]
    assert await store.query(reads) == [*(str(number).encode() for number in range(8)), None]
