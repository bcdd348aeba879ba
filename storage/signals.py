"""A chunk of the index of signals, as it is behind a batch's own writes.

The store's entries come in pages, ordered by score and then by member. What the batch has changed
is laid over them, so that a chunk does not depend on where batches end.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TypeAlias

from engine.outcome import AggregateState
from engine.pages import changes
from engine.partition import ReadSignals
from engine.state import ProcessInstance, SignalWait, Wait
from storage.ports import Answer, SortedRange, StoreRead

SignalEntry: TypeAlias = tuple[int, str]
"""Since when, and "<instance id>:<wait>"."""

Reader: TypeAlias = Callable[[Sequence[StoreRead]], Awaitable[list[Answer]]]
PAGE = 500


def signal_entries(name: str, state: AggregateState | None) -> set[SignalEntry]:
    """What of a document stands in the index of one signal."""
    if not isinstance(state, ProcessInstance):
        return set()
    return _entries(name, state.instance_id, state.waits.values())


def _entries(name: str, instance_id: str, waits: Iterable[Wait | None]) -> set[SignalEntry]:
    return {
        (wait.since, f"{instance_id}:{wait.key}")
        for wait in waits
        if isinstance(wait, SignalWait) and wait.name == name
    }


def signal_changes(
    name: str, before: AggregateState | None, after: AggregateState | None
) -> tuple[set[SignalEntry], set[SignalEntry]]:
    """What of a document leaves the index of one signal, and what comes into it."""
    if isinstance(before, ProcessInstance) and isinstance(after, ProcessInstance):
        waits = [(old, new) for _, old, new in changes(before.waits, after.waits)]
        old = _entries(name, before.instance_id, (old for old, _ in waits))
        new = _entries(name, after.instance_id, (new for _, new in waits))
    else:
        old, new = signal_entries(name, before), signal_entries(name, after)
    return old - new, new - old


async def read_chunk(
    read: Reader,
    key: str,
    request: ReadSignals,
    changed: tuple[set[SignalEntry], set[SignalEntry]],
) -> tuple[SignalEntry, ...]:
    """The entries asked for, in order. `changed` are those that the batch removed and added.

    Raises FenceLostError, StoreUnavailableError.
    """
    removed, added = changed
    found = await _stored(read, key, request, removed)
    found.extend(entry for entry in sorted(added - removed) if _is_asked_for(entry, request))
    return tuple(sorted(found)[: request.limit])


async def _stored(
    read: Reader, key: str, request: ReadSignals, removed: set[SignalEntry]
) -> list[SignalEntry]:
    """The first of the store's entries that are asked for and still there."""
    low, high = request.after_since or 0, request.before - 1
    found: list[SignalEntry] = []
    skip = 0
    while True:
        page = SortedRange(key, low=low, high=high, limit=PAGE, skip=skip)
        (answer,) = await read((page,))
        assert isinstance(answer, list)
        for pair in answer:
            assert isinstance(pair, tuple)
            entry = (pair[1], pair[0])
            if _is_asked_for(entry, request) and entry not in removed:
                found.append(entry)
        if len(found) >= request.limit or len(answer) < PAGE:
            return found[: request.limit]
        skip += PAGE


def _is_asked_for(entry: SignalEntry, request: ReadSignals) -> bool:
    if entry[0] >= request.before:
        return False
    return request.after_since is None or entry > (request.after_since, request.after_wait)
