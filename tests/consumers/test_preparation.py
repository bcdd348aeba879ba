"""From records to a commit: cut by number and bytes, isolating what cannot be made a commit of."""

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace

from consumers.log import LogRecord
from consumers.preparation import Preparation
from consumers.services import Limits, Services
from schemas.errors import NewerRecordError
from storage.batch import Batch
from storage.cache import CacheRoom
from storage.commits import bytes_of
from storage.keys import PartitionKeys
from storage.partition import PartitionState, Rules
from storage.ports import Operation
from tests.support.batches import Applying, as_sent, published, record, rubbish
from tests.support.owner_bench import DEAD_LETTERS, START_MS, OwnerBench
from tests.support.virtual_time import in_virtual_time

NEWER = as_sent(replace(rubbish(0), value=b'{"type":"Levitate"}'))


def messages(count: int, size: int = 10) -> list[LogRecord]:
    """Messages to different keys, so that each makes a document."""
    return [
        record(
            number,
            "PublishMessage",
            name="paid",
            correlation_key=f"k-{number}",
            ttl_ms=60_000,
            variables={"text": "x" * size},
            at_ms=START_MS + number,
        )
        for number in range(count)
    ]


async def preparation(limits: Limits | None = None, bench: OwnerBench | None = None) -> Preparation:
    run = await Applying(bench or OwnerBench(limits=limits)).open()
    return Preparation(run.bench.services, run.state, 0)


@in_virtual_time
async def test_a_commit_names_the_record_before_its_fence() -> None:
    prepared = await (await preparation()).prepare(messages(3), 0)

    fence = prepared.commit.fence
    assert (prepared.count, fence.next_offset) == (3, 3)
    assert (fence.now_ms, fence.stamp_timestamp_ms) == (START_MS + 2, START_MS + 2)
    assert fence.stamp_crc is not None


@in_virtual_time
async def test_offsets_may_have_gaps() -> None:
    first, second = messages(2)

    prepared = await (await preparation()).prepare([first, replace(second, offset=40)], 0)

    assert prepared.commit.fence.next_offset == 41


@in_virtual_time
async def test_a_batch_is_cut_by_number() -> None:
    prepared = await (await preparation(Limits(batch_records_max=2))).prepare(messages(5), 0)

    assert prepared.count == 2


@in_virtual_time
async def test_a_batch_is_cut_by_the_bytes_of_its_commit() -> None:
    limits = Limits(commit_bytes_max=8_000)

    prepared = await (await preparation(limits)).prepare(messages(16, size=1_000), 0)

    assert 1 < prepared.count < 16
    assert bytes_of(prepared.commit) <= 8_000


@in_virtual_time
async def test_a_single_record_beyond_the_bound_is_taken_alone() -> None:
    limits = Limits(commit_bytes_max=2_000)

    prepared = await (await preparation(limits)).prepare(messages(3, size=9_000), 0)

    assert prepared.count == 1


@in_virtual_time
async def test_a_newer_engine_s_record_ends_the_batch_before_it() -> None:
    made = await preparation()

    prepared = await made.prepare([*messages(2), replace(NEWER, offset=2)], 0)

    assert prepared.count == 2
    with pytest.raises(NewerRecordError):
        await made.prepare([replace(NEWER, offset=2)], 0)


@in_virtual_time
async def test_a_record_whose_state_cannot_be_written_is_found_and_dead_lettered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write = Batch.operations

    def operations(self: Any) -> tuple[Operation, ...]:
        if "message:paid:k-1" in self._states:
            raise TypeError("this state cannot be encoded")
        return write(self)

    monkeypatch.setattr(Batch, "operations", operations)
    made = await preparation()
    records, counts, letters = messages(3), [], 0
    while records:
        prepared = await made.prepare(records, 0)
        counts.append(prepared.count)
        letters += len(published(prepared.batch, DEAD_LETTERS))
        records = records[prepared.count :]

    assert (counts[0], sum(counts), letters) == (1, 3, 1)


@in_virtual_time
async def test_a_dead_letter_that_cannot_be_written_either_is_not_tried_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def operations(self: Any) -> tuple[Operation, ...]:
        raise TypeError("nothing can be encoded")

    monkeypatch.setattr(Batch, "operations", operations)

    with pytest.raises(TypeError):
        await (await preparation()).prepare(messages(3), 0)


# --- records that kill the process ---


