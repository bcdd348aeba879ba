"""A batch: what a run of records changes, before it is committed; and what they read meanwhile.

Reads see the batch's own writes first, then the owner's cache, then the store under the fence. So
where a batch ends cannot matter. Nothing of a record is added before its outcome is whole.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol, assert_never

import msgspec

from engine.decisions import DecisionModel
from engine.definitions import AnyVersions, DecisionFile
from engine.model.elements import ProcessModel
from engine.outcome import AggregateState
from engine.partition import (
    Read,
    ReadCommand,
    ReadDecisions,
    ReadDefinitions,
    ReadModel,
    ReadSignals,
    ReadSource,
    ReadState,
    RecordOutcome,
)
from engine.records import SendNumber
from storage.cache import DocumentCache
from storage.documents import (
    StoredDocument,
    change_document,
    decode_document,
    document_reads,
)
from storage.indexes import IndexChanges
from storage.keys import PartitionKeys, timer_member
from storage.ports import (
    Answer,
    HashPut,
    Operation,
    Push,
    Put,
    SortedAdd,
    SortedRemove,
    StoreRead,
)
from storage.signals import SignalEntry, read_chunk, signal_changes
from storage.tables import Tables, sources_fields, versions_puts
from storage.window import WindowBatch, lookup_reads


class FencedReads(Protocol):
    """Reads that are one cut with the fence the batch began on. Raises as `Store.read`."""

    async def __call__(self, reads: Sequence[StoreRead]) -> list[Answer]: ...


class Models(Protocol):
    """Compiled models by content: `contents` are those by checksum that the batch itself has.

    Both raise ContentMissingError while nobody has stored the content.
    """

    async def get(self, wanted: ReadModel, contents: Mapping[str, bytes]) -> ProcessModel: ...

    async def decisions(
        self, file: DecisionFile, contents: Mapping[str, bytes]
    ) -> DecisionModel: ...


class Access(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """How a batch reads. `window_size` is the setting `command_window`."""

    keys: PartitionKeys
    cache: DocumentCache
    read: FencedReads
    models: Models
    window_size: int


class Batch:
    """The changes of consecutive records on one partition, in memory."""

    def __init__(self, access: Access, tables: Tables) -> None:
        self._access = access
        self._keys = access.keys
        self._found: dict[str, list[Answer]] = {}
        self._before: dict[str, StoredDocument] = {}
        self._states: dict[str, AggregateState | None] = {}
        self._after: dict[str, StoredDocument] = {}
        self._contents: dict[str, bytes] = {}
        self._timers: dict[str, int | None] = {}
        self._versions: dict[tuple[type[AnyVersions], str], AnyVersions] = {}
        self._new_sources: dict[int, SendNumber] = {}
        self._tables = tables
        self._definitions = tables.definitions
        self._window = WindowBatch(tables.window, access.window_size)
        self.entries: list[bytes] = []
        self.bytes = 0

    # --- reading ---

    async def prefetch(self, addresses: Sequence[str], command_ids: Sequence[str]) -> None:
        """Read in one go what will be asked for and is not at hand.

        Raises FenceLostError, StoreUnavailableError.
        """
        missing = [each for each in dict.fromkeys(addresses) if not self._has(each)]
        unknown = [each for each in dict.fromkeys(command_ids) if not self._window.knows(each)]
        reads: list[StoreRead] = []
        for address in missing:
            reads.extend(document_reads(self._keys, address))
        for command_id in unknown:
            reads.extend(lookup_reads(self._keys, command_id))
        if not reads:
            return
        answers = iter(await self._access.read(reads))
        for address in missing:
            self._found[address] = [next(answers) for _ in document_reads(self._keys, address)]
        for command_id in unknown:
            self._window.learn(command_id, (_field(next(answers)), _field(next(answers))))

    async def answer(self, request: Read) -> Any:
        """The answer to what `transact` asks.

        Raises FenceLostError, StoreUnavailableError, DocumentError, ContentMissingError.
        """
        match request:
            case ReadState():
                return await self._state(request.address)
            case ReadModel() | ReadDecisions():
                return await self._compiled(request)
            case ReadCommand():
                await self.prefetch((), (request.command_id,))
                return self._window.find(request.command_id)
            case ReadSource():
                known = self._tables.sources.get(request.partition)
                return self._new_sources.get(request.partition, known)
            case ReadDefinitions():
                return self._definitions
            case ReadSignals():
                key = self._keys.signal(request.name)
                changed = self._changed_signals(request.name)
                return await read_chunk(self._access.read, key, request, changed)
            case _:
                assert_never(request)

    async def _compiled(self, request: ReadModel | ReadDecisions) -> ProcessModel | DecisionModel:
        models = self._access.models
        if isinstance(request, ReadModel):
            return await models.get(request, self._contents)
        return await models.decisions(request.file, self._contents)

    async def _state(self, address: str) -> AggregateState | None:
        if address in self._states:
            return self._states[address]
        if address not in self._before:
            await self.prefetch((address,), ())
            self._before[address] = self._recall(address)
        return self._before[address].state

    def _changed_signals(self, name: str) -> tuple[set[SignalEntry], set[SignalEntry]]:
        """The entries of a signal that the batch has removed, and those that it has added."""
        removed: set[SignalEntry] = set()
        added: set[SignalEntry] = set()
        for address, after in self._states.items():
            gone, come = signal_changes(name, self._before[address].state, after)
            removed |= gone
            added |= come
        return removed, added

    def _has(self, address: str) -> bool:
        return address in self._before or address in self._found or address in self._access.cache

    def _recall(self, address: str) -> StoredDocument:
        if address not in self._found:
            return self._access.cache.get(address)
        document = decode_document(self._found[address])
        self._access.cache.put(address, document)
        return document

    # --- writing ---

    def add(self, outcome: RecordOutcome, entries: Sequence[bytes]) -> None:
        """Take what one record changed; `entries` are its publications, encoded for the outbox."""
        for timer in outcome.timers:
            self._timers[timer_member(timer.address, timer.timer)] = timer.due_ms
        for content in outcome.contents:
            self._contents[content.checksum] = content.resource
            self.bytes += len(content.resource)
        for versions in outcome.versions:
            self._versions[type(versions), versions.id] = versions
            self._definitions = self._definitions.with_versions(versions)
        if outcome.applied is not None:
            self._window.add(*outcome.applied)
        if outcome.source is not None:
            self._new_sources[outcome.source[0]] = outcome.source[1]
        self._states.update(outcome.states)
        self.entries.extend(entries)
        self.bytes += sum(map(len, entries))

    @property
    def contents(self) -> tuple[bytes, ...]:
        """The resources that the batch deploys, inflated."""
        return tuple(self._contents.values())

    def next_due(self) -> int | None:
        """The earliest instant among the timers that the batch has armed."""
        return min((due for due in self._timers.values() if due is not None), default=None)

    def operations(self) -> tuple[Operation, ...]:
        """All writes but the fence's and the outbox's trimming: outbox, indexes, documents."""
        operations: list[Operation] = []
        if self.entries:
            operations.append(Push(self._keys.outbox, tuple(self.entries)))
        operations.extend(self._index_operations())
        operations.extend(self._table_operations())
        for address, after in self._states.items():
            change = change_document(self._keys, address, self._before[address], after)
            self._after[address] = change.stored
            operations.extend(change.operations)
        return tuple(operations)

    def tables(self) -> Tables:
        """The tables as they are once the batch is committed."""
        return Tables(
            definitions=self._definitions,
            sources={**self._tables.sources, **self._new_sources},
            window=self._window.position,
        )

    def keep_in_cache(self) -> None:
        """Once the batch is committed: what it wrote is what the next one reads."""
        for address, document in self._after.items():
            self._access.cache.put(address, document)

    def _index_operations(self) -> Iterator[Operation]:
        removed = tuple(member for member, due in self._timers.items() if due is None)
        if removed:
            yield SortedRemove(self._keys.timers, removed)
        armed = {member: due for member, due in self._timers.items() if due is not None}
        if armed:
            yield SortedAdd(self._keys.timers, armed)
        changes = IndexChanges(self._keys)
        for address, after in self._states.items():
            changes.change(self._before[address].state, after)
        yield from changes.operations()

    def _table_operations(self) -> Iterator[Operation]:
        if self._new_sources:
            yield HashPut(self._keys.sources, sources_fields(self._new_sources))
        yield from versions_puts(self._keys, self._versions.values())
        for checksum, resource in self._contents.items():
            yield Put(self._keys.content(checksum), resource)
        yield from self._window.operations(self._keys)


def _field(answer: Answer) -> bytes | None:
    """The one field that a `HashGet` asked for."""
    assert isinstance(answer, list)
    (value,) = answer
    assert value is None or isinstance(value, bytes)
    return value
