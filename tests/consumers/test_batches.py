"""Fetch, apply, commit: only what follows on the load's seek is taken; the outbox is bounded."""

import asyncio
from typing import Any

import pytest

from consumers.batches import Batches
from consumers.log import Fetched, LogInterruptedError
from consumers.outbox import Outbox, OutboxPublisher
from consumers.services import Limits
from consumers.timers import Timers
from tests.support.owner_bench import OwnerBench
from tests.support.virtual_time import in_virtual_time


class Taking:
    """The batches of partition 0, with the outbox published beside them."""

    def __init__(self, bench: OwnerBench) -> None:
        self.bench = bench
        services = bench.services
        self.state = bench.state()
        self.outbox = Outbox(services.limits)
        timers = Timers(services, self.state, 0)
        self.batches = Batches(services, self.state, self.outbox, timers, 0)
        self.publisher = OutboxPublisher(self.outbox, services, 0)
        self.tasks: list[asyncio.Task[Any]] = []

    async def open(self) -> "Taking":
        await self.bench.initialise()
        await self.state.load()
        self.bench.log.assign(0)
        await self.batches.seek(0)
        return self

    def start(self, *, publish: bool = True) -> "asyncio.Task[None]":
        if publish:
            self.tasks.append(asyncio.create_task(self.publisher.run()))
        task = asyncio.create_task(self.batches.run(self.publisher))
        self.tasks.append(task)
        return task

    def stop(self) -> None:
        for task in self.tasks:
            task.cancel()


def rejected(bench: OwnerBench, count: int) -> None:
    """Commands that each publish two records: a rejection and a reply."""
    for _ in range(count):
        bench.command("StartInstance", process_id="none")


@in_virtual_time
async def test_records_are_taken_published_and_trimmed() -> None:
    taking = await Taking(OwnerBench()).open()
    rejected(taking.bench, 3)
    taking.start()

    await taking.bench.until("all is applied", lambda: taking.bench.fence.next_offset == 3)
    await taking.bench.until("the outbox is empty", lambda: taking.bench.outbox == 0)

    assert len(taking.bench.topic("shop.rejections").records()) == 3
    assert len(taking.outbox) == 0
    taking.stop()


@in_virtual_time
async def test_an_idle_partition_commits_nothing() -> None:
    taking = await Taking(OwnerBench()).open()
    rejected(taking.bench, 1)
    taking.start()
    await taking.bench.until("it is trimmed", lambda: len(taking.bench.store.commits) == 2)
    commits = len(taking.bench.store.commits)

    await asyncio.sleep(3_600)

    assert len(taking.bench.store.commits) == commits
    taking.stop()


@in_virtual_time
async def test_a_lone_command_is_not_kept_waiting() -> None:
    taking = await Taking(OwnerBench()).open()
    taking.start()
    await asyncio.sleep(100)

    rejected(taking.bench, 1)
    await asyncio.sleep(0.005)

    assert taking.bench.fence.next_offset == 1
    taking.stop()


@in_virtual_time
async def test_a_fetch_that_does_not_follow_on_is_not_applied() -> None:
    taking = await Taking(OwnerBench()).open()
    rejected(taking.bench, 3)
    whole = taking.bench.log.fetch

    async def fetch(partition: int, records_max: int, wait_ms: int) -> Fetched:
        fetched = await whole(partition, records_max, wait_ms)
        return Fetched(start=1, records=fetched.records[1:], end=fetched.end)

    taking.bench.log.fetch = fetch  # type: ignore[method-assign]  # a log with a gap

    with pytest.raises(LogInterruptedError):
        await taking.batches.run(taking.publisher)

    assert taking.bench.fence.next_offset == 0


@in_virtual_time
async def test_a_seek_drops_what_was_fetched() -> None:
    taking = await Taking(OwnerBench(limits=Limits(batch_records_max=1))).open()
    rejected(taking.bench, 1)
    taking.bench.store.fail_commits(1, applied=False)
    with pytest.raises(Exception, match="no answer"):
        await taking.batches.run(taking.publisher)

    await taking.batches.seek(0)
    taking.start()

    await taking.bench.until("it is applied once", lambda: taking.bench.fence.next_offset == 1)
    taking.stop()


@in_virtual_time
async def test_above_the_bound_of_the_outbox_no_more_commands_are_taken() -> None:
    taking = await Taking(
        OwnerBench(limits=Limits(outbox_entries_max=4, batch_records_max=1))
    ).open()
    taking.bench.publishers.gate.clear()
    rejected(taking.bench, 5)
    taking.start()
    await asyncio.sleep(60)

    assert taking.bench.fence.next_offset == 2

    taking.bench.publishers.gate.set()
    await taking.bench.until("the rest is taken", lambda: taking.bench.fence.next_offset == 5)
    taking.stop()


@in_virtual_time
async def test_while_the_store_is_nearly_full_no_commands_are_taken() -> None:
    taking = await Taking(OwnerBench()).open()
    taking.bench.room = False
    rejected(taking.bench, 1)
    taking.start()
    await asyncio.sleep(60)

    assert taking.bench.fence.next_offset == 0

    taking.bench.room = True
    await taking.bench.until("it is taken", lambda: taking.bench.fence.next_offset == 1)
    taking.stop()


@in_virtual_time
async def test_a_batch_s_commit_trims_what_was_acknowledged_before_it() -> None:
    taking = await Taking(OwnerBench(limits=Limits(trim_idle_ms=60_000))).open()
    rejected(taking.bench, 1)
    taking.start()
    await taking.bench.until("it is published", lambda: taking.outbox.settled_head == 2)
    assert taking.bench.outbox == 2

    rejected(taking.bench, 1)

    await taking.bench.until("both are applied", lambda: taking.bench.fence.next_offset == 2)
    assert taking.bench.outbox == 2
    taking.stop()


@in_virtual_time
async def test_a_full_store_is_given_room_by_trimming_before_anything_else() -> None:
    taking = await Taking(OwnerBench(limits=Limits(trim_idle_ms=60_000))).open()
    rejected(taking.bench, 1)
    taking.start()
    await taking.bench.until("it is published", lambda: taking.outbox.settled_head == 2)
    taking.stop()
    await asyncio.sleep(0.1)
    rejected(taking.bench, 1)
    taking.bench.store.is_full = True
    await taking.batches.seek(taking.state.fence.next_offset)

    taking.start(publish=False)

    await taking.bench.until("the outbox is trimmed", lambda: taking.bench.outbox == 0)
    taking.stop()
