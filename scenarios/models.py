"""The files that a scenario deploys: read once, compiled once, whoever names them."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from engine.errors import Finding
from engine.model.compile import CompiledResource, compile_resource
from engine.model.elements import ProcessModel
from engine.settings import Settings
from scenarios.errors import Place, Problem, ScenarioFileError


class ModelFile(msgspec.Struct, frozen=True):
    """A BPMN or DMN file. `shown` is its path as people write it, `findings` what is wrong."""

    shown: str
    content: bytes
    compiled: CompiledResource

    @property
    def checksum(self) -> str:
        return self.compiled.checksum

    @property
    def processes(self) -> tuple[ProcessModel, ...]:
        return self.compiled.processes

    @property
    def findings(self) -> tuple[Finding, ...]:
        return self.compiled.findings


class ModelFiles:
    """All files that were read, by where they are."""

    def __init__(self) -> None:
        self._files: dict[Path, ModelFile] = {}

    def load(self, folder: Path, name: str, place: Place) -> ModelFile:
        """The file, relative to a folder. Raises ScenarioFileError; `place` is who names it."""
        path = folder / name
        try:
            resolved = path.resolve()
            if resolved not in self._files:
                content = resolved.read_bytes()
                compiled = compile_resource(path.name, content, Settings())
                self._files[resolved] = ModelFile(_shown(path), content, compiled)
        except OSError as error:
            reason = error.strerror or "it cannot be read"
            message = f"The file {name!r} cannot be read: {reason}. Paths begin at {folder}."
            raise ScenarioFileError((Problem(place, message),)) from None
        return self._files[resolved]

    def __iter__(self) -> Iterator[ModelFile]:
        return iter(self._files.values())


def _shown(path: Path) -> str:
    """A path without detours such as `a/../b`, as seen from here where it is inside."""
    resolved = path.resolve()
    try:
        return str(resolved.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
