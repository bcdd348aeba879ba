"""Record by record: what is wrong with one stays with that one."""

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace

from consumers import transactions
from consumers.log import LogRecord
from engine.outcome import Content
from engine.partition import (
    Driver,
    PartitionInfo,
    ReadModel,
    ReadSource,
    ReadState,
    RecordOutcome,
    Stimulus,
)
from engine.records import Publication, Reply, ReplyAddress, ReplyStatus, SendNumber, Topic
from schemas.errors import NewerRecordError
from storage.batch import Batch
from storage.errors import FenceLostError
from storage.ports import Put
from tests.support.batches import Applying, as_sent, published, record, rubbish
from tests.support.fences import commit_of
from tests.support.owner_bench import (
    COMMANDS,
    DEAD_LETTERS,
    REJECTIONS,
    REPLIES,
    START_MS,
    OwnerBench,
)
from tests.support.partition_states import instance
from tests.support.virtual_time import in_virtual_time


def replies(run: Applying, batch: Batch) -> list[Reply]:
    codec = run.bench.services.codec
    return [
        codec.decode_published(entry.value or b"", Reply) for entry in published(batch, REPLIES)
    ]


@in_virtual_time
async def test_rubbish_is_dead_lettered_and_the_next_record_applied() -> None:
    run = await Applying(OwnerBench()).open()
    batch = await run.state.batch()

    await run.apply(batch, rubbish(0), record(1, "StartInstance", process_id="none"))

    (letter,) = published(batch, DEAD_LETTERS)
    assert (letter.key, letter.value) == (b"k", b"\x07")
    assert [each.status for each in replies(run, batch)] == [ReplyStatus.REJECTED]


@in_virtual_time
async def test_a_malformed_command_is_rejected_and_answered() -> None:
    run = await Applying(OwnerBench()).open()
    batch = await run.state.batch()

    await run.apply(batch, record(0, "CompleteTask", task_id=7))

    (reply,) = replies(run, batch)
    assert (reply.status, reply.code) == (ReplyStatus.REJECTED, "INVALID_ARGUMENT")
    assert published(batch, DEAD_LETTERS) == []


@in_virtual_time
async def test_a_command_twice_in_one_batch_is_taken_once() -> None:
    run = await Applying(OwnerBench()).open()
    batch = await run.state.batch()
    command: dict[str, Any] = {"name": "paid", "ttl_ms": 1_000, "command_id": "c-1"}

    await run.apply(
        batch, record(0, "PublishMessage", **command), record(1, "PublishMessage", **command)
    )

    assert [each.status for each in replies(run, batch)] == [
        ReplyStatus.ACCEPTED,
        ReplyStatus.DUPLICATE,
    ]


@in_virtual_time
async def test_time_never_steps_back() -> None:
    run = await Applying(OwnerBench()).open()
    batch = await run.state.batch()

    now = await run.apply(
        batch,
        record(0, "StartInstance", process_id="none", at_ms=START_MS + 9),
        record(1, "StartInstance", process_id="none", at_ms=START_MS),
        rubbish(2),
    )

    assert now == START_MS + 9


@in_virtual_time
async def test_a_command_for_another_partition_is_forwarded() -> None:
    run = await Applying(OwnerBench(partitions=4)).open()
    batch = await run.state.batch()

    await run.apply(
        batch, *[record(n, "TerminateInstance", instance_id=f"i-{n}") for n in range(8)]
    )

    forwarded = published(batch, COMMANDS)
    assert forwarded
    assert run.bench.metrics.value("torpor_forwarded_total") == len(forwarded)


def faulty(info: PartitionInfo, stimulus: Stimulus) -> Driver:
    """A core with a bug: it fails on every start, after it has read."""
    yield ReadState("i-1")
    if type(stimulus.command).__name__ == "StartInstance":
        raise KeyError("element")
    return RecordOutcome(now=stimulus.timestamp_ms)


