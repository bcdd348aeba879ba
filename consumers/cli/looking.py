"""Commands that look: `show`, `list` and `tasks` ask an engine."""

from collections.abc import Sequence
from typing import Any

import click
import msgspec

from consumers.cli import options
from consumers.cli.asking import ask, quoted
from consumers.cli.output import instant, plain, print_json_text, print_table

ENDED = ("COMPLETED", "FAILED", "TERMINATED")
LISTED = ("RUNNING", "SUSPENDED")


class Waiting(msgspec.Struct, frozen=True):
    """What an instance waits for. `since` None: not kept. `offers`: of an ad-hoc sub-process.

    `type` and `attempt`: of a job.
    """

    element: str | None
    id: str
    kind: str
    since: int | None
    offers: tuple[str, ...] = ()
    type: str | None = None
    attempt: int | None = None


class Incident(msgspec.Struct, frozen=True):
    id: str
    kind: str
    element: str | None
    message: str


class Instance(msgspec.Struct, frozen=True):
    """One line of a list of instances."""

    id: str
    process_id: str
    version: int
    business_key: str | None
    state: str
    started_at: int | None = None
    open_incidents: int = 0


class Shown(Instance, frozen=True, kw_only=True):
    """One instance, whole; `variables` None: it has ended. Values are JSON texts, as stored."""

    waiting: tuple[Waiting, ...]
    variables: dict[str, msgspec.Raw] | None
    incidents: tuple[Incident, ...]
    ended_at: int | None = None


class Instances(msgspec.Struct, frozen=True):
    items: tuple[Instance, ...]
    cursor: str | None


class Task(msgspec.Struct, frozen=True):
    """One line of a list of tasks."""

    task_id: str
    name: str | None
    element_id: str
    process_id: str
    assignee: str | None
    candidate_groups: tuple[str, ...]
    due_at: int | None
    created_at: int


class Tasks(msgspec.Struct, frozen=True):
    items: tuple[Task, ...]
    cursor: str | None


@click.command()
@click.argument("instance_id", metavar="ID")
@options.looking
def show(*, instance_id: str, engine: str, as_json: bool) -> None:
    """Show an instance: its state, what it waits for, its variables, its incidents.

    Of one that has ended, state and time of the end, for as long as they are kept; with what
    variables it ended, its last effect says.
    """
    found, text = ask(engine, f"/v1/instances/{quoted(instance_id)}", Shown)
    if as_json:
        print_json_text(text)
        return
    _show_head(found)
    _show_waiting(found.waiting)
    _show_incidents(found.incidents)
    _show_variables(found.variables or {})


def _show_head(found: Shown) -> None:
    rows = [
        ("instance", found.id),
        ("process", f"{found.process_id} version {found.version}"),
        ("business key", found.business_key),
        ("state", found.state),
        ("started", instant(found.started_at)),
        ("ended", instant(found.ended_at)),
    ]
    for name, value in rows:
        if value:
            click.echo(f"{name:<12}  {plain(value)}")
    if found.ended_at is not None:
        click.echo(f"its effects   torpor effects --instance {plain(found.id)} --json")


def _show_waiting(waiting: Sequence[Waiting]) -> None:
    """Incidents have a table of their own."""
    shown = [each for each in waiting if each.kind != "INCIDENT"]
    rows = [(each.kind, each.element, instant(each.since), each.id, each.type) for each in shown]
    if rows:
        click.echo()
        print_table(("WAITS FOR", "ELEMENT", "SINCE", "ID", "JOB TYPE"), rows)
    offers = [(name, each.element, each.id) for each in shown for name in each.offers]
    if offers:
        click.echo()
        print_table(("CAN BE ACTIVATED", "IN", "ID"), offers)


def _show_incidents(incidents: Sequence[Incident]) -> None:
    rows = [(each.kind, each.element, each.id, each.message) for each in incidents]
    if rows:
        click.echo()
        print_table(("INCIDENT", "ELEMENT", "ID", "WHAT HAPPENED"), rows, folded=("WHAT HAPPENED",))


