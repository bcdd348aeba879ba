"""`torpor task`: who does a user task, and what describes it."""

from datetime import UTC, datetime
from typing import Any

import click

from consumers.cli import options
from consumers.cli.client import Publishing, report
from consumers.cli.group import Entry, LazyGroup
from consumers.cli.publishing import ask, complete_task, key_of, said

SECTIONS = {
    "People": {
        "complete": Entry("consumers.cli.people:complete", "Complete a user task."),
        "claim": Entry("consumers.cli.people:claim", "Claim a user task for somebody."),
        "assign": Entry("consumers.cli.people:assign", "Give a user task to somebody."),
        "unassign": Entry("consumers.cli.people:unassign", "Take a user task from whoever has it."),
        "update": Entry("consumers.cli.people:update", "Change what describes a user task."),
    },
}
NONE = "none"
ABSENT = "`torpor tasks` lists user tasks"


def _optional_instant(
    _context: click.Context, _parameter: click.Parameter, text: str | None
) -> int | str | None:
    """Epoch milliseconds, or that the date is to go."""
    if text is None or text == NONE:
        return text
    try:
        moment = datetime.fromisoformat(text)
        zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return int(zoned.timestamp() * 1000)
    except (ValueError, OverflowError):
        raise click.BadParameter(
            f"{text!r} is neither 'none' nor an instant such as 2030-01-31T08:00Z"
        ) from None


def _optional_names(
    _context: click.Context, _parameter: click.Parameter, text: str | None
) -> list[str] | None:
    """Names between commas; none of them empties the list."""
    if text is None:
        return None
    return [] if text == NONE else [name.strip() for name in text.split(",") if name.strip()]


@click.group(cls=LazyGroup, sections=SECTIONS, prefix="TORPOR_TASK")
def task() -> None:
    """Say who does a user task, and change what describes it.

    `torpor tasks` lists user tasks with their ids.
    """


@click.command()
@click.argument("task_id", metavar="TASK")
@options.variables
@options.publishing
def complete(*, task_id: str, variables: str, **given: Any) -> None:
    """Complete a user task; its variables go where the model says. As `torpor complete`."""
    complete_task(task_id, variables, given)


@click.command()
@click.argument("task_id", metavar="TASK")
@click.argument("user", metavar="USER")
@options.publishing
def claim(*, task_id: str, user: str, **given: Any) -> None:
    """Claim a user task for USER; refused while somebody else has it."""
    _change("ClaimTask", task_id, {"user": user}, f"{user} has claimed {task_id}", given)


@click.command()
@click.argument("task_id", metavar="TASK")
@click.argument("user", metavar="USER")
@options.publishing
def assign(*, task_id: str, user: str, **given: Any) -> None:
    """Give a user task to USER, whoever has it."""
    _change("AssignTask", task_id, {"assignee": user}, f"assigned {task_id} to {user}", given)


@click.command()
@click.argument("task_id", metavar="TASK")
@options.publishing
def unassign(*, task_id: str, **given: Any) -> None:
    """Take a user task from whoever has it."""
    _change("AssignTask", task_id, {"assignee": None}, f"nobody has {task_id} now", given)


@click.command()
@click.argument("task_id", metavar="TASK")
@click.option(
    "--due",
    callback=_optional_instant,
    metavar="INSTANT",
    help="When it is due (ISO 8601); `none` takes the date away.",
)
@click.option(
    "--follow-up",
    callback=_optional_instant,
    metavar="INSTANT",
    help="When it is to be looked at again; `none` takes the date away.",
)
@click.option("--priority", type=int, metavar="N", help="The priority; 50 is usual.")
@click.option(
    "--users",
    callback=_optional_names,
    metavar="USER,...",
    help="All candidate users; `none` takes them away.",
)
@click.option(
    "--groups",
    callback=_optional_names,
    metavar="GROUP,...",
    help="All candidate groups; `none` takes them away.",
)
@options.publishing
def update(
    *,
    task_id: str,
    due: int | str | None,
    follow_up: int | str | None,
    priority: int | None,
    users: list[str] | None,
    groups: list[str] | None,
    **given: Any,
) -> None:
    """Change what describes a user task; what is not named stays as it is."""
    dates = {"due_at": due, "follow_up_at": follow_up}
    fields = {
        **{name: None if date == NONE else date for name, date in dates.items()},
        "priority": priority,
        "candidate_users": users,
        "candidate_groups": groups,
        "clear": [name for name, date in dates.items() if date == NONE],
    }
    if all(value is None for value in (due, follow_up, priority, users, groups)):
        raise click.UsageError("say what to change: --due, --follow-up, --priority, ...")
    _change("UpdateTask", task_id, fields, f"updated {task_id}", given)


def _change(kind: str, task_id: str, own: dict[str, Any], done: str, given: dict[str, Any]) -> None:
    to = Publishing(**given)
    answer = ask(to, kind, key_of(task_id, "torpor tasks"), {"task_id": task_id, **own})
    report(to, answer, said(answer, done, task_id), absent=ABSENT)
