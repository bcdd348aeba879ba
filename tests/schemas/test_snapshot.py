"""Stored documents: the same state comes back, and what cannot be read is said to be so."""

import json
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.state import ProcessInstance, Tombstone
from schemas.errors import CorruptDocumentError, NewerDocumentError
from schemas.snapshot import (
    FORMAT,
    KINDS,
    SPLIT_BYTES,
    Document,
    decode,
    decode_state,
    encode,
    has_parts,
    is_split,
    split,
)
from tests.schemas.layouts import layout
from tests.schemas.samples import DOCUMENTS, INSTANCE

BIG = '"' + "x" * SPLIT_BYTES + '"'


def with_variables(variables: dict[int, dict[str, str]]) -> ProcessInstance:
    size = sum(
        len(name.encode()) + len(text.encode())
        for scope in variables.values()
        for name, text in scope.items()
    )
    return replace(
        INSTANCE,
        variables=variables,
        variables_bytes=size,
        waits={},
        loops={},
        outputs={},
        loops_bytes=0,
        ledger={},
        ledger_bytes=0,
    )


LARGE = with_variables({9: {"b": "1", "a": "2"}, 3: {"big": BIG}, 5: {"c": "3"}})


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_document_comes_back(document: Document) -> None:
    assert decode(encode(document), type(document)) == document


def test_every_kind_of_document_has_an_example() -> None:
    assert set(DOCUMENTS) == set(KINDS)


@pytest.mark.parametrize("name", ["instance", "tombstone", "message", "deployments"])
def test_state_is_told_by_its_document(name: str) -> None:
    assert decode_state(encode(DOCUMENTS[name])) == DOCUMENTS[name]
    assert not has_parts(encode(DOCUMENTS[name]))


def test_dictionaries_keep_their_order() -> None:
    found = decode(encode(INSTANCE), ProcessInstance)
    assert list(found.waits) == list(INSTANCE.waits)
    assert list(found.variables) == [65_541, 65_537]
    assert list(found.variables[65_541]) == ["zeta", "alpha"]
    assert list(found.arrivals[65_537]) == ["Flow_2", "Flow_1"]


# --- split documents ---


def test_large_instance_is_split_by_scope_and_joined() -> None:
    parts = split(LARGE, None, stored=0)
    assert is_split(LARGE)
    assert not is_split(INSTANCE)
    assert len(parts.main) < SPLIT_BYTES
    assert sorted(parts.put) == ["variables:3", "variables:5", "variables:9"]
    assert parts.parts == 3
    assert has_parts(parts.main)
    found = decode_state(parts.main, parts.put)
    assert found == LARGE
    assert isinstance(found, ProcessInstance)
    assert [list(scope) for scope in found.variables.values()] == [["big"], ["c"], ["b", "a"]]


def test_only_changed_and_new_scopes_are_written_again() -> None:
    variables = dict(LARGE.variables)
    before = with_variables({**variables, 5: {"c": "4"}})
    parts = split(LARGE, before, stored=3)
    assert list(parts.put) == ["variables:5"]
    del variables[5]
    parts = split(LARGE, with_variables(variables), stored=2)
    assert (list(parts.put), parts.parts) == (["variables:5"], 3)


def test_scopes_that_are_gone_are_deleted() -> None:
    parts = split(with_variables({3: LARGE.variables[3]}), LARGE, stored=3)
    assert (list(parts.put), parts.parts) == ([], 1)
    assert sorted(parts.delete) == ["variables:5", "variables:9"]


def test_whether_it_is_split_depends_on_its_content_alone() -> None:
    direct = split(LARGE, None, stored=0)
    later = split(LARGE, with_variables({3: LARGE.variables[3]}), stored=1)
    assert direct.main == later.main
    assert direct.put | later.put == direct.put


def test_missing_scope_is_corruption() -> None:
    parts = split(LARGE, None, stored=0)
    for fields in (None, {}, dict(list(parts.put.items())[:-1])):
        with pytest.raises(CorruptDocumentError, match="expected 3 parts"):
            decode_state(parts.main, fields)


scopes = st.dictionaries(
    st.integers(1, 2**40),
    st.dictionaries(st.text(max_size=5), st.sampled_from(["1", '"é"', BIG]), max_size=4),
    max_size=4,
)


@given(scopes)
def test_split_and_join_are_inverse(variables: dict[int, dict[str, str]]) -> None:
    instance = with_variables(variables)
    parts = split(instance, None, stored=0)
    assert decode_state(parts.main, parts.put) == instance


# --- what cannot be read ---


@pytest.mark.parametrize(
    "value", [msgspec.msgpack.encode(each) for each in ([2, "instance", []], [99], [2, {"a": 1}])]
)
def test_newer_document_is_refused_as_newer(value: bytes) -> None:
    with pytest.raises(NewerDocumentError):
        decode_state(value)
    with pytest.raises(NewerDocumentError):
        decode(value, Tombstone)


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"\xc1",
        b"junk",
        msgspec.msgpack.encode({"format": 1}),
        msgspec.msgpack.encode([FORMAT]),
        msgspec.msgpack.encode(["1", "instance", []]),
        msgspec.msgpack.encode([FORMAT, "instance", []]),
        msgspec.msgpack.encode([FORMAT, "instance", [1] * 12]),
        msgspec.msgpack.encode([FORMAT, "dinosaur", []]),
        msgspec.msgpack.encode([FORMAT, "versions", ["p", []]]),
    ],
)
def test_bytes_that_are_no_state_are_corrupt(value: bytes) -> None:
    with pytest.raises(CorruptDocumentError):
        decode_state(value)


def test_document_of_another_kind_is_corrupt() -> None:
    with pytest.raises(CorruptDocumentError, match="expected a document of kind tombstone"):
        decode(encode(INSTANCE), Tombstone)


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_every_prefix_of_a_document_is_corrupt(name: str) -> None:
    whole = encode(DOCUMENTS[name])
    for end in range(len(whole)):
        with pytest.raises(CorruptDocumentError):
            decode(whole[:end], type(DOCUMENTS[name]))


@given(st.binary(max_size=60))
def test_any_bytes_are_a_state_or_refused(value: bytes) -> None:
    for bytes_found in (value, msgspec.msgpack.encode((FORMAT, "instance")) + value):
        with pytest.raises((CorruptDocumentError, NewerDocumentError)):
            decode_state(bytes_found)


# --- the layout of the format ---

LAYOUTS = Path(__file__).parent.parent / "golden" / "layouts"


def test_fields_of_documents_are_those_of_the_format() -> None:
    """A field is appended with a new format: older processes would drop it and say nothing."""
    expected = json.loads((LAYOUTS / f"format-{FORMAT}.json").read_text())
    assert layout() == expected, "raise FORMAT, then run python -m tests.schemas.golden"


def test_formats_only_append_fields_to_the_one_before() -> None:
    layouts = [json.loads((LAYOUTS / f"format-{n}.json").read_text()) for n in range(1, FORMAT + 1)]
    for before, after in pairwise(layouts):
        for name, fields in before.items():
            assert after[name][: len(fields)] == fields


def test_documents_are_compact() -> None:
    assert len(encode(INSTANCE)) < 1_300
