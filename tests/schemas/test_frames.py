"""Frames: what the first bytes of a record say, against the Avro specification."""

import io
from pathlib import Path

import fastavro
import pytest

from engine.commands import CompleteTask
from schemas.catalogue import Catalogue, catalogue, published_schemas, read_schema
from schemas.frames import AvroFrames, Frame, FrameError, UnknownSchemaError

TASK = CompleteTask(task_id="i:1", variables="{}")
FIELDS = {"task_id": "i:1", "variables": "{}"}


def test_fingerprint_is_that_of_the_avro_specification() -> None:
    text = '{"type": "record", "name": "torpor.R", "doc": "x", "fields": []}'
    schema = read_schema(text)
    assert schema.fingerprint == rabin(b'{"name":"torpor.R","type":"record","fields":[]}')


def rabin(data: bytes) -> bytes:
    """CRC-64-AVRO as the specification prints it, little endian."""
    empty = 0xC15D213AA4D7A795
    value = empty
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = (value >> 1) ^ (empty & -(value & 1))
    return value.to_bytes(8, "little")


def test_single_object_frame_is_marker_fingerprint_and_plain_avro() -> None:
    value = AvroFrames(Frame.SINGLE_OBJECT).write_command(TASK, None, None)
    schema = catalogue().current["CompleteTask"]
    assert value[:2] == b"\xc3\x01"
    assert value[2:10] == schema.fingerprint
    body = io.BytesIO()
    fastavro.schemaless_writer(body, fastavro.parse_schema(fastavro_schema()), FIELDS)
    assert value[10:] == body.getvalue()


def fastavro_schema() -> dict[str, object]:
    file = Path("schemas/avro/CompleteTask.avsc")
    schema: dict[str, object] = fastavro.schema.load_schema(str(file))  # type: ignore[assignment] # a record
    return schema


def test_confluent_frame_carries_the_registrys_id() -> None:
    ids = {key: 100 + n for n, key in enumerate(sorted(catalogue().known))}
    frames = AvroFrames(Frame.CONFLUENT, ids)
    value = frames.write_command(TASK, None, None)
    number = ids[catalogue().current["CompleteTask"].fingerprint]
    assert value[:5] == b"\x00" + number.to_bytes(4, "big")
    assert frames.read(value) == ("CompleteTask", {"command_id": None, "actor": None, **FIELDS})


def test_confluent_frame_without_ids_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="no id of a registry"):
        AvroFrames(Frame.CONFLUENT)


def test_either_avro_frame_is_read_whichever_is_written() -> None:
    ids = {key: n for n, key in enumerate(sorted(catalogue().known))}
    single = AvroFrames(Frame.SINGLE_OBJECT).write_command(TASK, None, None)
    assert AvroFrames(Frame.CONFLUENT, ids).read(single)[0] == "CompleteTask"


def test_unknown_schema_is_told_from_a_broken_record() -> None:
    frames = AvroFrames(Frame.SINGLE_OBJECT)
    with pytest.raises(UnknownSchemaError):
        frames.read(b"\xc3\x01" + b"\x07" * 30)
    with pytest.raises(FrameError) as caught:
        frames.read(frames.write_command(TASK, None, None)[:-1])
    assert not isinstance(caught.value, UnknownSchemaError)


def test_text_that_is_no_utf8_is_a_broken_record() -> None:
    value = AvroFrames(Frame.SINGLE_OBJECT).write_command(CompleteTask(task_id="i"), None, None)
    with pytest.raises(FrameError, match="no CompleteTask"):
        AvroFrames(Frame.SINGLE_OBJECT).read(value.replace(b"i", b"\xff"))


def test_schemas_are_published_by_fingerprint_with_their_logical_types() -> None:
    schemas = published_schemas()
    effect = catalogue().current["Effect"]
    assert '"logicalType":"timestamp-millis"' in schemas[effect.fingerprint.hex()]
    known: Catalogue = catalogue()
    assert set(schemas) == {key.hex() for key in known.known}
