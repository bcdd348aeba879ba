"""The instances of a simulation, by the names that people use for them."""

from itertools import islice

import msgspec

from engine import events as e
from engine import state as s
from scenarios.errors import Mismatch, did_you_mean
from scenarios.simulation import Simulation


class Instance(msgspec.Struct, frozen=True, kw_only=True):
    """An instance that has begun; it may have ended."""

    id: str
    process_id: str
    version: int
    business_key: str | None
    is_called: bool


class Instances:
    """All that ever were, those that have ended too."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._known: dict[str, Instance] = {}

    def all(self) -> list[Instance]:
        """As they began."""
        history = self._simulation.history
        for instance_id in islice(history, len(self._known), None):
            first = history[instance_id][0].events[0]
            assert isinstance(first, e.InstanceChanged)
            assert first.start is not None
            self._known[instance_id] = Instance(
                id=instance_id,
                process_id=first.start.process_id,
                version=first.start.version,
                business_key=first.start.business_key,
                is_called=first.start.parent_id is not None,
            )
        return list(self._known.values())

    def with_id(self, instance_id: str) -> Instance:
        """Raises KeyError: there was never one with this id."""
        if instance_id not in self._known:
            self.all()
        return self._known[instance_id]

    def find(self, name: str | None) -> Instance:
        """The last of this id, process or business key; None: the first that was not called.

        Raises Mismatch when there is none.
        """
        all_of_them = self.all()
        if name is None:
            found = [each for each in all_of_them if not each.is_called][:1]
        else:
            found = [each for each in all_of_them if each.id == name] or [
                each for each in all_of_them if name in {each.process_id, each.business_key}
            ]
        if found:
            return found[-1]
        if not all_of_them:
            raise Mismatch(
                "No instance has begun yet.",
                hint="A step `start: PROCESS`, a message, a signal or a timer begins one.",
            )
        known = {text for each in all_of_them for text in (each.id, each.process_id) if text}
        raise Mismatch(
            f"No instance is called {name!r}.{did_you_mean(name or '', sorted(known))}",
            found=[f"{each.process_id} {each.id}: {self.state(each)}" for each in all_of_them],
        )

    def family(self, instance: Instance) -> list[Instance]:
        """The instance and all that it called, directly or not."""
        return [
            each
            for each in self.all()
            if each.id == instance.id or each.id.startswith(f"{instance.id}~")
        ]

    def living(self, instance: Instance) -> s.ProcessInstance | None:
        """Its document; None: it has ended."""
        state = self._simulation.document(instance.id)
        return state if isinstance(state, s.ProcessInstance) else None

    def state(self, instance: Instance) -> str:
        """Its state in a word; that of one which ended long ago is forgotten."""
        state = self._simulation.document(instance.id)
        return "ended" if state is None else state.state.lower()

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
