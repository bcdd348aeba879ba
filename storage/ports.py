"""The store as the engine needs it: fenced commits of primitive operations on one partition's keys.

Two implementations pass one contract suite: Redis, and the in-memory twin that simulations run on.
What the operations mean (documents, timers, outbox) is decided above; here are only keys, values
and the fence. All keys of a commit carry the partition's hash tag (`storage/keys.py`).
"""

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import msgspec


class Fence(msgspec.Struct, frozen=True, kw_only=True):
    """The partition's one value that every commit replaces, compared as a whole.

    `next_offset` is the first offset not yet applied, `now_ms` the partition's time. `stamp_*`
    name the record before the fence (None before the first). `commit` is 64 random bits in hex:
    the name of the commit that wrote this fence.
    """

    generation: int
    next_offset: int
    now_ms: int
    stamp_timestamp_ms: int | None
    stamp_crc: int | None
    commit: str

    def encode(self) -> bytes:
        stamp = "-" if self.stamp_crc is None else f"{self.stamp_timestamp_ms},{self.stamp_crc:08x}"
        return (
            f"{self.generation}:{self.next_offset}:{self.now_ms}:{stamp}:{self.commit}"
        ).encode()

    @classmethod
    def decode(cls, value: bytes) -> "Fence":
        """Raises ValueError when the bytes are no fence."""
        generation, offset, now, stamp, commit = value.decode("ascii").split(":")
        timestamp, crc = (None, None) if stamp == "-" else stamp.split(",")
        return cls(
            generation=int(generation),
            next_offset=int(offset),
            now_ms=int(now),
            stamp_timestamp_ms=None if timestamp is None else int(timestamp),
            stamp_crc=None if crc is None else int(crc, 16),
            commit=commit,
        )


# --- operations of a commit, applied in order ---


class Put(msgspec.Struct, frozen=True):
    """Set a string key; `expire_ms` is garbage collection only, far behind any stored instant."""

    key: str
    value: bytes
    expire_ms: int | None = None


class Delete(msgspec.Struct, frozen=True):
    key: str


class HashPut(msgspec.Struct, frozen=True):
    key: str
    fields: dict[str, bytes]


class HashDelete(msgspec.Struct, frozen=True):
    key: str
    fields: tuple[str, ...]


class SortedAdd(msgspec.Struct, frozen=True):
    """Put members with scores into a sorted set (scores: exact integers below 2**53)."""

    key: str
    members: dict[str, int]


class SortedRemove(msgspec.Struct, frozen=True):
    key: str
    members: tuple[str, ...]


class Push(msgspec.Struct, frozen=True):
    """Append to a list."""

    key: str
    values: tuple[bytes, ...]


class TrimHead(msgspec.Struct, frozen=True):
    """Remove the first `count` entries of a list."""

    key: str
    count: int


Operation: TypeAlias = (
    Put | Delete | HashPut | HashDelete | SortedAdd | SortedRemove | Push | TrimHead
)


class Commit(msgspec.Struct, frozen=True, kw_only=True):
    """One transaction of one partition: all of it, and only if the fence is `expected`."""

    partition: int
    expected: Fence
    fence: Fence
    operations: tuple[Operation, ...]


# --- reads ---


class Get(msgspec.Struct, frozen=True):
    """Answer: bytes | None."""

    key: str


class HashGet(msgspec.Struct, frozen=True):
    """Answer: list[bytes | None], one a field."""

    key: str
    fields: tuple[str, ...]


class HashGetAll(msgspec.Struct, frozen=True):
    """Answer: dict[str, bytes]."""

    key: str


class SortedRange(msgspec.Struct, frozen=True):
    """Members with scores from `low` to `high`, ascending, at most `limit`, after skipping `skip`.

    Answer: list[tuple[str, int]].
    """

    key: str
    low: int
    high: int
    limit: int
    skip: int = 0


class ListRange(msgspec.Struct, frozen=True):
    """Answer: list[bytes]; `stop` inclusive, negative counts from the end, as in Redis."""

    key: str
    start: int
    stop: int


StoreRead: TypeAlias = Get | HashGet | HashGetAll | SortedRange | ListRange
Answer: TypeAlias = (
    bytes | list[bytes | None] | dict[str, bytes] | list[tuple[str, int]] | list[bytes] | None
)


class Loaded(msgspec.Struct, frozen=True, kw_only=True):
    """A partition as found: its fence (None: never initialised) and its outbox from the head."""

    fence: Fence | None
    outbox: tuple[bytes, ...]


class Store(Protocol):
    """One Redis (single, Sentinel or Cluster), or its twin."""

    async def load(self, partition: int) -> Loaded:
        """Fence and outbox in one atomic read. Raises StoreUnavailableError."""
        ...

    async def read(
        self, partition: int, expected: Fence, reads: Sequence[StoreRead]
    ) -> list[Answer]:
        """Reads of the partition's keys that are one atomic cut with the expected fence.

        Raises FenceLostError when the fence is another, StoreUnavailableError.
        """
        ...

    async def commit(self, commit: Commit) -> None:
        """Write all, or nothing. Returning is the only outcome that means "written".

        Commits of several partitions under way at once may travel together. One that only removes
        (`commits.only_removes`) is written to a full store too. Raises FenceLostError,
        StoreUnavailableError (perhaps written), PartitionHaltedError.
        """
        ...

    async def fences(self, partitions: Sequence[int]) -> list[Fence | None]:
        """Look at many fences in one round trip a node. Raises StoreUnavailableError."""
        ...

    async def query(self, reads: Sequence[StoreRead]) -> list[Answer]:
        """Reads of any partition's keys with no fence: for queries, content, due timers."""
        ...

    async def initialise(self, partition: int, fence: Fence) -> bool:
        """Write the first fence unless there is one; False: there was. Raises as `load`."""
        ...

    async def register(self, record: dict[str, bytes]) -> bool:
        """Write the namespace's record unless there is one; False: there was. Raises as `load`."""
        ...

    async def amend(self, field: str, found: bytes, record: dict[str, bytes]) -> bool:
        """Write fields of the namespace's record if `field` still has the value found (b"": none).

        Raises as `load`.
        """
        ...

    async def begin_attempt(self, partition: int, fence: Fence) -> int:
        """Count one more owner that begins on this fence; the count, itself included.

        A plain key outside the fence (`:attempts:<commit>`), for commands that kill the process.
        Raises StoreUnavailableError.
        """
        ...

    async def withdraw_attempt(self, partition: int, fence: Fence) -> None:
        """Take back one `begin_attempt`: nothing was begun. Raises StoreUnavailableError."""
        ...

    async def end_attempt(self, partition: int, fence: Fence) -> None:
        """Forget the count: this owner has survived. Raises StoreUnavailableError."""
        ...

    async def close(self) -> None: ...
