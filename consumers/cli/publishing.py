"""Commands that publish a command and wait for its reply."""

import asyncio
import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import msgspec

from consumers.cli import options
from consumers.cli.client import Publishing, publish
from consumers.cli.lint import print_findings
from consumers.cli.output import ExitCode, json_object, print_json
from engine.errors import Finding
from torpor_client import Reply, new_id, routing

DEPLOYMENTS = "deployments"

variables_option = click.option(
    "--variables",
    default="{}",
    callback=json_object,
    metavar="JSON",
    help="A JSON object, or @FILE that holds one.",
)


def ask(to: Publishing, kind: str, key: str, fields: Mapping[str, Any]) -> Reply | None:
    """Publish a command, and wait for its reply if anybody wants it."""
    return asyncio.run(publish(to, kind, key, fields))


def key_of(handle: str) -> str:
    """The Kafka key for a job, task or incident id, or a usage error."""
    try:
        return routing.root_of(routing.instance_of(handle))
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def print_reply(to: Publishing, reply: Reply | None, done: str) -> None:
    """The reply as JSON, or for people a sentence on what was done."""
    if to.as_json:
        print_json(None if reply is None else msgspec.to_builtins(reply))
    elif reply is None:
        click.echo("published")
    elif reply.status == "DUPLICATE":
        click.echo(f"{done} (by the same command, before)")
    else:
        click.echo(done)


@click.command()
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@options.publishing
def deploy(*, files: tuple[Path, ...], **options_given: Any) -> None:
    """Deploy BPMN files: all of them or, when one has an error, none.

    Deploying what is deployed already changes nothing. The reply comes when every partition
    knows the new versions.
    """
    to = Publishing(**options_given)
    resources = [
        {"name": file.name, "content": gzip.compress(file.read_bytes(), mtime=0)} for file in files
    ]
    try:
        reply = ask(to, "DeployResources", DEPLOYMENTS, {"resources": resources})
    except SystemExit as end:
        if end.code == ExitCode.REFUSED and not to.as_json:
            click.echo("see all findings with: torpor lint FILE...", err=True)
        raise
    result = json.loads((reply.result if reply is not None else None) or "null")
    if to.as_json:
        print_json(result)
    elif result is None:
        click.echo("published")
    else:
        _print_deployment(result)


def _print_deployment(result: dict[str, Any]) -> None:
    for entry in result["deployed"]:
        state = "deployed" if entry["new"] else "unchanged"
        click.echo(f"{state}: {entry['kind']} {entry['id']} version {entry['version']}")
    if result.get("pending_partitions"):
        click.echo(f"not yet known to the partitions {result['pending_partitions']}")
    findings = tuple(msgspec.convert(entry, Finding) for entry in result["findings"])
    if findings:
        print_findings("findings", findings)


@click.command()
@click.argument("process_id")
@click.option("--id", "instance_id", help="The instance's id; the same id starts once.")
@click.option("--business-key", help="A key of your own to find the instance by.")
@click.option("--version", type=int, help="Which version; the latest by default.")
@click.option("--start-element", help="The start event to begin at.")
@variables_option
@options.publishing
def start(
    *,
    process_id: str,
    instance_id: str | None,
    business_key: str | None,
    version: int | None,
    start_element: str | None,
    variables: str,
    **options_given: Any,
) -> None:
    """Start an instance of a process."""
    to = Publishing(**options_given)
    identity = instance_id or new_id()
    fields = {
        "process_id": process_id,
        "version": version,
        "instance_id": identity,
        "business_key": business_key,
        "variables": variables,
        "start_element": start_element,
    }
    reply = ask(to, "StartInstance", routing.root_of(identity), fields)
    status = None if reply is None else reply.status
    if to.as_json:
        print_json({"instance_id": identity, "status": status})
    else:
        print_reply(to, reply, f"started {identity}")


@click.command()
@click.argument("task_id")
@variables_option
@options.publishing
def complete(*, task_id: str, variables: str, **options_given: Any) -> None:
    """Complete a user task."""
    to = Publishing(**options_given)
    fields = {"task_id": task_id, "variables": variables}
    reply = ask(to, "CompleteTask", key_of(task_id), fields)
    print_reply(to, reply, f"completed {task_id}")


@click.command()
@click.argument("name")
@click.option("--key", "correlation_key", default="", help="The correlation key; may be empty.")
@click.option("--id", "message_id", help="The same message id is published once.")
@click.option(
    "--ttl",
    "ttl_ms",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="MS",
    help="How long it waits for somebody who takes it; 0: now or never.",
)
@variables_option
@options.publishing
def message(
    *,
    name: str,
    correlation_key: str,
    message_id: str | None,
    ttl_ms: int,
    variables: str,
    **options_given: Any,
) -> None:
    """Publish a message, for whoever waits for its name and key."""
    to = Publishing(**options_given)
    fields = {
        "name": name,
        "correlation_key": correlation_key,
        "message_id": message_id,
        "ttl_ms": ttl_ms,
        "variables": variables,
        "instance_id": None,
    }
    reply = ask(to, "PublishMessage", routing.message_address(name, correlation_key), fields)
    print_reply(to, reply, f"published {name}")


@click.command()
@click.argument("name")
@variables_option
@options.publishing
def signal(*, name: str, variables: str, **options_given: Any) -> None:
    """Broadcast a signal, to all who wait for its name now."""
    to = Publishing(**options_given)
    fields = {"name": name, "variables": variables}
    reply = ask(to, "BroadcastSignal", routing.signal_address(name), fields)
    print_reply(to, reply, f"broadcast {name}")


@click.command("set")
@click.argument("instance_id")
@click.option("--scope", "element_instance_id", help="An element instance id; the root by default.")
@click.option("--local", is_flag=True, help="Set them in just this scope.")
@variables_option
@options.publishing
def set_variables(
    *,
    instance_id: str,
    element_instance_id: str | None,
    local: bool,
    variables: str,
    **options_given: Any,
) -> None:
    """Set variables of an instance."""
    to = Publishing(**options_given)
    fields = {
        "instance_id": instance_id,
        "element_instance_id": element_instance_id,
        "variables": variables,
        "local": local,
    }
    reply = ask(to, "SetVariables", routing.root_of(instance_id), fields)
    print_reply(to, reply, f"set variables of {instance_id}")


@click.command()
@click.argument("instance_id")
@click.option("--reason", help="Why; goes into history.")
@options.publishing
def terminate(*, instance_id: str, reason: str | None, **options_given: Any) -> None:
    """End an instance, and all that it called."""
    to = Publishing(**options_given)
    fields = {"instance_id": instance_id, "reason": reason}
    reply = ask(to, "TerminateInstance", routing.root_of(instance_id), fields)
    print_reply(to, reply, f"terminated {instance_id}")


@click.command()
@click.argument("incident_id")
@click.option("--retries", type=click.IntRange(min=1), help="How often a job may be tried again.")
@variables_option
@options.publishing
def resolve(*, incident_id: str, retries: int | None, variables: str, **options_given: Any) -> None:
    """Resolve an incident: the step that failed is tried again."""
    to = Publishing(**options_given)
    fields = {"incident_id": incident_id, "retries": retries, "variables": variables}
    reply = ask(to, "ResolveIncident", key_of(incident_id), fields)
    print_reply(to, reply, f"resolved {incident_id}")
