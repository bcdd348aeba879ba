"""One run of a scenario: the simulation, and what is in it by the names that people use."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from engine import commands as c
from engine import records as r
from engine import state as s
from engine.expressions import MISSING, Environment
from engine.values import Value, decode, decode_object
from scenarios import looking
from scenarios.deployed import Deployed
from scenarios.errors import Mismatch
from scenarios.instances import Instance, Instances
from scenarios.names import Names
from scenarios.simulation import RECORDS_MAX, Simulation


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
        self.instances = Instances(simulation)
        self.deployed = Deployed(simulation)
        self.mark = 0
        """How many publications there were before the last step that did something."""
        self.expected_incidents: dict[str, None] = {}
        """The ids of the incidents that an expectation has named."""

    # --- what there is ---

    def names(self, instance: Instance) -> Names:
        return self.deployed.names_of(instance.process_id, instance.version)

    def names_in(self, instance_id: str) -> Names:
        """Raises KeyError: there was never an instance with this id."""
        return self.names(self.instances.with_id(instance_id))

    def waits(self, instances: Iterable[Instance]) -> Iterator[Held]:
        """All that some instances wait for, as it was armed."""
        for instance in instances:
            state = self.instances.living(instance)
            if state is None:
                continue
            for wait in state.waits.values():
                yield Held(instance, self.names(instance), looking.element_of(state, wait), wait)

    def incidents(self) -> list[Held]:
        """The incidents that are open, of all instances."""
        found = self.waits(self.instances.all())
        return [held for held in found if isinstance(held.wait, s.IncidentWait)]

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
        state = self.instances.living(instance)
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
