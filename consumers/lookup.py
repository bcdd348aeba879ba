"""Queries over all partitions, read from the store without a fence: what was true a moment ago.

A page walks the partitions in order, and within one a sorted set in its order. Its cursor says
where the next begins: partition, score, and how many members with that score were seen. What is
started or ends meanwhile may be missing or, when others with its score ended, shown twice.
"""

import base64
import binascii
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from itertools import islice
from typing import Protocol, TypeAlias

import msgspec

from consumers.models import CompiledModels
from consumers.queries import (
    Json,
    find_incident,
    find_task,
    list_incident,
    list_instance,
    list_task,
    show_instance,
)
from engine.aggregates import DeployedVersion, DeploymentsState
from engine.definitions import DefinitionKind, ProcessVersions
from engine.errors import EngineError
from engine.model.elements import ProcessModel
from engine.outcome import AggregateState
from engine.partition import ReadModel
from engine.routing import DEPLOYMENTS, is_instance, kafka_key, partition_of, split_handle
from engine.state import ProcessInstance, Tombstone
from schemas.errors import SchemaError
from schemas.snapshot import decode
from storage.documents import decode_document, document_reads
from storage.errors import ContentMissingError
from storage.keys import PartitionKeys, deployments_partition
from storage.ports import Answer, Get, HashGet, SortedRange, Store, StoreRead

log = logging.getLogger(__name__)

PAGE = 50
PAGE_MAX = 500
SCORE_MAX = 2**53 - 1

Member: TypeAlias = tuple[str, int]


class BadCursorError(ValueError):
    """A cursor that no answer has given."""


class Cursor(msgspec.Struct, frozen=True, array_like=True):
    """Where a page begins: `seen` members of the partition with exactly this score are over."""

    partition: int
    score: int
    seen: int

    def encode(self) -> str:
        return base64.urlsafe_b64encode(msgspec.json.encode(self)).decode().rstrip("=")


START = Cursor(0, 0, 0)


def decode_cursor(text: str | None) -> Cursor:
    """Raises BadCursorError."""
    if not text:
        return START
    try:
        padded = text + "=" * (-len(text) % 4)
        cursor = msgspec.json.decode(base64.urlsafe_b64decode(padded), type=Cursor)
    except (msgspec.DecodeError, binascii.Error, ValueError) as error:
        raise BadCursorError(f"{text!r} is no cursor") from error
    parts = (cursor.partition, cursor.score, cursor.seen)
    if min(parts) < 0 or max(parts) > SCORE_MAX:
        raise BadCursorError(f"{text!r} is no cursor")
    return cursor


class Items(Protocol):
    """Makes items of an index's members; None where one is not to be shown."""

    async def __call__(self, members: Sequence[Member]) -> list[Json | None]: ...


class InstanceFilter(msgspec.Struct, frozen=True, kw_only=True):
    process_id: str | None = None
    business_key: str | None = None
    state: str | None = None

    def index(self, keys: PartitionKeys) -> str:
        """The narrowest index; `matches` does the rest."""
        if self.business_key is not None:
            return keys.instances_of_business_key(self.business_key)
        if self.process_id is not None:
            return keys.instances_of_process(self.process_id)
        return keys.instances

    def matches(self, state: ProcessInstance) -> bool:
        return (
            self.process_id in {None, state.start.process_id}
            and self.business_key in {None, state.start.business_key}
            and self.state in {None, state.state}
        )


class TaskFilter(msgspec.Struct, frozen=True, kw_only=True):
    assignee: str | None = None
    group: str | None = None
    process_id: str | None = None

    def index(self, keys: PartitionKeys) -> str:
        if self.assignee is not None:
            return keys.tasks_of_assignee(self.assignee)
        if self.group is not None:
            return keys.tasks_of_group(self.group)
        return keys.tasks


