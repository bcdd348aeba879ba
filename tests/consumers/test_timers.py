"""Timers: slept on, fired by the broker's clock, published again only when that is needed."""

import asyncio
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from consumers.log import PublishFailedError
from consumers.services import Limits
from consumers.timers import Timers
from engine import commands as c
from schemas.codec import Codec
from storage.cache import CacheRoom
from storage.errors import FenceLostError
from storage.partition import PartitionState, Rules
from storage.ports import Operation, SortedAdd, SortedRemove
from tests.support.fences import commit_of
from tests.support.owner_bench import COMMANDS, START_MS, OwnerBench
from tests.support.virtual_time import in_virtual_time

NOW_MS = START_MS + 1_000_000
"""The broker's time at which a test begins."""


class TimerBench:
    """The timers of partition 0, and its index."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.bench = OwnerBench(limits=limits)
        services = self.bench.services
        rules = Rules(
            settings=services.settings, cache_room=CacheRoom(1), name_commit=lambda: "f" * 16
        )
        self.state = PartitionState(services.store, self.bench.keys, services.models, rules)
        self.timers = Timers(services, self.state, 0)
        self.commits = 0

    async def open(self, **due_ms: int) -> "TimerBench":
        await self.bench.initialise()
        await self.commit(SortedAdd(self.bench.keys.timers, _members(due_ms)), records=0)
        return self

    async def commit(self, *operations: Operation, records: int = 1) -> None:
        """A commit of so many records, as the owner's."""
        self.commits += 1
        before = self.bench.fence
        commit = commit_of(before, *operations, name=f"{self.commits:016x}")
        fence = replace(commit.fence, next_offset=before.next_offset + records)
        await self.bench.store.commit(replace(commit, fence=fence))
        await self.state.load()

    async def apply(self, count: int, *removed: str) -> None:
        """The fence passes so many records; these entries are gone."""
        for _ in range(count):
            members = tuple(f"1:{address}" for address in removed)
            await self.commit(SortedRemove(self.bench.keys.timers, members))
        self.timers.committed(self.state.fence.next_offset, None)

    def start(self) -> "asyncio.Task[None]":
        return asyncio.create_task(self.timers.run())

    @property
    def fired(self) -> list[str]:
        """The addresses of the FireTimer records in the log."""
        commands = [
            Codec("shop").decode_command(each).command
            for each in self.bench.topic(COMMANDS).records()
        ]
        return [each.address for each in commands if isinstance(each, c.FireTimer)]


def _members(due_ms: dict[str, int]) -> dict[str, int]:
    return {f"1:{address}": due for address, due in due_ms.items()}


@in_virtual_time
async def test_overdue_timers_fire_at_once_in_the_order_in_which_they_were_due() -> None:
    run = await TimerBench().open(late=NOW_MS - 5, later=NOW_MS - 3, far=NOW_MS + 900_000)
    run.timers.clock.read(NOW_MS)

    task = run.start()

    await run.bench.until("both fire", lambda: run.fired == ["late", "later"])
    task.cancel()


@in_virtual_time
async def test_a_timer_fires_when_it_is_due_by_the_broker_s_clock_and_not_before() -> None:
    run = await TimerBench().open(tea=NOW_MS + 60_000)
    run.timers.clock.acknowledged(NOW_MS)
    task = run.start()

    await asyncio.sleep(59)
    assert run.fired == []

    await run.bench.until("it fires", lambda: run.fired == ["tea"])
    assert abs(run.bench.now_ms() - NOW_MS - 60_000) < 100
    task.cancel()


@in_virtual_time
async def test_a_clock_that_nobody_knows_is_asked_by_one_early_firetimer() -> None:
    run = await TimerBench().open(first=NOW_MS + 60_000, second=NOW_MS + 70_000)

    task = run.start()
    await run.bench.until("one probe is published", lambda: run.fired == ["first"])

    await asyncio.sleep(30)
    assert run.fired == ["first"]
    assert run.timers.clock.earliest_ms() == pytest.approx(run.bench.now_ms(), abs=20)
    task.cancel()


@in_virtual_time
async def test_a_timer_that_came_early_fires_again_when_it_is_due() -> None:
    run = await TimerBench().open(tea=NOW_MS + 60_000)
    task = run.start()
    await run.bench.until("the probe is published", lambda: run.fired == ["tea"])

    await run.apply(1)
    await run.bench.until("it fires", lambda: run.fired == ["tea", "tea"])

    assert run.bench.now_ms() >= NOW_MS + 60_000
    task.cancel()


