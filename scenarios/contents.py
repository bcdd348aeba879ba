"""Compiled models by the checksum of the file they come from: compiled once, for all scenarios."""

import msgspec

from engine.decisions import DecisionModel, compile_stored
from engine.definitions import DecisionFile
from engine.model.compile import compile_resource
from engine.model.elements import ProcessModel
from engine.outcome import Content
from engine.settings import Settings

# What was deployed stays readable, whatever limit it was deployed under.
_SETTINGS = msgspec.structs.replace(Settings(), model_bytes_max=2**31)


class Contents:
    """What was deployed, as production finds it again: the bytes, and models compiled from them.

    `resources` are the bytes by their checksums.
    """

    def __init__(self) -> None:
        self.resources: dict[str, bytes] = {}
        self._decisions: dict[DecisionFile, DecisionModel] = {}
        self._processes: dict[tuple[str, str, int], ProcessModel] = {}

    def add(self, content: Content) -> None:
        self.resources.setdefault(content.checksum, content.resource)

    def add_process(self, checksum: str, model: ProcessModel) -> None:
        """Add a process that is compiled already."""
        self._processes[checksum, model.process_id, model.semantics] = model

    def decisions(self, file: DecisionFile) -> DecisionModel:
        """The decisions of a deployed file. Raises KeyError: it was never deployed."""
        if file not in self._decisions:
            checksums = (*file.imports, file.checksum)
            self._decisions[file] = compile_stored([self.resources[each] for each in checksums])
        return self._decisions[file]

    def process(self, checksum: str, process_id: str, semantics: int) -> ProcessModel:
        """The model of a process of a deployed file. Raises KeyError: it was never deployed."""
        key = (checksum, process_id, semantics)
        if key not in self._processes:
            resource = self.resources[checksum]
            compiled = compile_resource(checksum, resource, _SETTINGS, semantics)
            for model in compiled.processes:
                self._processes[checksum, model.process_id, semantics] = model
        return self._processes[key]
