"""`torpor deploy`: models to the engine, all of them or none."""

import asyncio
import gzip
from collections import Counter
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import click
import msgspec

from consumers.cli import options
from consumers.cli.client import Answer, Publishing, publish, report
from consumers.cli.findings import FoundIn, print_findings
from consumers.cli.output import plain

DEPLOYMENTS = "deployments"


@click.command()
@click.argument("files", **options.FILES_OR_FOLDERS)
@options.publishing
def deploy(*, files: tuple[Path, ...], **given: Any) -> None:
    """Deploy BPMN and DMN files: all of them or, when one has an error, none.

    A folder stands for all models below it: .bpmn, .dmn, and .bpmn20.xml and the like. Deploying
    what is deployed already changes nothing. The reply comes when every partition
    knows the new versions.
    """
    to = Publishing(**given)
    resources = _resources(options.models_below(files))
    answer = asyncio.run(publish(to, "DeployResources", DEPLOYMENTS, {"resources": resources}))
    result = answer.result if isinstance(answer.result, dict) else {}
    own = {"deployed": [], "findings": [], **result} if answer.status is not None else None
    if not to.as_json:
        _print_deployment(result, answer)
    report(to, msgspec.structs.replace(answer, result=None), "", own)


def _resources(files: tuple[Path, ...]) -> list[dict[str, Any]]:
    """Every resource has a name of its own: the file's, or its path where two files share one."""
    shared = Counter(file.name for file in files)
    return [
        {
            "name": file.name if shared[file.name] == 1 else str(file),
            "content": gzip.compress(file.read_bytes(), mtime=0),
        }
        for file in files
    ]


def _print_deployment(result: Mapping[str, Any], answer: Answer) -> None:
    for entry in result.get("deployed", ()):
        state = "deployed" if entry["new"] else "unchanged"
        click.echo(f"{state}: {entry['kind']} {plain(entry['id'])} version {entry['version']}")
    findings = msgspec.convert(result.get("findings", ()), tuple[FoundIn, ...])
    for file, found in groupby(findings, lambda finding: finding.file):
        print_findings(file, tuple(found))
    if answer.code is None and answer.detail is not None:
        click.echo(plain(answer.detail), err=True)
