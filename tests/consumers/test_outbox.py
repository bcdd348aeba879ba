"""Publishing in order: one lane a topic, one batch under way, a head that is trimmed."""

import asyncio

import pytest

from consumers.log import PublishFailedError, PublishRefusedError
from consumers.outbox import Outbox, OutboxPublisher
from consumers.services import Limits
from schemas.publication_writer import OutboxRecord
from schemas.snapshot import encode
from storage.errors import PartitionHaltedError
from tests.support.owner_bench import COMMANDS, EFFECTS, REPLIES, OwnerBench
from tests.support.virtual_time import in_virtual_time


def entry(value: str, topic: str = EFFECTS) -> bytes:
    return encode(
        OutboxRecord(topic=topic, key=b"k", partition=0, headers=(), value=value.encode())
    )


class Lanes:
    """A publisher of an outbox, running."""

    def __init__(self, *entries: bytes, limits: Limits | None = None) -> None:
        self.bench = OwnerBench(limits=limits)
        self.outbox = Outbox(self.bench.services.limits)
        self.outbox.replace(entries, 0)
        self.publisher = OutboxPublisher(self.outbox, self.bench.services, 0)

    def start(self) -> "asyncio.Task[None]":
        return asyncio.create_task(self.publisher.run())

    def published(self, topic: str = EFFECTS) -> list[str]:
        return [(record.value or b"").decode() for record in self.bench.topic(topic).records()]


@in_virtual_time
async def test_the_outbox_is_published_from_its_head_then_what_is_offered() -> None:
    lanes = Lanes(entry("1"), entry("2"))
    task = lanes.start()
    await lanes.bench.until("the head is out", lambda: lanes.published() == ["1", "2"])

    lanes.publisher.offer(lanes.outbox.extend([entry("3")]))

    await lanes.bench.until("the rest is out", lambda: lanes.published() == ["1", "2", "3"])
    assert lanes.outbox.settled_head == 3
    task.cancel()


@in_virtual_time
async def test_a_lane_has_one_batch_under_way() -> None:
    lanes = Lanes(*[entry(str(n)) for n in range(5)], limits=Limits(publish_records_max=2))
    task = lanes.start()
    await lanes.bench.until("all is out", lambda: len(lanes.published()) == 5)

    assert lanes.bench.publishers.sent == [[EFFECTS] * 2, [EFFECTS] * 2, [EFFECTS]]
    task.cancel()


@in_virtual_time
async def test_a_batch_is_cut_by_bytes_and_holds_one_entry_at_least() -> None:
    limits = Limits(publish_bytes_max=len(entry("1")) * 2)
    lanes = Lanes(entry("1"), entry("2"), entry("3"), entry("x" * 500), limits=limits)
    task = lanes.start()
    await lanes.bench.until("all is out", lambda: len(lanes.published()) == 4)

    assert [len(each) for each in lanes.bench.publishers.sent] == [2, 1, 1]
    task.cancel()


@in_virtual_time
async def test_a_topic_that_is_refused_holds_up_no_other() -> None:
    lanes = Lanes(entry("1", "shop.jobs.gone"), entry("2"), entry("3", "shop.jobs.gone"))
    task = lanes.start()

    await lanes.bench.until("the other lane is out", lambda: lanes.published() == ["2"])

    assert lanes.outbox.settled_head == 0
    lanes.bench.broker.create("shop.jobs.gone", 1)
    await lanes.bench.until("all is out", lambda: lanes.outbox.settled_head == 3)
    assert lanes.published("shop.jobs.gone") == ["1", "3"]
    task.cancel()


@in_virtual_time
async def test_a_failed_send_ends_the_publisher_and_counts_what_was_acknowledged() -> None:
    lanes = Lanes(entry("1"), entry("2"), entry("3"))
    lanes.bench.publishers.failures = [(2, PublishFailedError("cut", acknowledged=1))]

    with pytest.raises(ExceptionGroup) as caught:
        await lanes.start()

    assert isinstance(caught.value.exceptions[0], PublishFailedError)
    assert lanes.outbox.settled_head == 1


