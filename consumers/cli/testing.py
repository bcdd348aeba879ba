"""`torpor test`: run scenarios on the real core, without any server."""

import time
from collections.abc import Sequence
from pathlib import Path

import click

from consumers.cli import options
from consumers.cli.output import ExitCode, fail, plain, print_json_text
from consumers.cli.scenario_report import JsonReport, Report, Result, Summary, TextReport, junit
from engine.errors import Finding
from scenarios.contents import Contents
from scenarios.coverage import Coverage, ProcessCoverage, percent
from scenarios.errors import Place, Problem, ScenarioFileError
from scenarios.json_schema import schema_text
from scenarios.loading import Case, load
from scenarios.mocking import answering
from scenarios.models import ModelFile, ModelFiles
from scenarios.running import Run, run
from scenarios.simulation import VARIANTS, Variant


@click.command(
    "test",
    epilog="""\b
Examples:
  torpor test scenarios
  torpor test scenarios/order.yaml -k declined
  torpor test scenarios/*.yaml --thorough --coverage-min 90 --junit report.xml
  torpor test --schema > scenario.schema.json

\b
The format is described in docs/testing.md. Exit codes: 0 all passed; 1 something
failed, a file is wrong, or coverage is too low; 2 usage.""",
)
@click.argument("files", **{**options.FILES_OR_FOLDERS, "required": False})
@click.option("-k", "wanted", metavar="TEXT", help="Only scenarios with this text in their name.")
@click.option(
    "--thorough",
    is_flag=True,
    help="Run each scenario in every variant: records repeated, documents encoded, and so on.",
)
@click.option(
    "--coverage-min",
    type=click.FloatRange(0, 100),
    metavar="PERCENT",
    help="Fail when fewer of all elements and flows were passed.",
)
@click.option(
    "--junit",
    "junit_file",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    metavar="FILE",
    help="Write a report in JUnit's XML, for CI.",
)
@click.option("-q", "--quiet", is_flag=True, help="Print only what failed, and the last lines.")
@click.option("--schema", is_flag=True, help="Print the JSON Schema of the format, for editors.")
@options.as_json
def test(
    *,
    files: tuple[Path, ...],
    wanted: str | None,
    thorough: bool,
    coverage_min: float | None,
    junit_file: Path | None,
    quiet: bool,
    schema: bool,
    as_json: bool,
) -> None:
    """Run scenarios: models on the real core, with a virtual clock and no servers.

    Prints the path that each took, what is not as expected and where, and which elements and
    flows of the models no scenario has passed. A folder stands for all .yaml and .yml files
    below it.
    """
    if schema:
        print_json_text(schema_text().rstrip().encode())
        return
    if not files:
        raise click.UsageError("Missing argument 'FILE|FOLDER...'.")
    files = options.files_below(files, (".yaml", ".yml"))
    report: Report = JsonReport() if as_json else TextReport(quiet=quiet)
    session = Session(report, VARIANTS if thorough else VARIANTS[:1])
    session.run(files, wanted)
    if wanted:  # nor about what is used
        session.notes.clear()
    # What was left out on purpose says nothing about what is covered.
    coverage = [] if wanted else session.coverage.report()
    enough = wanted is not None or coverage_min is None or percent(coverage) >= coverage_min
    report.end(session.summary(coverage, None if enough else coverage_min))
    if junit_file is not None:
        _write(junit_file, junit(session.results, session.problems))
    if not (enough and session.passed):
        raise SystemExit(ExitCode.REFUSED)


def _write(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        fail(ExitCode.USAGE, f"{plain(path)} cannot be written: {error.strerror}")


class Session:
    """All files of one invocation: what became of their scenarios, and what is wrong with them."""

    def __init__(self, report: Report, variants: tuple[Variant, ...]) -> None:
        self.coverage = Coverage()
        self.results: list[Result] = []
        self.problems: list[Problem] = []
        self.notes: list[str] = []
        self._report = report
        self._variants = variants
        self._models = ModelFiles()
        self._contents = Contents()
        self._told: set[str] = set()
        self._began = time.monotonic()

    @property
    def passed(self) -> bool:
        return not self.problems and all(result.run.passed for result in self.results)

    def run(self, files: Sequence[Path], wanted: str | None) -> None:
        """Run the scenarios of all files, or those with a text in their name."""
        for file in files:
            try:
                cases = load(file, self._models)
            except ScenarioFileError as error:
                self._found(str(file), error.problems)
                continue
            cases = [case for case in cases if wanted is None or _has(case, wanted)]
            self._run_file(file, cases)
        if wanted is not None and not self.results and not self.problems:
            fail(ExitCode.USAGE, f"no scenario has {wanted!r} in its name")

    def _found(self, file: str, problems: Sequence[Problem]) -> None:
        self.problems += problems
        self._report.problems(file, problems)

    def _run_file(self, file: Path, cases: Sequence[Case]) -> None:
        models = {model.shown: model for case in cases for model in case.models}
        for model in models.values():
            findings = _in_all(cases, model)
            if findings and model.shown not in self._told:
                self._told.add(model.shown)
                self._report.findings(model.shown, findings)
        refused = [model.shown for model in models.values() if not model.compiled.deployable]
        if refused:
            names = " and ".join(refused)
            message = f"{names} cannot be deployed: put the errors right. Nothing was run."
            self._found(str(file), [Problem(Place(str(file)), message)])
            return
        for case in cases:
            self.coverage.expect(case.models)
            self._report.begins(case)
            result = self._run_case(case)
            self.results.append(result)
            self._report.scenario(result)
        self._note_mocks(file, self.results[len(self.results) - len(cases) :])

    def _note_mocks(self, file: Path, results: Sequence[Result]) -> None:
        """A mock that no scenario of a file asked; one that failed may not have come so far."""
        if not all(result.run.passed for result in results):
            return
        asked = {name for result in results for name in result.run.asked}
        known = dict.fromkeys(name for each in results for name in answering(each.run.case.mocks))
        self.notes += [
            f"{file}: the mock {name!r} was never used" for name in known if name not in asked
        ]

    def _run_case(self, case: Case) -> Result:
        """Run a scenario in each variant, until one fails."""
        began = time.monotonic()
        done: list[Run] = []
        for variant in self._variants:
            done.append(run(case, variant, self._contents, self.coverage))
            if not done[-1].passed:
                break
        shown = done[0] if done[-1].passed else done[-1]
        return Result(run=shown, variants=len(done), seconds=time.monotonic() - began)

    def summary(self, coverage: Sequence[ProcessCoverage], coverage_min: float | None) -> Summary:
        return Summary(
            results=tuple(self.results),
            problems=tuple(self.problems),
            coverage=tuple(coverage),
            coverage_min=coverage_min,
            seconds=time.monotonic() - self._began,
            notes=tuple(self.notes),
        )


def _in_all(cases: Sequence[Case], model: ModelFile) -> list[Finding]:
    """What is found in a file beside whatever models and mocks it is run with."""
    found = [each.findings for case in cases for each in case.models if each.shown == model.shown]
    return [each for each in model.findings if all(each in findings for findings in found)]


def _has(case: Case, wanted: str) -> bool:
    return wanted.casefold() in case.name.casefold()
