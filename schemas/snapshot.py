"""Stored documents: MessagePack `[format, kind, body]`, and for a split instance `[..., scopes]`.

The body holds a Struct's fields without their names, in order (`array_like`): half the size of a
map, and it evolves as documents must: a field is only ever appended, with a default, and together
with a new format. An older process refuses the new format, for it would drop the field when it
writes the document back. A test pins the fields of each format.

Dictionaries keep their order: a state that was read back behaves as the one that stayed in memory,
also where its dictionaries are walked through, and a replay of the same commands writes the same
bytes.

A large document keeps its parts in a sibling hash (`schemas/parts.py`); the main document says how
many there are. Whether it is split is decided by its content alone, so it does not matter how many
commands a batch had.
"""

from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any, TypeAlias, TypeVar

import msgspec

from engine.aggregates import ConversationState, DeploymentsState, MessageState
from engine.definitions import DecisionVersions, ProcessVersions
from engine.outcome import AggregateState
from engine.pages import WIDE
from engine.partition import AppliedCommand
from engine.records import SendNumber
from engine.state import ProcessInstance, Tombstone
from schemas.errors import CorruptDocumentError, NewerDocumentError
from schemas.parts import (
    Change,
    decode_part,
    is_wide,
    join,
    join_messages,
    long_texts,
    message_changes,
    messages_without_parts,
    part_changes,
    without_parts,
)
from schemas.publication_writer import OutboxRecord

FORMAT = 1
"""The format of what this process writes, and the newest that it reads."""

SPLIT_BYTES = 16 * 1024

Document: TypeAlias = (
    ProcessInstance
    | Tombstone
    | MessageState
    | DeploymentsState
    | ProcessVersions
    | DecisionVersions
    | AppliedCommand
    | SendNumber
    | OutboxRecord
    | ConversationState
)
Splittable: TypeAlias = ProcessInstance | MessageState
"""What may have parts of its own."""

Kind = TypeVar("Kind", bound=Document)

KINDS: Mapping[str, type[Document]] = {
    "instance": ProcessInstance,
    "tombstone": Tombstone,
    "message": MessageState,
    "deployments": DeploymentsState,
    "versions": ProcessVersions,
    "decision": DecisionVersions,
    "applied": AppliedCommand,
    "send": SendNumber,
    "outbox": OutboxRecord,
    "conversation": ConversationState,
}
"""The kinds by the name that stands in the document."""

_NAMES: dict[type, str] = {kind: name for name, kind in KINDS.items()}
_STATES = {"instance", "tombstone", "message", "deployments", "conversation"}
_PART = "part"


class _Head(msgspec.Struct, frozen=True, array_like=True):
    """What every format begins with."""

    format: int


class _Envelope(msgspec.Struct, frozen=True, array_like=True):
    format: int
    kind: str
    body: msgspec.Raw
    parts: int = 0


def _encode_map(value: object) -> dict[Any, Any]:
    if isinstance(value, MutableMapping):
        return dict(value.items())
    raise TypeError(f"a {type(value).__name__} is no part of a document")


_ENCODER = msgspec.msgpack.Encoder(enc_hook=_encode_map)
_HEAD = msgspec.msgpack.Decoder(_Head)
_ENVELOPE = msgspec.msgpack.Decoder(_Envelope)
_BODIES: dict[str, msgspec.msgpack.Decoder[Any]] = {
    name: msgspec.msgpack.Decoder(kind) for name, kind in KINDS.items()
}


def encode(document: Document) -> bytes:
    """The bytes of a document, whole."""
    return _ENCODER.encode((FORMAT, _NAMES[type(document)], document))


def decode(value: bytes, kind: type[Kind]) -> Kind:
    """The document of this kind. Raises NewerDocumentError, CorruptDocumentError."""
    document: Kind = _body(_open(value), _NAMES[kind])
    return document


class SplitDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be written of a document with parts.

    `main` is the document. `put` and `delete` are fields of its hash, which then has `parts`.
    """

    main: bytes
    put: dict[str, bytes]
    delete: tuple[str, ...]
    parts: int


def is_split(document: Splittable) -> bool:
    """Whether the document has its parts apart."""
    if isinstance(document, MessageState):
        texts = long_texts(document).values()
        return len(document.message_ids) > WIDE or sum(map(len, texts)) > SPLIT_BYTES
    return _is_large(document)


def _is_large(instance: ProcessInstance) -> bool:
    weight = instance.variables_bytes + instance.loops_bytes + instance.ledger_bytes
    return weight > SPLIT_BYTES or is_wide(instance)


def split(document: Splittable, before: Splittable | None, stored: int) -> SplitDocument:
    """Encode a document that is split, and of its parts only those that have changed.

    `before` is what its hash holds, in `stored` fields; None: nothing.
    """
    put: dict[str, bytes] = {}
    delete: list[str] = []
    parts = stored
    for name, old, new in _part_changes(before, document):
        parts += (new is not None) - (old is not None)
        if new is None:
            delete.append(name)
        else:
            put[name] = _ENCODER.encode((FORMAT, _PART, new))
    main = (FORMAT, _NAMES[type(document)], _without_parts(document), parts)
    return SplitDocument(main=_ENCODER.encode(main), put=put, delete=tuple(delete), parts=parts)


def _part_changes(before: Splittable | None, after: Splittable) -> Iterator[Change]:
    if isinstance(after, MessageState):
        return message_changes(before if isinstance(before, MessageState) else None, after)
    return part_changes(before if isinstance(before, ProcessInstance) else None, after)


def _without_parts(document: Splittable) -> Splittable:
    if isinstance(document, MessageState):
        return messages_without_parts(document)
    return without_parts(document)


def has_parts(value: bytes) -> bool:
    """Whether a document has fields in its sibling hash.

    Raises NewerDocumentError, CorruptDocumentError.
    """
    return _open(value).parts > 0


def decode_state(value: bytes, parts: Mapping[str, bytes] | None = None) -> AggregateState:
    """The state of an aggregate, joined with all fields of its sibling hash.

    Raises NewerDocumentError, CorruptDocumentError (a missing field too).
    """
    envelope = _open(value)
    if envelope.kind not in _STATES:
        raise CorruptDocumentError(f"expected the state of an aggregate, found {envelope.kind}")
    state: AggregateState = _body(envelope, envelope.kind)
    if isinstance(state, ProcessInstance | MessageState) and envelope.parts:
        found = {name: _part(name, part) for name, part in (parts or {}).items()}
        if len(found) != envelope.parts:
            raise CorruptDocumentError(f"expected {envelope.parts} parts, found {len(found)}")
        try:
            state = _join(state, found)
        except (KeyError, ValueError, TypeError) as error:
            raise CorruptDocumentError(f"the parts do not fit together: {error}") from None
    return state


def _join(state: Splittable, parts: Mapping[str, Any]) -> Splittable:
    if isinstance(state, MessageState):
        return join_messages(state, parts)
    join(state, parts)
    return state


def _part(name: str, value: bytes) -> Any:
    envelope = _open(value)
    try:
        return decode_part(name, envelope.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, KeyError) as error:
        raise CorruptDocumentError(f"the part {name} is corrupt: {error}") from None


def _open(value: bytes) -> _Envelope:
    try:
        written = _HEAD.decode(value).format
        if written > FORMAT:
            raise NewerDocumentError(f"the document has format {written}, known is {FORMAT}")
        return _ENVELOPE.decode(value)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CorruptDocumentError(f"the bytes are no document: {error}") from None


def _body(envelope: _Envelope, kind: str) -> Any:
    if envelope.kind != kind:
        raise CorruptDocumentError(f"expected a document of kind {kind}, found {envelope.kind}")
    try:
        return _BODIES[kind].decode(envelope.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CorruptDocumentError(f"the document of kind {kind} is corrupt: {error}") from None
