"""Bytes of records: Avro in a single-object frame (C3 01 and the schema's fingerprint), or JSON.

Written is one of the two; read is whatever comes. The schemas of this version are in the package;
those of a newer engine are on the topic of schemas (`schema_topic.py`).
"""

import io
import json
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, cast

import fastavro
import msgspec
from fastavro.schema import fingerprint, parse_schema, to_parsing_canonical_form

from torpor_client import variables
from torpor_client.records import Effect, Job, Reply, Task

FOLDER = Path(__file__).parent / "avro"
_MARKER = b"\xc3\x01"
_FRAME_BYTES = 10

Published = TypeVar("Published", bound=Effect | Job | Reply | Task)
Body: TypeAlias = dict[str, Any]


class Frame(StrEnum):
    """How commands are written. The engine reads both, whatever the namespace writes itself."""

    SINGLE_OBJECT = "single-object"
    JSON = "json"


class FrameError(ValueError):
    """The bytes are no record that can be read. The caller says where they were found."""


class UnknownSchemaError(FrameError):
    """A record whose schema is not known here, perhaps of a newer engine."""

    def __init__(self, found: bytes) -> None:
        super().__init__(f"no schema has the fingerprint {found.hex()}")
        self.fingerprint = found


class RecordSchema(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """A schema by its record's name; `parsed` is for fastavro, without logical types."""

    name: str
    fingerprint: bytes
    parsed: Any


Schemas: TypeAlias = Mapping[bytes, RecordSchema]
"""Schemas by fingerprint."""


def read_schema(text: str) -> RecordSchema:
    """A schema from its JSON."""
    schema = json.loads(text)
    form = to_parsing_canonical_form(schema)
    return RecordSchema(
        name=schema["name"].rpartition(".")[2],
        fingerprint=bytes.fromhex(fingerprint(form, "CRC-64-AVRO")),
        parsed=parse_schema(_without_logical_types(schema)),
    )


def _without_logical_types(schema: Any) -> Any:
    """Instants stay numbers; the bytes are the same."""
    if isinstance(schema, dict):
        if "logicalType" in schema:
            return schema["type"]
        return {name: _without_logical_types(part) for name, part in schema.items()}
    if isinstance(schema, list):
        return [_without_logical_types(part) for part in schema]
    return schema


@cache
def own_schemas() -> dict[str, RecordSchema]:
    """The schemas of this version, by the record's name."""
    schemas = (read_schema(file.read_text()) for file in sorted(FOLDER.glob("*.avsc")))
    return {schema.name: schema for schema in schemas}


@cache
def own_fingerprints() -> Schemas:
    return {schema.fingerprint: schema for schema in own_schemas().values()}


def write_command(frame: Frame, kind: str, body: Body) -> bytes:
    """The bytes of a command. Raises ValueError, TypeError for fields that are not its own."""
    if frame is Frame.JSON:
        return msgspec.json.encode({"type": kind, **body})
    schema = own_schemas()[kind]
    stream = io.BytesIO()
    stream.write(_MARKER + schema.fingerprint)
    fastavro.schemaless_writer(stream, schema.parsed, body, strict_allow_default=True)
    return stream.getvalue()


def read_published(value: bytes, kind: type[Published], schemas: Schemas) -> Published:
    """A published record. Raises UnknownSchemaError, FrameError."""
    name, body = _read_json(value, kind) if value[:1] == b"{" else _read_avro(value, schemas)
    if name != kind.__name__:
        raise FrameError(f"it is a {name}, not a {kind.__name__}")
    try:
        text = body.get("variables")
        if text is not None:
            body["variables"] = variables.decode(text)
        return msgspec.convert(body, kind)
    except (ValueError, TypeError) as error:
        raise FrameError(f"it is no {name}: {error}") from None


def _read_json(value: bytes, kind: type[Published]) -> tuple[str, Body]:
    """JSON says its kind in its headers only; its fields must do."""
    try:
        return kind.__name__, msgspec.json.decode(value, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError) as error:
        raise FrameError(f"it is no JSON object: {error}") from None


def _read_avro(value: bytes, schemas: Schemas) -> tuple[str, Body]:
    found = value[len(_MARKER) : _FRAME_BYTES]
    if not value.startswith(_MARKER) or len(value) < _FRAME_BYTES:
        raise FrameError(f"it begins with {value[:2].hex() or 'nothing'}, which is no known frame")
    schema = schemas.get(found)
    if schema is None:
        raise UnknownSchemaError(found)
    try:
        body = fastavro.schemaless_reader(io.BytesIO(value[_FRAME_BYTES:]), schema.parsed, None)
    except Exception as error:  # whatever the library raises, the bytes are at fault
        raise FrameError(f"it is no {schema.name}: {type(error).__name__} {error}") from error
    return schema.name, cast("Body", body)
