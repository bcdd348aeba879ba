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


class ProcessVersions(Versions, frozen=True, kw_only=True, array_like=True):
    """The versions of one process; `message_starts` are the latest one's.

    `message_starts` are pairs of message name and start element id, `signal_starts` the same of
    signals, `condition_starts` the ids of conditional start events. `early` are versions that a
    start from another partition named before `ActivateVersion` came: they run, but are not latest.
    """

    message_starts: tuple[tuple[str, str], ...] = ()
    early: tuple[VersionRef, ...] = ()
    signal_starts: tuple[tuple[str, str], ...] = ()
    condition_starts: tuple[str, ...] = ()

    def find(self, version: int | None) -> VersionRef | None:
        """The version with this number, or the latest."""
        met = (ref for ref in self.early if ref.version == version)
        return Versions.find(self, version) or next(met, None)

    def activate(
        self,
        ref: VersionRef,
        message_starts: tuple[tuple[str, str], ...],
        signal_starts: tuple[tuple[str, str], ...] = (),
        condition_starts: tuple[str, ...] = (),
    ) -> "ProcessVersions":
        """With a version added, and its starts in place of the older ones'. Idempotent."""
        versions = self._with(ref)
        latest = versions[-1] is ref
        return ProcessVersions(
            id=self.id,
            versions=versions,
            message_starts=message_starts if latest else self.message_starts,
            early=tuple(known for known in self.early if known.version != ref.version),
            signal_starts=signal_starts if latest else self.signal_starts,
            condition_starts=condition_starts if latest else self.condition_starts,
        )

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