def _show_variables(variables: dict[str, msgspec.Raw]) -> None:
    rows = [(name, _value(text)) for name, text in variables.items()]
    if rows:
        click.echo()
        print_table(("VARIABLE", "VALUE"), rows, folded=("VALUE",))


def _value(text: msgspec.Raw) -> str:
    """The JSON text as it is: a number has all its digits."""
    return bytes(text).decode()


def _listed_state(
    _context: click.Context, _parameter: click.Parameter, text: str | None
) -> str | None:
    if text is None or text.upper() in LISTED:
        return text and text.upper()
    if text.upper() in ENDED:
        raise click.BadParameter(
            "instances that have ended are not listed: `torpor show ID` knows one,"
            " `torpor effects` all"
        )
    raise click.BadParameter(f"{text!r} is none of {', '.join(LISTED)}")


@click.command("list")
@click.option("--process", "process_id", metavar="PROCESS", help="Only instances of this process.")
@click.option("--business-key", metavar="KEY", help="Only instances with this business key.")
@click.option(
    "--state",
    callback=_listed_state,
    metavar="STATE",
    help=f"Only instances in this state: {' or '.join(LISTED)}.",
)
@options.listing
def list_instances(
    *,
    process_id: str | None,
    business_key: str | None,
    state: str | None,
    limit: int,
    cursor: str | None,
    engine: str,
    as_json: bool,
) -> None:
    """List running instances, partition by partition."""
    page, text = ask(
        engine,
        "/v1/instances",
        Instances,
        process_id=process_id,
        business_key=business_key,
        state=state,
        limit=limit,
        cursor=cursor,
    )
    if as_json:
        print_json_text(text)
        return
    rows = [
        (
            *(each.id, each.process_id, each.version, each.business_key, each.state),
            *(instant(each.started_at), each.open_incidents or None),
        )
        for each in page.items
    ]
    columns = ("INSTANCE", "PROCESS", "VERSION", "BUSINESS KEY", "STATE", "STARTED", "INCIDENTS")
    is_filtered = bool(process_id or business_key or state or cursor)
    empty = "no running instances" + (" like that" if is_filtered else "")
    print_table(columns, rows, empty=empty)
    tell_of_more(page.cursor)


@click.command()
@click.option("--assignee", metavar="USER", help="Only tasks assigned to this user.")
@click.option("--group", metavar="GROUP", help="Only tasks that this group may claim.")
@click.option("--process", "process_id", metavar="PROCESS", help="Only tasks of this process.")
@options.listing
def tasks(
    *,
    assignee: str | None,
    group: str | None,
    process_id: str | None,
    limit: int,
    cursor: str | None,
    engine: str,
    as_json: bool,
) -> None:
    """List open user tasks, partition by partition."""
    page, text = ask(
        engine,
        "/v1/tasks",
        Tasks,
        assignee=assignee,
        group=group,
        process_id=process_id,
        limit=limit,
        cursor=cursor,
    )
    if as_json:
        print_json_text(text)
        return
    columns = ("TASK", "NAME", "PROCESS", "ASSIGNEE", "GROUPS", "CREATED", "DUE")
    is_filtered = bool(assignee or group or process_id or cursor)
    empty = "no open tasks" + (" like that" if is_filtered else "")
    print_table(
        columns,
        [_task_row(each) for each in page.items],
        empty=empty,
        folded=("NAME", "GROUPS"),
    )
    tell_of_more(page.cursor)


def _task_row(task: Task) -> tuple[Any, ...]:
    return (
        task.task_id,
        task.name or task.element_id,
        task.process_id,
        task.assignee,
        ", ".join(task.candidate_groups),
        instant(task.created_at),
        instant(task.due_at),
    )


def tell_of_more(cursor: str | None) -> None:
    """On standard error: it is no row."""
    if cursor:
        click.echo(f"there are more: --cursor {cursor}", err=True)
