"""One partition on plain dictionaries: what Redis would hold of it, and how `transact` reads it.

partition = MemoryPartition(Contents())
outcome = partition.drive(info, stimulus)      # what the record would do
partition.keep(outcome)                        # it is done
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias, assert_never

from engine.decisions import DecisionModel
from engine.definitions import Definitions
from engine.model.elements import ProcessModel
from engine.outcome import AggregateState
from engine.partition import (
    AppliedCommand,
    PartitionInfo,
    Read,
    ReadCommand,
    ReadDecisions,
    ReadDefinitions,
    ReadModel,
    ReadSignals,
    ReadSource,
    ReadState,
    RecordOutcome,
    Stimulus,
    transact,
)
from engine.records import SendNumber
from scenarios.contents import Contents
from storage.signals import signal_entries

Load: TypeAlias = Callable[[str], AggregateState | None]


class MemoryPartition:
    """See the module. `contents` are those of all partitions. `now` is the last record's time."""

    def __init__(self, contents: Contents) -> None:
        self.contents = contents
        self.now = 0
        self.states: dict[str, AggregateState] = {}
        self.applied: dict[str, AppliedCommand] = {}
        self.sources: dict[int, SendNumber] = {}
        self.definitions = Definitions()
        self.timers: dict[tuple[str, int], int] = {}

    def drive(
        self, info: PartitionInfo, stimulus: Stimulus, load: Load | None = None
    ) -> RecordOutcome:
        """What a record does; nothing of it is kept. `load` gives a document by its address."""
        driver = transact(info, stimulus)
        answer: Any = None
        while True:
            try:
                read = driver.send(answer)
            except StopIteration as done:
                outcome: RecordOutcome = done.value
                return outcome
            answer = self._answer(read, load or self.states.get)

    def _answer(self, read: Read, load: Load) -> object:
        match read:
            case ReadState(address):
                return load(address)
            case ReadModel() | ReadDecisions():
                return self._compiled(read)
            case ReadCommand(command_id):
                return self.applied.get(command_id)
            case ReadSource(source):
                return self.sources.get(source)
            case ReadDefinitions():
                return self.definitions
            case ReadSignals():
                return _waits_for_signal(self.states.values(), read)
            case _:
                assert_never(read)

    def _compiled(self, read: ReadModel | ReadDecisions) -> ProcessModel | DecisionModel:
        if isinstance(read, ReadDecisions):
            return self.contents.decisions(read.file)
        return self.contents.process(read.checksum, read.process_id, read.semantics)

    def keep(self, outcome: RecordOutcome) -> None:
        """Store what a record did, but for what it published."""
        self.now = outcome.now
        for timer in outcome.timers:
            if timer.due_ms is None:
                self.timers.pop((timer.address, timer.timer), None)
            else:
                self.timers[timer.address, timer.timer] = timer.due_ms
        if outcome.applied is not None:
            self.applied.update([outcome.applied])
        if outcome.source is not None:
            self.sources.update([outcome.source])
        for versions in outcome.versions:
            self.definitions = self.definitions.with_versions(versions)
        for content in outcome.contents:
            self.contents.add(content)
        for address, state in outcome.states.items():
            if state is None:
                self.states.pop(address, None)
            else:
                self.states[address] = state


def _waits_for_signal(
    states: Iterable[AggregateState], request: ReadSignals
) -> tuple[tuple[int, str], ...]:
    """What stands in the index of a signal follows from the documents alone."""
    entries = sorted(entry for state in states for entry in signal_entries(request.name, state))
    behind = (-1, "") if request.after_since is None else (request.after_since, request.after_wait)
    found = [entry for entry in entries if behind < entry and entry[0] < request.before]
    return tuple(found[: request.limit])
