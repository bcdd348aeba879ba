"""The owner of a partition: what it trusts after a failure, and what it refuses."""

import asyncio

import pytest
from msgspec.structs import replace

from consumers.log import OutgoingRecord, PublishFailedError
from consumers.partition import Condition
from consumers.services import Limits
from storage.ports import Push
from tests.support.batches import as_sent, rubbish
from tests.support.fences import commit_of
from tests.support.owner_bench import COMMANDS, REPLIES, FailingStore, OwnerBench
from tests.support.virtual_time import in_virtual_time


async def started(bench: OwnerBench | None = None) -> OwnerBench:
    made = bench or OwnerBench()
    await made.initialise(made.services.partitions)
    return made


def rejected(bench: OwnerBench, count: int = 1) -> None:
    for _ in range(count):
        bench.command("StartInstance", process_id="none")


def statuses(bench: OwnerBench) -> int:
    return len(bench.topic(REPLIES).records())


@in_virtual_time
async def test_a_partition_is_served_until_it_is_taken_away() -> None:
    bench = await started()
    partition = bench.own()
    rejected(bench)
    await bench.until("the reply is out", lambda: statuses(bench) == 1)
    assert partition.condition is Condition.SERVING

    bench.tasks[0].cancel()

    with pytest.raises(asyncio.CancelledError):
        await bench.tasks[0]


@in_virtual_time
async def test_the_documents_of_a_partition_that_is_taken_away_leave_their_room_to_others() -> None:
    bench = await started()
    bench.own()
    bench.command("PublishMessage", name="paid", ttl_ms=60_000)
    room = bench.services.cache_room
    await bench.until("it is kept", lambda: len(room))

    bench.tasks[0].cancel()
    await asyncio.wait(bench.tasks)

    assert len(room) == 0


@in_virtual_time
async def test_a_commit_that_was_not_applied_is_made_again() -> None:
    bench = await started()
    bench.store.fail_commits(3, applied=False)
    rejected(bench)
    bench.own()

    await bench.until("it is applied and answered once", lambda: statuses(bench) == 1)
    await bench.until("the outbox is empty", lambda: bench.outbox == 0)

    assert bench.fence.next_offset == 1
    assert statuses(bench) == 1


@in_virtual_time
async def test_a_commit_that_was_applied_without_an_answer_is_found_by_the_load() -> None:
    bench = await started()
    bench.store.fail_commits(1, applied=True)
    rejected(bench, 2)
    bench.own()

    await bench.until("both are answered", lambda: statuses(bench) == 2)
    await asyncio.sleep(10)

    assert (bench.fence.next_offset, statuses(bench)) == (2, 2)


@in_virtual_time
async def test_the_outbox_that_a_dead_owner_left_is_published_before_anything_new() -> None:
    bench = await started()
    bench.publishers.gate.clear()
    rejected(bench, 2)
    bench.own()
    await bench.until("both are applied", lambda: bench.fence.next_offset == 2)
    bench.tasks[0].cancel()
    await asyncio.sleep(1)

    other = OwnerBench(store=bench.store)
    other.broker.topics = bench.broker.topics
    rejected(other)
    other.own()
    await other.until("all are answered", lambda: statuses(other) == 3)

    records = other.topic(REPLIES).records()
    assert [dict(record.headers)["ce_id"] for record in records] == [b"0-0-1", b"0-1-1", b"0-2-1"]


@in_virtual_time
async def test_a_foreign_commit_is_noticed_by_an_idle_owner_that_is_told() -> None:
    bench = await started()
    partition = bench.own()
    await bench.until("it serves", lambda: partition.fence is not None)
    expected = partition.fence
    assert expected is not None
    commit = commit_of(bench.fence)
    trimmed = replace(bench.fence, commit="f" * 16)
    await bench.store.commit(replace(commit, fence=trimmed))
    loads = bench.store.loads

    partition.look(expected, bench.fence)

    await bench.until("it loads anew", lambda: bench.store.loads == loads + 1)
    await bench.until("it serves again", lambda: partition.fence == bench.fence)


@in_virtual_time
async def test_a_look_that_a_commit_of_its_own_overtook_says_nothing() -> None:
    bench = await started()
    partition = bench.own()
    await bench.until("it serves", lambda: partition.fence is not None)
    before = partition.fence
    assert before is not None
    rejected(bench)
    await bench.until("it has committed", lambda: bench.fence.next_offset == 1)
    loads = bench.store.loads

    partition.look(before, bench.fence)
    await asyncio.sleep(10)

    assert bench.store.loads == loads