class Lookup:
    """Reads of one namespace. All raise StoreUnavailableError."""

    def __init__(
        self, store: Store, namespace: str, partitions: int, models: CompiledModels
    ) -> None:
        self._store = store
        self._models = models
        self._keys = [PartitionKeys(namespace, number) for number in range(partitions)]

    async def instance(self, instance_id: str) -> Json | None:
        """One instance or its tombstone; None: there is none. Raises DocumentError."""
        if not is_instance(instance_id):
            return None
        (state,) = await self._documents([instance_id])
        if isinstance(state, ProcessInstance):
            return show_instance(state, await self._model_of(state))
        return show_instance(state) if isinstance(state, Tombstone) else None

    async def instances(
        self, wanted: InstanceFilter, cursor: Cursor = START, limit: int = PAGE
    ) -> Json:
        async def items(members: Sequence[Member]) -> list[Json | None]:
            states = await self._readable([name for name, _ in members])
            return [
                list_instance(state)
                if isinstance(state, ProcessInstance) and wanted.matches(state)
                else None
                for state in states
            ]

        return await self._page(wanted.index, items, cursor, limit)

    async def tasks(self, wanted: TaskFilter, cursor: Cursor = START, limit: int = PAGE) -> Json:
        async def items(members: Sequence[Member]) -> list[Json | None]:
            handles = [split_handle(name) for name, _ in members]
            states = await self._readable([instance_id for instance_id, _ in handles])
            return [
                _task_item(state, number, wanted)
                for state, (_, number) in zip(states, handles, strict=True)
            ]

        return await self._page(wanted.index, items, cursor, limit)

    async def incidents(
        self, process_id: str | None = None, cursor: Cursor = START, limit: int = PAGE
    ) -> Json:
        """Open incidents, of all processes or of one."""

        async def items(members: Sequence[Member]) -> list[Json | None]:
            handles = [split_handle(name) for name, _ in members]
            states = await self._readable([instance_id for instance_id, _ in handles])
            return [
                _incident_item(state, number, process_id)
                for state, (_, number) in zip(states, handles, strict=True)
            ]

        return await self._page(lambda keys: keys.incidents, items, cursor, limit)

    async def definitions(self) -> Json:
        """All processes, then all decisions, with their versions, ascending."""
        state = await self._deployments()
        return {
            "items": [
                *(_listed("process", state.versions, name) for name in sorted(state.versions)),
                *(_listed("decision", state.decisions, name) for name in sorted(state.decisions)),
            ],
            "cursor": None,
        }

    async def definition(self, kind: DefinitionKind, name: str, version: int) -> Json | None:
        """One version with its resource as it was deployed (inflated); None: there is none."""
        state = await self._deployments()
        known = state.versions if kind is DefinitionKind.PROCESS else state.decisions
        for each in known.get(name, ()):
            if each.version == version:
                keys = self._keys[deployments_partition(len(self._keys))]
                (content,) = await self._store.query([Get(keys.content(each.checksum))])
                resource = (
                    content.decode("utf-8", "replace") if isinstance(content, bytes) else None
                )
                return {
                    "kind": kind,
                    f"{kind}_id": name,
                    "version": version,
                    "checksum": each.checksum,
                    "resource": resource,
                }
        return None

    # --- reading ---

    async def _deployments(self) -> DeploymentsState:
        (state,) = await self._documents([DEPLOYMENTS])
        return state if isinstance(state, DeploymentsState) else DeploymentsState()

    async def _documents(self, addresses: Sequence[str]) -> list[AggregateState | None]:
        """Raises DocumentError."""
        return [decode_document(found).state for found in await self._stored(addresses)]

    async def _readable(self, addresses: Sequence[str]) -> list[AggregateState | None]:
        """As `_documents`, without those that cannot be read: one must not hide all others."""
        states: list[AggregateState | None] = []
        for address, found in zip(addresses, await self._stored(addresses), strict=True):
            try:
                states.append(decode_document(found).state)
            except SchemaError as error:
                log.warning("left out of a list: %s", error, extra={"instance": address})
                states.append(None)
        return states

    async def _stored(self, addresses: Sequence[str]) -> list[list[Answer]]:
        """What the store has of each document."""
        reads = [document_reads(self._keys_of(address), address) for address in addresses]
        answers = iter(await self._store.query([read for group in reads for read in group]))
        return [list(islice(answers, len(group))) for group in reads]

    def _keys_of(self, address: str) -> PartitionKeys:
        return self._keys[partition_of(kafka_key(address), len(self._keys))]

    async def _model_of(self, state: ProcessInstance) -> ProcessModel | None:
        """The model, as far as it is there: what needs it is a courtesy."""
        keys = self._keys_of(state.instance_id)
        (answer,) = await self._store.query([HashGet(keys.definitions, (state.start.process_id,))])
        found = answer[0] if isinstance(answer, list) else None
        if not isinstance(found, bytes):
            return None
        try:
            ref = decode(found, ProcessVersions).find(state.start.version)
            if ref is None:
                return None
            wanted = ReadModel(ref.checksum, state.start.process_id, ref.semantics)
            return await self._models.get(wanted, {})
        except (ContentMissingError, EngineError, SchemaError):
            return None

    # --- pages ---

    async def _page(
        self, index: Callable[[PartitionKeys], str], items: Items, cursor: Cursor, limit: int
    ) -> Json:
        found: list[Json] = []
        last = cursor
        async for position, members in self._walk(index, cursor, limit):
            for place, item in zip(_places(position, members), await items(members), strict=True):
                if item is None:
                    continue
                if len(found) == limit:
                    return {"items": found, "cursor": last.encode()}
                found.append(item)
                last = place
        return {"items": found, "cursor": None}

    async def _walk(
        self, index: Callable[[PartitionKeys], str], cursor: Cursor, limit: int
    ) -> AsyncIterator[tuple[Cursor, list[Member]]]:
        """Members from the cursor on, partition by partition, in chunks; first of all at once."""
        numbers = range(cursor.partition, len(self._keys))
        positions = {number: Cursor(number, 0, 0) for number in numbers}
        if cursor.partition in positions:
            positions[cursor.partition] = cursor
        reads = [_range(index(self._keys[n]), positions[n], limit + 1) for n in numbers]
        answers = dict(zip(numbers, await self._store.query(reads), strict=True))
        for number in numbers:
            position, members = positions[number], _members(answers[number])
            while members:
                yield position, members
                *_, position = _places(position, members)
                read = _range(index(self._keys[number]), position, limit + 1)
                members = _members((await self._store.query([read]))[0])


