"""`torpor lint`: check models without any server, as a deployment would."""

from pathlib import Path

import click
import msgspec

from consumers.cli import options
from consumers.cli.findings import found_in, print_findings
from consumers.cli.output import ExitCode, print_json
from engine.commands import Resource
from engine.deployments.files import compile_files, duplicates
from engine.deployments.references import missing_references
from engine.settings import Settings


@click.command()
@click.argument("files", **options.FILES_OR_FOLDERS)
@click.option("--strict", is_flag=True, help="Exit with 1 for warnings, too.")
@options.as_json
def lint(*, files: tuple[Path, ...], strict: bool, as_json: bool) -> None:
    """Check BPMN and DMN files as a deployment would, without any server.

    All findings are reported together, each with element, line, and how to put it right. What a
    process calls is looked for in these files, and what two of them define is a warning: one
    deployment takes only one of the two. A folder stands for all models below it: .bpmn, .dmn,
    and .bpmn20.xml and the like. Exits with 1 when a file has an error; warnings alone do not
    count.
    """
    files = options.models_below(files)
    resources = [Resource(name=str(file), content=file.read_bytes()) for file in files]
    compiled = compile_files(resources, Settings())
    together = [
        *missing_references(compiled, {}),
        *(msgspec.structs.replace(each, severity="warning") for each in duplicates(compiled)),
    ]
    doubtful = False
    for file in compiled:
        found = [*file.findings, *(each for each in together if each.resource == file.name)]
        doubtful = doubtful or bool(found)
        findings = [found_in(file.name, finding) for finding in found]
        if as_json:
            print_json({"file": file.name, "ok": file.deployable, "findings": findings})
        else:
            print_findings(file.name, findings)
    if (strict and doubtful) or not all(file.deployable for file in compiled):
        raise SystemExit(ExitCode.REFUSED)
