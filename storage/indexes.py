"""The indexes that queries use: derived from documents, written in the same commit.

An instance's entries are a function of its document; a commit writes the difference between the
documents before and after it. So a repair can rebuild every index from the documents alone.
"""

from collections.abc import Iterator
from typing import TypeAlias

from engine.lifecycle import InstanceState
from engine.outcome import AggregateState
from engine.state import ProcessInstance, SignalWait, TaskWait
from storage.keys import PartitionKeys
from storage.ports import Operation, SortedAdd, SortedRemove

Entry: TypeAlias = tuple[str, str]
"""A sorted set's key and a member of it."""

_LIVING = (InstanceState.RUNNING, InstanceState.SUSPENDED)


def index_entries(keys: PartitionKeys, state: AggregateState | None) -> dict[Entry, int]:
    """All index entries of a document, with their scores."""
    if not isinstance(state, ProcessInstance) or state.state not in _LIVING:
        return {}
    start = state.start
    started = start.counter >> 16
    entries = {
        (keys.instances, state.instance_id): started,
        (keys.instances_of_process(start.process_id), state.instance_id): started,
    }
    if start.business_key is not None:
        key = keys.instances_of_business_key(start.business_key)
        entries[key, state.instance_id] = started
    for wait in state.waits.values():
        if isinstance(wait, TaskWait):
            _add_task(keys, entries, f"{state.instance_id}:{wait.key}", wait)
        elif isinstance(wait, SignalWait):
            entries[keys.signal(wait.name), f"{state.instance_id}:{wait.key}"] = wait.since
    return entries


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
        old = index_entries(self._keys, before)
        new = index_entries(self._keys, after)
        for (key, member), score in new.items():
            if old.get((key, member)) != score:
                self._added.setdefault(key, {})[member] = score
        for key, member in old:
            if (key, member) not in new:
                self._removed.setdefault(key, []).append(member)

    def operations(self) -> Iterator[Operation]:
        for key, members in self._removed.items():
            yield SortedRemove(key, tuple(members))
        for key, added in self._added.items():
            yield SortedAdd(key, added)
