"""What `torpor test` says: text for people, JSON for programs, JUnit's XML for CI."""

import re
import shlex
import shutil
import sys
import textwrap
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import Any, Protocol
from xml.etree import ElementTree

import click
import msgspec

from consumers.cli.findings import FoundIn, counted, found_in, print_findings
from consumers.cli.output import plain, print_json
from engine.errors import Finding
from scenarios.coverage import Part, ProcessCoverage, percent
from scenarios.errors import Problem
from scenarios.loading import Case
from scenarios.running import Failure, Journey, Run

PATH_MAX = 60
"""Elements of a path that are shown; of a longer one its beginning and its end."""

WIDTH_MAX = 100
_MADE_ID = re.compile(r"~|^[0-9a-f]{8}-[0-9a-f-]{27}$")
_JOINED, _THEN = "\xa0", " → "
JOURNEYS_MAX = 8


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """A scenario in all its variants: the run to tell of is the one that failed, if one did."""

    run: Run
    variants: int
    seconds: float


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """Everything, at the end. `coverage_min` is set when it was missed; `notes` fail nothing."""

    results: tuple[Result, ...]
    problems: tuple[Problem, ...]
    coverage: tuple[ProcessCoverage, ...]
    coverage_min: float | None
    seconds: float
    notes: tuple[str, ...] = ()

    @property
    def failed(self) -> int:
        return sum(not result.run.passed for result in self.results)


class Report(Protocol):
    """Who tells of the scenarios, while they run."""

    def problems(self, file: str, problems: Sequence[Problem]) -> None:
        """A file of scenarios cannot be used."""

    def findings(self, file: str, findings: Sequence[Finding]) -> None:
        """A model has findings."""

    def begins(self, case: Case) -> None:
        """A scenario is about to run."""

    def scenario(self, result: Result) -> None:
        """A scenario has run."""

    def end(self, summary: Summary) -> None:
        """All have run."""


# --- for people ---


