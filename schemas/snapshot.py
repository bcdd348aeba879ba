"""Stored documents: MessagePack `[format, kind, body]`, and for a split instance `[..., scopes]`.

The body holds a Struct's fields without their names, in order (`array_like`): half the size of a
map, and it evolves as documents must: a field is only ever appended, with a default, and together
with a new format. An older process refuses the new format, for it would drop the field when it
writes the document back. A test pins the fields of each format.

Dictionaries keep their order: a state that was read back behaves as the one that stayed in memory,
also where its dictionaries are walked through, and a replay of the same commands writes the same
bytes.

A large instance keeps its variables in a sibling hash, one field a scope, and with them the other
parts of `schemas/parts.py`; the main document has the names of all fields, in their order. Whether
it is split is decided by its content alone, so it does not matter how many commands a batch had.
"""

from collections.abc import Collection, Mapping
from typing import Any, TypeAlias, TypeVar

import msgspec

from engine.aggregates import ConversationState, DeploymentsState, MessageState
from engine.definitions import ProcessVersions
from engine.outcome import AggregateState
from engine.partition import AppliedCommand
from engine.records import SendNumber
from engine.state import ProcessInstance, Tombstone
from schemas.errors import CorruptDocumentError, NewerDocumentError
from schemas.parts import decode_part, is_wide, join, parts_of, without_parts
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
    | AppliedCommand
    | SendNumber
    | OutboxRecord
    | ConversationState
)
Kind = TypeVar("Kind", bound=Document)

KINDS: Mapping[str, type[Document]] = {
    "instance": ProcessInstance,
    "tombstone": Tombstone,
    "message": MessageState,
    "deployments": DeploymentsState,
    "versions": ProcessVersions,
    "applied": AppliedCommand,
    "send": SendNumber,
    "outbox": OutboxRecord,
    "conversation": ConversationState,
}
"""The kinds by the name that stands in the document."""

_NAMES: dict[type, str] = {kind: name for name, kind in KINDS.items()}
_STATES = {"instance", "tombstone", "message", "deployments", "conversation"}
_SCOPE, _PART = "scope", "part"


class _Head(msgspec.Struct, frozen=True, array_like=True):
    """What every format begins with."""

    format: int


class _Envelope(msgspec.Struct, frozen=True, array_like=True):
    format: int
    kind: str
    body: msgspec.Raw
    scopes: tuple[int, ...] = ()
    parts: tuple[str, ...] = ()


_ENCODER = msgspec.msgpack.Encoder()
_HEAD = msgspec.msgpack.Decoder(_Head)
_ENVELOPE = msgspec.msgpack.Decoder(_Envelope)
_BODIES: dict[str, msgspec.msgpack.Decoder[Any]] = {
    **{name: msgspec.msgpack.Decoder(kind) for name, kind in KINDS.items()},
    _SCOPE: msgspec.msgpack.Decoder(dict[str, str]),
}


def encode(document: Document) -> bytes:
    """The bytes of a document, whole."""
    return _ENCODER.encode((FORMAT, _NAMES[type(document)], document))


def decode(value: bytes, kind: type[Kind]) -> Kind:
    """The document of this kind. Raises NewerDocumentError, CorruptDocumentError."""
    document: Kind = _body(_open(value), _NAMES[kind])
    return document


class SplitInstance(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be written of an instance.

    `main` is the document. `put` and `delete` are fields of its hash. `scopes` are the fields that
    the hash then holds, for the next `split`.
    """

    main: bytes
    put: dict[str, bytes]
    delete: tuple[str, ...]
    scopes: tuple[str, ...]


def is_split(instance: ProcessInstance) -> bool:
    """Whether the document of this instance has its parts apart."""
    weight = instance.variables_bytes + instance.loops_bytes + instance.ledger_bytes
    return weight > SPLIT_BYTES or is_wide(instance)


def _scopes(instance: ProcessInstance) -> dict[str, Any]:
    return {str(scope): variables for scope, variables in instance.variables.items()}


def split(
    instance: ProcessInstance, before: AggregateState | None, stored: Collection[str]
) -> SplitInstance:
    """Encode an instance, and of its parts only those that must be written.

    `before` is the state that is stored now, `stored` the fields that its hash holds (none if it
    was not split, or is new). What no command touched is the same object in both, and costs little
    to compare.
    """
    if not is_split(instance):
        return SplitInstance(main=encode(instance), put={}, delete=tuple(stored), scopes=())
    parts = parts_of(instance)
    scopes = tuple(instance.variables)
    fields = _scopes(instance) | parts
    main = (FORMAT, "instance", without_parts(instance, parts), scopes, tuple(parts))
    held = set(stored)
    known: dict[str, Any] = {}
    if held and isinstance(before, ProcessInstance):
        known = _scopes(before) | parts_of(before)
    return SplitInstance(
        main=_ENCODER.encode(main),
        put={
            name: _ENCODER.encode((FORMAT, _PART if name in parts else _SCOPE, part))
            for name, part in fields.items()
            if name not in held or not _is_same(known.get(name), part)
        },
        delete=tuple(name for name in stored if name not in fields),
        scopes=tuple(fields),
    )


def _is_same(before: object, after: object) -> bool:
    """Whether both have the same bytes: a dictionary in another order is another one."""
    if before is after:
        return True
    if isinstance(before, dict) and isinstance(after, dict):
        return before == after and list(before) == list(after)
    return before == after


def scopes_of(value: bytes) -> tuple[str, ...]:
    """The fields of the sibling hash that belong to a document; none when it is whole.

    Raises NewerDocumentError, CorruptDocumentError.
    """
    envelope = _open(value)
    return (*(str(scope) for scope in envelope.scopes), *envelope.parts)


def decode_state(value: bytes, scopes: Mapping[str, bytes | None] | None = None) -> AggregateState:
    """The state of an aggregate, joined with the fields that `scopes_of` names.

    Raises NewerDocumentError, CorruptDocumentError (a missing field too).
    """
    envelope = _open(value)
    if envelope.kind not in _STATES:
        raise CorruptDocumentError(f"expected the state of an aggregate, found {envelope.kind}")
    state: AggregateState = _body(envelope, envelope.kind)
    if isinstance(state, ProcessInstance) and (envelope.scopes or envelope.parts):
        found = scopes or {}
        state.variables = {scope: _scope(found.get(str(scope))) for scope in envelope.scopes}
        join(state, {name: _part(name, found.get(name)) for name in envelope.parts})
    return state


def _scope(value: bytes | None) -> dict[str, str]:
    if value is None:
        raise CorruptDocumentError("the variables of a scope are missing")
    variables: dict[str, str] = _body(_open(value), _SCOPE)
    return variables


def _part(name: str, value: bytes | None) -> Any:
    if value is None:
        raise CorruptDocumentError(f"the part {name} is missing")
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
