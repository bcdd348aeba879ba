"""Which of the conditions that are waited for may give something else, now that variables changed.

The model says which names a condition asks for; those that may change without them (`now()`, counts
of a loop) are asked at every change. Those that tell changes apart heed marks of these in place of
names, unless all are asked: after an incident, or in a further part of a transition. What waits on
a page of the document, by name, is read off it and known from then on (`engine/pages.py`).

A variable that was set is seen by what waits inside its scope. It may be covered there by another
of its name, nearer by: then the condition is asked in vain, which does no harm.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any, cast

from engine import state as s
from engine.expressions import Expression
from engine.instances.changes import CREATED, UPDATED
from engine.instances.scans import with_inner
from engine.model.elements import (
    ComplexGateway,
    ConditionTrigger,
    ProcessModel,
    parts_of,
    trigger_of,
)
from engine.pages import read
from engine.variables import LOOP_COUNTS

_ANY = ""
"""Stands for the names of a condition that is asked at every change."""

_MANY = 32
"""More waits by a name than this are not gone through, but what is inside of the scope."""


class ConditionNames:
    """The names that the conditions of a model ask for: of events by their texts, of gateways."""

    def __init__(self, model: ProcessModel) -> None:
        self._events: dict[tuple[str, str], tuple[str, ...]] = {}
        self._gateways: dict[str, tuple[str, ...]] = {}
        for element in model.elements:
            for trigger in parts_of(trigger_of(element)):
                if isinstance(trigger, ConditionTrigger):
                    self._events[element.id, trigger.condition.text] = _heeded(trigger)
            if isinstance(element, ComplexGateway) and element.asks_data and element.activation:
                self._gateways[element.id] = _names(element.activation)

    def touched(self, state: s.ProcessInstance, scope: int, names: Iterable[str]) -> list[int]:
        """The waits inside a scope, by their numbers, whose conditions ask for any of the names."""
        wanted = dict.fromkeys((*names, _ANY))
        if scope == state.root:
            return list(dict.fromkeys(self._by_name(state, wanted)))
        found = list(islice(self._by_name(state, wanted), _MANY + 1))
        if len(found) > _MANY:
            return list(self._inside(state, scope, wanted))
        found = list(dict.fromkeys(found))
        return [key for key in found if _is_inside(state, state.waits[key].owner, scope)]

    def all(self, state: s.ProcessInstance) -> Iterator[int]:
        """All waits with a condition, by their numbers; one may come several times."""
        for by_name in self._indexes(state):
            for keys in by_name.values():
                yield from keys

    def _by_name(self, state: s.ProcessInstance, wanted: dict[str, None]) -> Iterator[int]:
        names = wanted.keys()
        for by_name in self._indexes(state):
            if not names.isdisjoint(by_name):
                for name in by_name if len(by_name) < len(names) else names:
                    if name in wanted:
                        yield from by_name.get(name, ())

    def _indexes(self, state: s.ProcessInstance) -> Iterator[dict[str, list[int]]]:
        of_events = read(state.waits, self._of_events) if self._events else ()
        of_gateways = read(state.elements, self._of_gateways) if self._gateways else ()
        return chain(of_events, of_gateways)

    def _inside(
        self, state: s.ProcessInstance, scope: int, wanted: Mapping[str, None]
    ) -> Iterator[int]:
        for element in map(state.elements.__getitem__, with_inner(state, scope)):
            at_gateway = self._gateways.get(element.element_id, ())
            for key in element.waits:
                wait = state.waits[key]
                asked = self._asked(wait) if isinstance(wait, s.ConditionWait) else at_gateway
                if any(name in wanted for name in asked):
                    yield key

    def _asked(self, wait: s.ConditionWait) -> tuple[str, ...]:
        return self._events.get((wait.element_id, wait.condition), (_ANY,))

    def _of_events(self, part: Mapping[int, s.Wait]) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for key, wait in part.items():
            if isinstance(wait, s.ConditionWait):
                for name in self._asked(wait):
                    found.setdefault(name, []).append(key)
        return found

    def _of_gateways(self, part: Mapping[int, s.ElementInstance]) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for element in part.values():
            for name in self._gateways.get(element.element_id, ()):
                found.setdefault(name, []).extend(element.waits)
        return found


def names_of(model: ProcessModel) -> ConditionNames:
    """Computed once for a model."""
    known: Any = model.computed.get(ConditionNames)
    if known is None:
        known = model.computed[ConditionNames] = ConditionNames(model)
    return cast(ConditionNames, known)


def _heeded(trigger: ConditionTrigger) -> tuple[str, ...]:
    """The names that it asks for, or marks of the changes that its filter admits."""
    admitted = trigger.filter
    if admitted is None:
        return _names(trigger.condition)
    marks = CREATED * admitted.created + UPDATED * admitted.updated
    return tuple(f"{mark}{name}" for mark in marks for name in admitted.names or ("",))


def _names(condition: Expression) -> tuple[str, ...]:
    if condition.changes_alone or any(name in LOOP_COUNTS for name in condition.names):
        return (_ANY,)
    return condition.names


def _is_inside(state: s.ProcessInstance, key: int, scope: int) -> bool:
    here: int | None = key
    while here is not None and here != scope:
        here = state.elements[here].scope
    return here is not None