@in_virtual_time
async def test_what_was_acknowledged_is_not_published_again() -> None:
    lanes = Lanes()
    lanes.outbox.replace([entry("1"), entry("2")], 1)
    task = lanes.start()

    await lanes.bench.until("all is settled", lambda: lanes.outbox.settled_head == 2)

    assert lanes.published() == ["2"]
    task.cancel()


@in_virtual_time
async def test_a_refused_record_keeps_the_acknowledged_ones_before_it() -> None:
    lanes = Lanes(entry("1"), entry("2"))
    lanes.bench.publishers.failures = [(1, PublishRefusedError("too large", acknowledged=1))]
    task = lanes.start()

    await lanes.bench.until("all is settled", lambda: lanes.outbox.settled_head == 2)

    assert lanes.published() == ["1", "2"]
    task.cancel()


@in_virtual_time
async def test_a_reply_that_nobody_takes_is_dropped_after_seconds() -> None:
    lanes = Lanes(entry("lost", "shop.replies.gone"), entry("kept", REPLIES))
    before = asyncio.get_running_loop().time()
    task = lanes.start()

    await lanes.bench.until("the head is settled", lambda: lanes.outbox.settled_head == 2)

    assert 5 <= asyncio.get_running_loop().time() - before < 15
    assert lanes.bench.metrics.value("torpor_replies_dropped_total") == 1
    task.cancel()


@in_virtual_time
async def test_patience_is_with_a_topic_and_not_with_each_of_its_entries() -> None:
    lost = [entry(str(n), "shop.replies.gone") for n in range(50)]
    lanes = Lanes(*lost, entry("kept", REPLIES))
    before = asyncio.get_running_loop().time()
    task = lanes.start()

    await lanes.bench.until("all is settled", lambda: lanes.outbox.settled_head == 51)

    assert 5 <= asyncio.get_running_loop().time() - before < 15
    assert lanes.bench.metrics.value("torpor_replies_dropped_total") == 50
    task.cancel()


@in_virtual_time
async def test_patience_begins_anew_once_the_topic_has_taken_something() -> None:
    topic = "shop.replies.gone"
    lanes = Lanes(*[entry(str(n), topic) for n in range(3)], limits=Limits(publish_records_max=1))
    task = lanes.start()
    await lanes.bench.until("one is lost", lambda: lanes.outbox.settled_head >= 1)
    lanes.bench.broker.create(topic, 1)
    lanes.publisher.offer(lanes.outbox.extend([entry("later", topic)]))

    await lanes.bench.until("all is settled", lambda: lanes.outbox.settled_head == 4)

    assert lanes.published(topic)[-1] == "later"
    task.cancel()


@in_virtual_time
async def test_a_send_is_never_given_up() -> None:
    lanes = Lanes(entry("sent", COMMANDS))
    lanes.bench.publishers.failures = [(0, PublishRefusedError("no permission"))] * 100
    task = lanes.start()

    await lanes.bench.until("it is sent", lambda: lanes.published(COMMANDS) == ["sent"], 900)
    task.cancel()


def test_the_outbox_is_full_by_entries_or_by_bytes() -> None:
    by_count = Outbox(Limits(outbox_entries_max=2))
    by_count.extend([entry("1")])
    assert not by_count.is_full
    by_count.extend([entry("2")])
    assert by_count.is_full
    by_count.trim(1)
    assert not by_count.is_full

    by_bytes = Outbox(Limits(outbox_bytes_max=len(entry("1")) + 1))
    by_bytes.extend([entry("1")])
    assert not by_bytes.is_full
    by_bytes.extend([entry("2")])
    assert by_bytes.is_full


def test_an_entry_that_the_engine_did_not_write_halts_the_partition() -> None:
    with pytest.raises(PartitionHaltedError):
        Outbox(Limits()).replace([b"rubbish"], 0)