class TextReport:
    """Implements `Report`: each scenario as soon as it has run; `quiet`, only those that failed."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._file: str | None = None
        columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH_MAX
        self._width = min(columns, WIDTH_MAX)

    def problems(self, file: str, problems: Sequence[Problem]) -> None:
        self._begin(file)
        for problem in problems:
            self._say(f"{problem.place}: {problem.message}", indent=2, colour="red")

    def findings(self, file: str, findings: Sequence[Finding]) -> None:
        """Errors in full; how many warnings there are."""
        errors = [each for each in findings if each.severity == "error"]
        warnings = len(findings) - len(errors)
        if errors:
            print_findings(file, [found_in(file, each) for each in errors])
            self._file = None
        if warnings and not self._quiet:
            say = f"{file}: {counted(warnings, 'warning')}, see torpor lint {shlex.quote(file)}"
            self._say(say, indent=0, colour="yellow")
            self._file = None

    def begins(self, case: Case) -> None:
        """On a terminal, show what runs: it may take a while."""
        if self._quiet:
            return
        self._begin(case.file)
        if sys.stdout.isatty():
            click.echo(f"  … {plain(case.name)}", nl=False)

    def scenario(self, result: Result) -> None:
        run = result.run
        if self._quiet:
            if run.passed:
                return
            self._begin(run.case.file)
        elif sys.stdout.isatty():
            click.echo("\r\x1b[2K", nl=False)
        mark = click.style("✓", fg="green") if run.passed else click.style("✗", fg="red")
        variant = "" if run.passed or result.variants == 1 else f"  (variant: {run.variant.name})"
        click.echo(f"  {mark} {plain(run.case.name)}{variant}")
        names = instance_names(run.journeys) if len(run.journeys) > 1 else [""]
        for name, journey in list(zip(names, run.journeys, strict=False))[:JOURNEYS_MAX]:
            self._say(name + path_line(journey), indent=6, colour="bright_black")
        left = len(run.journeys) - JOURNEYS_MAX
        if left > 0:
            self._say(f"and {counted(left, 'instance')} more", indent=6, colour="bright_black")
        for failure in run.failures:
            self._failure(failure)

    def _failure(self, failure: Failure) -> None:
        self._say(f"{failure.place}: {failure.what}", indent=6, colour="red")
        self._listed("expected", failure.expected)
        self._listed("found", failure.found)
        self._listed("note", failure.hint.splitlines())

    def _listed(self, title: str, lines: Sequence[str]) -> None:
        for number, line in enumerate(lines):
            head = f"{title}:" if number == 0 else ""
            self._say(f"{head:<10}{line}", indent=8, hanging=10)

    def end(self, summary: Summary) -> None:
        if summary.coverage and not self._quiet:
            click.echo("\nCoverage")
            for process in summary.coverage:
                self._coverage(process)
        if not self._quiet:
            click.echo("")
        for note in summary.notes:
            self._say(note, indent=0, colour="yellow")
        for line, good in closing_lines(summary):
            click.echo(click.style(line, fg="green" if good else "red"))

    def _coverage(self, process: ProcessCoverage) -> None:
        elements = process.elements - len(process.missing_elements)
        flows = process.flows - len(process.missing_flows)
        self._say(
            f"{process.process} ({process.file}): elements {elements}/{process.elements},"
            f" flows {flows}/{process.flows}, {percent([process]):.0f} %",
            indent=2,
        )
        self._missing("never reached", process.missing_elements)
        self._missing("never taken", process.missing_flows)

    def _missing(self, title: str, parts: Sequence[Part]) -> None:
        if parts:
            labels = "; ".join(part.label.replace(" ", _JOINED) for part in parts)
            self._say(f"{title}: {labels}", indent=4, colour="yellow")

    def _begin(self, file: str) -> None:
        if file != self._file:
            click.echo(("" if self._file is None else "\n") + plain(file))
            self._file = file

    def _say(self, text: str, *, indent: int, hanging: int = 2, colour: str | None = None) -> None:
        # Elements stay whole: a line ends between two of them.
        text = plain(text)
        if _THEN in text and ";" not in text:
            text = _THEN.join(each.replace(" ", _JOINED) for each in text.split(_THEN))
        lines = textwrap.wrap(
            text,
            width=self._width,
            initial_indent=" " * indent,
            subsequent_indent=" " * (indent + hanging),
            break_long_words=False,
            break_on_hyphens=False,
            drop_whitespace=True,
        )
        click.echo(click.style("\n".join(lines).replace(_JOINED, " "), fg=colour))


def instance_names(journeys: Sequence[Journey]) -> list[str]:
    """What to call instances: by their ids, or where the engine made these by their processes."""
    names, counts = [], Counter[str]()
    for journey in journeys:
        if _MADE_ID.search(journey.instance) is None:
            names.append(f"{journey.instance}: ")
            continue
        counts[journey.process] += 1
        number = counts[journey.process]
        names.append(f"{journey.process}: " if number == 1 else f"{journey.process} #{number}: ")
    return names


def path_line(journey: Journey) -> str:
    """The path of an instance for people: repeated elements counted, a long one shortened."""
    parts = []
    for label, group in groupby(journey.labels):
        count = len(list(group))
        parts.append(label if count == 1 else f"{label} x{count}")
    if len(parts) > PATH_MAX:
        half = PATH_MAX // 2
        parts = [*parts[:half], f"... {len(parts) - PATH_MAX} more ...", *parts[-half:]]
    if journey.places:
        parts.append(f"[{', '.join(dict.fromkeys(journey.places))}]")
    elif journey.state not in {"completed", "running"}:
        parts.append(journey.state)
    return " → ".join(parts)


def closing_lines(summary: Summary) -> list[tuple[str, bool]]:
    """What it all came to, and whether that is good."""
    total, failed = len(summary.results), summary.failed
    took = f"in {summary.seconds:.1f} s"
    lines = []
    if failed:
        lines.append((f"{failed} of {counted(total, 'scenario')} failed, {took}", False))
    elif total:
        lines.append((f"{counted(total, 'scenario')} passed, {took}", True))
    if summary.problems:
        lines.append((f"{counted(len(summary.problems), 'problem')} in the files", False))
    if summary.coverage_min is not None:
        reached = percent(summary.coverage)
        wanted = f"at least {summary.coverage_min:g} % of all elements and flows"
        lines.append((f"Coverage is {reached:.1f} %, expected {wanted}", False))
    return lines


# --- for programs ---


class JsonReport:
    """Implements `Report`: one JSON value at the end."""

    def __init__(self) -> None:
        self._findings: list[FoundIn] = []

    def problems(self, file: str, problems: Sequence[Problem]) -> None:
        """They are in the summary."""

    def findings(self, file: str, findings: Sequence[Finding]) -> None:
        self._findings += [found_in(file, each) for each in findings]

    def begins(self, case: Case) -> None:
        """Nothing is printed before the end."""

    def scenario(self, result: Result) -> None:
        """It is in the summary."""

    def end(self, summary: Summary) -> None:
        covered = {} if not summary.coverage else {"covered": round(percent(summary.coverage), 2)}
        print_json(
            {
                "passed": len(summary.results) - summary.failed,
                "failed": summary.failed,
                **covered,
                "scenarios": [_scenario_json(result) for result in summary.results],
                "coverage": [_coverage_json(process) for process in summary.coverage],
                "findings": self._findings,
                "notes": summary.notes,
                "problems": [
                    {
                        "file": problem.place.file,
                        "line": problem.place.line,
                        "message": problem.message,
                    }
                    for problem in summary.problems
                ],
            }
        )


def _scenario_json(result: Result) -> dict[str, Any]:
    run = result.run
    return {
        "file": run.case.file,
        "line": run.case.place.line,
        "name": run.case.name,
        "passed": run.passed,
        "variant": run.variant.name,
        "variants": result.variants,
        "seconds": round(result.seconds, 3),
        "instances": [
            {
                "id": journey.instance,
                "process": journey.process,
                "state": journey.state,
                "path": journey.path,
                "waiting": journey.waiting,
            }
            for journey in run.journeys
        ],
        "failures": [
            {
                "file": failure.place.file,
                "line": failure.place.line,
                "message": failure.what,
                "expected": failure.expected,
                "found": failure.found,
                "hint": failure.hint or None,
            }
            for failure in run.failures
        ],
    }


def _coverage_json(process: ProcessCoverage) -> dict[str, Any]:
    return {
        "file": process.file,
        "process": process.process,
        "elements": process.elements,
        "flows": process.flows,
        "missing_elements": process.missing_elements,
        "missing_flows": process.missing_flows,
    }


def junit(results: Sequence[Result], problems: Sequence[Problem]) -> bytes:
    """A report that CI servers read: a test case for each scenario, an error for each problem."""
    root = ElementTree.Element(
        "testsuite",
        name="torpor",
        tests=str(len(results) + len(problems)),
        failures=str(sum(not result.run.passed for result in results)),
        errors=str(len(problems)),
    )
    for result in results:
        run = result.run
        case = ElementTree.SubElement(
            root,
            "testcase",
            classname=plain(run.case.file),
            name=plain(run.case.name),
            time=f"{result.seconds:.3f}",
        )
        for failure in run.failures:
            said = ElementTree.SubElement(case, "failure", message=plain(failure.what))
            said.text = plain_text(failure)
    for problem in problems:
        case = ElementTree.SubElement(
            root, "testcase", classname=plain(problem.place.file), name=plain(problem.place)
        )
        ElementTree.SubElement(case, "error", message=plain(problem.message))
    return bytes(ElementTree.tostring(root, encoding="utf-8", xml_declaration=True))


def plain_text(failure: Failure) -> str:
    """A failure as lines of text."""
    lines = [str(failure.place)]
    lines += [f"expected: {line}" for line in failure.expected]
    lines += [f"found: {line}" for line in failure.found]
    lines += [f"note: {line}" for line in failure.hint.splitlines()]
    return "\n".join(map(plain, lines))
