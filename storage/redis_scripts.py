"""The store's Lua scripts, and the values of the port as their keys and arguments and back.

`scripts/*.lua` say what the keys and arguments are.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import sha1
from importlib import resources
from typing import assert_never

import msgspec

from storage.errors import FenceLostError, PartitionHaltedError, StorageError
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
    Operation,
    Push,
    Put,
    SortedAdd,
    SortedRange,
    SortedRemove,
    StoreRead,
    TrimHead,
)
from storage.redis_errors import commit_error
from storage.redis_session import Command, Reply

Arguments = list[str | bytes | int]

_CODES: dict[type[Operation], str] = {
    Put: "S",
    Delete: "D",
    HashPut: "H",
    HashDelete: "h",
    SortedAdd: "Z",
    SortedRemove: "z",
    Push: "R",
    TrimHead: "L",
}


class Script(msgspec.Struct, frozen=True):
    """A script's text and the name by which a server that has it runs it."""

    text: bytes
    digest: str

    def call(self, keys: Sequence[str], arguments: Iterable[str | bytes | int]) -> Command:
        return ("EVALSHA", self.digest, len(keys), *keys, *arguments)

    def load(self) -> Command:
        return ("SCRIPT", "LOAD", self.text)


@cache
def script(name: str) -> Script:
    text = resources.files("storage").joinpath("scripts", f"{name}.lua").read_bytes()
    return Script(text, sha1(text, usedforsecurity=False).hexdigest())


def all_scripts() -> tuple[Script, ...]:
    return tuple(map(script, ("commit", "read", "load", "register", "amend")))


class _Keys:
    """Keys of one call, each once, with their index in KEYS."""

    def __init__(self) -> None:
        self.indexes: dict[str, int] = {}

    def index(self, key: str) -> int:
        return self.indexes.setdefault(key, len(self.indexes) + 1)


# --- commits ---


def commit_call(commits: Sequence[Commit], fence_keys: Sequence[str]) -> Command:
    keys = _Keys()
    arguments: Arguments = [len(commits)]
    for commit, fence_key in zip(commits, fence_keys, strict=True):
        operations = [operation for operation in commit.operations if not _is_empty(operation)]
        arguments += (
            keys.index(fence_key),
            commit.expected.encode(),
            commit.fence.encode(),
            len(operations),
        )
        for operation in operations:
            _add_operation(arguments, operation, keys.index(operation.key))
    return script("commit").call(list(keys.indexes), arguments)


def _is_empty(operation: Operation) -> bool:
    """Redis takes no command without a member; there is nothing to do then."""
    match operation:
        case HashPut() | HashDelete():
            return not operation.fields
        case SortedAdd() | SortedRemove():
            return not operation.members
        case Push():
            return not operation.values
        case TrimHead():
            return operation.count == 0
        case _:
            return False


def _add_operation(arguments: Arguments, operation: Operation, key: int) -> None:
    code, values = _encode_operation(operation)
    arguments += (code, key, len(values))
    arguments += values


def _encode_operation(operation: Operation) -> tuple[str, Arguments]:
    values: Arguments = []
    match operation:
        case Put():
            values.append(operation.value)
            if operation.expire_ms is not None:
                values.append(operation.expire_ms)
        case HashPut():
            values += (part for pair in operation.fields.items() for part in pair)
        case HashDelete():
            values += operation.fields
        case SortedAdd():
            values += (part for name, score in operation.members.items() for part in (score, name))
        case SortedRemove():
            values += operation.members
        case Push():
            values += operation.values
        case TrimHead():
            values.append(operation.count)
        case Delete():
            pass
        case _:
            assert_never(operation)
    return _CODES[type(operation)], values


def commit_result(result: Reply) -> StorageError | None:
    """What the script said about one commit; None means written."""
    status, *rest = result
    if status == 1:
        return None
    if status == 0:
        return FenceLostError(f"the fence is {_text(rest[0])}")
    if status == -1:
        return PartitionHaltedError(_text(rest[0]))
    key, _, text = _text(rest[0]).partition(": ")
    if rest[1] == 0:
        return type(commit_error(text))(f"nothing written: {key}: {text}")
    return PartitionHaltedError(f"half written, after {rest[1]} operations: {key}: {text}")


def _text(value: bytes | None) -> str:
    return "missing" if value is None else value.decode("utf-8", "replace")


# --- reads ---


def read_call(fence_key: str, expected: Fence, reads: Sequence[StoreRead]) -> Command:
    keys = _Keys()
    keys.index(fence_key)
    arguments: Arguments = [expected.encode()]
    for read in reads:
        code, values = _encode_read(read)
        arguments += (code, keys.index(read.key), len(values))
        arguments += values
    return script("read").call(list(keys.indexes), arguments)


def _encode_read(read: StoreRead) -> tuple[str, Arguments]:
    match read:
        case Get():
            return "G", []
        case HashGet():
            return "M", [*read.fields]
        case HashGetAll():
            return "A", []
        case SortedRange():
            return "Z", [read.low, read.high, read.skip, read.limit]
        case ListRange():
            return "R", [read.start, read.stop]
        case _:
            assert_never(read)


def plain_read(read: StoreRead) -> Command | None:
    """The read as a command of its own; None when there is nothing to ask."""
    match read:
        case Get():
            return ("GET", read.key)
        case HashGet():
            return ("HMGET", read.key, *read.fields) if read.fields else None
        case HashGetAll():
            return ("HGETALL", read.key)
        case SortedRange():
            limits = ("LIMIT", read.skip, read.limit)
            return ("ZRANGEBYSCORE", read.key, read.low, read.high, "WITHSCORES", *limits)
        case ListRange():
            return ("LRANGE", read.key, read.start, read.stop)
        case _:
            assert_never(read)


def answer(read: StoreRead, reply: Reply) -> Answer:
    """A server's reply in the port's shape."""
    match read:
        case Get():
            found: bytes | None = reply
            return found
        case HashGet():
            values: list[bytes | None] = list(reply)
            return values
        case HashGetAll():
            return {name.decode(): value for name, value in _pairs(reply)}
        case SortedRange():
            return [(name.decode(), int(float(score))) for name, score in _pairs(reply)]
        case ListRange():
            entries: list[bytes] = list(reply)
            return entries
        case _:
            assert_never(read)


def _pairs(flat: list[bytes]) -> Iterable[tuple[bytes, bytes]]:
    return zip(flat[::2], flat[1::2], strict=True)
