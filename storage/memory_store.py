"""The in-memory twin of the store port: the same contract, for tests and simulations.

`MemoryKeyspace` is the server, `MemoryStore` a client of it; several clients may share a server.
Values are never changed in place, so `snapshot` and `restore` are cheap: a store that loses its
tail is a restore of what it held earlier. Expiries are not acted on (they are garbage collection).
"""

from collections.abc import Sequence
from typing import TypeAlias, TypeVar, assert_never

from storage.errors import FenceLostError, PartitionHaltedError
from storage.keys import PartitionKeys, namespace_key
from storage.ports import (
    Answer,
    Commit,
    Delete,
    Fence,
    Get,
    HashDelete,
    HashGet,
    HashGetAll,
    HashPut,
    ListRange,
    Loaded,
    Operation,
    Push,
    Put,
    SortedAdd,
    SortedRange,
    SortedRemove,
    StoreRead,
    TrimHead,
)


class HashValue(dict[str, bytes]):
    """The value of a hash key."""


class SortedValue(dict[str, int]):
    """The value of a sorted set: member -> score."""


class ListValue(tuple[bytes, ...]):
    """The value of a list key."""

    __slots__ = ()


Value: TypeAlias = bytes | HashValue | SortedValue | ListValue
Typed = TypeVar("Typed", bytes, HashValue, SortedValue, ListValue)


class MemoryKeyspace:
    """What one server holds."""

    def __init__(self) -> None:
        self._values: dict[str, Value] = {}

    def snapshot(self) -> dict[str, Value]:
        """Everything as it is now; stays as it is whatever is written later."""
        return dict(self._values)

    def restore(self, snapshot: dict[str, Value]) -> None:
        self._values = dict(snapshot)

    def find(self, key: str, kind: type[Typed]) -> Typed | None:
        """The value of a key. Raises PartitionHaltedError when it is of another type."""
        value = self._values.get(key)
        if value is not None and type(value) is not kind:
            raise PartitionHaltedError(f"{key} holds a {type(value).__name__}, not {kind.__name__}")
        return value

    def get(self, key: str, kind: type[Typed]) -> Typed:
        """As `find`; a missing key is an empty value."""
        value = self.find(key, kind)
        return kind() if value is None else value

    def set(self, key: str, value: Value) -> None:
        """Set a key; an empty collection is no key, as in Redis."""
        if value or isinstance(value, bytes):
            self._values[key] = value
        else:
            self._values.pop(key, None)

    def delete(self, key: str) -> None:
        self._values.pop(key, None)


