"""Frames: how a record's bytes say what they are. Recognised when read by the first byte.

single-object  C3 01, the schema's fingerprint (8 bytes), Avro. The default; needs no registry.
confluent      00, a schema id of a registry (4 bytes, big endian), Avro.
json           `{`.
"""

import io
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, TypeAlias, cast

import fastavro
import msgspec

from engine.commands import Command
from schemas.avro_writer import Write, compile_record, write_optional_string
from schemas.catalogue import RecordSchema, catalogue
from schemas.derive import COMMAND_FIELDS, COMMAND_NAMES

Body: TypeAlias = dict[str, Any]
"""The fields of a record as plain values."""

_SINGLE_OBJECT = b"\xc3\x01"
_CONFLUENT = b"\x00"
_JSON = b"{"
_SINGLE_OBJECT_LENGTH = 10
_CONFLUENT_LENGTH = 5


class Frame(StrEnum):
    SINGLE_OBJECT = "single-object"
    CONFLUENT = "confluent"
    JSON = "json"


CONTENT_TYPES: Mapping[Frame, bytes] = {
    Frame.SINGLE_OBJECT: b"application/avro",
    Frame.CONFLUENT: b"application/avro",
    Frame.JSON: b"application/json",
}


class FrameError(ValueError):
    """Bytes that are no frame or do not hold what the frame says."""


class UnknownSchemaError(FrameError):
    """A frame whose schema this process does not know."""


class AvroFrames:
    """Avro bytes in one of the two frames. `schema_ids`: a registry's ids by fingerprint."""

    def __init__(self, frame: Frame, schema_ids: Mapping[bytes, int] | None = None) -> None:
        self._ids = dict(schema_ids or {})
        self._schemas = {
            number: catalogue().known[fingerprint] for fingerprint, number in self._ids.items()
        }
        self._writers = {
            name: (self._prefix(frame, schema), self._compile(schema))
            for name, schema in catalogue().current.items()
        }

    def _compile(self, schema: RecordSchema) -> Write:
        skip = len(COMMAND_FIELDS) if schema.name in COMMAND_NAMES else 0
        return compile_record(schema.parsed, skip)

    def _prefix(self, frame: Frame, schema: RecordSchema) -> bytes:
        if frame is Frame.CONFLUENT:
            if schema.fingerprint not in self._ids:
                raise ValueError(f"The schema of {schema.name} has no id of a registry.")
            return _CONFLUENT + self._ids[schema.fingerprint].to_bytes(4, "big")
        return _SINGLE_OBJECT + schema.fingerprint

    def write(self, record: msgspec.Struct) -> bytes:
        """A published record, framed."""
        prefix, write = self._writers[type(record).__name__]
        out = bytearray(prefix)
        write(out, record)
        return bytes(out)

    def write_command(self, command: Command, command_id: str | None, actor: str | None) -> bytes:
        """A command with what every command may carry, framed."""
        prefix, write = self._writers[type(command).__name__]
        out = bytearray(prefix)
        write_optional_string(out, command_id)
        write_optional_string(out, actor)
        write(out, command)
        return bytes(out)

    def read(self, value: bytes) -> tuple[str, Body]:
        """A framed record's name and fields.

        Raises UnknownSchemaError, FrameError for bytes that are cut short, too long or no Avro.
        """
        schema, start = self._schema_of(value)
        stream = io.BytesIO(value)
        stream.seek(start)
        try:
            body = fastavro.schemaless_reader(
                stream,
                schema.parsed,
                None,
                return_record_name=True,  # of a union of several records: (full name, fields)
                return_record_name_override=True,
            )
        except Exception as error:  # whatever the library raises, the bytes are at fault
            raise FrameError(
                f"The bytes are no {schema.name}: {type(error).__name__} {error}"
            ) from error
        if stream.tell() != len(value):
            raise FrameError(f"{len(value) - stream.tell()} bytes follow the {schema.name}.")
        return schema.name, cast("Body", body)

    def _schema_of(self, value: bytes) -> tuple[RecordSchema, int]:
        if value.startswith(_SINGLE_OBJECT):
            if len(value) < _SINGLE_OBJECT_LENGTH:
                raise FrameError("The record ends within its frame.")
            fingerprint = value[2:_SINGLE_OBJECT_LENGTH]
            schema = catalogue().known.get(fingerprint)
            if schema is None:
                raise UnknownSchemaError(f"No schema has the fingerprint {fingerprint.hex()}.")
            return schema, _SINGLE_OBJECT_LENGTH
        if value.startswith(_CONFLUENT):
            if len(value) < _CONFLUENT_LENGTH:
                raise FrameError("The record ends within its frame.")
            number = int.from_bytes(value[1:_CONFLUENT_LENGTH], "big")
            registered = self._schemas.get(number)
            if registered is None:
                raise UnknownSchemaError(f"No schema has the registry's id {number}.")
            return registered, _CONFLUENT_LENGTH
        raise FrameError(f"The record begins with {value[:2].hex() or 'nothing'}: no frame known.")


def is_json(value: bytes) -> bool:
    return value.startswith(_JSON)
