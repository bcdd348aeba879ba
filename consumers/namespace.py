"""The namespace's record: what `init` fixed once, and every process reads at its start."""

import msgspec

from schemas.frames import Frame
from storage.keys import namespace_key
from storage.ports import HashGetAll, Store

FORMAT = 1
"""The newest format of the namespace that this process supports."""


class NamespaceRecord(msgspec.Struct, frozen=True, kw_only=True):
    """`partitions` and `zone` never change: with others the same log would give another state.

    `frame` is what the engine writes; `format` is raised by `upgrade` only, when every process
    supports it. `zone` is the IANA time zone of what names none: timers, cron, dates.
    """

    partitions: int
    frame: Frame = Frame.SINGLE_OBJECT
    format: int = FORMAT
    zone: str = "UTC"

    def fields(self) -> dict[str, bytes]:
        """As the store keeps it."""
        return {name: str(value).encode() for name, value in msgspec.structs.asdict(self).items()}


class NamespaceError(Exception):
    """The namespace cannot be used as it is; the text says how to put it right."""


async def read_namespace(store: Store, namespace: str) -> NamespaceRecord | None:
    """The namespace's record; None: `init` has not run. Raises StoreUnavailableError,
    NamespaceError when it was written by a newer version, or is none."""
    (found,) = await store.query([HashGetAll(namespace_key(namespace))])
    if not isinstance(found, dict) or not found:
        return None
    fields = {name: value.decode() for name, value in found.items()}
    try:
        record = msgspec.convert(fields, NamespaceRecord, strict=False)
    except msgspec.ValidationError as error:
        raise NamespaceError(
            f"the record of namespace {namespace} ({namespace_key(namespace)} in Redis) cannot be"
            f" read: {error}. Is another program writing there?"
        ) from error
    if record.format > FORMAT:
        raise NamespaceError(
            f"namespace {namespace} has format {record.format}, this version knows up to {FORMAT}:"
            " install the newer version of Torpor"
        )
    return record
