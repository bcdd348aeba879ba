"""`python -m schemas.generate` writes the `.avsc` files and `asyncapi.yaml` anew from the Structs.

With `--release`, every schema that differs from its last release is released too: copied to
`avro/released/<Name>-<n>.avsc`, where it stays as it is for ever. A test holds each schema against
its predecessor; what was released stays readable. The Python client, a distribution of its own,
gets copies of those that it needs.
"""

import json
import sys
from pathlib import Path
from typing import get_args

from engine.commands import ClientCommand
from engine.records import Transition
from schemas.asyncapi import as_yaml, document
from schemas.catalogue import FOLDER, canonical, released_files
from schemas.derive import COMMANDS, PUBLISHED, derive

ASYNCAPI = FOLDER.parent / "asyncapi.yaml"
CLIENT_FOLDER = FOLDER.parent.parent / "clients" / "python" / "torpor_client" / "avro"


def of_the_client() -> frozenset[str]:
    """The names of the files that the Python client ships."""
    records = {*get_args(ClientCommand), *PUBLISHED} - {Transition}
    return frozenset(f"{record.__name__}.avsc" for record in records)


def generated() -> dict[str, str]:
    """The text of every `.avsc` file by its name."""
    return {
        f"{record.__name__}.avsc": json.dumps(derive(record), indent=2) + "\n"
        for record in (*COMMANDS, *PUBLISHED)
    }


def write(folder: Path) -> None:
    """Write all files, and remove none: a record that goes is a decision of somebody."""
    for name, text in generated().items():
        (folder / name).write_text(text)


def write_client(folder: Path) -> None:
    for name in of_the_client():
        (folder / name).write_text(generated()[name])


def release(folder: Path) -> list[str]:
    """Copy what differs from its last release; the names of the new files."""
    names = []
    for name, text in generated().items():
        released = released_files(folder, name.removesuffix(".avsc"))
        if released and canonical(json.loads(released[-1].read_text())) == canonical(
            json.loads(text)
        ):
            continue
        new = folder / "released" / f"{name.removesuffix('.avsc')}-{len(released) + 1}.avsc"
        new.write_text(text)
        names.append(new.name)
    return names


if __name__ == "__main__":
    write(FOLDER)
    ASYNCAPI.write_text(as_yaml(document()))
    if CLIENT_FOLDER.is_dir():
        write_client(CLIENT_FOLDER)
    if "--release" in sys.argv[1:]:
        sys.stdout.writelines(f"{name}\n" for name in release(FOLDER))
