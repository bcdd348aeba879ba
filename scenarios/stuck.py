"""Incidents: the step that caused each, and those which no expectation of a scenario names."""

from collections.abc import Iterable, Iterator

from engine import state as s
from engine.model.elements import BoundaryEvent, ErrorTrigger, ProcessModel, StartEvent, parts_of
from scenarios.errors import Mismatch, Place, did_you_mean
from scenarios.format import steps as f
from scenarios.loading import Case
from scenarios.world import World


class Incidents:
    """The open incidents of a run, each with the place of the step after which it was there."""

    def __init__(self, case: Case, world: World) -> None:
        self._world = world
        self._thrown = tuple(_thrown_codes(case))
        self._places: dict[str, Place] = {}

    def look(self, place: Place) -> None:
        """What was not open before was caused by the step that stands at the place."""
        for held in self._world.incidents():
            self._places.setdefault(held.handle, place)

    def lines(self) -> list[tuple[str, str]]:
        """(message, line for people) of each incident that is open."""
        return [
            (
                wait.message,
                f"{held.label} has an incident, {wait.kind}: {wait.message}{self._meant(wait)}",
            )
            for held in self._world.incidents()
            if isinstance(wait := held.wait, s.IncidentWait)
        ]

    def unexpected(self) -> Iterator[tuple[Place, Mismatch]]:
        """Those that are open and that no expectation named, with the places of their steps."""
        for held in self._world.incidents():
            wait = held.wait
            if held.handle in self._world.expected_incidents:
                continue
            assert isinstance(wait, s.IncidentWait)
            what = f"{held.label} has an incident, which nothing expects."
            found = f"{wait.kind}: {wait.message}{self._meant(wait)}"
            hint = f"If it belongs here, expect it: `incidents: {{kind: {wait.kind}}}`."
            yield self._places[held.handle], Mismatch(what, found=[found], hint=hint)

    def _meant(self, wait: s.IncidentWait) -> str:
        """The code of an error that was probably meant by one that nothing catches."""
        thrown = next((code for code in self._thrown if repr(code) in wait.message), None)
        if wait.kind != "UNHANDLED_ERROR" or thrown is None:
            return ""
        return did_you_mean(thrown, _caught_codes(self._world.deployed.models()))


def _thrown_codes(case: Case) -> Iterator[str]:
    """The codes of the errors that the steps and mocks of a scenario throw."""
    for step in case.scenario.steps:
        if isinstance(step, f.ThrowError):
            yield step.code
    for table in (case.mocks.jobs, case.mocks.tasks, case.mocks.processes):
        for answers in table.values():
            yield from (answer.error for answer in answers or () if answer.error is not None)


def _caught_codes(models: Iterable[ProcessModel]) -> list[str]:
    return [
        trigger.code
        for model in models
        for element in model.elements
        if isinstance(element, BoundaryEvent | StartEvent)
        for trigger in parts_of(element.trigger)
        if isinstance(trigger, ErrorTrigger) and isinstance(trigger.code, str)
    ]
