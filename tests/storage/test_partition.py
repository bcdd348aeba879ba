"""Fences and commits of one partition."""

import pytest

from engine.partition import ReadState, RecordOutcome
from storage.errors import FenceLostError
from storage.ports import Put, SortedAdd
from tests.support.fences import commit_of, fence
from tests.support.partition_states import KEYS, StateBench, instance, position


async def test_there_is_no_fence_before_the_first_load() -> None:
    bench = StateBench()

    assert bench.state.known_fence is None
    with pytest.raises(RuntimeError):
        _ = bench.state.fence


async def test_a_partition_that_was_never_initialised_loads_as_such() -> None:
    loaded = await StateBench().state.load()

    assert loaded.fence is None


async def test_every_commit_gives_the_fence_a_new_name_also_one_that_only_trims() -> None:
    bench = await StateBench().open()
    batch = await bench.state.batch()
    batch.add(RecordOutcome(now=1), [b"a", b"b", b"c"])
    await bench.state.write(bench.state.prepare(batch, position(4), 0), batch)
    first = bench.state.fence

    await bench.state.trim(2)

    second = bench.state.fence
    assert (first.next_offset, second.next_offset) == (4, 4)
    assert first.commit != second.commit
    assert (await bench.store.load(0)).fence == second
    assert (await bench.store.load(0)).outbox == (b"c",)


async def test_a_commit_trims_what_was_acknowledged_and_pushes_behind_it() -> None:
    bench = await StateBench().open()
    batch = await bench.state.batch()
    batch.add(RecordOutcome(now=1), [b"a", b"b"])
    await bench.state.write(bench.state.prepare(batch, position(1), 0), batch)

    batch = await bench.state.batch()
    batch.add(RecordOutcome(now=1), [b"c"])
    await bench.state.write(bench.state.prepare(batch, position(2), 1), batch)

    assert (await bench.store.load(0)).outbox == (b"b", b"c")


async def test_a_zombie_commits_nothing() -> None:
    bench = await StateBench().open()
    batch = await bench.state.batch()
    batch.add(RecordOutcome(now=1), [b"a"])
    other = await StateBench(bench.store).open()
    await other.state.trim(0)

    with pytest.raises(FenceLostError):
        await bench.state.write(bench.state.prepare(batch, position(1), 0), batch)

    assert (await bench.store.load(0)).outbox == ()
    assert not bench.state.is_committing


async def test_documents_are_forgotten_when_somebody_else_committed() -> None:
    bench = await StateBench().open()
    batch = await bench.state.batch()
    await batch.answer(ReadState("i-1"))
    batch.add(RecordOutcome(now=1, states={"i-1": instance()}), [])
    await bench.state.write(bench.state.prepare(batch, position(1), 0), batch)
    await bench.store.commit(
        commit_of(bench.state.fence, Put(KEYS.state("i-2"), b""), name="f" * 16)
    )
    bench.store.keyspace.delete(KEYS.state("i-1"))

    await bench.state.load()

    batch = await bench.state.batch()
    assert await batch.answer(ReadState("i-1")) is None


async def test_documents_are_kept_when_a_load_finds_the_fence_of_the_last_commit() -> None:
    bench = await StateBench().open()
    batch = await bench.state.batch()
    await batch.answer(ReadState("i-1"))
    batch.add(RecordOutcome(now=1, states={"i-1": instance()}), [])
    await bench.state.write(bench.state.prepare(batch, position(1), 0), batch)
    bench.store.keyspace.delete(KEYS.state("i-1"))

    await bench.state.load()

    batch = await bench.state.batch()
    assert await batch.answer(ReadState("i-1")) == instance()


async def test_timers_come_in_the_order_in_which_they_are_due() -> None:
    bench = await StateBench().open()
    members = {"3:i-2": 20, "1:i-1": 30, "0:message:paid:k": -5}
    await bench.store.commit(commit_of(fence(0), SortedAdd(KEYS.timers, members)))
    await bench.state.load()

    found = await bench.state.next_timers(2)

    assert [(each.address, each.timer, each.due_ms) for each in found] == [
        ("message:paid:k", 0, -5),
        ("i-2", 3, 20),
    ]


async def test_looking_at_timers_is_looking_at_the_fence() -> None:
    bench = await StateBench().open()
    await bench.store.commit(commit_of(fence(0)))

    with pytest.raises(FenceLostError):
        await bench.state.next_timers(1)


async def test_attempts_are_counted_by_the_name_of_the_fence_until_one_survives() -> None:
    bench = await StateBench().open()
    other = await StateBench(bench.store).open()

    assert await bench.state.begin_attempt() == 1
    assert await other.state.begin_attempt() == 2
    await other.state.end_attempt(other.state.fence)

    assert await bench.state.begin_attempt() == 1
