"""Every Avro schema that this process knows, parsed once: by name, and by fingerprint.

The fingerprint is CRC-64-AVRO of the parsing canonical form, as the eight bytes that stand on the
wire (little endian). What was released once stays here, so that records of older writers are read
with the schema that they were written with; what they lack takes its default in the Struct.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from fastavro.schema import fingerprint, parse_schema, to_parsing_canonical_form

FOLDER = Path(__file__).parent / "avro"


class RecordSchema(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """One schema. `name` is the record's, without the namespace `torpor`.

    `parsed` is for fastavro, without logical types: instants stay numbers, the bytes are the same.
    """

    name: str
    fingerprint: bytes
    text: str
    parsed: Any


class Catalogue(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """`current` by record name, `known` by fingerprint (current and released)."""

    current: dict[str, RecordSchema]
    known: dict[bytes, RecordSchema]


def canonical(schema: Any) -> str:
    """The parsing canonical form: what of a schema decides about bytes."""
    form: str = to_parsing_canonical_form(schema)
    return form


def released_files(folder: Path, name: str) -> list[Path]:
    """The releases of a record's schema, oldest first."""
    files = folder.joinpath("released").glob(f"{name}-*.avsc")
    return sorted(files, key=lambda file: int(file.stem.rpartition("-")[2]))


def read_schema(text: str) -> RecordSchema:
    """A schema from the text of its file."""
    schema = json.loads(text)
    form = canonical(schema)
    return RecordSchema(
        name=schema["name"].rpartition(".")[2],
        fingerprint=bytes.fromhex(fingerprint(form, "CRC-64-AVRO")),
        text=json.dumps(schema, separators=(",", ":")),
        parsed=parse_schema(without_logical_types(schema)),
    )


def without_logical_types(schema: Any) -> Any:
    if isinstance(schema, dict):
        if "logicalType" in schema:
            return schema["type"]
        return {name: without_logical_types(part) for name, part in schema.items()}
    if isinstance(schema, list):
        return [without_logical_types(part) for part in schema]
    return schema


@cache
def catalogue() -> Catalogue:
    """What this process knows, read from the package at the first call."""
    current = {}
    known = {}
    for file in sorted(FOLDER.glob("*.avsc")):
        schema = read_schema(file.read_text())
        current[schema.name] = schema
        known[schema.fingerprint] = schema
    for file in sorted(FOLDER.glob("released/*.avsc")):
        schema = read_schema(file.read_text())
        known.setdefault(schema.fingerprint, schema)
    return Catalogue(current=current, known=known)


def published_schemas() -> dict[str, str]:
    """What stands on the topic of schemas: fingerprint in hex -> schema as JSON.

    The key is the fingerprint's bytes as they stand in a record, in hex.
    """
    return {key.hex(): schema.text for key, schema in catalogue().known.items()}
