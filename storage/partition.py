"""One partition as its owner has it: fence, tables and documents, from load to commit.

Everything here holds for one fence. It names its commit, so while the store still has it nobody
else has written, and what is in memory is what the store has. Any outcome of a commit but its
return leaves the owner not knowing: `load` then finds out.
"""

import asyncio
from collections.abc import Callable, Sequence

import msgspec

from engine.settings import Settings
from storage.batch import Access, Batch, Models
from storage.cache import CacheRoom, DocumentCache
from storage.keys import PartitionKeys, split_timer_member
from storage.ports import (
    Answer,
    Commit,
    Fence,
    Loaded,
    Operation,
    SortedRange,
    Store,
    StoreRead,
    TrimHead,
)
from storage.tables import Tables, decode_tables, table_reads

_SCORE_MAX = 2**53 - 1
"""Redis's scores are doubles: integers are exact up to here."""


class DueTimer(msgspec.Struct, frozen=True):
    """An entry of the timer index."""

    address: str
    timer: int
    due_ms: int


class Position(msgspec.Struct, frozen=True, kw_only=True):
    """Up to where a batch has read the log: what its commit's fence says beside its name."""

    next_offset: int
    now_ms: int
    stamp_timestamp_ms: int | None
    stamp_crc: int | None


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """What this layer needs of the process. `name_commit` makes 64 random bits in hex."""

    settings: Settings
    cache_room: CacheRoom
    name_commit: Callable[[], str]


class PartitionState:
    """What one owner knows of its partition, and the only way by which it changes it.

    `exclusive` is held from the first fenced read to the end of the commit that builds on it, and
    for every fenced read by another task: the fence must not move in between.
    """

    def __init__(self, store: Store, keys: PartitionKeys, models: Models, rules: Rules) -> None:
        self._store = store
        self._keys = keys
        self._rules = rules
        self._models = models
        self._cache = DocumentCache(rules.cache_room)
        self._tables: Tables | None = None
        self._fence: Fence | None = None
        self.exclusive = asyncio.Lock()
        self.is_committing = False

    @property
    def fence(self) -> Fence:
        """The fence of the last load or commit. Raises RuntimeError before the first load."""
        if self._fence is None:
            raise RuntimeError("the partition is not loaded")
        return self._fence

    @property
    def known_fence(self) -> Fence | None:
        """The fence of the last load or commit, if there was any."""
        return self._fence

    async def load(self) -> Loaded:
        """Read fence and outbox in one cut, and forget what is not of that fence.

        `fence` None: the partition was never initialised, or the store was wiped. Raises
        StoreUnavailableError.
        """
        loaded = await self._store.load(self._keys.partition)
        if loaded.fence is None or loaded.fence != self._fence:
            self._cache.clear()
            self._tables = None
        self._fence = loaded.fence
        return loaded

    def close(self) -> None:
        """The partition is owned no longer: its documents leave their room to others'."""
        self._cache.clear()

    async def batch(self) -> Batch:
        """Begin a batch on the present fence. Raises FenceLostError, StoreUnavailableError."""
        if self._tables is None:
            self._tables = decode_tables(await self._read(table_reads(self._keys)))
        access = Access(
            keys=self._keys,
            cache=self._cache,
            read=self._read,
            models=self._models,
            window_size=self._rules.settings.command_window,
        )
        return Batch(access, self._tables)

    def prepare(self, batch: Batch, position: Position, trim: int) -> Commit:
        """The commit of a batch that also removes the first `trim` entries of the outbox."""
        return self._commit(position, batch.operations() + self._trimming(trim))

    async def write(self, commit: Commit, batch: Batch) -> None:
        """Commit a batch as prepared, on the fence it was prepared on.

        Raises FenceLostError, StoreUnavailableError, PartitionHaltedError.
        """
        await self._write(commit)
        self._tables = batch.tables()
        batch.keep_in_cache()

    async def trim(self, count: int) -> None:
        """Only remove the first `count` entries of the outbox. Raises as `write`."""
        fence = self.fence
        position = Position(
            next_offset=fence.next_offset,
            now_ms=fence.now_ms,
            stamp_timestamp_ms=fence.stamp_timestamp_ms,
            stamp_crc=fence.stamp_crc,
        )
        await self._write(self._commit(position, self._trimming(count)))

    async def next_timers(self, limit: int) -> list[DueTimer]:
        """The timers that are due first, in order. Raises FenceLostError, StoreUnavailableError."""
        read = SortedRange(self._keys.timers, low=-_SCORE_MAX, high=_SCORE_MAX, limit=limit)
        (members,) = await self._read([read])
        return [DueTimer(*split_timer_member(name), due) for name, due in _scored(members)]

    async def begin_attempt(self) -> int:
        """Count that an owner begins on this fence. Raises StoreUnavailableError."""
        return await self._store.begin_attempt(self._keys.partition, self.fence)

    async def withdraw_attempt(self) -> None:
        """Take back that this owner begins on this fence. Raises StoreUnavailableError."""
        await self._store.withdraw_attempt(self._keys.partition, self.fence)

    async def end_attempt(self, fence: Fence) -> None:
        """This owner has survived what follows that fence. Raises StoreUnavailableError."""
        await self._store.end_attempt(self._keys.partition, fence)

    def _trimming(self, count: int) -> tuple[Operation, ...]:
        return (TrimHead(self._keys.outbox, count),) if count else ()

    async def _read(self, reads: Sequence[StoreRead]) -> list[Answer]:
        return await self._store.read(self._keys.partition, self.fence, reads)

    def _commit(self, position: Position, operations: tuple[Operation, ...]) -> Commit:
        fence = Fence(
            generation=self.fence.generation,
            next_offset=position.next_offset,
            now_ms=position.now_ms,
            stamp_timestamp_ms=position.stamp_timestamp_ms,
            stamp_crc=position.stamp_crc,
            commit=self._rules.name_commit(),
        )
        return Commit(
            partition=self._keys.partition,
            expected=self.fence,
            fence=fence,
            operations=operations,
        )

    async def _write(self, commit: Commit) -> None:
        self.is_committing = True
        try:
            await self._store.commit(commit)
        finally:
            self.is_committing = False
        self._fence = commit.fence


def _scored(answer: Answer) -> list[tuple[str, int]]:
    """The members that a `SortedRange` asked for."""
    assert isinstance(answer, list)
    return [pair for pair in answer if isinstance(pair, tuple)]
