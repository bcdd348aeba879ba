"""`torpor evaluate`: what is so now, for the processes that begin when a condition holds."""

from collections.abc import Mapping
from typing import Any

import click
import msgspec

from consumers.cli import options
from consumers.cli.client import Publishing, report
from consumers.cli.output import ExitCode, plain
from consumers.cli.publishing import ask

DEPLOYMENTS = "deployments"


@click.command()
@options.variables
@options.publishing
def evaluate(*, variables: str, **given: Any) -> None:
    """Start every process that has a start condition which the variables fulfil.

    Ends with 1 when a condition gave neither true nor false; the others are started all the same.
    """
    to = Publishing(**given)
    answer = ask(to, "EvaluateConditions", DEPLOYMENTS, {"variables": variables})
    result = answer.result if isinstance(answer.result, dict) else {}
    if to.as_json:
        own = {"started": [], "failed": [], **result} if answer.status is not None else None
        report(to, msgspec.structs.replace(answer, result=None), "", own)
    else:
        _print_instances(result)
        report(to, answer, f"started {len(result.get('started', ()))}")
    if result.get("failed"):
        raise SystemExit(ExitCode.REFUSED)


def _print_instances(result: Mapping[str, Any]) -> None:
    for each in result.get("started", ()):
        process = f"{each['process_id']} version {each['version']}"
        instance = each["instance_id"] or "with what else it needs"
        click.echo(plain(f"{instance}: {process} at {each['element_id']}"))
    for each in result.get("failed", ()):
        place = f"{each['process_id']} version {each['version']} at {each['element_id']}"
        click.echo(plain(f"failed: {place}: {each['expression']}: {each['message']}"), err=True)