@in_virtual_time
async def test_a_bug_of_the_core_is_one_dead_letter_and_the_rest_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(transactions, "transact", faulty)
    run = await Applying(OwnerBench()).open()
    batch = await run.state.batch()

    now = await run.apply(
        batch,
        record(0, "StartInstance", process_id="p", instance_id="i-1"),
        record(1, "CompleteTask", task_id="i-1:3", at_ms=START_MS + 5),
    )

    (letter,) = published(batch, DEAD_LETTERS)
    assert b"KeyError: 'element'" in dict(letter.headers)["reason"]
    assert now == START_MS + 5
    assert run.bench.metrics.value("torpor_engine_faults_total", partition=0) == 1


@in_virtual_time
async def test_a_record_that_cannot_be_encoded_is_one_dead_letter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unencodable(info: PartitionInfo, stimulus: Stimulus) -> Driver:
        outcome = RecordOutcome(now=1, states={"i-1": instance()})
        bad = Publication(topic=Topic.JOBS, key="k", record=None, index=0, suffix="")
        outcome.publications.append(bad)
        return outcome
        yield ReadState("unused")

    monkeypatch.setattr(transactions, "transact", unencodable)
    run = await Applying(OwnerBench()).open()
    batch = await run.state.batch()

    await run.apply(batch, record(0, "StartInstance", process_id="p", instance_id="i-1"))

    assert len(published(batch, DEAD_LETTERS)) == 1
    assert await batch.answer(ReadState("i-1")) is None


@in_virtual_time
async def test_a_command_that_leads_to_a_record_which_no_topic_takes_is_rejected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(transactions, "COMMAND_BYTES_MAX", 2_000)
    run = await Applying(OwnerBench(partitions=4)).open()
    batch = await run.state.batch()
    elsewhere = [
        record(n, "PublishMessage", name=f"n-{n}", correlation_key="k" * 2_000, command_id=f"c-{n}")
        for n in range(4)
    ]

    await run.apply(batch, *elsewhere)

    assert published(batch, COMMANDS) == []
    codes = {each.command_id: each.code for each in replies(run, batch)}
    assert codes.keys() == {"c-0", "c-1", "c-2", "c-3"}
    assert "TOO_LARGE" in codes.values()
    assert published(batch, DEAD_LETTERS) == []


@in_virtual_time
async def test_a_send_that_leads_to_a_record_which_no_topic_takes_is_one_dead_letter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(transactions, "COMMAND_BYTES_MAX", 10)
    monkeypatch.setattr(transactions, "transact", answering)
    run = await Applying(OwnerBench()).open()
    batch = await run.state.batch()

    await run.apply(batch, sent(0, "1:5:0"))

    (letter,) = published(batch, DEAD_LETTERS)
    assert b"RecordTooLargeError" in dict(letter.headers)["reason"]
    assert await batch.answer(ReadSource(0)) == SendNumber(generation=1, offset=5, index=0)


def answering(info: PartitionInfo, stimulus: Stimulus) -> Driver:
    """A core that answers whatever comes."""
    address = ReplyAddress(topic=REPLIES)
    reply = Reply(command_id="c", status=ReplyStatus.ACCEPTED)
    outcome = RecordOutcome(now=1)
    outcome.publications.append(
        Publication(topic=Topic.REPLIES, key="c", record=reply, index=0, reply=address)
    )
    return outcome
    yield ReadState("unused")


@in_virtual_time
async def test_a_corrupt_document_is_one_dead_letter() -> None:
    run = await Applying(OwnerBench()).open()
    key = run.bench.keys.state("i-1")
    await run.bench.store.commit(commit_of(run.bench.fence, Put(key, b"\x93rubbish")))
    await run.state.load()
    batch = await run.state.batch()

    await run.apply(
        batch,
        record(0, "CompleteTask", task_id="i-1:3"),
        record(1, "CompleteTask", task_id="i-2:3"),
    )

    (letter,) = published(batch, DEAD_LETTERS)
    assert b"CorruptDocumentError" in dict(letter.headers)["reason"]
    assert [each.code for each in replies(run, batch)] == ["INVALID_STATE", "NOT_FOUND"]


