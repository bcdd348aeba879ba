"""`torpor definitions`: what is deployed, from an engine."""

from collections.abc import Sequence
from typing import NoReturn

import click
import msgspec

from consumers.cli import options
from consumers.cli.asking import ask, quoted
from consumers.cli.output import ExitCode, fail, plain, print_json, print_json_text, print_table

KINDS = ("process", "decision")


class Version(msgspec.Struct, frozen=True):
    version: int
    checksum: str


class Definition(msgspec.Struct, frozen=True, omit_defaults=True):
    """A process or a decision, with its versions, ascending."""

    kind: str
    versions: tuple[Version, ...]
    process_id: str | None = None
    decision_id: str | None = None

    @property
    def id(self) -> str:
        return self.process_id or self.decision_id or ""


class Definitions(msgspec.Struct, frozen=True):
    items: tuple[Definition, ...]
    cursor: str | None


class Deployed(msgspec.Struct, frozen=True):
    """One version; `resource` is the file as it was deployed."""

    resource: str | None


@click.command()
@click.argument("definition_id", metavar="[ID]", required=False)
@click.option("--kind", type=click.Choice(KINDS), help="Only processes, or only decisions.")
@click.option(
    "--version",
    type=click.IntRange(min=1),
    metavar="N",
    help="Print the file of this version of ID, as it was deployed.",
)
@options.looking
def definitions(
    *,
    definition_id: str | None,
    kind: str | None,
    version: int | None,
    engine: str,
    as_json: bool,
) -> None:
    """List the deployed processes and decisions; of ID, all versions."""
    if version is not None and definition_id is None:
        raise click.UsageError("--version is one of a process or decision: name its ID, too")
    page, _ = ask(engine, "/v1/definitions", Definitions)
    found = [
        each
        for each in page.items
        if kind in {None, each.kind} and definition_id in {None, each.id}
    ]
    if definition_id is not None and not found:
        _absent(definition_id, kind)
    if definition_id is not None and version is not None:
        _print_resource(engine, definition_id, kind or found[0].kind, version, as_json=as_json)
    elif as_json:
        print_json({"items": found, "cursor": page.cursor})
    elif definition_id is None:
        _print_latest(found, f"no {kind} is deployed" if kind else "nothing is deployed")
    else:
        _print_versions(found)


def _absent(definition_id: str, kind: str | None) -> NoReturn:
    what = kind or "process or decision"
    fail(ExitCode.REFUSED, f"no {what} {plain(definition_id)} is deployed")


def _print_resource(
    engine: str, definition_id: str, kind: str, version: int, *, as_json: bool
) -> None:
    path = f"/v1/definitions/{quoted(definition_id)}/{version}?kind={kind}"
    found, text = ask(engine, path, Deployed)
    if as_json:
        print_json_text(text)
    else:
        click.echo((found.resource or "").rstrip("\n"))


def _print_latest(found: Sequence[Definition], empty: str) -> None:
    rows = [(each.kind, each.id, each.versions[-1].version) for each in found]
    print_table(("KIND", "ID", "LATEST VERSION"), rows, empty=empty)


def _print_versions(found: Sequence[Definition]) -> None:
    rows = [
        (each.kind, each.id, version.version, version.checksum)
        for each in found
        for version in each.versions
    ]
    print_table(("KIND", "ID", "VERSION", "CHECKSUM"), rows)
