"""Where a partition stands in its log, and whether the log is still the one it stood in.

The fence names the record before it by timestamp and CRC. A log that was truncated or made anew,
and filled again past the fence, shows there; an offset alone would skip commands in silence.
"""

import zlib

from consumers.errors import LogMismatchError
from consumers.log import CommandLog, LogRecord
from storage.partition import Position
from storage.ports import Fence


def crc_of(record: LogRecord) -> int:
    """The CRC-32 of a record's key and value."""
    return zlib.crc32(record.value or b"", zlib.crc32(record.key or b""))


def position_after(record: LogRecord, now_ms: int) -> Position:
    """The position of a partition that has applied everything up to a record."""
    return Position(
        next_offset=record.offset + 1,
        now_ms=now_ms,
        stamp_timestamp_ms=record.timestamp_ms,
        stamp_crc=crc_of(record),
    )


async def verify(log: CommandLog, partition: int, partitions: int, fence: Fence) -> None:
    """Refuse a log that is not the one that the fence was made from.

    Raises LogMismatchError, LogUnavailableError.
    """
    found = await log.partitions()
    if found != partitions:
        raise LogMismatchError(
            f"the command topic has {found} partitions, the namespace was made with {partitions};"
            " their number cannot change"
        )
    bounds = await log.bounds(partition)
    offset = fence.next_offset
    if bounds.start > offset:
        raise LogMismatchError(
            f"partition {partition}: the log begins at offset {bounds.start}, but {offset} is the"
            " next to apply: records were deleted before they were applied"
        )
    if fence.stamp_crc is not None and bounds.start < offset:
        await _verify_stamp(log, partition, fence)


async def _verify_stamp(log: CommandLog, partition: int, fence: Fence) -> None:
    """Look at the record itself: what brokers say of a log's end is less sure."""
    offset = fence.next_offset - 1
    record = await log.record_at(partition, offset)
    if record is None:
        raise LogMismatchError(
            f"partition {partition}: the log has no record at offset {offset}, the last that was"
            " applied: the log lost its end, or is another"
        )
    if crc_of(record) != fence.stamp_crc or record.timestamp_ms != fence.stamp_timestamp_ms:
        raise LogMismatchError(
            f"partition {partition}: the record at offset {offset} is not the one that was applied"
            " there: the log was truncated or made anew"
        )
