"""Compiled models, one cache for the whole process: by content, process id and rules.

A model is a pure function of the three, so it never becomes stale; only memory bounds the cache.
"""

from collections import OrderedDict
from collections.abc import Callable

from engine.model.elements import ProcessModel
from engine.partition import ReadModel
from storage.errors import ContentMissingError
from storage.keys import PartitionKeys, deployments_partition
from storage.ports import Get, Store

Compile = Callable[[bytes, str, int], ProcessModel]
"""Makes the model of (resource, process id, semantics). Raises EngineError."""

MODELS_MAX = 1_000


class ModelCache:
    """Implements `storage.batch.Models` on the contents in the store."""

    def __init__(self, store: Store, namespace: str, partitions: int, compiled: Compile) -> None:
        self._store = store
        self._keys = PartitionKeys(namespace, deployments_partition(partitions))
        self._compile = compiled
        self._models: OrderedDict[ReadModel, ProcessModel] = OrderedDict()

    async def get(self, wanted: ReadModel, resource: bytes | None) -> ProcessModel:
        """The model; `resource` is its content when the caller has it at hand.

        Raises ContentMissingError, StoreUnavailableError.
        """
        model = self._models.get(wanted)
        if model is None:
            content = resource if resource is not None else await self._content(wanted.checksum)
            model = self._compile(content, wanted.process_id, wanted.semantics)
            self._models[wanted] = model
        self._models.move_to_end(wanted)
        if len(self._models) > MODELS_MAX:
            self._models.popitem(last=False)
        return model

    async def _content(self, checksum: str) -> bytes:
        (content,) = await self._store.query([Get(self._keys.content(checksum))])
        if not isinstance(content, bytes):
            raise ContentMissingError(f"the content {checksum} is not stored yet")
        return content
