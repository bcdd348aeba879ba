"""The indexes that queries use: derived from documents, written in the same commit.

An instance's entries are a function of its document; a commit writes the difference between the
documents before and after it. So a repair can rebuild every index from the documents alone.
"""

from collections.abc import Iterator
from typing import TypeAlias, TypeGuard

from engine.lifecycle import InstanceState
from engine.outcome import AggregateState
from engine.pages import changes
from engine.state import IncidentWait, ProcessInstance, SignalWait, TaskWait, Wait
from storage.keys import PartitionKeys
from storage.ports import Operation, SortedAdd, SortedRemove

Entry: TypeAlias = tuple[str, str]
"""A sorted set's key and a member of it."""

_LIVING = (InstanceState.RUNNING, InstanceState.SUSPENDED)


def index_entries(keys: PartitionKeys, state: AggregateState | None) -> dict[Entry, int]:
    """All index entries of a document, with their scores."""
    if not _is_living(state):
        return {}
    entries = _instance_entries(keys, state)
    for wait in state.waits.values():
        _add_wait(keys, entries, state, wait)
    return entries


def _is_living(state: AggregateState | None) -> TypeGuard[ProcessInstance]:
    return isinstance(state, ProcessInstance) and state.state in _LIVING


def _instance_entries(keys: PartitionKeys, state: ProcessInstance) -> dict[Entry, int]:
    start = state.start
    started = start.counter >> 16
    entries = {
        (keys.instances, state.instance_id): started,
        (keys.instances_of_process(start.process_id), state.instance_id): started,
    }
    if start.business_key is not None:
        key = keys.instances_of_business_key(start.business_key)
        entries[key, state.instance_id] = started
    return entries


def _add_wait(
    keys: PartitionKeys, entries: dict[Entry, int], state: ProcessInstance, wait: Wait | None
) -> None:
    if isinstance(wait, TaskWait):
        if wait.offered:
            _add_task(keys, entries, f"{state.instance_id}:{wait.key}", wait)
    elif isinstance(wait, SignalWait):
        entries[keys.signal(wait.name), f"{state.instance_id}:{wait.key}"] = wait.since
    elif isinstance(wait, IncidentWait):
        entries[keys.incidents, f"{state.instance_id}:{wait.key}"] = wait.since_ms


def _add_task(keys: PartitionKeys, entries: dict[Entry, int], task_id: str, wait: TaskWait) -> None:
    created = wait.details.created_at
    entries[keys.tasks, task_id] = created
    if wait.details.assignee is not None:
        entries[keys.tasks_of_assignee(wait.details.assignee), task_id] = created
    for group in wait.details.candidate_groups:
        entries[keys.tasks_of_group(group), task_id] = created


class IndexChanges:
    """The differences of many documents, one operation a sorted set and direction."""

    def __init__(self, keys: PartitionKeys) -> None:
        self._keys = keys
        self._added: dict[str, dict[str, int]] = {}
        self._removed: dict[str, list[str]] = {}

    def change(self, before: AggregateState | None, after: AggregateState | None) -> None:
        """One document was `before` and is `after`. Each address at most once."""
        if _is_living(before) and _is_living(after):
            old, new = self._entries_that_differ(before, after)
        else:
            old, new = index_entries(self._keys, before), index_entries(self._keys, after)
        for (key, member), score in new.items():
            if old.get((key, member)) != score:
                self._added.setdefault(key, {})[member] = score
        for key, member in old:
            if (key, member) not in new:
                self._removed.setdefault(key, []).append(member)

    def _entries_that_differ(
        self, before: ProcessInstance, after: ProcessInstance
    ) -> tuple[dict[Entry, int], dict[Entry, int]]:
        """Of waits that are the same objects in both, the entries are the same."""
        old = _instance_entries(self._keys, before)
        new = _instance_entries(self._keys, after)
        for _, wait_before, wait_after in changes(before.waits, after.waits):
            _add_wait(self._keys, old, before, wait_before)
            _add_wait(self._keys, new, after, wait_after)
        return old, new

    def operations(self) -> Iterator[Operation]:
        for key, members in self._removed.items():
            yield SortedRemove(key, tuple(members))
        for key, added in self._added.items():
            yield SortedAdd(key, added)