@in_virtual_time
async def test_after_a_failed_send_what_was_acknowledged_is_not_published_again() -> None:
    bench = await started()
    bench.publishers.failures = [(1, PublishFailedError("cut", acknowledged=1))]
    rejected(bench)
    bench.own()

    await bench.until("the outbox is empty", lambda: bench.fence.next_offset and not bench.outbox)

    counts = [len(bench.topic(name).records()) for name in ("shop.rejections", REPLIES)]
    assert counts == [1, 1]
    assert bench.publishers.opened > 2


@in_virtual_time
async def test_a_missing_fence_is_not_zero() -> None:
    bench = OwnerBench()
    rejected(bench)
    partition = bench.own()

    await bench.tasks[0]

    assert partition.condition is Condition.HALTED
    assert "never initialised" in partition.reason


@in_virtual_time
async def test_another_log_than_the_fence_s_is_refused() -> None:
    bench = await started()
    rejected(bench, 2)
    bench.own()
    await bench.until("both are applied", lambda: bench.fence.next_offset == 2)
    bench.tasks[0].cancel()
    await asyncio.sleep(1)
    bench.topic(COMMANDS).truncate(0, 0)
    rejected(bench, 5)

    partition = bench.own()
    await bench.tasks[1]

    assert partition.condition is Condition.HALTED
    assert bench.fence.next_offset == 2


@in_virtual_time
async def test_what_the_engine_did_not_write_halts_the_partition() -> None:
    bench = await started()
    await bench.store.commit(commit_of(bench.fence, Push(bench.keys.outbox, (b"rubbish",))))
    rejected(bench, 3)

    partition = bench.own()
    await bench.tasks[0]

    assert partition.condition is Condition.HALTED


@in_virtual_time
async def test_what_only_a_newer_engine_knows_is_left_to_it() -> None:
    bench = await started()
    rejected(bench)
    newer = as_sent(replace(rubbish(1), value=b'{"type":"Levitate"}'))
    bench.broker.append(
        OutgoingRecord(
            topic=COMMANDS, key=newer.key, value=newer.value, partition=0, headers=newer.headers
        )
    )

    partition = bench.own()
    await bench.tasks[0]

    assert partition.condition is Condition.LEFT
    assert bench.fence.next_offset == 1


@in_virtual_time
async def test_a_partition_that_the_group_took_away_ends_by_itself() -> None:
    bench = await started()
    partition = bench.own()
    await bench.until("it serves", lambda: partition.condition is Condition.SERVING)
    bench.log.revoke(0)

    await bench.tasks[0]

    assert partition.condition is Condition.ENDED


@in_virtual_time
async def test_while_the_store_does_not_answer_the_waits_grow() -> None:
    bench = await started(OwnerBench(limits=Limits(backoff_ms_min=100, backoff_ms_max=5_000)))
    bench.store.fail_commits(20, applied=False)
    rejected(bench)
    partition = bench.own()
    await asyncio.sleep(30)

    assert partition.condition is Condition.BACKING_OFF
    assert "no answer" in partition.reason
    assert bench.store.loads < 15

    await bench.until("it is applied in the end", lambda: bench.fence.next_offset == 1)


@in_virtual_time
async def test_two_owners_at_once_take_every_record_once() -> None:
    bench = await started()
    other = OwnerBench(store=bench.store)
    other.broker.topics = bench.broker.topics
    bench.own()
    other.own()
    for _ in range(20):
        rejected(bench)
        await asyncio.sleep(0.3)

    await bench.until("all is applied", lambda: bench.fence.next_offset == 20)
    await bench.until("the outbox is empty", lambda: bench.outbox == 0)

    ids = [dict(record.headers)["ce_id"] for record in bench.topic(REPLIES).records()]
    first_copies = list(dict.fromkeys(ids))
    assert first_copies == [f"0-{n}-1".encode() for n in range(20)]


@in_virtual_time
async def test_a_cancellation_is_never_lost_to_a_failure_at_the_same_moment() -> None:
    for after_ms in range(40):
        bench = await started(OwnerBench(store=FailingStore(OwnerBench().store.keyspace)))
        bench.publishers.failures = [(0, PublishFailedError("cut"))] * 50
        rejected(bench)
        bench.own()
        await asyncio.sleep(after_ms / 1000)

        bench.tasks[0].cancel()

        done, _ = await asyncio.wait(bench.tasks, timeout=30)
        assert bench.tasks[0] in done, f"cancelled after {after_ms} ms"
        assert bench.tasks[0].cancelled()
