"""A batch reads its own writes first, then the cache, then the store; it writes each key once."""

from collections.abc import Mapping

import pytest

from engine.definitions import DecisionFile, DecisionVersions, ProcessVersions, VersionRef
from engine.outcome import AggregateState, Content, TimerChange
from engine.partition import (
    AppliedCommand,
    ReadCommand,
    ReadDecisions,
    ReadDefinitions,
    ReadModel,
    ReadSource,
    ReadState,
    RecordOutcome,
)
from engine.records import ReplyStatus, SendNumber
from schemas.errors import CorruptDocumentError
from storage.batch import Batch
from storage.errors import FenceLostError
from storage.ports import Put, SortedAdd, SortedRemove
from tests.support.fences import commit_of, fence
from tests.support.partition_states import KEYS, StateBench, instance, position, tombstone

ACCEPTED = AppliedCommand(status=ReplyStatus.ACCEPTED)


def outcome(
    states: dict[str, AggregateState | None] | None = None, **fields: object
) -> RecordOutcome:
    return RecordOutcome(now=1, states=states or {}, **fields)  # type: ignore[arg-type]  # any field


async def commit(bench: StateBench, batch: Batch) -> None:
    state = bench.state
    prepared = state.prepare(batch, position(state.fence.next_offset + 1), 0)
    await state.write(prepared, batch)


async def test_a_record_sees_what_the_one_before_it_wrote() -> None:
    bench = await StateBench().open()
    batch = await bench.state.batch()
    assert await batch.answer(ReadState("i-1")) is None

    batch.add(outcome({"i-1": instance()}, applied=("c-1", ACCEPTED)), [])

    assert await batch.answer(ReadState("i-1")) == instance()
    assert await batch.answer(ReadCommand("c-1")) == ACCEPTED


async def test_the_next_batch_reads_what_was_committed_without_the_store() -> None:
    bench = await StateBench().open()
    batch = await bench.state.batch()
    await batch.answer(ReadState("i-1"))
    batch.add(outcome({"i-1": instance()}), [])
    await commit(bench, batch)
    bench.store.keyspace.delete(KEYS.state("i-1"))

    batch = await bench.state.batch()

    assert await batch.answer(ReadState("i-1")) == instance()


async def test_another_owner_reads_what_was_committed() -> None:
    bench = await StateBench().open()
    batch = await bench.state.batch()
    await batch.answer(ReadState("i-1"))
    number = SendNumber(generation=1, offset=7, index=2)
    versions = ProcessVersions(
        id="order",
        versions=(VersionRef(version=1, checksum="abc", semantics=1),),
    )
    rules = DecisionVersions(
        id="order",
        versions=(VersionRef(version=2, checksum="def", semantics=1, imports=("abc",)),),
    )
    batch.add(
        outcome(
            {"i-1": instance()},
            applied=("c-1", ACCEPTED),
            source=(3, number),
            versions=[versions, rules],
        ),
        [b"effect"],
    )
    await commit(bench, batch)

    other = await StateBench(bench.store).open()
    batch = await other.state.batch()

    assert await batch.answer(ReadState("i-1")) == instance()
    assert await batch.answer(ReadCommand("c-1")) == ACCEPTED
    assert await batch.answer(ReadSource(3)) == number
    assert await batch.answer(ReadSource(4)) is None
    definitions = await batch.answer(ReadDefinitions())
    assert definitions.get("order") == versions
    assert definitions.decision("order") == rules
    assert (await bench.store.load(0)).outbox == (b"effect",)


async def test_reading_under_a_fence_that_was_lost_fails() -> None:
    bench = await StateBench().open()
    batch = await bench.state.batch()
    await bench.store.commit(commit_of(fence(0)))

    with pytest.raises(FenceLostError):
        await batch.answer(ReadState("i-1"))


async def test_a_corrupt_document_fails_for_the_record_that_needs_it_and_no_other() -> None:
    bench = await StateBench().open()
    await bench.store.commit(commit_of(fence(0), Put(KEYS.state("i-1"), b"\x93rubbish")))
    await bench.state.load()
    batch = await bench.state.batch()

    await batch.prefetch(["i-1", "i-2"], [])

    assert await batch.answer(ReadState("i-2")) is None
    with pytest.raises(CorruptDocumentError):
        await batch.answer(ReadState("i-1"))


async def test_content_that_the_batch_itself_stores_is_at_hand() -> None:
    bench = await StateBench().open()
    asked: list[bytes | None] = []

    class Models:
        async def get(self, wanted: ReadModel, contents: Mapping[str, bytes]) -> str:
            asked.append(contents.get(wanted.checksum))
            return "model"

        async def decisions(self, file: DecisionFile, contents: Mapping[str, bytes]) -> str:
            asked.append(contents.get(file.checksum))
            return "decisions"

    bench.state._models = Models()  # type: ignore[assignment]  # only what a batch calls
    batch = await bench.state.batch()
    batch.add(outcome(contents=[Content(checksum="abc", resource=b"<xml/>")]), [])

    assert await batch.answer(ReadModel("abc", "order", 1)) == "model"
    assert await batch.answer(ReadDecisions(DecisionFile("abc", (), 1))) == "decisions"
    assert asked == [b"<xml/>", b"<xml/>"]
    assert Put(KEYS.content("abc"), b"<xml/>") in batch.operations()


async def test_of_a_timer_only_its_last_change_is_written() -> None:
    bench = await StateBench().open()
    batch = await bench.state.batch()
    for due in (5, None, 9):
        batch.add(outcome(timers=[TimerChange(address="i-1", timer=1, due_ms=due)]), [])
    batch.add(outcome(timers=[TimerChange(address="i-1", timer=2, due_ms=4)]), [])
    batch.add(outcome(timers=[TimerChange(address="i-1", timer=2, due_ms=None)]), [])

    operations = batch.operations()

    assert SortedAdd(KEYS.timers, {"1:i-1": 9}) in operations
    assert SortedRemove(KEYS.timers, ("2:i-1",)) in operations
    assert batch.next_due() == 9


async def test_an_instance_that_ends_in_the_batch_it_began_in_leaves_only_its_tombstone() -> None:
    bench = await StateBench().open()
    batch = await bench.state.batch()
    await batch.answer(ReadState("i-1"))
    batch.add(outcome({"i-1": instance()}), [])
    batch.add(outcome({"i-1": tombstone()}), [])
    await commit(bench, batch)

    kept = [key for key in bench.store.keyspace.snapshot() if "i-1" in key or "instances" in key]
    assert kept == [KEYS.state("i-1")]


async def test_entries_keep_their_order_and_count_as_bytes() -> None:
    bench = await StateBench().open()
    batch = await bench.state.batch()

    batch.add(outcome(), [b"one", b"two"])
    batch.add(outcome(), [b"three"])

    assert batch.entries == [b"one", b"two", b"three"]
    assert batch.bytes == 11
