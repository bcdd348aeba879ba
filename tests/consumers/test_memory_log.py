"""The twin of the log keeps what the port promises."""

import asyncio
from collections.abc import Sequence

import pytest

from consumers.log import (
    LogInterruptedError,
    NotAssignedError,
    OutgoingRecord,
    PublishRefusedError,
)
from consumers.memory_log import MemoryBroker, MemoryCommandLog, MemoryMembership, MemoryPublisher
from engine.routing import partition_of
from tests.support.virtual_time import in_virtual_time

TOPIC = "shop.commands"


class Reading:
    """A topic of one partition, assigned, with a reader at its start."""

    def __init__(self, partitions: int = 1) -> None:
        self.broker = MemoryBroker(lambda: 1)
        self.broker.create(TOPIC, partitions)
        self.log = MemoryCommandLog(self.broker, TOPIC)
        for number in range(partitions):
            self.log.assign(number)

    def write(self, *values: str) -> None:
        for value in values:
            self.broker.append(
                OutgoingRecord(topic=TOPIC, key=b"k", value=value.encode(), partition=0)
            )

    async def fetch(self, records_max: int = 10) -> tuple[int, list[str], int]:
        fetched = await self.log.fetch(0, records_max, 1_000)
        values = [(record.value or b"").decode() for record in fetched.records]
        return fetched.start, values, fetched.end


@in_virtual_time
async def test_a_fetch_goes_on_from_where_the_one_before_it_ended() -> None:
    reading = Reading()
    reading.write("a", "b", "c")
    await reading.log.seek(0, 0)

    assert await reading.fetch(2) == (0, ["a", "b"], 2)
    assert await reading.fetch() == (2, ["c"], 3)


@in_virtual_time
async def test_a_fetch_waits_for_a_record_and_not_for_ever() -> None:
    reading = Reading()
    await reading.log.seek(0, 0)
    assert await reading.fetch() == (0, [], 0)

    fetching = asyncio.create_task(reading.fetch())
    await asyncio.sleep(0.1)
    reading.write("a")

    assert await fetching == (0, ["a"], 1)


@in_virtual_time
async def test_offsets_have_gaps() -> None:
    reading = Reading()
    reading.write("a")
    reading.broker.topics[TOPIC][0].leave_gap(5)
    reading.write("b")
    await reading.log.seek(0, 1)

    assert await reading.fetch() == (1, ["b"], 7)
    assert await reading.log.record_at(0, 3) is None


@in_virtual_time
async def test_a_cancelled_fetch_loses_no_record() -> None:
    reading = Reading()
    await reading.log.seek(0, 0)
    fetching = asyncio.create_task(reading.fetch())
    await asyncio.sleep(0.1)

    fetching.cancel()
    reading.write("a")

    assert await reading.fetch() == (0, ["a"], 1)


@in_virtual_time
async def test_a_seek_under_a_fetch_is_noticed() -> None:
    reading = Reading()
    await reading.log.seek(0, 0)
    fetching = asyncio.create_task(reading.fetch())
    await asyncio.sleep(0.1)
    reading.write("a", "b")
    await reading.log.seek(0, 1)

    with pytest.raises(LogInterruptedError):
        await fetching


@in_virtual_time
async def test_an_interruption_is_told_once_until_the_next_seek() -> None:
    reading = Reading()
    reading.write("a")
    await reading.log.seek(0, 0)
    reading.log.interrupt(0)

    with pytest.raises(LogInterruptedError):
        await reading.fetch()
    await reading.log.seek(0, 0)

    assert await reading.fetch() == (0, ["a"], 1)


@in_virtual_time
async def test_a_position_outside_the_log_is_an_interruption() -> None:
    reading = Reading()
    reading.write("a")
    await reading.log.seek(0, 7)

    with pytest.raises(LogInterruptedError):
        await reading.fetch()


@in_virtual_time
async def test_a_partition_that_was_taken_away_is_not_fetched() -> None:
    reading = Reading()
    await reading.log.seek(0, 0)
    reading.log.revoke(0)

    with pytest.raises(NotAssignedError):
        await reading.fetch()


@in_virtual_time
async def test_a_log_that_lost_records_says_so_by_its_bounds() -> None:
    reading = Reading()
    reading.write("a", "b", "c", "d")

    reading.broker.topics[TOPIC][0].truncate(1, 3)

    bounds = await reading.log.bounds(0)
    assert (bounds.start, bounds.end) == (1, 3)
    assert await reading.log.record_at(0, 0) is None


@in_virtual_time
async def test_a_record_goes_to_the_partition_of_its_key() -> None:
    reading = Reading(partitions=8)

    written = reading.broker.publish(TOPIC, b"v", key=b"order-4711")

    assert written.partition == partition_of("order-4711", 8)


@in_virtual_time
async def test_a_missing_topic_is_refused_and_what_was_before_it_is_written() -> None:
    reading = Reading()
    publisher = MemoryPublisher(reading.broker)
    known = OutgoingRecord(topic=TOPIC, key=b"k", value=b"v", partition=0)
    unknown = OutgoingRecord(topic="shop.nothing", key=b"k", value=b"v")

    with pytest.raises(PublishRefusedError) as caught:
        await publisher.send([known, unknown, known])

    assert caught.value.acknowledged == 1
    assert len(reading.broker.topics[TOPIC][0].records()) == 1


@in_virtual_time
async def test_a_membership_tells_what_is_given_and_taken() -> None:
    reading = Reading()
    told: list[tuple[str, list[int]]] = []

    class Told:
        async def assigned(self, partitions: Sequence[int]) -> None:
            told.append(("given", list(partitions)))

        async def revoked(self, partitions: Sequence[int]) -> None:
            told.append(("taken", list(partitions)))

    membership = MemoryMembership(reading.log)
    await membership.join(Told())
    await membership.give([0])
    await membership.leave()

    assert told == [("given", [0]), ("taken", [0])]
