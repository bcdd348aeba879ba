"""Compiled models, kept while they are used: from the store's contents, compiled once a process.

A resource is deployed once and read by every partition. Its bytes never change under its checksum,
so what was compiled stays right, whatever becomes of the partition that asked for it.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias, TypeVar

import msgspec

from engine.decisions import DecisionModel, compile_stored
from engine.definitions import DecisionFile
from engine.errors import InvariantError
from engine.model.compile import compile_resource
from engine.model.elements import ProcessModel
from engine.partition import ReadModel
from engine.settings import SEMANTICS, Settings
from schemas.errors import NewerDocumentError
from storage.errors import ContentMissingError
from storage.keys import PartitionKeys, deployments_partition
from storage.ports import Get, Store

INLINE_BYTES = 128 * 1024
"""What is compiled in some milliseconds is not worth a thread."""

MODELS_MAX = 500
"""Compiled processes and files of decisions that are kept, the least used dropped first."""

_Compiled = TypeVar("_Compiled")
_Key: TypeAlias = tuple[str, str, int] | DecisionFile


class CompiledModels:
    """Implements `storage.batch.Models`. One a process.

    Both `get` and `decisions` raise ContentMissingError, StoreUnavailableError, NewerDocumentError,
    InvariantError.
    """

    def __init__(self, store: Store, namespace: str, partitions: int) -> None:
        self._store = store
        self._keys = PartitionKeys(namespace, deployments_partition(partitions))
        # What was deployed under another limit stays readable.
        self._settings = msgspec.structs.replace(Settings(), model_bytes_max=2**31)
        self._models: OrderedDict[_Key, ProcessModel | DecisionModel] = OrderedDict()

    async def get(self, wanted: ReadModel, contents: Mapping[str, bytes]) -> ProcessModel:
        """A process; `contents` are those that are not stored yet, by checksum."""
        _check_known(wanted.process_id, wanted.semantics)
        found = self._recall((wanted.checksum, wanted.process_id, wanted.semantics))
        if isinstance(found, ProcessModel):
            return found
        (resource,) = await self._contents([wanted.checksum], contents)
        arguments = (wanted.checksum, resource, self._settings, wanted.semantics)
        compiled = await _aside(lambda: compile_resource(*arguments), len(resource))
        for model in compiled.processes:
            self._keep((wanted.checksum, model.process_id, wanted.semantics), model)
        for model in compiled.processes:
            if model.process_id == wanted.process_id:
                return model
        raise InvariantError(f"{wanted.process_id} is not in its own resource")

    async def decisions(self, file: DecisionFile, contents: Mapping[str, bytes]) -> DecisionModel:
        """The decisions of a file; `contents` as in `get`."""
        _check_known(file.checksum, file.semantics)
        found = self._recall(file)
        if isinstance(found, DecisionModel):
            return found
        files = await self._contents([*file.imports, file.checksum], contents)
        model = await _aside(lambda: compile_stored(files), sum(map(len, files)))
        self._keep(file, model)
        return model

    async def _contents(self, checksums: Sequence[str], known: Mapping[str, bytes]) -> list[bytes]:
        """What is stored under these checksums, or known."""
        missing = [checksum for checksum in checksums if checksum not in known]
        answers = await self._store.query([Get(self._keys.content(each)) for each in missing])
        stored = dict(zip(missing, answers, strict=True))
        contents: list[bytes] = []
        for checksum in checksums:
            content = known.get(checksum, stored.get(checksum))
            if not isinstance(content, bytes):
                raise ContentMissingError(f"the content {checksum} is not there yet")
            contents.append(content)
        return contents

    def _recall(self, key: _Key) -> ProcessModel | DecisionModel | None:
        found = self._models.get(key)
        if found is not None:
            self._models.move_to_end(key)
        return found

    def _keep(self, key: _Key, model: ProcessModel | DecisionModel) -> None:
        self._models[key] = model
        while len(self._models) > MODELS_MAX:
            self._models.popitem(last=False)


def _check_known(name: str, semantics: int) -> None:
    if semantics > SEMANTICS:
        raise NewerDocumentError(
            f"{name} was deployed under the rules {semantics}, which this process does not know:"
            f" it knows {SEMANTICS}"
        )


async def _aside(compile_: Callable[[], _Compiled], size: int) -> _Compiled:
    """A large file takes seconds: other partitions go on meanwhile."""
    return compile_() if size <= INLINE_BYTES else await asyncio.to_thread(compile_)