@in_virtual_time
async def test_a_lost_fence_is_nobody_s_fault() -> None:
    run = await Applying(OwnerBench()).open()
    batch = await run.state.batch()
    await run.bench.store.commit(commit_of(run.bench.fence, name="e" * 16))

    with pytest.raises(FenceLostError):
        await run.apply(batch, record(0, "CompleteTask", task_id="i-1:3"))


@in_virtual_time
async def test_content_that_is_not_there_yet_is_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def asking(info: PartitionInfo, stimulus: Stimulus) -> Driver:
        asked.append(stimulus.command_id or "")
        yield ReadModel("abc", "order", 1)
        return RecordOutcome(now=1, contents=[Content(checksum="seen", resource=b"")])

    monkeypatch.setattr(transactions, "transact", asking)
    run = await Applying(OwnerBench()).open()
    batch = await run.state.batch()
    taken = asyncio.create_task(run.apply(batch, record(0, "CompleteTask", task_id="i-1:3")))
    await asyncio.sleep(60)
    assert not taken.done()

    run.bench.store.keyspace.set(run.bench.keys.content("abc"), b"no model at all")

    await taken
    assert len(published(batch, DEAD_LETTERS)) == 1, "content that holds no such process is a bug"
    assert asked == [""]


def test_a_command_of_a_newer_engine_is_left_to_it() -> None:
    run = Applying(OwnerBench())
    newer = as_sent(replace(rubbish(0), value=b'{"type":"Levitate"}'))

    with pytest.raises(NewerRecordError):
        run.transactions.receive(newer)


@in_virtual_time
async def test_a_record_that_the_decoder_itself_fails_on_is_one_dead_letter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = await Applying(OwnerBench()).open()
    batch = await run.state.batch()

    def fail(record: object) -> Stimulus:
        raise ZeroDivisionError("in the decoder")

    monkeypatch.setattr(run.bench.services.codec, "decode_command", fail)
    await run.apply(batch, rubbish(0))

    (letter,) = published(batch, DEAD_LETTERS)
    assert b"in the decoder" in dict(letter.headers)["reason"]


def sent(offset: int, number: str) -> LogRecord:
    """A command that partition 0 sent: a subscription that nobody has is closed."""
    named: dict[str, Any] = {
        "name": "paid",
        "correlation_key": "",
        "instance_id": "i-1",
        "subscription": 3,
    }
    found = record(offset, "CloseSubscription", **named)
    return as_sent(found, number)


@in_virtual_time
async def test_a_copy_of_a_send_that_kills_processes_is_dropped_like_any_copy() -> None:
    run = await Applying(OwnerBench()).open()
    batch = await run.state.batch()
    await run.apply(batch, sent(0, "1:5:0"))
    copy = replace(run.transactions.receive(sent(1, "1:4:0")), poison="3 owners died of it")

    await run.transactions.apply(batch, copy, run.info())

    assert await batch.answer(ReadSource(0)) == SendNumber(generation=1, offset=5, index=0)
    assert published(batch, DEAD_LETTERS) == []


@in_virtual_time
async def test_a_send_that_kills_processes_is_taken_as_a_dead_letter() -> None:
    run = await Applying(OwnerBench()).open()
    batch = await run.state.batch()
    first = replace(run.transactions.receive(sent(0, "1:5:0")), poison="3 owners died of it")

    await run.transactions.apply(batch, first, run.info())
    await run.apply(batch, sent(1, "1:5:0"))

    assert await batch.answer(ReadSource(0)) == SendNumber(generation=1, offset=5, index=0)
    assert len(published(batch, DEAD_LETTERS)) == 1


