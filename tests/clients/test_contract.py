"""The client is a distribution of its own: what it repeats of the contract must be the same."""

import subprocess
import sys
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import records as engine_records
from engine import routing as engine_routing
from schemas import topics
from schemas.catalogue import FOLDER as SCHEMAS
from schemas.generate import of_the_client
from tests.schemas.golden import FOLDER as GOLDEN
from tests.schemas.samples import PUBLISHED, name_of
from torpor_client import frames, records, routing, variables

SHARED: dict[str, type[msgspec.Struct]] = {
    "Effect": records.Effect,
    "Job": records.Job,
    "Reply": records.Reply,
    "Task": records.Task,
    "EffectTask": records.EffectTask,
    "EffectJob": records.EffectJob,
    "EffectIncident": records.EffectIncident,
    "EffectMessage": records.EffectMessage,
    "EffectError": records.EffectError,
}


def test_schemas_of_the_client_are_those_of_the_engine() -> None:
    copies = {file.name: file.read_text() for file in frames.FOLDER.glob("*.avsc")}
    assert set(copies) == of_the_client()
    for name, text in copies.items():
        assert text == (SCHEMAS / name).read_text(), "run python -m schemas.generate"


@pytest.mark.parametrize("name", SHARED)
def test_records_of_the_client_have_the_fields_of_the_wire(name: str) -> None:
    wire = getattr(engine_records, name)
    assert SHARED[name].__struct_fields__ == wire.__struct_fields__
    assert SHARED[name].__struct_defaults__ == wire.__struct_defaults__


@pytest.mark.parametrize("ending", ["avro", "json"])
@pytest.mark.parametrize("name", ["Effect", "Job", "Reply", "Task"])
def test_golden_records_are_read(name: str, ending: str) -> None:
    expected = next(record for record in PUBLISHED if name_of(record) == name)
    files = sorted((GOLDEN / "wire").glob(f"{name}-*.{ending}"))
    assert files
    for file in files:
        kind: Any = SHARED[name]
        found: msgspec.Struct = frames.read_published(
            file.read_bytes(), kind, frames.own_fingerprints()
        )
        fields = msgspec.to_builtins(expected)
        if fields.get("variables") is not None:
            fields["variables"] = variables.decode(fields["variables"])
        assert found == msgspec.convert(fields, kind)


@pytest.mark.parametrize(
    "value", [b"", b"\xc3\x01", b"{", b"[]", b"{}", b"junk", b"\x00\x00\x00\x00\x01"]
)
def test_bytes_that_are_no_record_are_refused(value: bytes) -> None:
    with pytest.raises(frames.FrameError):
        frames.read_published(value, records.Reply, frames.own_fingerprints())


@given(st.binary(max_size=80))
def test_key_has_the_partition_of_the_engine(data: bytes) -> None:
    assert routing.murmur2(data) == engine_routing.murmur2(data)


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12))
def test_job_type_has_the_topic_of_the_engine(job_type: str) -> None:
    assert routing.escape_job_type(job_type) == topics.escape_job_type(job_type)


@given(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
)
def test_message_has_the_address_of_the_engine(name: str, key: str) -> None:
    assert routing.message_address(name, key) == engine_routing.message_address(name, key)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=12))
def test_signal_has_the_address_of_the_engine(name: str) -> None:
    assert routing.signal_address(name) == engine_routing.signal_address(name)


@pytest.mark.parametrize("instance_id", ["i", "i~1", "i~1~2"])
def test_call_tree_has_the_root_of_the_engine(instance_id: str) -> None:
    assert routing.root_of(instance_id) == engine_routing.root_of(instance_id)


def test_client_needs_nothing_of_the_engine() -> None:
    program = (
        "import sys, torpor_client.worker\n"
        "sys.exit(', '.join({'engine', 'schemas', 'storage', 'consumers'} & set(sys.modules)) or 0)"
    )
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (found.returncode, found.stderr) == (0, "")
