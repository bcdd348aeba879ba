"""What every store must know of a commit beside its operations: its size, and whether it frees."""

from storage.ports import (
    Commit,
    Delete,
    HashDelete,
    HashPut,
    Operation,
    Push,
    Put,
    SortedAdd,
    SortedRemove,
    TrimHead,
)

_ENTRY_BYTES = 64
"""A rough price of an operation or member beside its bytes."""


def only_removes(commit: Commit) -> bool:
    """Whether the commit frees memory and writes nothing but its fence: it goes to a full store."""
    return bool(commit.operations) and all(
        isinstance(operation, Delete | HashDelete | SortedRemove | TrimHead)
        for operation in commit.operations
    )


def bytes_of(commit: Commit) -> int:
    """About how many bytes the commit sends."""
    return _ENTRY_BYTES + sum(map(_bytes_of_operation, commit.operations))


def _bytes_of_operation(operation: Operation) -> int:
    match operation:
        case Put():
            return _ENTRY_BYTES + len(operation.value)
        case HashPut():
            return sum(_ENTRY_BYTES + len(value) for value in operation.fields.values())
        case Push():
            return sum(_ENTRY_BYTES + len(value) for value in operation.values)
        case SortedAdd() | SortedRemove():
            return _ENTRY_BYTES * (1 + len(operation.members))
        case HashDelete():
            return _ENTRY_BYTES * (1 + len(operation.fields))
        case _:
            return _ENTRY_BYTES