def _listed(kind: str, known: Mapping[str, tuple[DeployedVersion, ...]], name: str) -> Json:
    return {
        "kind": kind,
        f"{kind}_id": name,
        "versions": [{"version": each.version, "checksum": each.checksum} for each in known[name]],
    }


def _task_item(state: AggregateState | None, number: int, wanted: TaskFilter) -> Json | None:
    if not isinstance(state, ProcessInstance):
        return None
    wait = find_task(state, number)
    if wait is None or wanted.process_id not in {None, state.start.process_id}:
        return None
    if wanted.group is not None and wanted.group not in wait.details.candidate_groups:
        return None
    if wanted.assignee is not None and wanted.assignee != wait.details.assignee:
        return None
    return list_task(state, wait)


def _incident_item(
    state: AggregateState | None, number: int, process_id: str | None
) -> Json | None:
    if not isinstance(state, ProcessInstance) or process_id not in {None, state.start.process_id}:
        return None
    wait = find_incident(state, number)
    return None if wait is None else list_incident(state, wait)


def _range(key: str, position: Cursor, limit: int) -> StoreRead:
    return SortedRange(key, position.score, SCORE_MAX, limit, position.seen)


def _members(answer: Answer) -> list[Member]:
    assert isinstance(answer, list)
    return [member for member in answer if isinstance(member, tuple)]


def _places(position: Cursor, members: Sequence[Member]) -> list[Cursor]:
    """The cursor behind each member."""
    places = []
    for _, score in members:
        seen = position.seen + 1 if score == position.score else 1
        position = Cursor(position.partition, score, seen)
        places.append(position)
    return places
