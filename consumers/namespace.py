"""The namespace's record: what `init` fixed once, and every process reads at its start."""

from typing import Any

import msgspec

from schemas.frames import Frame
from schemas.seals import Epoch
from storage.keys import namespace_key
from storage.ports import HashGetAll, Store

FORMAT = 2
"""The newest format of the namespace that this process supports. 1: sends are not sealed."""

EPOCHS = "epochs"


class NamespaceRecord(msgspec.Struct, frozen=True, kw_only=True):
    """`partitions` and `zone` never change: with others the same log would give another state.

    `frame` is what the engine writes; `format` is raised by `upgrade` only, when every process
    supports it. `zone` is the IANA time zone of what names none: timers, cron, dates. `epochs` are
    the secrets that seal sends, first to last; none: who writes commands is trusted as the engine.
    """

    partitions: int
    frame: Frame = Frame.SINGLE_OBJECT
    format: int = FORMAT
    zone: str = "UTC"
    epochs: tuple[Epoch, ...] = ()

    def fields(self) -> dict[str, bytes]:
        """As the store keeps it."""
        plain = msgspec.structs.asdict(self)
        epochs = {EPOCHS: msgspec.json.encode(plain.pop(EPOCHS))}
        return {name: str(value).encode() for name, value in plain.items()} | epochs


class NamespaceError(Exception):
    """The namespace cannot be used as it is; the text says how to put it right."""


def engines_of(namespace: str) -> str:
    """The consumer group of the namespace's engines."""
    return f"{namespace}.engines"


async def read_namespace(store: Store, namespace: str) -> NamespaceRecord | None:
    """The namespace's record; None: `init` has not run. Raises StoreUnavailableError,
    NamespaceError when it was written by a newer version, or is none."""
    (found,) = await store.query([HashGetAll(namespace_key(namespace))])
    if not isinstance(found, dict) or not found:
        return None
    try:
        record = _read(found)
    except msgspec.MsgspecError as error:
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


async def write_epochs(store: Store, before: NamespaceRecord, after: NamespaceRecord) -> bool:
    """Change the secrets of a record, unless somebody else has. Raises StoreUnavailableError."""
    found = before.fields()[EPOCHS] if before.epochs else b""
    changed = {name: after.fields()[name] for name in (EPOCHS, "format")}
    return await store.amend(EPOCHS, found, changed)


def _read(found: dict[str, bytes]) -> NamespaceRecord:
    """Raises MsgspecError, which quotes no value."""
    fields: dict[str, Any] = {name: value.decode() for name, value in found.items()}
    if EPOCHS in found:
        fields[EPOCHS] = msgspec.json.decode(found[EPOCHS], type=tuple[Epoch, ...])
    record = msgspec.convert(fields, NamespaceRecord, strict=False)
    if any(len(epoch.since) != record.partitions for epoch in record.epochs):
        raise msgspec.ValidationError("its epochs are of another number of partitions")
    return record
