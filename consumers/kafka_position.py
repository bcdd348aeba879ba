"""Where a member reads one partition, and the records that were fetched ahead."""

import asyncio
from collections import deque
from collections.abc import Sequence

from consumers.log import Fetched, LogRecord

AHEAD_RECORDS_MAX = 1_000
AHEAD_BYTES_MAX = 4 * 1024 * 1024
"""Above either, no more is fetched of the partition until half of it is taken."""


class Position:
    """Known from a `sought` on until `lost`; then `lost` says why, until the next `sought`.

    `changed` is set whenever there is something new to see: records, or the loss.
    """

    def __init__(self) -> None:
        self.lost: str | None = "no position yet"
        self.leader: int | None = None
        self.changed = asyncio.Event()
        self._offset = 0
        self._ahead: deque[LogRecord] = deque()
        self._ahead_end = 0
        self._ahead_bytes = 0

    def seek(self, offset: int, leader: int | None) -> None:
        """Read on from there; what was fetched before is dropped."""
        self._drop()
        self._offset, self._ahead_end = offset, offset
        self.leader, self.lost = leader, None

    def lose(self, why: str) -> None:
        """What is fetched from now on may be another log. The first reason stands."""
        if self.lost is None:
            self._drop()
            self.lost = why
            self.changed.set()

    def add(self, records: Sequence[LogRecord], end: int) -> None:
        """What follows what is there, and the position behind it. Ignored while lost."""
        if self.lost is not None:
            return
        self._ahead.extend(records)
        self._ahead_bytes += sum(map(_size, records))
        self._ahead_end = end
        self.changed.set()

    def take(self, records_max: int) -> Fetched:
        """The next records, none if nothing is there."""
        start = self._offset
        count = min(records_max, len(self._ahead))
        records = tuple(self._ahead.popleft() for _ in range(count))
        self._ahead_bytes -= sum(map(_size, records))
        if not self._ahead:
            self._offset = self._ahead_end
        elif records:
            self._offset = records[-1].offset + 1
        return Fetched(start=start, records=records, end=self._offset)

    @property
    def has_records(self) -> bool:
        return bool(self._ahead)

    @property
    def is_full(self) -> bool:
        return len(self._ahead) >= AHEAD_RECORDS_MAX or self._ahead_bytes >= AHEAD_BYTES_MAX

    @property
    def is_low(self) -> bool:
        return (
            len(self._ahead) <= AHEAD_RECORDS_MAX // 2 and self._ahead_bytes <= AHEAD_BYTES_MAX // 2
        )

    def _drop(self) -> None:
        self._ahead.clear()
        self._ahead_bytes = 0


def _size(record: LogRecord) -> int:
    return len(record.key or b"") + len(record.value or b"")
