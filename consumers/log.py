"""The log as the engine needs it: the command topic to read, every topic to publish to.

Two implementations: Kafka, and the in-memory twin that simulations run on. Here are only records,
positions and acknowledgements; what the records mean is decided by those who read them.

LogError
    LogUnavailableError      no answer: the loop backs off, then loads the partition anew
    LogInterruptedError      leader change, fetch error, reconnect: the loop loads anew, and with
                             that checks the record before the fence again
    NotAssignedError         the group has taken the partition away: the loop ends
    PublishFailedError       perhaps written: that publisher is over, the loop loads anew
    PublishRefusedError      not written, and not before somebody acts: the lane backs off
"""

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeAlias

import msgspec

Headers: TypeAlias = tuple[tuple[str, bytes], ...]


class LogRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A record of the command topic as found. `timestamp_ms` is the broker's (LogAppendTime)."""

    partition: int
    offset: int
    timestamp_ms: int
    key: bytes | None
    value: bytes | None
    headers: Headers = ()


class Fetched(msgspec.Struct, frozen=True, kw_only=True):
    """Records in order, and the positions before and after them.

    `start` is the position that the fetch went on from: the offset of the last `seek`, or the `end`
    of the fetch before. Offsets have gaps, so neither is derived from the records: a reader
    whose own position is not `start` has missed a seek or a record, and must not apply the rest.
    `end` may be above the last record's offset + 1.
    """

    start: int
    records: tuple[LogRecord, ...]
    end: int


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """`start`: the first offset still kept. `end`: the offset of the next record to be written."""

    start: int
    end: int


class OutgoingRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A record to publish. `topic` is the full name; `partition` None leaves it to murmur2(key)."""

    topic: str
    key: bytes | None
    value: bytes | None
    partition: int | None = None
    headers: Headers = ()


class Acknowledgement(msgspec.Struct, frozen=True, kw_only=True):
    """Where a record was written, and the broker's time there."""

    partition: int
    offset: int
    timestamp_ms: int


class LogError(Exception):
    """The root of the log's exceptions."""


class LogUnavailableError(LogError):
    """The log gave no answer. The loop backs off, then loads the partition anew."""


class LogInterruptedError(LogError):
    """Leader change, fetch error, reconnect, offset out of range. The loop loads anew at once."""


class NotAssignedError(LogError):
    """The partition is no longer this member's. The loop ends."""


class PublishError(LogError):
    """The first `acknowledged` records of the call were acknowledged; the next was not."""

    def __init__(self, message: str, acknowledged: int = 0) -> None:
        super().__init__(message)
        self.acknowledged = acknowledged


class PublishFailedError(PublishError):
    """Perhaps written, perhaps later. The publisher is over; the loop loads the partition anew."""


class PublishRefusedError(PublishError):
    """Not written: no such topic, no permission, too large. The lane backs off, then gives up."""


class CommandLog(Protocol):
    """The command topic, as one member of the consumer group reads it.

    Calls for different partitions may be under way at once; for one partition only one `fetch`,
    which may be cancelled at any time. A cancelled fetch loses no record.
    """

    async def partitions(self) -> int:
        """How many partitions the command topic has now. Raises LogUnavailableError."""
        ...

    async def seek(self, partition: int, offset: int) -> None:
        """Fetch from `offset` on, and drop every record fetched before, buffered or under way.

        Raises NotAssignedError, LogUnavailableError.
        """
        ...

    async def fetch(self, partition: int, records_max: int, wait_ms: int) -> Fetched:
        """The next records, as soon as there is one; after `wait_ms` possibly none.

        Committed records only (isolation read_committed). Raises NotAssignedError,
        LogInterruptedError once for every leader change, fetch error or reconnect since the last
        seek, LogUnavailableError.
        """
        ...

    async def bounds(self, partition: int) -> Bounds:
        """What the log keeps at this moment. Raises LogUnavailableError."""
        ...

    async def record_at(self, partition: int, offset: int) -> LogRecord | None:
        """The record at exactly this offset, read independently of the position; None: none there.

        Raises LogUnavailableError.
        """
        ...

    async def report(self, positions: Mapping[int, int]) -> None:
        """Commit positions to the group, for lag monitoring only. Raises nothing."""
        ...


class Assignments(Protocol):
    """Who is told which partitions the group gives this member. Implemented by the engine."""

    async def assigned(self, partitions: Sequence[int]) -> None:
        """These partitions are added. Returns at once; the work starts in the background."""
        ...

    async def revoked(self, partitions: Sequence[int]) -> None:
        """These partitions are taken away. Returns when nothing of the engine touches them."""
        ...


class Membership(Protocol):
    """This process's membership of the consumer group."""

    async def join(self, assignments: Assignments) -> None:
        """Join the group; from now on `assignments` is called. Raises LogUnavailableError."""
        ...

    async def leave(self) -> None:
        """Leave the group at once; partitions still assigned are revoked first."""
        ...


class Publisher(Protocol):
    """One ordered way to publish: acks=all and, wherever the broker has it, idempotence."""

    async def send(self, records: Sequence[OutgoingRecord]) -> list[Acknowledgement]:
        """Publish in order; returns when all are acknowledged, one acknowledgement a record.

        Within a call and a topic partition, no record is written unless all before it are. Several
        calls may be under way at once (each for one topic), in no order between them. Raises
        PublishFailedError: this publisher is over, and every later call raises it too;
        PublishRefusedError: the publisher goes on. A cancelled call may still be written.
        """
        ...

    async def close(self) -> None:
        """Give up what is under way, and release the connection. Raises nothing."""
        ...


class Publishers(Protocol):
    """Where publishers come from. Topics of job types that are missing are created behind it."""

    async def open(self) -> Publisher:
        """A new publisher, whatever became of those before. Raises LogUnavailableError."""
        ...

    def deployed(self, resources: Sequence[bytes]) -> None:
        """These models were deployed: make their jobs' topics, in the background. Raises nothing.

        Only workers wait less by it. It may be called again, or not at all after a crash.
        """
        ...
