"""One run of a scenario: the simulation, and what is in it by the names that people use."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

import msgspec

from engine import commands as c
from engine import events as e
from engine import records as r
from engine import state as s
from engine.aggregates import DeploymentsState, TimerStart
from engine.expressions import MISSING, Environment
from engine.model.elements import ProcessModel
from engine.routing import DEPLOYMENTS
from engine.values import Value, decode, decode_object
from scenarios import looking
from scenarios.errors import Mismatch, did_you_mean
from scenarios.names import Names
from scenarios.simulation import RECORDS_MAX, Simulation


class Instance(msgspec.Struct, frozen=True, kw_only=True):
    """An instance that has begun; it may have ended."""

    id: str
    process_id: str
    version: int
    business_key: str | None
    is_called: bool


class Held(msgspec.Struct, frozen=True):
    """A wait, the instance that has it, and the element that is waited for."""

    instance: Instance
    names: Names
    element_id: str
    wait: s.Wait

    @property
    def label(self) -> str:
        return self.names.label(self.element_id)

    @property
    def handle(self) -> str:
        """The id of the job, task or incident."""
        return f"{self.instance.id}:{self.wait.key}"


class World:
    """What the steps of a scenario act upon and look at."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.mark = 0
        """How many publications there were before the last step that did something."""
        self.expected_incidents: dict[str, None] = {}
        """The ids of the incidents that an expectation has named."""
        self._instances: dict[str, Instance] = {}
        self._names: dict[tuple[str, int], Names] = {}

    # --- instances ---

    def instances(self) -> list[Instance]:
        """All that ever were, as they began."""
        history = self.simulation.history
        for instance_id in islice(history, len(self._instances), None):
            first = history[instance_id][0].events[0]
            assert isinstance(first, e.InstanceChanged)
            assert first.start is not None
            self._instances[instance_id] = Instance(
                id=instance_id,
                process_id=first.start.process_id,
                version=first.start.version,
                business_key=first.start.business_key,
                is_called=first.start.parent_id is not None,
            )
        return list(self._instances.values())

    def with_id(self, instance_id: str) -> Instance:
        """Raises KeyError: there was never one with this id."""
        if instance_id not in self._instances:
            self.instances()
        return self._instances[instance_id]

    def instance(self, name: str | None) -> Instance:
        """The one that is meant; None: the first that was not called. Raises Mismatch."""
        all_of_them = self.instances()
        if name is None:
            found = [each for each in all_of_them if not each.is_called][:1]
        else:
            found = [each for each in all_of_them if each.id == name] or [
                each for each in all_of_them if name in {each.process_id, each.business_key}
            ]
        if found:
            return found[-1]
        if not all_of_them:
            raise Mismatch("No instance has begun yet.", hint=self._how_to_start())
        known = {text for each in all_of_them for text in (each.id, each.process_id) if text}
        raise Mismatch(
            f"No instance is called {name!r}.{did_you_mean(name or '', sorted(known))}",
            found=[f"{each.process_id} {each.id}: {self.state(each)}" for each in all_of_them],
        )

    def _how_to_start(self) -> str:
        return "A step `start: PROCESS`, a message, a signal or a timer begins one."

    def state(self, instance: Instance) -> str:
        """Its state in a word; that of one which ended long ago is forgotten."""
        state = self.simulation.document(instance.id)
        return "ended" if state is None else state.state.lower()

    def family(self, instance: Instance) -> list[Instance]:
        """The instance and all that it called, directly or not."""
        return [
            each
            for each in self.instances()
            if each.id == instance.id or each.id.startswith(f"{instance.id}~")
        ]

    def living(self, instance: Instance) -> s.ProcessInstance | None:
        state = self.simulation.document(instance.id)
        return state if isinstance(state, s.ProcessInstance) else None

    def waits(self, instances: Iterable[Instance]) -> Iterator[Held]:
        """All that some instances wait for, as it was armed."""
        for instance in instances:
            state = self.living(instance)
            for wait in () if state is None else state.waits.values():
                assert state is not None
                yield Held(instance, self.names(instance), looking.element_of(state, wait), wait)

    def incidents(self) -> list[Held]:
        """The incidents that are open, of all instances."""
        return [
            held for held in self.waits(self.instances()) if isinstance(held.wait, s.IncidentWait)
        ]

    def timer_starts(self) -> Iterator[tuple[Names, TimerStart]]:
        """The timers that start instances, as they are armed."""
        for partition in self.simulation.partitions:
            deployments = partition.states.get(DEPLOYMENTS)
            if isinstance(deployments, DeploymentsState):
                for start in deployments.timer_starts:
                    yield self.names_of(start.process_id, start.version), start

    def sleeps_at(self, instance: Instance) -> list[str]:
        """The ids of the elements in which nothing lives, and which wait themselves."""
        state = self.living(instance)
        if state is None:
            return []
        return [
            item.element_id
            for item in state.elements.values()
            if item.scope is not None and not item.open
        ]

    # --- names ---

    def names(self, instance: Instance) -> Names:
        return self.names_of(instance.process_id, instance.version)

    def processes(self) -> list[str]:
        """The ids of the processes that are deployed."""
        for partition in self.simulation.partitions:
            deployments = partition.states.get(DEPLOYMENTS)
            if isinstance(deployments, DeploymentsState):
                return list(deployments.versions)
        return []

    def models(self) -> Iterator[ProcessModel]:
        """The models of all versions of all processes that are deployed."""
        definitions = self.simulation.partitions[0].definitions
        for process_id in self.processes():
            latest = definitions.find(process_id, None)
            for version in range(1, 1 if latest is None else latest.version + 1):
                yield self.names_of(process_id, version).model

    def names_of(self, process_id: str, version: int | None = None) -> Names:
        """The elements of a version of a process, the latest by default. Raises Mismatch."""
        definitions = self.simulation.partitions[0].definitions
        ref = definitions.find(process_id, version)
        if ref is None:
            raise Mismatch(f"No process {process_id!r} is deployed.")
        key = (process_id, ref.version)
        if key not in self._names:
            self._names[key] = Names(self._model(ref.checksum, process_id, ref.semantics))
        return self._names[key]

    def _model(self, checksum: str, process_id: str, semantics: int) -> ProcessModel:
        return self.simulation.contents.process(checksum, process_id, semantics)

    def names_in(self, instance_id: str) -> Names:
        return self.names(self.with_id(instance_id))

    def path(self, instance: Instance) -> list[str]:
        """The ids of the elements that completed, in order; the process itself is none."""
        known = self.names(instance).model.element_index
        history = looking.events(self.simulation, instance.id)
        return [each for each in looking.completed(history) if each in known]

    # --- what is done ---

    def send(self, command: c.AnyCommand) -> r.Reply:
        """Send a command as a client does. Raises Mismatch when nobody answers."""
        reply = self.simulation.send(command)
        if reply is None:
            raise Mismatch(f"{type(command).__name__} was not answered.")
        return reply

    def pass_until(self, until: int) -> Iterator[None]:
        """Let time pass; yields after each instant at which timers fired."""
        for _ in range(RECORDS_MAX):
            due = self.simulation.next_due()
            if due is None or due > until:
                self.simulation.now = max(self.simulation.now, until)
                return
            self.simulation.now = max(self.simulation.now, due)
            self.simulation.fire_due()
            yield
        raise Mismatch(f"Timers fired more than {RECORDS_MAX} times: shorten the time that passes.")

    # --- variables ---

    def variables(self, instance: Instance) -> dict[str, Value]:
        """Those of the instance itself; of one that has completed, its result."""
        state = self.living(instance)
        if state is not None:
            return _decoded(state.variables.get(state.root, {}))
        effects: Sequence[r.Effect] = looking.records(self.simulation, r.Topic.EFFECTS)
        for effect in effects:
            if effect.instance_id == instance.id and effect.type == "InstanceCompleted":
                return _decoded(decode_object(effect.variables or "{}"))
        raise Mismatch("The instance has ended without completing: it has no variables any more.")

    def environment(self, variables: Mapping[str, Value]) -> Environment:
        """What an expression of a scenario may see: these variables, and the virtual clock."""
        return Environment(
            lookup=lambda name: variables.get(name, MISSING),
            now_ms=self.simulation.now,
            zone=self.simulation.settings.zone,
        )


def _decoded(texts: dict[str, str]) -> dict[str, Value]:
    return {name: decode(text) for name, text in texts.items()}
