"""Compiled models, one cache for the whole process: by content, process id and rules.

A model is a pure function of the three, so it never becomes stale; only memory bounds the cache.
"""

from collections import OrderedDict

from engine.model.compile import compile_resource
from engine.model.elements import ProcessModel
from engine.partition import ReadModel
from engine.settings import SEMANTICS, Settings
from schemas.errors import NewerDocumentError
from storage.errors import ContentMissingError
from storage.keys import PartitionKeys, deployments_partition
from storage.ports import Get, Store

MODELS_MAX = 1_000


class ModelCache:
    """Implements `storage.batch.Models` on the contents in the store."""

    def __init__(self, store: Store, namespace: str, partitions: int, settings: Settings) -> None:
        self._store = store
        self._keys = PartitionKeys(namespace, deployments_partition(partitions))
        self._settings = settings
        self._models: OrderedDict[ReadModel, ProcessModel] = OrderedDict()

    async def get(self, wanted: ReadModel, resource: bytes | None) -> ProcessModel:
        """The model; `resource` is its content when the caller has it at hand.

        Raises ContentMissingError, StoreUnavailableError; NewerDocumentError for rules that this
        process does not know; KeyError when the content has no such process, which is a bug.
        """
        if wanted.semantics > SEMANTICS:
            raise NewerDocumentError(f"rules {wanted.semantics} are newer than {SEMANTICS}")
        model = self._models.get(wanted)
        if model is None:
            content = resource if resource is not None else await self._content(wanted.checksum)
            compiled = compile_resource("", content, self._settings, wanted.semantics)
            model = compiled.process(wanted.process_id)
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