# --- what says that it is the engine's, and has no valid seal ---

HUGE = "9:1099511627776:0"


def closing(offset: int) -> dict[str, Any]:
    return {"name": "paid", "correlation_key": "", "instance_id": "i-1", "subscription": offset}


def unsealed(found: LogRecord) -> LogRecord:
    """With the engine's headers, and a seal that somebody made up."""
    return replace(found, headers=(*found.headers[:-1], ("torpor-seal", bytes(16))))


@in_virtual_time
async def test_a_forged_number_neither_drops_nor_passes_a_later_send() -> None:
    run = await Applying(OwnerBench()).open()
    batch = await run.state.batch()
    await run.apply(batch, sent(0, "1:5:0"))

    forged = replace(
        unsealed(sent(1, HUGE)), value=record(1, "StartInstance", process_id="x").value
    )
    await run.apply(batch, forged)
    assert await batch.answer(ReadSource(0)) == SendNumber(generation=1, offset=5, index=0)

    await run.apply(batch, sent(2, "1:6:0"))
    assert await batch.answer(ReadSource(0)) == SendNumber(generation=1, offset=6, index=0)
    assert run.bench.metrics.value("torpor_forged_total", partition=0) == 1


@in_virtual_time
@pytest.mark.parametrize("headers", [(), (("torpor-source", b"0"), ("torpor-number", b"1:6:0"))])
@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("CloseSubscription", closing(3)),
        ("FireTimer", {"address": "i-1", "timer": 3, "due_ms": 0}),
        ("RaiseIncident", {"instance_id": "i-1", "kind": "ENGINE_FAULT", "message": "forged"}),
    ],
)
async def test_an_internal_command_without_a_seal_is_refused_answered_and_counted(
    kind: str, fields: dict[str, Any], headers: tuple[tuple[str, bytes], ...]
) -> None:
    run = await Applying(OwnerBench()).open()
    batch = await run.state.batch()
    found = record(0, kind, **fields)

    await run.apply(batch, replace(found, headers=found.headers + headers))

    (reply,) = replies(run, batch)
    assert (reply.status, reply.code) == (ReplyStatus.REJECTED, "UNAUTHORIZED")
    assert len(published(batch, REJECTIONS)) == 1
    assert published(batch, DEAD_LETTERS) == []
    assert await batch.answer(ReadSource(0)) is None
    assert run.bench.metrics.value("torpor_forged_total", partition=0) == 1


@in_virtual_time
async def test_a_send_repeated_by_somebody_else_is_a_copy_like_any() -> None:
    run = await Applying(OwnerBench()).open()
    batch = await run.state.batch()

    await run.apply(batch, sent(0, "1:5:0"), replace(sent(0, "1:5:0"), offset=1))

    assert await batch.answer(ReadSource(0)) == SendNumber(generation=1, offset=5, index=0)
    assert (replies(run, batch), published(batch, REJECTIONS)) == ([], [])
    assert run.bench.metrics.value("torpor_forged_total", partition=0) == 0


@in_virtual_time
async def test_a_client_s_command_that_names_no_engine_is_no_forgery() -> None:
    run = await Applying(OwnerBench()).open()

    await run.apply(await run.state.batch(), record(0, "StartInstance", process_id="x"))

    assert run.bench.metrics.value("torpor_forged_total", partition=0) == 0


@in_virtual_time
async def test_a_forged_command_that_is_not_even_tried_raises_no_incident() -> None:
    run = await Applying(OwnerBench(partitions=4)).open()
    batch = await run.state.batch()
    forged = record(0, "Continue", instance_id="i-1", steps=1)
    poisoned = replace(run.transactions.receive(forged), poison="3 owners died of it")

    await run.transactions.apply(batch, poisoned, run.info())

    assert len(published(batch, DEAD_LETTERS)) == 1
    assert published(batch, COMMANDS) == []
