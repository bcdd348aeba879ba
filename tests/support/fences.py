"""Fences and commits as tests write them down."""

from storage.ports import Commit, Fence, Operation


def fence(next_offset: int, commit: str = "0000000000000000", generation: int = 1) -> Fence:
    """A fence of the partition's first generation; its time is made of its offset."""
    return Fence(
        generation=generation,
        next_offset=next_offset,
        now_ms=1_700_000_000_000 + next_offset,
        stamp_timestamp_ms=None if next_offset == 0 else 1_700_000_000_000 + next_offset,
        stamp_crc=None if next_offset == 0 else 0xABCDEF,
        commit=commit,
    )


def commit_of(
    expected: Fence, *operations: Operation, partition: int = 0, name: str = "1" * 16
) -> Commit:
    """A commit of one record after `expected`."""
    return Commit(
        partition=partition,
        expected=expected,
        fence=fence(expected.next_offset + 1, name, expected.generation),
        operations=operations,
    )
