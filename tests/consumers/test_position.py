"""The log must be the one that the fence was made from; anything else is refused loudly."""

import pytest
from msgspec.structs import replace

from consumers.errors import LogMismatchError
from consumers.log import LogRecord
from consumers.memory_log import MemoryBroker, MemoryCommandLog
from consumers.position import crc_of, position_after, verify
from storage.ports import Fence
from tests.support.owner_bench import FIRST_FENCE

TOPIC = "shop.commands"


class Log:
    """A command topic of one partition with three records."""

    def __init__(self) -> None:
        self.time = 1_000
        self.broker = MemoryBroker(lambda: self.time)
        self.broker.create(TOPIC, 1)
        self.reader = MemoryCommandLog(self.broker, TOPIC)
        self.write("one", "two", "three")

    @property
    def partition(self) -> "object":
        return self.broker.topics[TOPIC][0]

    def write(self, *values: str) -> None:
        for value in values:
            self.time += 1
            self.broker.publish(TOPIC, value.encode(), key=b"k")

    def fence_after(self, offset: int) -> Fence:
        record = self.broker.topics[TOPIC][0].at(offset)
        assert record is not None
        position = position_after(record, self.time)
        return replace(
            FIRST_FENCE,
            next_offset=position.next_offset,
            stamp_timestamp_ms=position.stamp_timestamp_ms,
            stamp_crc=position.stamp_crc,
        )

    async def verify(self, fence: Fence, partitions: int = 1) -> None:
        await verify(self.reader, 0, partitions, fence)


async def test_the_log_that_the_fence_was_made_from_is_accepted_at_every_record() -> None:
    log = Log()

    await log.verify(FIRST_FENCE)
    for offset in range(3):
        await log.verify(log.fence_after(offset))


async def test_a_log_that_lost_its_end_is_refused() -> None:
    log = Log()
    fence = log.fence_after(2)
    log.broker.topics[TOPIC][0].truncate(0, 2)

    with pytest.raises(LogMismatchError, match="no record at offset 2"):
        await log.verify(fence)


async def test_a_log_that_lost_its_end_and_was_filled_again_is_refused() -> None:
    log = Log()
    fence = log.fence_after(2)
    log.broker.topics[TOPIC][0].truncate(0, 2)
    log.write("other", "another")

    with pytest.raises(LogMismatchError, match="truncated or made anew"):
        await log.verify(fence)


async def test_the_same_content_at_the_same_offset_at_another_time_is_refused() -> None:
    log = Log()
    fence = log.fence_after(2)
    log.broker.topics[TOPIC][0].truncate(0, 2)
    log.write("three")

    with pytest.raises(LogMismatchError):
        await log.verify(fence)


async def test_a_log_whose_start_has_passed_the_fence_is_refused() -> None:
    log = Log()
    fence = log.fence_after(0)
    log.broker.topics[TOPIC][0].truncate(2, 3)

    with pytest.raises(LogMismatchError, match="deleted before they were applied"):
        await log.verify(fence)


async def test_a_log_that_begins_right_at_the_fence_can_be_gone_on_with() -> None:
    log = Log()
    fence = log.fence_after(1)
    log.broker.topics[TOPIC][0].truncate(2, 3)

    await log.verify(fence)


async def test_another_number_of_partitions_is_refused() -> None:
    log = Log()

    with pytest.raises(LogMismatchError, match="1 partitions"):
        await log.verify(FIRST_FENCE, partitions=2)


def test_the_checksum_tells_key_and_value_apart() -> None:
    def record(key: bytes | None, value: bytes | None) -> LogRecord:
        return LogRecord(partition=0, offset=0, timestamp_ms=0, key=key, value=value)

    assert crc_of(record(b"a", b"b")) != crc_of(record(b"b", b"a"))
    assert crc_of(record(None, b"b")) != crc_of(record(None, None))
