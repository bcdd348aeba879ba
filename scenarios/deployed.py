"""The processes that are deployed in a simulation, and the names of their elements."""

from collections.abc import Iterator

from engine.aggregates import DeploymentsState, TimerStart
from engine.model.elements import ProcessModel
from engine.routing import DEPLOYMENTS
from scenarios.errors import Mismatch
from scenarios.names import Names
from scenarios.simulation import Simulation


class Deployed:
    """All versions of all processes."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._names: dict[tuple[str, int], Names] = {}

    def processes(self) -> list[str]:
        """The ids of the processes that are deployed."""
        return [process_id for state in self._states() for process_id in state.versions]

    def models(self) -> Iterator[ProcessModel]:
        """The models of all versions of all processes that are deployed."""
        definitions = self._simulation.partitions[0].definitions
        for process_id in self.processes():
            latest = definitions.find(process_id, None)
            for version in range(1, 1 if latest is None else latest.version + 1):
                yield self.names_of(process_id, version).model

    def timer_starts(self) -> Iterator[tuple[Names, TimerStart]]:
        """The timers that start instances, as they are armed."""
        for state in self._states():
            for start in state.timer_starts:
                yield self.names_of(start.process_id, start.version), start

    def _states(self) -> Iterator[DeploymentsState]:
        """At most one: whichever partition the deployments belong to has it."""
        for partition in self._simulation.partitions:
            state = partition.states.get(DEPLOYMENTS)
            if isinstance(state, DeploymentsState):
                yield state

    def names_of(self, process_id: str, version: int | None = None) -> Names:
        """The elements of a version of a process, the latest by default. Raises Mismatch."""
        ref = self._simulation.partitions[0].definitions.find(process_id, version)
        if ref is None:
            raise Mismatch(f"No process {process_id!r} is deployed.")
        key = (process_id, ref.version)
        if key not in self._names:
            model = self._simulation.contents.process(ref.checksum, process_id, ref.semantics)
            self._names[key] = Names(model)
        return self._names[key]
