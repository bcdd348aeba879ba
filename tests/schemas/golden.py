"""Golden files: the bytes of every example, for ever. `python -m tests.schemas.golden` adds files.

A file that is there is never written again: when the bytes of an example change (a schema gained a
field), the new ones get the next number, and the old ones stay to be read.
"""

import json
from pathlib import Path

import msgspec

from engine.commands import Command
from engine.records import Publication, SendNumber, SentCommand, Topic
from schemas import snapshot
from schemas.codec import Codec
from schemas.frames import Frame
from tests.schemas.layouts import layout
from tests.schemas.samples import COMMANDS, DOCUMENTS, PUBLISHED, name_of

FOLDER = Path(__file__).parent.parent / "golden"
ENDINGS = {Frame.SINGLE_OBJECT: "avro", Frame.JSON: "json"}


def encoded(record: msgspec.Struct, frame: Frame) -> bytes:
    """The bytes of an example on the wire."""
    sent = record
    if isinstance(record, Command):
        number = SendNumber(generation=1, offset=2, index=3)
        sent = SentCommand(
            command=record,  # type: ignore[arg-type] # every Command class is in the union
            command_id="command-1",
            source_partition=0,
            number=number,
            actor="ada",
        )
    publication = Publication(topic=Topic.EFFECTS, key="key", record=sent, index=0)  # type: ignore[arg-type] # as above
    value = Codec("shop", frame).encode_publication(publication, 0, 0).value
    assert value is not None
    return value


def current() -> dict[str, bytes]:
    """The bytes of every example as they are made now, by the stem and ending of their file."""
    files = {
        f"wire/{name_of(record)}.{ending}": encoded(record, frame)
        for record in (*COMMANDS, *PUBLISHED)
        for frame, ending in ENDINGS.items()
    }
    for name, document in DOCUMENTS.items():
        files[f"documents/{name}.msgpack"] = snapshot.encode(document)
    return files


def versions(name: str) -> list[Path]:
    """The golden files of one example, oldest first."""
    path = FOLDER / name
    found = path.parent.glob(f"{path.stem}-*{path.suffix}")
    return sorted(found, key=lambda file: int(file.stem.rpartition("-")[2]))


def add() -> None:
    """Write the files that are missing."""
    for name, value in current().items():
        found = versions(name)
        if not found or found[-1].read_bytes() != value:
            path = FOLDER / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.with_stem(f"{path.stem}-{len(found) + 1}").write_bytes(value)

    layouts = FOLDER / "layouts" / f"format-{snapshot.FORMAT}.json"
    if not layouts.exists():
        layouts.parent.mkdir(exist_ok=True)
        layouts.write_text(json.dumps(layout(), indent=2) + "\n")


if __name__ == "__main__":
    add()
