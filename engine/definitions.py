"""A partition's table of deployed versions: what "latest" means there, by the order of the log."""

from collections.abc import Callable
from enum import StrEnum
from typing import TypeAlias

import msgspec

_Starts: TypeAlias = dict[str, tuple[tuple[str, str], ...]]
"""Name -> (process id, start element id) of each process."""


class DefinitionKind(StrEnum):
    """What is deployed and versioned."""

    PROCESS = "process"
    DECISION = "decision"


class DecisionFile(msgspec.Struct, frozen=True):
    """What names the compiled decisions of a file: its checksum, and those of what it imports."""

    checksum: str
    imports: tuple[str, ...]
    semantics: int


class VersionRef(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """One version: the checksum of the resource that holds it, and the rules it runs under.

    `deployment` is the number of the deployment that it came with, 0 while that is not known here;
    `tag` the version tag that the model names. `imports` are the checksums of the files that a
    decision's file imports, each after what it imports itself.
    """

    version: int
    checksum: str
    semantics: int
    deployment: int = 0
    tag: str | None = None
    imports: tuple[str, ...] = ()

    @property
    def file(self) -> DecisionFile:
        """The file of a decision."""
        return DecisionFile(self.checksum, self.imports, self.semantics)


class Versions(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """The versions of one definition, by the id of the process or decision, ascending."""

    id: str
    versions: tuple[VersionRef, ...] = ()

    def find(self, version: int | None) -> VersionRef | None:
        """The version with this number, or the latest."""
        if version is None:
            return self.versions[-1] if self.versions else None
        return next((ref for ref in self.versions if ref.version == version), None)

    def deployed_with(self, deployment: int) -> VersionRef | None:
        """The version that was the latest when this deployment was complete.

        A process that the deployment left as it was keeps its version, which is then an older one.
        """
        known = [ref for ref in self.versions if 0 < ref.deployment <= deployment]
        return known[-1] if known else None

    def tagged(self, tag: str) -> VersionRef | None:
        """The latest version with this tag."""
        return next((ref for ref in reversed(self.versions) if ref.tag == tag), None)

    def _with(self, ref: VersionRef) -> tuple[VersionRef, ...]:
        others = [known for known in self.versions if known.version != ref.version]
        return tuple(sorted([*others, ref], key=lambda known: known.version))


class DecisionVersions(Versions, frozen=True, kw_only=True, array_like=True):
    """The versions of one decision."""

    def activate(self, ref: VersionRef) -> "DecisionVersions":
        """With a version added. Idempotent."""
        return DecisionVersions(id=self.id, versions=self._with(ref))


class Starts(msgspec.Struct, frozen=True, kw_only=True):
    """What starts a version: (name, start element id) pairs of messages and signals, ids of others.

    Of all these elements several may belong to one instance: the `joint` ones all have to occur, of
    the `alternatives` one does.
    """

    messages: tuple[tuple[str, str], ...] = ()
    signals: tuple[tuple[str, str], ...] = ()
    conditions: tuple[str, ...] = ()
    joint: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()


class ProcessVersions(Versions, frozen=True, kw_only=True, array_like=True):
    """The versions of one process; what starts it is the latest one's: see `Starts`.

    `message_starts` are pairs of message name and start element id, `signal_starts` the same of
    signals, `condition_starts` the ids of conditional start events. `early` are versions that a
    start from another partition named before `ActivateVersion` came: they run, but are not latest.
    """

    message_starts: tuple[tuple[str, str], ...] = ()
    early: tuple[VersionRef, ...] = ()
    signal_starts: tuple[tuple[str, str], ...] = ()
    condition_starts: tuple[str, ...] = ()
    joint_starts: tuple[str, ...] = ()
    alternative_starts: tuple[str, ...] = ()

    def find(self, version: int | None) -> VersionRef | None:
        """The version with this number, or the latest."""
        met = (ref for ref in self.early if ref.version == version)
        return Versions.find(self, version) or next(met, None)

    def activate(self, ref: VersionRef, starts: Starts) -> "ProcessVersions":
        """With a version added, and its starts in place of the older ones'. Idempotent."""
        activated = msgspec.structs.replace(
            self,
            versions=self._with(ref),
            early=tuple(known for known in self.early if known.version != ref.version),
        )
        if activated.versions[-1] is not ref:
            return activated
        return msgspec.structs.replace(
            activated,
            message_starts=starts.messages,
            signal_starts=starts.signals,
            condition_starts=starts.conditions,
            joint_starts=starts.joint,
            alternative_starts=starts.alternatives,
        )

    def conversation(self, element_id: str, key: str) -> str | None:
        """The key of the conversation that what comes with this key belongs to; None: to none.

        BPMN 13.2: "a new Process instance is only created if none already exists for the specific
        Conversation (identified through its associated correlation information)". What has no key
        belongs together only where an instance waits for all of it.
        """
        if element_id in self.joint_starts or (key and element_id in self.alternative_starts):
            return key
        return None

    def meet(self, ref: VersionRef) -> "ProcessVersions":
        """With a version that may run here although it was not activated yet. Idempotent."""
        if self.find(ref.version) is not None:
            return self
        return msgspec.structs.replace(self, early=(*self.early, ref))


AnyVersions: TypeAlias = ProcessVersions | DecisionVersions


class Definitions:
    """All processes and decisions known to a partition. Replaced entry by entry, never in place."""

    def __init__(
        self,
        processes: dict[str, ProcessVersions] | None = None,
        decisions: dict[str, DecisionVersions] | None = None,
    ) -> None:
        self._processes = processes or {}
        self._decisions = decisions or {}
        self._message_starts: _Starts | None = None
        self._signal_starts: _Starts | None = None
        self._condition_starts: tuple[ProcessVersions, ...] | None = None

    def find(self, process_id: str, version: int | None = None) -> VersionRef | None:
        """The version of a process with this number, or (None) its latest."""
        versions = self._processes.get(process_id)
        return None if versions is None else versions.find(version)

    def get(self, process_id: str) -> ProcessVersions | None:
        return self._processes.get(process_id)

    def process_ids(self) -> list[str]:
        """In one order, however the table came to be."""
        return sorted(self._processes)

    def decision(self, decision_id: str) -> DecisionVersions | None:
        return self._decisions.get(decision_id)

    def message_starts(self, name: str) -> tuple[tuple[str, str], ...]:
        """(process id, start element id) of each process that this message name starts."""
        if self._message_starts is None:
            self._message_starts = self._index(lambda versions: versions.message_starts)
        return self._message_starts.get(name, ())

    def signal_starts(self, name: str) -> tuple[tuple[str, str], ...]:
        """(process id, start element id) of each process that this signal name starts."""
        if self._signal_starts is None:
            self._signal_starts = self._index(lambda versions: versions.signal_starts)
        return self._signal_starts.get(name, ())

    def condition_starts(self) -> tuple[ProcessVersions, ...]:
        """The processes whose latest version has conditional start events, by process id."""
        if self._condition_starts is None:
            self._condition_starts = tuple(
                self._processes[process_id]
                for process_id in sorted(self._processes)
                if self._processes[process_id].condition_starts
            )
        return self._condition_starts

    def conversation(self, process_id: str, element_id: str, key: str) -> str | None:
        """As of the latest version of the process."""
        return self._processes[process_id].conversation(element_id, key)

    def _index(
        self, starts_of: Callable[[ProcessVersions], tuple[tuple[str, str], ...]]
    ) -> "_Starts":
        starts: dict[str, list[tuple[str, str]]] = {}
        for process_id in sorted(self._processes):
            for name, element in starts_of(self._processes[process_id]):
                starts.setdefault(name, []).append((process_id, element))
        return {name: tuple(pairs) for name, pairs in starts.items()}

    def with_versions(self, versions: AnyVersions) -> "Definitions":
        if isinstance(versions, DecisionVersions):
            return Definitions(self._processes, {**self._decisions, versions.id: versions})
        return Definitions({**self._processes, versions.id: versions}, self._decisions)
