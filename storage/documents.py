"""Documents of aggregates as keys of the store: what to read, and what to write of a change.

A small document is one string. A large one keeps its parts in a sibling hash, of which only those
that changed are written (`schemas.snapshot.split` decides, by content alone).
"""

from collections.abc import Iterator, Sequence

import msgspec

from engine.aggregates import MessageState
from engine.outcome import AggregateState
from engine.routing import is_instance, is_message
from engine.state import ProcessInstance, Tombstone
from schemas.parts import long_texts
from schemas.snapshot import Splittable, decode_state, encode, is_split, split
from storage.keys import PartitionKeys
from storage.ports import (
    Answer,
    Delete,
    Get,
    HashDelete,
    HashGetAll,
    HashPut,
    Operation,
    Put,
    StoreRead,
)

TOMBSTONE_GRACE_MS = 15 * 24 * 3600 * 1000
"""How long after its expiry Redis may collect a tombstone.

Its expiry is an instant of log time. A replay reads the log anew, and the log keeps 7 days by
default: the tombstone must still be there for every record that may be read once more.
"""


class StoredDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A state as the store has it. `parts`: the fields of its sibling hash. `size`: its bytes."""

    state: AggregateState | None
    parts: int = 0
    size: int = 0


_ENTRY_BYTES = 64
"""About what an element instance, a wait or a message id takes."""


def document_reads(keys: PartitionKeys, address: str) -> tuple[StoreRead, ...]:
    """What to read for one document; the answers go to `decode_document`."""
    main = Get(keys.state(address))
    if is_instance(address) or is_message(address):
        return (main, HashGetAll(keys.parts(address)))
    return (main,)


def decode_document(answers: Sequence[Answer]) -> StoredDocument:
    """Raises NewerDocumentError, CorruptDocumentError."""
    main, parts = answers[0], answers[1] if len(answers) > 1 else {}
    assert main is None or isinstance(main, bytes)
    assert isinstance(parts, dict)
    if main is None:
        return StoredDocument(state=None, parts=len(parts))
    return StoredDocument(
        state=decode_state(main, parts),
        parts=len(parts),
        size=len(main) + sum(map(len, parts.values())),
    )


class DocumentChange(msgspec.Struct, frozen=True, kw_only=True):
    """What to write, and what the store then has."""

    operations: tuple[Operation, ...]
    stored: StoredDocument


def change_document(
    keys: PartitionKeys, address: str, before: StoredDocument, after: AggregateState | None
) -> DocumentChange:
    """The writes that make the stored document `before` the document of the state `after`."""
    if isinstance(after, ProcessInstance | MessageState):
        return _change_splittable(keys, address, before, after)
    operations = list(_drop_parts(keys, address, before))
    key = keys.state(address)
    if after is None:
        operations.append(Delete(key))
        return DocumentChange(operations=tuple(operations), stored=StoredDocument(state=None))
    value = encode(after)
    operations.append(Put(key, value, _expiry(after)))
    stored = StoredDocument(state=after, size=len(value))
    return DocumentChange(operations=tuple(operations), stored=stored)


def _change_splittable(
    keys: PartitionKeys, address: str, before: StoredDocument, after: Splittable
) -> DocumentChange:
    # Compared rather than taken from the outcomes: an instance may end and a second life with the
    # same id begin within one batch.
    main_key, hash_key = keys.state(address), keys.parts(address)
    if not is_split(after):
        value = encode(after)
        dropped = _drop_parts(keys, address, before)
        return DocumentChange(
            operations=(*dropped, Put(main_key, value)),
            stored=StoredDocument(state=after, size=len(value)),
        )
    operations: list[Operation] = []
    known = before.state if before.parts and isinstance(before.state, type(after)) else None
    if known is None:
        operations.extend(_drop_parts(keys, address, before))
    written = split(after, known, before.parts if known is not None else 0)
    if written.put:
        operations.append(HashPut(hash_key, written.put))
    if written.delete:
        operations.append(HashDelete(hash_key, written.delete))
    operations.append(Put(main_key, written.main))
    size = len(written.main) + _size_of_parts(after)
    stored = StoredDocument(state=after, parts=written.parts, size=size)
    return DocumentChange(operations=tuple(operations), stored=stored)


def _size_of_parts(state: Splittable) -> int:
    if isinstance(state, MessageState):
        texts = sum(map(len, long_texts(state).values()))
        return texts + _ENTRY_BYTES * len(state.message_ids)
    size = state.variables_bytes + state.loops_bytes + state.ledger_bytes
    return size + _ENTRY_BYTES * (len(state.elements) + len(state.waits))


def _drop_parts(keys: PartitionKeys, address: str, before: StoredDocument) -> Iterator[Operation]:
    if before.parts:
        yield Delete(keys.parts(address))


def _expiry(state: AggregateState) -> int | None:
    if isinstance(state, Tombstone):
        return state.expires_at - state.ended_at + TOMBSTONE_GRACE_MS
    return None
