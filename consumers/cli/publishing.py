"""Commands on instances, tasks and messages: each publishes one, and waits for its reply."""

import asyncio
from collections.abc import Mapping
from typing import Any

import click

from consumers.cli import options
from consumers.cli.client import Answer, Publishing, publish, report
from consumers.cli.output import instant
from torpor_client import new_id, routing
from torpor_client.ids import started_by


def ask(to: Publishing, kind: str, key: str, fields: Mapping[str, Any]) -> Answer:
    """Publish a command, and wait for its reply if anybody wants it."""
    return asyncio.run(publish(to, kind, key, fields))


def key_of(handle: str, listed_by: str) -> str:
    """The Kafka key for a task or incident id, or a usage error; `listed_by` shows such ids."""
    try:
        return routing.root_of(routing.instance_of(handle))
    except ValueError:
        raise click.UsageError(
            f"{handle!r} is not an id as `{listed_by}` shows it: <instance id>:<number>"
        ) from None


def said(answer: Answer, done: str, handle: str) -> str:
    """What was `done` or, where that has to wait, asked for; `handle`: of what."""
    change = answer.result.get("change") if isinstance(answer.result, dict) else None
    if change is None:
        return done
    waits = "a listener has yet to answer"
    if change == "terminating":
        waits = "listeners have yet to answer, or called instances to end"
    return f"asked for, {change} {handle}: {waits} (torpor show {handle.partition(':')[0]})"


@click.command()
@click.argument("process_id", metavar="PROCESS")
@click.option("--id", "instance_id", metavar="ID", help="The instance's id; a new one by default.")
@click.option("--business-key", metavar="KEY", help="A key of your own to find the instance by.")
@click.option(
    "--version",
    type=click.IntRange(min=1),
    metavar="N",
    help="Which version of the process; the latest by default.",
)
@click.option("--start-element", metavar="ELEMENT", help="The start event to begin at.")
@options.variables
@options.publishing
def start(
    *,
    process_id: str,
    instance_id: str | None,
    business_key: str | None,
    version: int | None,
    start_element: str | None,
    variables: str,
    **given: Any,
) -> None:
    """Start an instance of a process."""
    command_id = given.pop("command_id") or new_id()
    to = Publishing(command_id=command_id, **given)
    # Of the command's id: a repetition means the same instance.
    identity = instance_id or started_by(command_id)
    fields = {
        "process_id": process_id,
        "version": version,
        "instance_id": identity,
        "business_key": business_key,
        "variables": variables,
        "start_element": start_element,
    }
    answer = ask(to, "StartInstance", routing.root_of(identity), fields)
    own = {"instance_id": identity, "status": answer.status}
    report(to, answer, f"started {identity}", own, "`torpor definitions` lists what is deployed")


@click.command()
@click.argument("task_id", metavar="TASK")
@options.variables
@options.publishing
def complete(*, task_id: str, variables: str, **given: Any) -> None:
    """Complete a user task; its variables go where the model says."""
    complete_task(task_id, variables, given)


def complete_task(task_id: str, variables: str, given: dict[str, Any]) -> None:
    """Publish the command; `given` are the options of `options.publishing`."""
    to = Publishing(**given)
    fields = {"task_id": task_id, "variables": variables}
    answer = ask(to, "CompleteTask", key_of(task_id, "torpor tasks"), fields)
    absent = "`torpor tasks` lists user tasks; a job is completed by `torpor job complete ID`"
    report(to, answer, said(answer, f"completed {task_id}", task_id), absent=absent)


@click.command()
@click.argument("name", metavar="NAME")
@click.option(
    "--key",
    "correlation_key",
    default="",
    metavar="KEY",
    help="The correlation key; empty if none.",
)
@click.option(
    "--id", "message_id", metavar="ID", help="The message's id: one id is published once."
)
@click.option(
    "--ttl",
    "ttl_ms",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="MS",
    help="How long it waits for somebody who takes it, ms; 0: now or never.",
)
@options.variables
@options.publishing
def message(
    *,
    name: str,
    correlation_key: str,
    message_id: str | None,
    ttl_ms: int,
    variables: str,
    **given: Any,
) -> None:
    """Publish a message, for whoever waits for its name and key."""
    to = Publishing(**given)
    fields = {
        "name": name,
        "correlation_key": correlation_key,
        "message_id": message_id,
        "ttl_ms": ttl_ms,
        "variables": variables,
        "instance_id": None,
    }
    answer = ask(to, "PublishMessage", routing.message_address(name, correlation_key), fields)
    report(to, answer, f"published {name}{_told(answer.result)}")


