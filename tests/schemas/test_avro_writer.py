"""The compiled encoder writes what the Avro library writes."""

import io
from typing import Any

import fastavro
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.commands import Command
from engine.records import Effect, Reply, Transition
from schemas.catalogue import catalogue
from schemas.frames import AvroFrames, Frame
from tests.schemas.samples import COMMANDS, EFFECT, PUBLISHED, name_of

FRAMES = AvroFrames(Frame.SINGLE_OBJECT)
HEADER = 10


def by_library(record: msgspec.Struct, **more: Any) -> bytes:
    """A record's Avro as the library writes it."""
    fields = {**more, **msgspec.to_builtins(record, builtin_types=(bytes,))}
    # In a union the library takes a tuple for the name of a branch with its value.
    fields = {name: list(of) if isinstance(of, tuple) else of for name, of in fields.items()}
    if isinstance(record, Transition):
        fields["events"] = [
            (f"torpor.{name_of(event)}", msgspec.to_builtins(event)) for event in record.events
        ]
    stream = io.BytesIO()
    fastavro.schemaless_writer(stream, catalogue().current[name_of(record)].parsed, fields)
    return stream.getvalue()


@pytest.mark.parametrize("record", PUBLISHED, ids=name_of)
def test_published_record_is_written_as_the_library_writes_it(record: msgspec.Struct) -> None:
    assert FRAMES.write(record)[HEADER:] == by_library(record)


@pytest.mark.parametrize("command", COMMANDS, ids=name_of)
def test_command_is_written_as_the_library_writes_it(command: Command) -> None:
    written = FRAMES.write_command(command, "c1", None)
    assert written[HEADER:] == by_library(command, command_id="c1", actor=None)


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=2_000)
longs = st.integers(-(2**63), 2**63 - 1)


@given(texts, longs, st.none() | texts)
def test_any_text_and_number_is_written_as_the_library_writes_it(
    text: str, number: int, note: str | None
) -> None:
    effect = replace(EFFECT, digest=text, offset=number, actor=note)
    assert FRAMES.write(effect)[HEADER:] == by_library(effect)


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1])
def test_number_beyond_64_bits_is_refused(number: int) -> None:
    with pytest.raises(OverflowError):
        FRAMES.write(replace(EFFECT, offset=number))


def test_empty_collections_are_written_as_the_library_writes_them() -> None:
    transition = next(each for each in PUBLISHED if isinstance(each, Transition))
    empty = replace(transition, events=())
    assert FRAMES.write(empty)[HEADER:] == by_library(empty)


def test_frames_are_of_the_records_own_schema() -> None:
    reply = next(each for each in PUBLISHED if isinstance(each, Reply))
    effect_print = catalogue().current[Effect.__name__].fingerprint
    assert FRAMES.write(EFFECT)[2:HEADER] == effect_print != FRAMES.write(reply)[2:HEADER]
