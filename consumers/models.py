"""Compiled models, kept while they are used: from the store's contents, compiled once a process.

A resource is deployed once and read by every partition. Its bytes never change under its checksum,
so what was compiled stays right, whatever becomes of the partition that asked for it.
"""

import asyncio
from collections import OrderedDict

import msgspec

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
"""Compiled processes that are kept, the least used dropped first."""


class CompiledModels:
    """Implements `storage.batch.Models`. One a process."""

    def __init__(self, store: Store, namespace: str, partitions: int) -> None:
        self._store = store
        self._keys = PartitionKeys(namespace, deployments_partition(partitions))
        # What was deployed under another limit stays readable.
        self._settings = msgspec.structs.replace(Settings(), model_bytes_max=2**31)
        self._models: OrderedDict[tuple[str, str, int], ProcessModel] = OrderedDict()

    async def get(self, wanted: ReadModel, resource: bytes | None) -> ProcessModel:
        """Raises ContentMissingError, StoreUnavailableError, NewerDocumentError, InvariantError."""
        if wanted.semantics > SEMANTICS:
            raise NewerDocumentError(
                f"{wanted.process_id} was deployed under the rules {wanted.semantics}, which this"
                f" process does not know: it knows {SEMANTICS}"
            )
        key = (wanted.checksum, wanted.process_id, wanted.semantics)
        found = self._models.get(key)
        if found is not None:
            self._models.move_to_end(key)
            return found
        if resource is None:
            resource = await self._content(wanted.checksum)
        for model in await self._compile(wanted, resource):
            self._keep((wanted.checksum, model.process_id, wanted.semantics), model)
        if key not in self._models:
            raise InvariantError(f"{wanted.process_id} is not in its own resource")
        return self._models[key]

    async def _compile(self, wanted: ReadModel, resource: bytes) -> tuple[ProcessModel, ...]:
        arguments = (wanted.checksum, resource, self._settings, wanted.semantics)
        if len(resource) <= INLINE_BYTES:
            return compile_resource(*arguments).processes
        # A large file takes seconds: other partitions go on meanwhile.
        return (await asyncio.to_thread(compile_resource, *arguments)).processes

    async def _content(self, checksum: str) -> bytes:
        (content,) = await self._store.query([Get(self._keys.content(checksum))])
        if not isinstance(content, bytes):
            raise ContentMissingError(f"the content {checksum} is not there yet")
        return content

    def _keep(self, key: tuple[str, str, int], model: ProcessModel) -> None:
        self._models[key] = model
        while len(self._models) > MODELS_MAX:
            self._models.popitem(last=False)