def _told(result: Any) -> str:
    """What became of a message, as far as its reply tells."""
    if not isinstance(result, dict):
        return ""
    offered = ", ".join(result["offered_to"])
    if result["buffered"]:
        kept = f"kept until {instant(result['expires_at'])}"
        return f": for {offered}; {kept}" if offered else f": nobody waits yet, {kept}"
    if offered:
        return f": for {offered}"
    return (
        ": nobody waits for this name and key, and it is not kept (--ttl keeps it);"
        " `torpor show ID` shows the key that an instance waits for"
    )


@click.command()
@click.argument("name")
@options.variables
@options.publishing
def signal(*, name: str, variables: str, **given: Any) -> None:
    """Broadcast a signal, to all who wait for its name now."""
    to = Publishing(**given)
    fields = {"name": name, "variables": variables}
    answer = ask(to, "BroadcastSignal", routing.signal_address(name), fields)
    report(to, answer, f"broadcast {name}")


@click.command("set")
@click.argument("instance_id", metavar="ID")
@click.option(
    "--variables",
    required=True,
    callback=options.json_object,
    metavar="JSON",
    help="A JSON object; @FILE reads it from a file, @- from standard input.",
)
@click.option(
    "--scope",
    "element_instance_id",
    metavar="ID",
    help="The element instance to begin at; the whole instance by default.",
)
@click.option("--local", is_flag=True, help="Set them in just this scope, and in none around it.")
@options.publishing
def set_variables(
    *,
    instance_id: str,
    element_instance_id: str | None,
    local: bool,
    variables: str,
    **given: Any,
) -> None:
    """Set variables of an instance: each where it is, or else at the top."""
    to = Publishing(**given)
    fields = {
        "instance_id": instance_id,
        "element_instance_id": element_instance_id,
        "variables": variables,
        "local": local,
    }
    answer = ask(to, "SetVariables", routing.root_of(instance_id), fields)
    done = f"set variables of {instance_id}"
    report(to, answer, said(answer, done, element_instance_id or instance_id))


@click.command()
@click.argument("instance_id", metavar="ID")
@click.option("--reason", metavar="TEXT", help="Why; goes into history.")
@options.publishing
def terminate(*, instance_id: str, reason: str | None, **given: Any) -> None:
    """End an instance, and all that it called."""
    to = Publishing(**given)
    fields = {"instance_id": instance_id, "reason": reason}
    answer = ask(to, "TerminateInstance", routing.root_of(instance_id), fields)
    report(to, answer, said(answer, f"terminated {instance_id}", instance_id))


@click.command()
@click.argument("element_instance_id", metavar="ID")
@click.argument("element_ids", metavar="[ELEMENT]...", nargs=-1)
@click.option(
    "--complete",
    "completes",
    is_flag=True,
    help="Complete the sub-process; what still runs is ended, or waited for, as the model says.",
)
@options.publishing
def activate(
    *, element_instance_id: str, element_ids: tuple[str, ...], completes: bool, **given: Any
) -> None:
    """Activate activities of an ad-hoc sub-process, or complete it.

    `torpor show ID` shows the id of the sub-process, and what can be activated in it.
    """
    if bool(element_ids) == completes:
        raise click.UsageError("name activities to activate, or --complete, one of the two")
    to = Publishing(**given)
    fields = {
        "element_instance_id": element_instance_id,
        "element_ids": element_ids,
        "complete": completes,
    }
    key = key_of(element_instance_id, "torpor show")
    answer = ask(to, "ActivateActivities", key, fields)
    done = "completed" if completes else f"activated {', '.join(element_ids)} in"
    report(to, answer, f"{done} {element_instance_id}")


@click.command()
@click.argument("incident_id", metavar="INCIDENT")
@click.option(
    "--retries",
    type=click.IntRange(min=1),
    metavar="N",
    help="How often the job may be tried again, where it is one of a job.",
)
@options.variables
@options.publishing
def resolve(*, incident_id: str, retries: int | None, variables: str, **given: Any) -> None:
    """Resolve an incident: what failed is tried again, with the variables given.

    `torpor show ID` shows incidents; one that is not put right is raised again.
    """
    to = Publishing(**given)
    fields = {"incident_id": incident_id, "retries": retries, "variables": variables}
    answer = ask(to, "ResolveIncident", key_of(incident_id, "torpor show"), fields)
    report(to, answer, f"resolved {incident_id}: what failed is tried again")
