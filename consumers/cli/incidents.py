"""`torpor incidents`: what is stuck, over all instances, from an engine."""

import click
import msgspec

from consumers.cli import options
from consumers.cli.asking import ask
from consumers.cli.looking import tell_of_more
from consumers.cli.output import instant, print_json_text, print_table


class Incident(msgspec.Struct, frozen=True):
    """One line of a list of incidents."""

    id: str
    process_id: str
    kind: str
    element: str | None
    message: str
    since: int


class Incidents(msgspec.Struct, frozen=True):
    items: tuple[Incident, ...]
    cursor: str | None


@click.command()
@click.option("--process", "process_id", metavar="PROCESS", help="Only incidents of this process.")
@options.listing
def incidents(
    *, process_id: str | None, limit: int, cursor: str | None, engine: str, as_json: bool
) -> None:
    """List open incidents, partition by partition.

    Put right what is wrong (`torpor set`), then `torpor resolve INCIDENT` tries again.
    """
    page, text = ask(
        engine, "/v1/incidents", Incidents, process_id=process_id, limit=limit, cursor=cursor
    )
    if as_json:
        print_json_text(text)
        return
    rows = [
        (each.id, each.process_id, each.element, instant(each.since), each.kind, each.message)
        for each in page.items
    ]
    columns = ("INCIDENT", "PROCESS", "ELEMENT", "SINCE", "KIND", "WHAT HAPPENED")
    empty = "no open incidents" + (" like that" if process_id or cursor else "")
    print_table(columns, rows, empty=empty, folded=("WHAT HAPPENED",))
    tell_of_more(page.cursor)