async def die(bench: OwnerBench, records: list[LogRecord], monkeypatch: pytest.MonkeyPatch) -> int:
    """An owner begins on the fence and dies while it applies: how many records it dared at once."""
    dared: list[int] = []
    made = await preparation(bench=bench)

    async def attempt(records: list[LogRecord], trim: int) -> Any:
        dared.append(len(records))
        raise asyncio.CancelledError

    monkeypatch.setattr(made, "_attempt", attempt)
    with pytest.raises(asyncio.CancelledError):
        await made.prepare(records, 0)
    return dared[0]


@in_virtual_time
async def test_after_two_deaths_one_record_is_taken_at_a_time_and_after_six_it_is_dead_lettered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bench, records = OwnerBench(), messages(4)

    dared = [await die(bench, records, monkeypatch) for _ in range(6)]
    prepared = await (await preparation(bench=bench)).prepare(records, 0)

    assert dared == [4, 4, 1, 1, 1, 1]
    assert prepared.count == 1
    (letter,) = published(prepared.batch, DEAD_LETTERS)
    assert b"6 owners of the partition did not survive" in dict(letter.headers)["reason"]


@in_virtual_time
async def test_what_others_do_while_a_record_kills_the_process_is_not_taken_for_what_kills_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bench = OwnerBench(partitions=2)
    await bench.initialise(2)

    async def die_soon(records: list[LogRecord], trim: int) -> Any:
        await asyncio.sleep(0.1)
        raise asyncio.CancelledError

    for _ in range(6):
        services = replace(bench.services, alone=asyncio.Lock())
        deadly, other = await two_partitions(services)
        monkeypatch.setattr(deadly, "_attempt", die_soon)
        monkeypatch.setattr(other, "_attempt", slow(other))
        dying = asyncio.create_task(deadly.prepare(messages(2), 0))
        living = asyncio.create_task(other.prepare(messages(2), 0))
        await asyncio.wait([dying])
        living.cancel()
        await asyncio.wait([living])
    deadly, other = await two_partitions(bench.services)

    letters = [
        len(published((await each.prepare(messages(2), 0)).batch, DEAD_LETTERS))
        for each in (deadly, other)
    ]

    assert letters == [1, 0]


async def two_partitions(services: Services) -> list[Preparation]:
    """Two partitions of one process, loaded."""
    found = []
    for number in range(2):
        rules = Rules(
            settings=services.settings,
            cache_room=CacheRoom(1_000),
            name_commit=services.name_commit,
        )
        keys = PartitionKeys(services.namespace, number)
        state = PartitionState(services.store, keys, services.models, rules)
        await state.load()
        found.append(Preparation(services, state, number))
    return found


def slow(made: Preparation) -> Any:
    """An attempt that is still under way a second later."""
    whole = made._attempt

    async def attempt(records: list[LogRecord], trim: int) -> Any:
        await asyncio.sleep(1)
        return await whole(records, trim)

    return attempt


@in_virtual_time
async def test_whoever_survives_clears_the_count(monkeypatch: pytest.MonkeyPatch) -> None:
    bench, records = OwnerBench(), messages(4)
    for _ in range(5):
        await die(bench, records, monkeypatch)

    prepared = await (await preparation(bench=bench)).prepare(records, 0)

    assert published(prepared.batch, DEAD_LETTERS) == []
    assert await die(bench, records, monkeypatch) == 4


@in_virtual_time
async def test_a_process_that_lives_counts_its_attempts_at_one_fence_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bench, records = OwnerBench(), messages(4)
    made = await preparation(bench=bench)
    whole = made._attempt

    async def fail(records: list[LogRecord], trim: int) -> Any:
        raise asyncio.CancelledError

    for _ in range(20):
        monkeypatch.setattr(made, "_attempt", fail)
        with pytest.raises(asyncio.CancelledError):
            await made.prepare(records, 0)
    monkeypatch.setattr(made, "_attempt", whole)

    prepared = await made.prepare(records, 0)

    assert prepared.count == 4


@in_virtual_time
async def test_an_owner_that_leaves_in_order_takes_its_count_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bench, records = OwnerBench(), messages(4)
    for _ in range(20):
        made = await preparation(bench=bench)

        async def fail(records: list[LogRecord], trim: int) -> Any:
            raise asyncio.CancelledError

        monkeypatch.setattr(made, "_attempt", fail)
        with pytest.raises(asyncio.CancelledError):
            await made.prepare(records, 0)
        await made.leave()

    prepared = await (await preparation(bench=bench)).prepare(records, 0)

    assert prepared.count == 4


@in_virtual_time
async def test_a_store_that_cannot_count_stops_nobody() -> None:
    bench = OwnerBench()
    bench.store.attempts_fail = True

    prepared = await (await preparation(bench=bench)).prepare(messages(2), 0)

    assert prepared.count == 2
