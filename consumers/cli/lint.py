"""`torpor lint`: check models without any server, as a deployment would."""

from pathlib import Path

import click

from consumers.cli import options
from consumers.cli.findings import found_in, print_findings
from consumers.cli.output import ExitCode, print_json
from engine.model import compile_resource
from engine.settings import Settings


@click.command()
@click.argument("files", **options.FILES)
@options.as_json
def lint(*, files: tuple[Path, ...], as_json: bool) -> None:
    """Check BPMN files as a deployment would, without any server.

    All findings are reported together, each with element, line, and how to put it right.
    Exits with 1 when a file has an error; warnings alone do not count.
    """
    settings = Settings()
    deployable = True
    for file in files:
        resource = compile_resource(file.name, file.read_bytes(), settings)
        deployable = deployable and resource.deployable
        findings = [found_in(str(file), finding) for finding in resource.findings]
        if as_json:
            print_json({"file": str(file), "ok": resource.deployable, "findings": findings})
        else:
            print_findings(str(file), findings)
    if not deployable:
        raise SystemExit(ExitCode.REFUSED)