@in_virtual_time
async def test_a_published_timer_is_not_published_again_before_the_fence_has_passed_it() -> None:
    run = await TimerBench().open(tea=NOW_MS - 1)
    run.timers.clock.acknowledged(NOW_MS)
    task = run.start()

    await run.bench.until("it fires", lambda: run.fired == ["tea"])
    await asyncio.sleep(3_600)

    assert run.fired == ["tea"]
    task.cancel()


@in_virtual_time
async def test_an_entry_that_outlives_its_firetimer_is_fired_again() -> None:
    run = await TimerBench().open(tea=NOW_MS - 1)
    run.timers.clock.acknowledged(NOW_MS)
    task = run.start()
    await run.bench.until("it fires", lambda: run.fired == ["tea"])

    await run.apply(1)

    await run.bench.until("it fires again", lambda: run.fired == ["tea", "tea"])
    task.cancel()


@in_virtual_time
async def test_a_removed_entry_is_forgotten() -> None:
    run = await TimerBench().open(tea=NOW_MS - 1)
    run.timers.clock.acknowledged(NOW_MS)
    task = run.start()
    await run.bench.until("it fires", lambda: run.fired == ["tea"])

    await run.apply(1, "tea")
    await asyncio.sleep(3_600)

    assert run.fired == ["tea"]
    task.cancel()


@in_virtual_time
async def test_what_is_due_at_once_is_published_in_chunks_as_the_fence_advances() -> None:
    addresses = [f"i-{number}" for number in range(5)]
    run = await TimerBench(Limits(timers_chunk=2)).open(**dict.fromkeys(addresses, NOW_MS - 1))
    run.timers.clock.acknowledged(NOW_MS)
    task = run.start()
    await run.bench.until("a chunk is published", lambda: len(run.fired) == 2)
    await asyncio.sleep(60)
    assert run.fired == addresses[:2]

    await run.apply(1, *addresses[:2])
    await run.bench.until("the next chunk follows", lambda: len(run.fired) == 4)

    await run.apply(3, *addresses[2:4])
    await run.bench.until("and the last", lambda: run.fired == addresses)
    task.cancel()


@in_virtual_time
async def test_a_newly_armed_timer_wakes_the_sleeper() -> None:
    run = await TimerBench().open(far=NOW_MS + 900_000)
    run.timers.clock.acknowledged(NOW_MS)
    task = run.start()
    await asyncio.sleep(1)

    due_ms = NOW_MS + 5_000
    await run.commit(SortedAdd(run.bench.keys.timers, {"1:soon": due_ms}), records=0)
    run.timers.committed(run.state.fence.next_offset, due_ms)

    await run.bench.until("it fires in time", lambda: run.fired == ["soon"], 10)
    task.cancel()


@in_virtual_time
async def test_a_sleeper_looks_at_the_fence_before_it_acts() -> None:
    run = await TimerBench().open(tea=NOW_MS + 60_000)
    run.timers.clock.acknowledged(NOW_MS)
    task = run.start()
    await asyncio.sleep(1)
    await run.bench.store.commit(commit_of(run.bench.fence, name="e" * 16))

    with pytest.raises(FenceLostError):
        await task

    assert run.fired == []


@in_virtual_time
async def test_a_failed_send_fires_again_on_the_next_load() -> None:
    run = await TimerBench().open(tea=NOW_MS - 1)
    run.timers.clock.acknowledged(NOW_MS)
    run.bench.publishers.failures = [(0, PublishFailedError("cut"))]
    with pytest.raises(PublishFailedError):
        await run.timers.run()

    task = run.start()

    await run.bench.until("it fires", lambda: run.fired == ["tea"])
    task.cancel()


@in_virtual_time
async def test_ten_thousand_sleepers_cost_one_read_an_hour() -> None:
    due_ms = {f"i-{number}": NOW_MS + 90 * 86_400_000 + number for number in range(10_000)}
    run = await TimerBench(Limits(timers_chunk=1)).open(**due_ms)
    run.timers.clock.acknowledged(NOW_MS)
    reads = _count_reads(run.state)
    task = run.start()

    await asyncio.sleep(10 * 3_600 - 1)

    assert len(reads) == 10
    assert run.fired == []
    task.cancel()


def _count_reads(state: PartitionState) -> Sequence[int]:
    counted: list[int] = []
    read = state.next_timers

    async def next_timers(limit: int) -> object:
        counted.append(limit)
        return await read(limit)

    state.next_timers = next_timers  # type: ignore[method-assign, assignment]  # reads are counted
    return counted
