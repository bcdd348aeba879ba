"""From a record of the command topic to a stimulus of the engine.

A record is one of four things: a command; something that names a command and is none, which is
rejected and answered (`InvalidCommand`); something that nobody can take, which is dead-lettered
(`UndecodableRecordError`); or from a newer engine (`NewerRecordError`).

    bytes                                              becomes
    -------------------------------------------------  --------------------------------------------
    null, no frame, cut short, unknown fingerprint     UndecodableRecordError
    JSON that names no type, or an unknown one         UndecodableRecordError
    JSON that is broken, with no type in the headers   UndecodableRecordError
    JSON that is broken, its type in the headers       InvalidCommand
    wrong fields, variables no object, wrong headers   InvalidCommand
    larger than what can be forwarded, dead-lettered   InvalidCommand
    unknown type or schema, sent by an engine          NewerRecordError

What has no valid seal is a client's: its engine headers are passed over, and the stimulus is not
`trusted`.
"""

from contextlib import suppress
from typing import Protocol

from msgspec.structs import replace

from engine.partition import InvalidCommand, Stimulus
from engine.records import DeadLetter
from engine.rejections import RejectionCode
from schemas.command_body import (
    COMMAND_TYPES,
    BodyError,
    CommandBody,
    json_text,
    read_fields,
    read_json,
    split_json,
)
from schemas.errors import NewerRecordError, RecordError, UndecodableRecordError
from schemas.frames import AvroFrames, FrameError, UnknownSchemaError, is_json
from schemas.headers import (
    BODY_TYPE,
    SEAL,
    CommandHeaders,
    HeaderError,
    Headers,
    checked_command_id,
    read_command_headers,
    read_reply,
    without_engine,
)
from schemas.seals import SEAL_WEIGHT, SealedRecord, Seals

COMMAND_BYTES_MAX = 2 * 1024 * 1024 - 64 * 1024
"""Key, value and headers of a command. Below what our topics take by more than is added to what is
forwarded or dead-lettered."""


class FoundRecord(SealedRecord, Protocol):
    """A record of the command topic, from any log."""

    @property
    def timestamp_ms(self) -> int: ...


SEALED_BYTES_MAX = COMMAND_BYTES_MAX + SEAL_WEIGHT
"""A send is measured before it is sealed."""


def size_of(record: FoundRecord) -> int:
    """The bytes of a record's key, value and headers."""
    headers = sum(len(name) + len(value) for name, value in record.headers)
    return len(record.key or b"") + len(record.value or b"") + headers


class UnknownCommandError(ValueError):
    """The record names no command that this process knows."""


class CommandReader:
    """Decodes the command topic of one namespace."""

    def __init__(self, namespace: str, seals: Seals, frames: AvroFrames) -> None:
        self._namespace = namespace
        self._topic = seals.topic
        self._seals = seals
        self._frames = frames

    def read(self, record: FoundRecord) -> Stimulus:
        """The stimulus that a record is. Raises UndecodableRecordError, NewerRecordError."""
        trusted = self._seals.is_trusted(record)
        stimulus = self._read(record, record.headers if trusted else without_engine(record.headers))
        return stimulus if trusted else replace(stimulus, trusted=False)

    def _read(self, record: FoundRecord, found: Headers) -> Stimulus:
        is_sealed = any(name == SEAL for name, _ in found)
        if size_of(record) > (SEALED_BYTES_MAX if is_sealed else COMMAND_BYTES_MAX):
            return self._too_large(record)
        try:
            headers = read_command_headers(self._namespace, found)
        except HeaderError as error:
            readable = read_reply(self._namespace, record.headers)
            return self._invalid(record, error, readable)
        try:
            body = self._read_value(record.value, headers)
        except (UnknownSchemaError, UnknownCommandError) as error:
            kind = NewerRecordError if headers.is_from_engine else UndecodableRecordError
            raise self._error(kind, record, str(error)) from None
        except FrameError as error:
            raise self._error(UndecodableRecordError, record, str(error)) from None
        except BodyError as error:
            if headers.is_from_engine:
                raise self._error(NewerRecordError, record, str(error)) from None
            return self._invalid(record, error, headers)
        return _stimulus(record, headers, body)

    def _read_value(self, value: bytes | None, headers: CommandHeaders) -> CommandBody:
        if value is None:
            raise FrameError("The record has no value.")
        if is_json(value):
            return _read_json(value, headers)
        name, fields = self._frames.read(value)
        if name not in COMMAND_TYPES:
            raise FrameError(f"The record is a {name}, which is no command.")
        _compare(headers, name)
        return read_fields(name, fields)

    def _invalid(
        self, record: FoundRecord, error: HeaderError | BodyError, headers: CommandHeaders
    ) -> Stimulus:
        command_id = error.command_id if isinstance(error, BodyError) else None
        return Stimulus(
            offset=record.offset,
            timestamp_ms=record.timestamp_ms,
            command=InvalidCommand(detail=str(error)),
            command_id=_usable(command_id) or headers.command_id,
            reply=headers.reply,
            traceparent=headers.traceparent,
        )

    def _too_large(self, record: FoundRecord) -> Stimulus:
        """It could not even be dead-lettered: with why and where it would not fit a record."""
        known = read_reply(self._namespace, record.headers)
        detail = (
            f"Expected a record of at most {COMMAND_BYTES_MAX} bytes, with its key and headers, "
            f"found {size_of(record)}."
        )
        return Stimulus(
            offset=record.offset,
            timestamp_ms=record.timestamp_ms,
            command=InvalidCommand(detail=detail, code=RejectionCode.TOO_LARGE),
            command_id=known.command_id,
            reply=known.reply,
        )

    def _error(self, kind: type[RecordError], record: FoundRecord, reason: str) -> RecordError:
        known = read_reply(self._namespace, record.headers)
        dead_letter = DeadLetter(
            value=record.value,
            key=record.key,
            reason=reason,
            topic=self._topic,
            partition=record.partition,
            offset=record.offset,
            headers=record.headers,
        )
        return kind(dead_letter, command_id=known.command_id, reply=known.reply)


def _read_json(value: bytes, headers: CommandHeaders) -> CommandBody:
    try:
        members = split_json(value)
    except BodyError as error:
        if headers.type in COMMAND_TYPES:
            raise
        raise UnknownCommandError(str(error)) from None
    name = json_text(members, BODY_TYPE) or headers.type
    if name is None:
        raise UnknownCommandError("The JSON object names no type of a command.")
    if name not in COMMAND_TYPES:
        raise UnknownCommandError(f"No command has the type {name[:80]!r}.")
    _compare(headers, name)
    return read_json(name, members)


def _compare(headers: CommandHeaders, name: str) -> None:
    if headers.type is not None and headers.type != name:
        raise BodyError(f"The header ce_type names {headers.type[:80]!r}, the body {name!r}.")


def _usable(command_id: str | None) -> str | None:
    """A command id, unless it is itself what is wrong."""
    with suppress(HeaderError):
        return checked_command_id(command_id)
    return None


def _stimulus(record: FoundRecord, headers: CommandHeaders, body: CommandBody) -> Stimulus:
    """Of two command ids the body's counts: a producer's own ce_id may change with each copy."""
    return Stimulus(
        offset=record.offset,
        timestamp_ms=record.timestamp_ms,
        command=body.command,
        command_id=body.command_id or headers.command_id,
        actor=body.actor,
        reply=headers.reply,
        source_partition=headers.source_partition,
        number=headers.number,
        forwarded=headers.forwarded,
        traceparent=headers.traceparent,
    )
