"""Drives the shipping record loop on plain dictionaries: one partition, no store, no broker."""

import time
from collections import deque
from typing import Any

from engine import commands as c
from engine.definitions import Definitions, ProcessVersions, VersionRef
from engine.events import ElementActivated, ElementCompleted
from engine.model.elements import ProcessModel
from engine.outcome import AggregateState
from engine.partition import (
    PartitionInfo,
    Read,
    ReadDefinitions,
    ReadModel,
    ReadState,
    RecordOutcome,
    Stimulus,
    transact,
)
from engine.records import Job, SentCommand, Transition
from engine.settings import Settings
from storage.documents import StoredDocument, change_document
from storage.indexes import IndexChanges
from storage.keys import PartitionKeys
from storage.ports import HashPut, Put

NOW_MS = 1_700_000_000_000
_KEYS = PartitionKeys("bench", 0)
_ABSENT = StoredDocument(state=None)


class Driver:
    """Applies commands, and what they send through the log, until nothing is left to do.

    `transitions` counts element instances that were activated or completed; `jobs` are those
    published and not yet answered, oldest first. With `stores` each record's documents and indexes
    are made ready for a commit: `written` counts their bytes, `storing_s` the processor's time.
    """

    def __init__(self, model: ProcessModel, *, stores: bool = False) -> None:
        self.transitions = 0
        self.jobs: deque[Job] = deque()
        self.states: dict[str, AggregateState | None] = {}
        self.written = 0
        self.storing_s = 0.0
        self._stores = stores
        self._stored: dict[str, StoredDocument] = {}
        self._model = model
        self._log: deque[Stimulus] = deque()
        self._offset = 0
        ref = VersionRef(version=1, checksum="x", semantics=model.semantics)
        versions = ProcessVersions(id=model.process_id, versions=(ref,))
        self._definitions = Definitions({model.process_id: versions})
        self._info = PartitionInfo(
            namespace="bench",
            partition=0,
            partitions=1,
            generation=1,
            now=NOW_MS,
            settings=Settings(),
        )

    def send(self, command: c.AnyCommand) -> None:
        self._log.append(Stimulus(offset=0, timestamp_ms=NOW_MS, command=command))
        while self._log:
            self._apply(self._log.popleft())

    def _apply(self, stimulus: Stimulus) -> None:
        self._offset += 1
        running = transact(self._info, _at(stimulus, self._offset))
        answer: Any = None
        try:
            while True:
                answer = self._answer(running.send(answer))
        except StopIteration as done:
            self._take(done.value)

    def _answer(self, read: Read) -> object:
        match read:
            case ReadState():
                return self.states.get(read.address)
            case ReadModel():
                return self._model
            case ReadDefinitions():
                return self._definitions
            case _:
                return None

    def _take(self, outcome: RecordOutcome) -> None:
        self.states.update(outcome.states)
        if self._stores:
            began = time.process_time()
            for address, state in outcome.states.items():
                self._store(address, state)
            self.storing_s += time.process_time() - began
        for publication in outcome.publications:
            record = publication.record
            if isinstance(record, Transition):
                self.transitions += sum(
                    isinstance(event, ElementActivated | ElementCompleted)
                    for event in record.events
                )
            elif isinstance(record, Job):
                self.jobs.append(record)
            elif isinstance(record, SentCommand):
                self._log.append(
                    Stimulus(
                        offset=0,
                        timestamp_ms=NOW_MS,
                        command=record.command,
                        source_partition=record.source_partition,
                        number=record.number,
                    )
                )

    def _store(self, address: str, state: AggregateState | None) -> None:
        before = self._stored.get(address, _ABSENT)
        indexes = IndexChanges(_KEYS)
        indexes.change(before.state, state)
        change = change_document(_KEYS, address, before, state)
        self._stored[address] = change.stored
        for operation in (*indexes.operations(), *change.operations):
            if isinstance(operation, HashPut):
                self.written += sum(map(len, operation.fields.values()))
            elif isinstance(operation, Put):
                self.written += len(operation.value)


def _at(stimulus: Stimulus, offset: int) -> Stimulus:
    return Stimulus(
        offset=offset,
        timestamp_ms=stimulus.timestamp_ms,
        command=stimulus.command,
        source_partition=stimulus.source_partition,
        number=stimulus.number,
    )
