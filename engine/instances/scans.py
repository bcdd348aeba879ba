"""What is looked for among all element instances and waits, at a cost that does not grow with them.

Each search is a rule that reads a page of the document. Of a wide instance it is known of all pages
but those that changed lately (`engine/pages.py`); a narrow one is read as a whole. What comes out
is in the order of the keys, however the instance is kept.
"""

from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from typing import TypeAlias

from engine import state as s
from engine.lifecycle import ElementState
from engine.pages import Pages, read

Elements = Mapping[int, s.ElementInstance]
_FEW = 8
"""Scopes of which each is looked for by itself, near its own key, rather than all at once."""


# --- element instances inside others ---


def with_inner(state: s.ProcessInstance, key: int) -> list[int]:
    """The element instance and all inside it, outer before inner; each level by its keys."""
    found, level = [key], [key]
    while level:
        level = _inside(state, level)
        found.extend(level)
    return found


def inside(state: s.ProcessInstance, scope: int) -> list[int]:
    """The element instances directly inside a living one."""
    return _inside(state, (scope,))


def count_inside(state: s.ProcessInstance, scope: int) -> int:
    """How many element instances are directly inside a living one."""
    arrivals = state.arrivals.get(scope)
    return state.elements[scope].open - (sum(arrivals.values()) if arrivals else 0)


def _inside(state: s.ProcessInstance, scopes: Collection[int]) -> list[int]:
    if isinstance(state.elements, Pages) and len(scopes) <= _FEW:
        return sorted(chain.from_iterable(_inside_one(state, scope) for scope in scopes))
    if not any(state.elements[scope].open for scope in scopes):
        return []
    found: list[int] = []
    wanted = frozenset(scopes)
    for by_scope in read(state.elements, _by_scope):
        if len(by_scope) < len(wanted):
            found.extend(key for scope in by_scope if scope in wanted for key in by_scope[scope])
        else:
            found.extend(key for scope in scopes for key in by_scope.get(scope, ()))
    return sorted(found)


def _inside_one(state: s.ProcessInstance, scope: int) -> Iterator[int]:
    """An element instance has a higher key than its scope, and how many there are is counted."""
    left = count_inside(state, scope)
    if left:
        for by_scope in read(state.elements, _by_scope, since=scope):
            keys = by_scope.get(scope, ())
            yield from keys
            left -= len(keys)
            if not left:
                return


def by_scope_from_the_last(state: s.ProcessInstance) -> Iterator[dict[int, list[int]]]:
    """The element instances but the process's own, by their scope, page by page from the end."""
    elements = state.elements
    if isinstance(elements, Pages):
        return elements.read(_by_scope, backwards=True)
    return read(elements, _by_scope)


def _by_scope(page: Elements) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for key, element in page.items():
        if element.scope is not None:
            found.setdefault(element.scope, []).append(key)
    return found


Place: TypeAlias = tuple[int, str]
"""A scope and an element in it. The process itself is in the scope 0."""


def at(state: s.ProcessInstance, scope: int, element_id: str) -> list[int]:
    """The instances of an element directly inside a scope."""
    place = (scope, element_id)
    pages = read(state.elements, _by_place, since=scope)
    return [key for by_place in pages for key in by_place.get(place, ())]


def places(state: s.ProcessInstance) -> Iterator[tuple[Place, list[int]]]:
    """All element instances by their place; a place may come several times."""
    for by_place in read(state.elements, _by_place):
        yield from by_place.items()


def _by_place(page: Elements) -> dict[Place, list[int]]:
    found: dict[Place, list[int]] = {}
    for key, element in page.items():
        found.setdefault((element.scope or 0, element.element_id), []).append(key)
    return found


# --- by what they do ---


def empty(state: s.ProcessInstance) -> Iterator[tuple[str, list[int]]]:
    """The element instances that hold nothing, by their element; one may come several times."""
    for by_element in read(state.elements, _empty):
        yield from by_element.items()


def _empty(page: Elements) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for key, element in page.items():
        if not element.open and element.scope is not None:
            found.setdefault(element.element_id, []).append(key)
    return found


def terminating(state: s.ProcessInstance) -> Iterator[int]:
    """The element instances that are over and still to be ended."""
    return chain.from_iterable(read(state.elements, _terminating))


def _terminating(page: Elements) -> list[int]:
    return [key for key, each in page.items() if each.state is ElementState.TERMINATING]


def compensating(state: s.ProcessInstance) -> Iterator[int]:
    """The element instances that are handlers of compensation."""
    return chain.from_iterable(read(state.elements, _compensating))


def _compensating(page: Elements) -> list[int]:
    return [key for key, element in page.items() if element.compensates]


def stopped_loops(state: s.ProcessInstance) -> Iterator[int]:
    return chain.from_iterable(read(state.loops, _stopped))


def _stopped(page: Mapping[int, s.Loop]) -> list[int]:
    return [key for key, loop in page.items() if loop.stopped]


def unfinished_loops(state: s.ProcessInstance) -> Iterator[int]:
    """The loops that have further iterations to begin."""
    return chain.from_iterable(read(state.loops, _unfinished))


def _unfinished(page: Mapping[int, s.Loop]) -> list[int]:
    return [key for key, loop in page.items() if loop.wants_more]


# --- waits ---


def waits_of(state: s.ProcessInstance, kind: type[s.Wait]) -> list[int]:
    """The waits of a kind."""
    return [key for by_kind in read(state.waits, _by_kind) for key in by_kind.get(kind, ())]


def _by_kind(page: Mapping[int, s.Wait]) -> dict[type, list[int]]:
    found: dict[type, list[int]] = {}
    for key, wait in page.items():
        found.setdefault(type(wait), []).append(key)
    return found


def signal_waits(state: s.ProcessInstance, name: str) -> list[int]:
    """The waits for a signal."""
    return [key for by_name in read(state.waits, _by_signal) for key in by_name.get(name, ())]


def _by_signal(page: Mapping[int, s.Wait]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for key, wait in page.items():
        if isinstance(wait, s.SignalWait):
            found.setdefault(wait.name, []).append(key)
    return found


def waits_at(state: s.ProcessInstance, element_id: str) -> list[int]:
    """The waits for an event in the model; incidents are not among them."""
    pages = read(state.waits, _by_event)
    return [key for by_event in pages for key in by_event.get(element_id, ())]


def _by_event(page: Mapping[int, s.Wait]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for key, wait in page.items():
        event = None if isinstance(wait, s.IncidentWait) else getattr(wait, "element_id", None)
        if event is not None:
            found.setdefault(event, []).append(key)
    return found
