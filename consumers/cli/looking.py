"""Commands that look: `show`, `list` and `tasks` ask an engine, `effects` reads its topic."""

import asyncio
import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Sequence
from typing import Any

import click
import msgspec

from consumers.cli import options
from consumers.cli.client import connected
from consumers.cli.output import ExitCode, fail, instant, print_json, print_table
from torpor_client import Effect

ANSWER_DEADLINE_S = 10.0


def ask(http: str, path: str, **parameters: str | int | None) -> Any:
    """GET a query and return its JSON. Ends the program when there is no answer, or no such thing.

    An id is quoted here; `path` is given whole.
    """
    given = {name: value for name, value in parameters.items() if value is not None}
    base = http if "://" in http else f"http://{http}"
    url = f"{base}{path}" + (f"?{urllib.parse.urlencode(given)}" if given else "")
    try:
        with urllib.request.urlopen(url, timeout=ANSWER_DEADLINE_S) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        fail(
            ExitCode.REFUSED if error.code < 500 else ExitCode.UNREACHABLE,
            _problem(error) or f"{url} answers {error.code} {error.reason}",
        )
    except (urllib.error.URLError, TimeoutError, ValueError) as error:
        reason = getattr(error, "reason", error)
        fail(
            ExitCode.UNREACHABLE,
            f"no engine answers at {http}: {reason}. Give its address with --http or TORPOR_HTTP.",
        )


def _problem(error: urllib.error.HTTPError) -> str | None:
    try:
        problem = json.load(error)
    except ValueError:
        return None
    detail = problem.get("detail") if isinstance(problem, dict) else None
    return detail if isinstance(detail, str) else None


@click.command()
@click.argument("instance_id")
@options.looking
def show(*, instance_id: str, http: str, as_json: bool) -> None:
    """Show one instance: its state, what it waits for, its variables and incidents."""
    found = ask(http, f"/v1/instances/{urllib.parse.quote(instance_id, safe='')}")
    if as_json:
        print_json(found)
        return
    click.echo(
        f"{found['id']}   {found['process_id']} version {found['version']}   {found['state']}"
    )
    if found.get("business_key"):
        click.echo(f"business key  {found['business_key']}")
    if found.get("ended_at") is not None:
        click.echo(f"ended         {instant(found['ended_at'])}")
    _show_waiting(found)
    _show_incidents(found)
    _show_variables(found)


def _show_waiting(found: dict[str, Any]) -> None:
    rows = [
        (waiting["kind"], waiting["element"], instant(waiting["since"]), waiting["id"])
        for waiting in found.get("waiting", ())
    ]
    if rows:
        click.echo("")
        print_table(("WAITS FOR", "ELEMENT", "SINCE", "ID"), rows, "")


def _show_incidents(found: dict[str, Any]) -> None:
    rows = [
        (incident["kind"], incident["element"], incident["message"], incident["id"])
        for incident in found.get("incidents", ())
    ]
    if rows:
        click.echo("")
        print_table(("INCIDENT", "ELEMENT", "WHAT HAPPENED", "ID"), rows, "")


def _show_variables(found: dict[str, Any]) -> None:
    variables = found.get("variables")
    if variables:
        click.echo("")
        rows = [(name, json.dumps(value, ensure_ascii=False)) for name, value in variables.items()]
        print_table(("VARIABLE", "VALUE"), rows, "")


@click.command("list")
@click.option("--process", "process_id", help="Only instances of this process.")
@click.option("--business-key", help="Only instances with this business key.")
@click.option("--state", help="Only instances in this state.")
@click.option("--cursor", help="Where the page before ended.")
@options.looking
def list_instances(
    *,
    process_id: str | None,
    business_key: str | None,
    state: str | None,
    cursor: str | None,
    **look: Any,
) -> None:
    """List running instances."""
    page = ask(
        look["http"],
        "/v1/instances",
        process_id=process_id,
        business_key=business_key,
        state=state,
        cursor=cursor,
    )
    rows = [
        (item["id"], item["process_id"], item["version"], item["business_key"], item["state"])
        for item in page["items"]
    ]
    columns = ("INSTANCE", "PROCESS", "VERSION", "BUSINESS KEY", "STATE")
    _print_page(page, columns, rows, empty="no running instances", as_json=look["as_json"])


@click.command()
@click.option("--assignee", help="Only tasks assigned to this user.")
@click.option("--group", help="Only tasks that this group may claim.")
@click.option("--process", "process_id", help="Only tasks of this process.")
@click.option("--cursor", help="Where the page before ended.")
@options.looking
def tasks(
    *,
    assignee: str | None,
    group: str | None,
    process_id: str | None,
    cursor: str | None,
    **look: Any,
) -> None:
    """List open user tasks."""
    page = ask(
        look["http"],
        "/v1/tasks",
        assignee=assignee,
        group=group,
        process_id=process_id,
        cursor=cursor,
    )
    rows = [
        (
            item["task_id"],
            item["name"] or item["element_id"],
            item["assignee"],
            ", ".join(item["candidate_groups"]),
            item["process_id"],
            instant(item["created_at"]),
        )
        for item in page["items"]
    ]
    columns = ("TASK", "NAME", "ASSIGNEE", "GROUPS", "PROCESS", "CREATED")
    _print_page(page, columns, rows, empty="no open tasks", as_json=look["as_json"])


def _print_page(
    page: dict[str, Any],
    columns: tuple[str, ...],
    rows: Sequence[tuple[object, ...]],
    *,
    empty: str,
    as_json: bool,
) -> None:
    if as_json:
        print_json(page)
        return
    print_table(columns, rows, empty)
    if page.get("cursor"):
        click.echo(f"more: --cursor {page['cursor']}")


@click.command()
@click.option("--follow", "-f", is_flag=True, help="Stay and print effects as they come.")
@click.option("--instance", "instance_id", help="Only effects of this instance.")
@options.stacked(options.kafka, options.namespace, options.as_json)
def effects(*, follow: bool, instance_id: str | None, **where: Any) -> None:
    """Print effects from the beginning, each once, one a line."""
    asyncio.run(_print_effects(follow=follow, instance_id=instance_id, **where))


async def _print_effects(
    *, follow: bool, instance_id: str | None, kafka: str, namespace: str, as_json: bool
) -> None:
    async with (
        connected(kafka, namespace) as client,
        client.effects(follow=follow, instance_id=instance_id) as stream,
    ):
        async for effect in stream:
            if as_json:
                print_json(msgspec.json.decode(msgspec.json.encode(effect)))
            else:
                click.echo(_effect_line(effect))


def _effect_line(effect: Effect) -> str:
    columns = (
        instant(effect.time),
        f"{effect.id:<12}",
        f"{effect.type:<18}",
        effect.instance_id,
        effect.element_id or "",
        _details(effect),
    )
    return "  ".join(column for column in columns if column)


def _details(effect: Effect) -> str:
    if effect.job is not None:
        return effect.job.type
    if effect.task is not None:
        return effect.task.task_id
    if effect.incident is not None:
        return f"{effect.incident.kind}: {effect.incident.message}"
    return ""
