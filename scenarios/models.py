"""The files that scenarios deploy: each read once, and each set of them compiled once."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from engine import commands as c
from engine.definitions import DefinitionKind
from engine.deployments.files import CompiledFile, compile_files
from engine.deployments.references import missing_references
from engine.errors import Finding
from engine.model.compile import CompiledResource
from engine.model.elements import ProcessModel
from engine.settings import Settings
from scenarios.errors import Place, Problem, ScenarioFileError, did_you_mean


class ModelFile(msgspec.Struct, frozen=True, kw_only=True):
    """A BPMN or DMN file. `shown` is its path as people write it, `findings` what is wrong."""

    shown: str
    content: bytes
    compiled: CompiledFile
    findings: tuple[Finding, ...]

    @property
    def checksum(self) -> str:
        return self.compiled.checksum

    @property
    def processes(self) -> tuple[ProcessModel, ...]:
        return self.compiled.processes if isinstance(self.compiled, CompiledResource) else ()


class ModelFiles:
    """All files that were read, by where they are."""

    def __init__(self) -> None:
        self._contents: dict[Path, bytes] = {}
        self._sets: dict[tuple[tuple[Path, ...], tuple[str, ...]], tuple[ModelFile, ...]] = {}

    def read(self, folder: Path, name: str, place: Place) -> Path:
        """The path of a file, relative to a folder, which is read now if it was not yet.

        Raises ScenarioFileError; `place` is where the file is named.
        """
        path = (folder / name).resolve()
        if path not in self._contents:
            try:
                self._contents[path] = path.read_bytes()
            except OSError as error:
                reason = error.strerror or "it cannot be read"
                message = (
                    f"The file {name!r} cannot be read: {reason}. It is looked for in"
                    f" {_shown(path.parent)}.{_files_like(path)}"
                )
                raise ScenarioFileError((Problem(place, message),)) from None
        return path

    def compile(self, paths: Sequence[Path], mocked: Sequence[str]) -> tuple[ModelFile, ...]:
        """Files that were read, compiled as one deployment beside processes that are mocked."""
        key = (tuple(dict.fromkeys(paths)), tuple(mocked))
        if key not in self._sets:
            names = {_shown(path): path for path in key[0]}
            resources = [
                c.Resource(name=name, content=self._contents[path]) for name, path in names.items()
            ]
            compiled = compile_files(resources, Settings())
            missing = missing_references(compiled, {DefinitionKind.PROCESS: mocked})
            self._sets[key] = tuple(
                ModelFile(
                    shown=file.name,
                    content=self._contents[names[file.name]],
                    compiled=file,
                    findings=(
                        *file.findings,
                        *(each for each in missing if each.resource == file.name),
                    ),
                )
                for file in compiled
            )
        return self._sets[key]


def _files_like(path: Path) -> str:
    """A question after the file beside it that was probably meant."""
    try:
        names = sorted(each.name for each in path.parent.iterdir() if each.is_file())
    except OSError:
        return ""
    return did_you_mean(path.name, names)


def _shown(path: Path) -> str:
    """A path as seen from here, where it is inside."""
    try:
        relative = path.relative_to(Path.cwd())
        return str(relative) if relative.parts else str(path)
    except ValueError:
        return str(path)
