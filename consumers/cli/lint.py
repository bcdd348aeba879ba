"""`torpor lint`: check models without any server, as a deployment would."""

from pathlib import Path

import click

from consumers.cli.output import ExitCode, print_json, print_table
from engine.errors import Finding
from engine.model import compile_resource
from engine.settings import Settings


@click.command()
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a file.")
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
        if as_json:
            print_json(
                {
                    "file": str(file),
                    "ok": resource.deployable,
                    "findings": [finding_json(finding) for finding in resource.findings],
                }
            )
        else:
            print_findings(str(file), resource.findings)
    if not deployable:
        raise SystemExit(ExitCode.REFUSED)


def finding_json(finding: Finding) -> dict[str, object]:
    return {
        "severity": finding.severity,
        "element": finding.element,
        "name": finding.name,
        "line": finding.line,
        "code": finding.code,
        "message": finding.message,
    }


def print_findings(file: str, findings: tuple[Finding, ...]) -> None:
    if not findings:
        click.echo(f"{file}: ok")
        return
    errors = sum(finding.severity == "error" for finding in findings)
    click.echo(f"{file}: {_count(errors, 'error')}, {_count(len(findings) - errors, 'warning')}")
    rows = [
        (finding.line, finding.severity, finding.element, finding.message, finding.code)
        for finding in findings
    ]
    print_table(("LINE", "", "ELEMENT", "WHAT IS WRONG", "CODE"), rows, "")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
