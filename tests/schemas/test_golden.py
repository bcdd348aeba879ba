"""What was written once is read for ever, and is written the same again."""

from pathlib import Path

import msgspec
import pytest

from engine.partition import Stimulus
from schemas import snapshot
from schemas.codec import Codec
from tests.schemas.golden import FOLDER, current, versions
from tests.schemas.records import Found
from tests.schemas.samples import COMMANDS, DOCUMENTS, PUBLISHED, name_of

CURRENT = current()


def golden(folder: str, names: set[str]) -> list[Path]:
    """All golden files of these examples, of any version."""
    files = sorted((FOLDER / folder).iterdir())
    return [file for file in files if file.stem.rpartition("-")[0] in names]


@pytest.mark.parametrize("name", sorted(CURRENT))
def test_bytes_of_an_example_are_the_newest_golden_ones(name: str) -> None:
    found = versions(name)
    assert found, f"run python -m tests.schemas.golden to add {name}"
    assert CURRENT[name] == found[-1].read_bytes()


@pytest.mark.parametrize(
    "file", golden("wire", {name_of(each) for each in COMMANDS}), ids=lambda file: file.name
)
def test_golden_command_is_read(file: Path) -> None:
    expected = {name_of(each): each for each in COMMANDS}[file.stem.rpartition("-")[0]]
    stimulus = Codec("shop").decode_command(Found(value=file.read_bytes()))
    assert stimulus == Stimulus(
        offset=0, timestamp_ms=0, command=expected, command_id="command-1", actor="ada"
    )


@pytest.mark.parametrize(
    "file", golden("wire", {name_of(each) for each in PUBLISHED}), ids=lambda file: file.name
)
def test_golden_published_record_is_read(file: Path) -> None:
    expected = {name_of(each): each for each in PUBLISHED}[file.stem.rpartition("-")[0]]
    assert Codec("shop").decode_published(file.read_bytes(), type(expected)) == expected


@pytest.mark.parametrize("file", golden("documents", set(DOCUMENTS)), ids=lambda file: file.name)
def test_golden_document_is_read(file: Path) -> None:
    expected = DOCUMENTS[file.stem.rpartition("-")[0]]
    assert snapshot.decode(file.read_bytes(), type(expected)) == expected


def test_no_golden_file_is_without_an_example() -> None:
    examples = {FOLDER / name for name in CURRENT}
    files = [file for file in FOLDER.glob("*/*") if file.parent.name in {"wire", "documents"}]
    strays = [
        file.name for file in files if file.with_stem(file.stem.rpartition("-")[0]) not in examples
    ]
    assert strays == []


def test_documents_are_messagepack_that_any_tool_reads() -> None:
    for value in (CURRENT[f"documents/{name}.msgpack"] for name in DOCUMENTS):
        written, kind, _body = msgspec.msgpack.decode(value)
        assert (written, snapshot.KINDS[kind]) == (1, type(DOCUMENTS[kind]))
