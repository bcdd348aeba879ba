"""What is wrong with a model, for people: the same from `lint` and from `deploy`."""

from collections.abc import Sequence

import click
import msgspec

from consumers.cli.output import plain, print_table
from engine.errors import Finding


class FoundIn(msgspec.Struct, frozen=True, kw_only=True):
    """A finding as the wire has it. `severity` is "error" (not deployable) or "warning"."""

    severity: str
    element: str | None = None
    name: str | None = None
    line: int | None = None
    code: str
    message: str
    file: str = ""


def found_in(file: str, finding: Finding) -> FoundIn:
    return FoundIn(
        severity=finding.severity,
        element=finding.element,
        name=finding.name,
        line=finding.line,
        code=finding.code,
        message=finding.message,
        file=file,
    )


def print_findings(file: str, findings: Sequence[FoundIn]) -> None:
    """The findings of one file; one without any is ok."""
    if not findings:
        click.echo(f"{plain(file)}: ok")
        return
    errors = sum(finding.severity == "error" for finding in findings)
    warnings = len(findings) - errors
    click.echo(f"{plain(file)}: {counted(errors, 'error')}, {counted(warnings, 'warning')}")
    rows = [
        (finding.line, finding.severity, finding.element, finding.message, finding.code)
        for finding in findings
    ]
    columns = ("LINE", "SEVERITY", "ELEMENT", "WHAT IS WRONG", "CODE")
    print_table(columns, rows, folded=("WHAT IS WRONG",))


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