class MemoryStore:
    """A client of a keyspace. Implements `storage.ports.Store`."""

    def __init__(self, keyspace: MemoryKeyspace, namespace: str) -> None:
        self.keyspace = keyspace
        self.namespace = namespace

    async def load(self, partition: int) -> Loaded:
        keys = PartitionKeys(self.namespace, partition)
        outbox = self.keyspace.get(keys.outbox, ListValue)
        return Loaded(fence=self._fence(partition), outbox=tuple(outbox))

    async def read(
        self, partition: int, expected: Fence, reads: Sequence[StoreRead]
    ) -> list[Answer]:
        self._check(partition, expected)
        return [_answer(self.keyspace, read) for read in reads]

    async def commit(self, commit: Commit) -> None:
        self._check(commit.partition, commit.expected)
        before = self.keyspace.snapshot()
        try:
            for operation in commit.operations:
                _write(self.keyspace, operation)
        except PartitionHaltedError:
            self.keyspace.restore(before)
            raise
        keys = PartitionKeys(self.namespace, commit.partition)
        self.keyspace.set(keys.fence, commit.fence.encode())

    async def fences(self, partitions: Sequence[int]) -> list[Fence | None]:
        return [self._fence(partition) for partition in partitions]

    async def query(self, reads: Sequence[StoreRead]) -> list[Answer]:
        return [_answer(self.keyspace, read) for read in reads]

    async def initialise(self, partition: int, fence: Fence) -> bool:
        key = PartitionKeys(self.namespace, partition).fence
        if self.keyspace.find(key, bytes) is not None:
            return False
        self.keyspace.set(key, fence.encode())
        return True

    async def register(self, record: dict[str, bytes]) -> bool:
        key = namespace_key(self.namespace)
        if self.keyspace.find(key, HashValue) is not None:
            return False
        self.keyspace.set(key, HashValue(record))
        return True

    async def amend(self, field: str, found: bytes, record: dict[str, bytes]) -> bool:
        key = namespace_key(self.namespace)
        known = self.keyspace.find(key, HashValue)
        if known is None or known.get(field, b"") != found:
            return False
        self.keyspace.set(key, HashValue({**known, **record}))
        return True

    async def begin_attempt(self, partition: int, fence: Fence) -> int:
        key = PartitionKeys(self.namespace, partition).attempts(fence.commit)
        count = int(self.keyspace.find(key, bytes) or b"0") + 1
        self.keyspace.set(key, str(count).encode())
        return count

    async def withdraw_attempt(self, partition: int, fence: Fence) -> None:
        key = PartitionKeys(self.namespace, partition).attempts(fence.commit)
        count = int(self.keyspace.find(key, bytes) or b"0") - 1
        self.keyspace.set(key, str(count).encode())

    async def end_attempt(self, partition: int, fence: Fence) -> None:
        self.keyspace.delete(PartitionKeys(self.namespace, partition).attempts(fence.commit))

    async def close(self) -> None:
        """Nothing is held."""

    def _fence(self, partition: int) -> Fence | None:
        value = self.keyspace.find(PartitionKeys(self.namespace, partition).fence, bytes)
        return None if value is None else Fence.decode(value)

    def _check(self, partition: int, expected: Fence) -> None:
        found = self._fence(partition)
        if found != expected:
            raise FenceLostError(
                f"partition {partition}: expected fence {expected.encode()!r}, "
                f"found {None if found is None else found.encode()!r}"
            )


def _write(keyspace: MemoryKeyspace, operation: Operation) -> None:
    match operation:
        case Put():
            keyspace.set(operation.key, operation.value)
        case Delete():
            keyspace.delete(operation.key)
        case HashPut():
            fields = keyspace.get(operation.key, HashValue)
            keyspace.set(operation.key, HashValue({**fields, **operation.fields}))
        case HashDelete():
            fields = keyspace.get(operation.key, HashValue)
            keyspace.set(operation.key, HashValue(_without(fields, operation.fields)))
        case SortedAdd():
            members = keyspace.get(operation.key, SortedValue)
            keyspace.set(operation.key, SortedValue({**members, **operation.members}))
        case SortedRemove():
            members = keyspace.get(operation.key, SortedValue)
            keyspace.set(operation.key, SortedValue(_without(members, operation.members)))
        case Push():
            values = keyspace.get(operation.key, ListValue)
            keyspace.set(operation.key, ListValue(values + operation.values))
        case TrimHead():
            values = keyspace.get(operation.key, ListValue)
            keyspace.set(operation.key, ListValue(values[operation.count :]))
        case _:
            assert_never(operation)


T = TypeVar("T", bytes, int)


def _without(mapping: dict[str, T], removed: tuple[str, ...]) -> dict[str, T]:
    gone = frozenset(removed)
    return {name: value for name, value in mapping.items() if name not in gone}


def _answer(keyspace: MemoryKeyspace, read: StoreRead) -> Answer:
    match read:
        case Get():
            return keyspace.find(read.key, bytes)
        case HashGet():
            fields = keyspace.get(read.key, HashValue)
            return [fields.get(name) for name in read.fields]
        case HashGetAll():
            return dict(keyspace.get(read.key, HashValue))
        case SortedRange():
            members = keyspace.get(read.key, SortedValue)
            within = [(score, name) for name, score in members.items() if score >= read.low]
            within = sorted(pair for pair in within if pair[0] <= read.high)
            return [(name, score) for score, name in within[read.skip : read.skip + read.limit]]
        case ListRange():
            values = keyspace.get(read.key, ListValue)
            start = read.start if read.start >= 0 else max(len(values) + read.start, 0)
            stop = read.stop if read.stop >= 0 else len(values) + read.stop
            return list(values[start : stop + 1]) if stop >= 0 else []
        case _:
            assert_never(read)
