"""A file of scenarios, ready to run: its models read and its words checked against them."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from engine.expressions import EvaluationError, schedule
from engine.model.elements import ProcessModel
from scenarios import examples, reading, tree
from scenarios.errors import Place, Problem, ScenarioFileError, did_you_mean
from scenarios.format.file import Mocks, Scenario, ScenarioFile
from scenarios.mocking import merged
from scenarios.models import ModelFile, ModelFiles
from scenarios.names import Names


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """A scenario to run. `start_ms` is where the virtual clock begins."""

    file: str
    folder: Path
    scenario: Scenario
    models: tuple[ModelFile, ...]
    mocks: Mocks
    start_ms: int
    zone: str

    @property
    def name(self) -> str:
        return self.scenario.name

    @property
    def place(self) -> Place:
        return Place(self.file, self.scenario.line("name"))


def load(path: Path, models: ModelFiles) -> list[Case]:
    """The scenarios of a file. Raises ScenarioFileError with all that is wrong with it."""
    file = str(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        problem = Problem(Place(file), f"The file cannot be read: {error.strerror}.")
        raise ScenarioFileError((problem,)) from None
    found = reading.read(file, examples.expand(file, tree.parse(file, content)))
    cases, problems = [], _repeated_names(file, found)
    if not found.scenarios:
        problems.append(Problem(Place(file, found.line("scenarios")), "There is no scenario."))
    for scenario in found.scenarios:
        try:
            cases.append(_case(path, found, scenario, models))
        except ScenarioFileError as error:
            problems += [problem for problem in error.problems if problem not in problems]
    if problems:
        raise ScenarioFileError(problems)
    return cases


def _repeated_names(file: str, found: ScenarioFile) -> list[Problem]:
    known: dict[str, int] = {}
    problems = []
    for scenario in found.scenarios:
        line = scenario.line("name")
        first = known.setdefault(scenario.name, line)
        if first != line:
            message = f"The scenario of line {first} has the same name, {scenario.name!r}."
            problems.append(Problem(Place(file, line), message))
    return problems


def _case(path: Path, found: ScenarioFile, scenario: Scenario, models: ModelFiles) -> Case:
    file, folder = str(path), path.parent
    of_file = Place(file, found.line("models"))
    of_scenario = Place(file, scenario.line("models"))
    paths = [models.read(folder, name, of_file) for name in found.models]
    paths += [models.read(folder, name, of_scenario) for name in scenario.models]
    zone = scenario.zone or found.zone
    mocks = merged(found.mocks, scenario.mocks)
    compiled = models.compile(paths, tuple(mocks.processes))
    _check_mocks(file, (found.mocks, scenario.mocks), compiled)
    return Case(
        file=file,
        folder=folder,
        scenario=scenario,
        models=compiled,
        mocks=mocks,
        start_ms=_start(file, found, scenario, zone),
        zone=zone,
    )


def _start(file: str, found: ScenarioFile, scenario: Scenario, zone: str) -> int:
    try:
        return schedule.parse_date_time(scenario.start_at or found.start_at, zone)
    except EvaluationError as error:  # the instant was checked: it is the zone
        line = scenario.line("zone") if scenario.zone else found.line("zone")
        raise ScenarioFileError((Problem(Place(file, line), str(error)),)) from None


def _check_mocks(file: str, given: Iterable[Mocks | None], models: Iterable[ModelFile]) -> None:
    """A mock that nobody can ask is misspelt. Raises ScenarioFileError."""
    processes = [process for model in models for process in model.processes]
    if not processes:
        return  # what is wrong with the models is said elsewhere
    problems = [
        Problem(Place(file, mocks.line(key)), message)
        for mocks in given
        if mocks is not None
        for key, message in _wrong_mocks(mocks, processes)
    ]
    if problems:
        raise ScenarioFileError(problems)


def _wrong_mocks(mocks: Mocks, processes: list[ProcessModel]) -> Iterator[tuple[str, str]]:
    """(key of the table, what is wrong) of each mock that nobody can ask."""
    elements = [label for process in processes for label in Names(process).labels()]
    types, all_known = _job_types(processes)
    for name in mocks.jobs:
        if all_known and name not in types and name not in elements:
            yield "jobs", f"No model has a job of the type {name!r}.{did_you_mean(name, types)}"
    for name in mocks.tasks:
        if name not in elements:
            yield "tasks", f"No model has a user task {name!r}.{did_you_mean(name, elements)}"
    for name in mocks.processes:
        if any(process.process_id == name for process in processes):
            yield "processes", f"The process {name!r} has a model: leave out one of them."


def _job_types(processes: Iterable[ProcessModel]) -> tuple[list[str], bool]:
    """The job types that are known before anything runs, and whether these are all."""
    found: list[str] = []
    all_known = True
    for process in processes:
        for job in process.jobs:
            if isinstance(job.type, str):
                found.append(job.type)
            else:
                all_known = False
    return found, all_known
