"""Which elements and sequence flows of the models scenarios have passed."""

from collections.abc import Iterable

import msgspec

from engine import events as e
from engine.model.elements import (
    AnyElement,
    BoundaryEvent,
    CompensateTrigger,
    ProcessModel,
    SequenceFlow,
)
from scenarios import looking
from scenarios.models import ModelFile
from scenarios.names import Names
from scenarios.simulation import Simulation


class Part(msgspec.Struct, frozen=True):
    """An element or a flow: its id, and what people call it."""

    id: str
    label: str


class ProcessCoverage(msgspec.Struct, frozen=True, kw_only=True):
    """One process of a file: how many of its elements and flows there are, and which were left."""

    file: str
    process: str
    elements: int
    flows: int
    missing_elements: tuple[Part, ...]
    missing_flows: tuple[Part, ...]

    @property
    def covered(self) -> int:
        return self.total - len(self.missing_elements) - len(self.missing_flows)

    @property
    def total(self) -> int:
        return self.elements + self.flows


def percent(processes: Iterable[ProcessCoverage]) -> float:
    """The elements and flows passed, of all of them; 100 where there are none."""
    known = list(processes)
    total = sum(each.total for each in known)
    return 100.0 if not total else 100 * sum(each.covered for each in known) / total


class Coverage:
    """Collects what instances passed, by the file and process that they run."""

    def __init__(self) -> None:
        self._passed: dict[tuple[str, str], dict[str, None]] = {}
        self._models: dict[tuple[str, str], tuple[ModelFile, ProcessModel]] = {}

    def expect(self, models: Iterable[ModelFile]) -> None:
        """Models that are to be covered, even if no instance ever begins."""
        for file in models:
            for process in file.processes:
                self._models[file.checksum, process.process_id] = (file, process)

    def add(self, simulation: Simulation) -> None:
        """All that the instances of a run passed."""
        definitions = simulation.partitions[0].definitions
        for instance_id, parts in simulation.history.items():
            ref = definitions.find(parts[0].process_id, parts[0].version)
            if ref is None or (ref.checksum, parts[0].process_id) not in self._models:
                continue
            passed = self._passed.setdefault((ref.checksum, parts[0].process_id), {})
            for event in looking.events(simulation, instance_id):
                if isinstance(event, e.ElementActivated):
                    passed[event.element_id] = None
                elif isinstance(event, e.FlowTaken):
                    passed[event.flow_id] = None

    def report(self) -> list[ProcessCoverage]:
        """Each process, in the order in which scenarios named its file."""
        return [
            _process(file, model, self._passed.get(key, {}))
            for key, (file, model) in self._models.items()
        ]


def _process(file: ModelFile, model: ProcessModel, passed: dict[str, None]) -> ProcessCoverage:
    names = Names(model)
    return ProcessCoverage(
        file=file.shown,
        process=model.process_id,
        elements=len(model.elements),
        flows=len(model.flows),
        missing_elements=tuple(
            Part(element.id, names.label(element.id))
            for element in model.elements
            if element.id not in passed and _undone(model, element) not in passed
        ),
        missing_flows=tuple(
            Part(flow.id, _flow_label(model, names, flow))
            for flow in model.flows
            if flow.id not in passed
        ),
    )


def _undone(model: ProcessModel, element: AnyElement) -> str | None:
    """The handler behind a compensation boundary event, which never becomes active itself."""
    if not isinstance(element, BoundaryEvent) or not isinstance(element.trigger, CompensateTrigger):
        return None
    handler = getattr(model.elements[element.attached_to], "compensation", None)
    return None if handler is None else model.elements[handler].id


def _flow_label(model: ProcessModel, names: Names, flow: SequenceFlow) -> str:
    source, target = model.elements[flow.source].id, model.elements[flow.target].id
    named = f" ({flow.name})" if flow.name else ""
    return f"{names.label(source)} → {names.label(target)}{named}"
