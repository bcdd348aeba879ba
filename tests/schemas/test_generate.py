"""The committed schemas are those of the engine's Structs, and only ever grow."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from schemas.catalogue import FOLDER, canonical, released_files
from schemas.derive import COMMANDS, PUBLISHED
from schemas.generate import generated, release, write
from tests.schemas.compatibility import breaks

NAMES = [record.__name__ for record in (*COMMANDS, *PUBLISHED)]


@pytest.mark.parametrize("name", NAMES)
def test_committed_schema_is_the_generated_one(name: str) -> None:
    committed = (FOLDER / f"{name}.avsc").read_text()
    assert committed == generated()[f"{name}.avsc"], "run python -m schemas.generate"


def test_no_schema_is_committed_that_no_record_has() -> None:
    assert {file.stem for file in FOLDER.glob("*.avsc")} == set(NAMES)
    released = {file.stem.rpartition("-")[0] for file in FOLDER.glob("released/*.avsc")}
    assert released <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_schema_only_adds_to_its_last_release(name: str) -> None:
    chain = [*released_files(FOLDER, name), FOLDER / f"{name}.avsc"]
    schemas = [json.loads(file.read_text()) for file in chain]
    assert len(schemas) > 1, "run python -m schemas.generate --release"
    for before, after in pairwise(schemas):
        assert breaks(before, after) == []


def test_release_copies_only_what_has_changed(tmp_path: Path) -> None:
    (tmp_path / "released").mkdir()
    write(tmp_path)
    assert len(release(tmp_path)) == len(NAMES)
    assert release(tmp_path) == []
    older = json.loads(generated()["Reply.avsc"])
    older["fields"].pop()
    (tmp_path / "released" / "Reply-1.avsc").write_text(json.dumps(older))
    assert release(tmp_path) == ["Reply-2.avsc"]


INNER_RECORD: dict[str, Any] = {
    "type": "record",
    "name": "torpor.I",
    "fields": [{"name": "n", "type": "long"}],
}
RECORD: dict[str, Any] = {
    "type": "record",
    "name": "torpor.R",
    "fields": [
        {"name": "id", "type": "string"},
        {"name": "note", "type": ["null", "string"], "default": None},
        {"name": "inner", "type": INNER_RECORD},
    ],
}


def changed(**change: Any) -> dict[str, Any]:
    return {**json.loads(json.dumps(RECORD)), **change}


def with_fields(*fields: dict[str, Any]) -> dict[str, Any]:
    return changed(fields=list(fields))


ID, NOTE, INNER = RECORD["fields"]


@pytest.mark.parametrize(
    ("after", "found"),
    [
        (with_fields(ID, NOTE, INNER, {"name": "new", "type": "long", "default": 0}), ""),
        (changed(doc="says more"), ""),
        (with_fields(ID, NOTE, INNER, {"name": "new", "type": "long"}), "new has no default"),
        (with_fields(ID, INNER), "note was removed"),
        (with_fields(ID, {**NOTE, "name": "remark"}, INNER), "note was removed"),
        (with_fields({**ID, "type": "long"}, NOTE, INNER), "id changed"),
        (with_fields(ID, {**NOTE, "type": ["null", "long"]}, INNER), "note changed"),
        (with_fields(ID, {**NOTE, "default": "x"}, INNER), "default of torpor.R.note"),
        (with_fields(ID, {"name": "note", "type": ["null", "string"]}, INNER), "default"),
        (changed(name="torpor.S"), "renamed"),
        (
            with_fields(ID, NOTE, {**INNER, "type": {**INNER["type"], "fields": []}}),
            "torpor.R.inner.n was removed",
        ),
    ],
)
def test_removal_renaming_or_another_type_breaks(after: dict[str, Any], found: str) -> None:
    problems = breaks(RECORD, after)
    assert bool(problems) == bool(found)
    assert found in "; ".join(problems)


def test_union_may_gain_members_at_its_end_only() -> None:
    def holding(*members: str) -> dict[str, Any]:
        return with_fields({"name": "any", "type": list(members)})

    assert breaks(holding("null", "string"), holding("null", "string", "long")) == []
    assert breaks(holding("null", "string"), holding("null", "long", "string")) != []
    assert breaks(holding("null", "string"), holding("null")) != []


def test_canonical_form_forgets_docs_and_defaults() -> None:
    assert canonical(RECORD) == canonical(changed(doc="says more"))
