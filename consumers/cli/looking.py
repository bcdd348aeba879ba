"""Commands that look: `show`, `list` and `tasks` ask an engine."""

from collections.abc import Iterator, Sequence
from typing import Any

import click
import msgspec

from consumers.cli import options
from consumers.cli.asking import ask, quoted
from consumers.cli.output import instant, json_text, plain, print_json_text, print_table

ENDED = ("COMPLETED", "FAILED", "TERMINATED")
LISTED = ("RUNNING", "SUSPENDED")
"""Accepted; nothing suspends an instance, so help names the first only."""


class Waiting(msgspec.Struct, frozen=True):
    """What an instance waits for. `since` None: not kept. `offers`: of an ad-hoc sub-process.

    What follows belongs to some kinds only: see `consumers/waiting.py`. `repetitions` left out:
    the timer does not repeat.
    """

    element: str | None
    id: str
    kind: str
    since: int | None
    offers: tuple[str, ...] = ()
    type: str | None = None
    attempt: int | None = None
    retries_left: int | None = None
    listens_to: str | None = None
    retry_at: int | None = None
    due_at: int | None = None
    repetitions: int | msgspec.UnsetType | None = msgspec.UNSET
    name: str | None = None
    correlation_key: str | None = None
    condition: str | None = None
    called: str | None = None
    assignee: str | None = None
    change: str | None = None
    iteration: int | None = None


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
    change: str | None = None


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
    rows = [
        (each.kind, each.element, instant(each.since), each.id, waiting_detail(each))
        for each in shown
    ]
    if rows:
        click.echo()
        columns = ("WAITS FOR", "ELEMENT", "SINCE", "ID", "DETAIL")
        print_table(columns, rows, folded=("DETAIL",))
    offers = [(name, each.element, each.id) for each in shown for name in each.offers]
    if offers:
        click.echo()
        print_table(("CAN BE ACTIVATED", "IN", "ID"), offers)


def waiting_detail(waiting: Waiting) -> str:
    """What there is to say of it, in words."""
    said = [
        *_job_detail(waiting),
        *_event_detail(waiting),
        waiting.condition,
        waiting.called and f"called instance {waiting.called}",
        waiting.assignee and f"assigned to {waiting.assignee}",
        waiting.change and f"{waiting.change}: a listener has yet to answer",
        waiting.iteration and f"iteration {waiting.iteration}",
    ]
    return ", ".join(each for each in said if each)


def _job_detail(waiting: Waiting) -> Iterator[str]:
    if waiting.type is not None:
        yield waiting.type
    if waiting.listens_to is not None:
        yield f"listener at {waiting.listens_to}"
    if waiting.attempt is not None:
        yield f"attempt {waiting.attempt}"
    if waiting.retries_left is not None:
        yield f"retries left {waiting.retries_left}"
    if waiting.retry_at is not None:
        yield f"next try {instant(waiting.retry_at)}"


def _event_detail(waiting: Waiting) -> Iterator[str]:
    """Of a message, a signal or a timer."""
    if waiting.name is not None:
        yield waiting.name
    if waiting.correlation_key is not None:
        yield f"key {json_text(waiting.correlation_key)}"
    if waiting.due_at is not None:
        yield f"due {instant(waiting.due_at)}"
    if waiting.repetitions is None:
        yield "repeats for ever"
    elif waiting.repetitions is not msgspec.UNSET:
        yield f"repetitions left {waiting.repetitions}"


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
    raise click.BadParameter(f"{text!r} is not {LISTED[0]}")


@click.command("list")
@click.option("--process", "process_id", metavar="PROCESS", help="Only instances of this process.")
@click.option("--business-key", metavar="KEY", help="Only instances with this business key.")
@click.option(
    "--state",
    callback=_listed_state,
    metavar="STATE",
    help=f"Only instances in this state: {LISTED[0]}, as all that are listed.",
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
    columns = ("TASK", "NAME", "PROCESS", "ASSIGNEE", "GROUPS", "CREATED", "DUE", "CHANGE")
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
        task.change,
    )


def tell_of_more(cursor: str | None) -> None:
    """On standard error: it is no row."""
    if cursor:
        click.echo(f"there are more: --cursor {cursor}", err=True)
