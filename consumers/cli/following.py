"""`torpor effects`: what has happened, from its topic, each effect once."""

import asyncio
from datetime import UTC, datetime
from typing import Literal

import click

from consumers.cli import options
from consumers.cli.client import Where, connected
from consumers.cli.output import instant, json_text, plain, print_json
from torpor_client import Effect, EffectTask

Since = Literal["earliest", "latest"] | int


def since_when(_context: click.Context, _parameter: click.Parameter, text: str | None) -> Since:
    """Where to begin: at the first effect, now, or at an instant (in UTC when it names no zone)."""
    if text is None:
        return "earliest"
    if text == "now":
        return "latest"
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise click.BadParameter(
            f"{text!r} is neither 'now' nor an instant such as 2030-01-31T08:00Z"
        ) from None
    zoned = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return int(zoned.timestamp() * 1000)


@click.command()
@click.option("--follow", "-f", is_flag=True, help="Stay, and print effects as they come.")
@click.option("--instance", "instance_id", metavar="ID", help="Only effects of this instance.")
@click.option(
    "--since",
    callback=since_when,
    metavar="WHEN",
    help="Begin at an instant (ISO 8601), or with 'now'; at the first effect by default.",
)
@options.stacked(options.kafka, options.namespace, options.timeout, options.as_json)
def effects(
    *,
    follow: bool,
    instance_id: str | None,
    since: Since,
    kafka: str,
    namespace: str,
    timeout_s: float,
    as_json: bool,
) -> None:
    """Print what has happened, one effect a line, each once.

    Effects of one instance come in their order; those of different partitions in none.
    """
    where = Where(kafka=kafka, namespace=namespace, timeout_s=timeout_s)
    count = asyncio.run(_print_effects(where, instance_id, since, follow=follow, as_json=as_json))
    if not count and not as_json:
        click.echo("no effects", err=True)


async def _print_effects(
    where: Where, instance_id: str | None, since: Since, *, follow: bool, as_json: bool
) -> int:
    """How many there were."""
    count = 0
    columns = Columns()
    async with (
        connected(where) as client,
        client.effects(follow=follow, instance_id=instance_id, start=since) as stream,
    ):
        async for effect in stream:
            # What was published since then may have happened before.
            if isinstance(since, int) and effect.time < since:
                continue
            count += 1
            if as_json:
                print_json(effect)
            else:
                click.echo(columns.line(effect))
    return count


class Columns:
    """Effects below each other: a column is as wide as anything in it so far, and no narrower."""

    def __init__(self) -> None:
        self._widths = [20, 10, 18, 0, 12]

    def line(self, effect: Effect) -> str:
        cells = (
            instant(effect.time),
            effect.id,
            effect.type,
            plain(effect.instance_id),
            plain(effect.element_id),
        )
        self._widths = [max(w, len(cell)) for w, cell in zip(self._widths, cells, strict=True)]
        padded = [cell.ljust(w) for cell, w in zip(cells, self._widths, strict=True)]
        return "  ".join([*padded, _details(effect)]).rstrip()


def _details(effect: Effect) -> str:
    if effect.job is not None:
        return plain(f"{effect.job.type}, job {effect.job.job_id}")
    if effect.task is not None:
        return plain(_task_details(effect.type, effect.task))
    if effect.incident is not None:
        incident = effect.incident
        return plain(f"incident {incident.incident_id}: {incident.kind}: {incident.message}")
    if effect.message is not None:
        return plain(
            f"message {effect.message.name}, key {json_text(effect.message.correlation_key)}"
        )
    if effect.error is not None:
        return plain(f"error {effect.error.code}: {effect.error.message or ''}").rstrip(": ")
    return ""


def _task_details(kind: str, task: EffectTask) -> str:
    if kind == "TaskChangeDenied":
        reason = f": {task.reason}" if task.reason else ""
        return f"task {task.task_id}, {task.denied or 'change'} denied{reason}"
    if kind == "TaskAssigned":
        return f"task {task.task_id}, to {task.assignee or 'nobody'}"
    return f"task {task.task_id}"
