"""Patterns: how they are compared with what there is, and said to people."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from engine.expressions import schedule
from engine.instances.stuck import IncidentKind
from engine.values import decode
from scenarios import matching
from scenarios.errors import Mismatch, did_you_mean
from scenarios.format.parts import Part, Pattern
from scenarios.matching import Item
from scenarios.names import Names
from scenarios.reading import keys_of
from scenarios.world import World

Fact: TypeAlias = Callable[[Any], bool]
"""Whether something is as the value behind a pattern's key wants it."""


def equal(found: object) -> Fact:
    return lambda wanted: bool(wanted == found)


def element(names: Names, element_id: str | None) -> Fact:
    if element_id is None:
        return lambda wanted: wanted is None
    return lambda wanted: wanted is not None and names.is_named(element_id, wanted)


def some(found: Mapping[str, Any] | None) -> Fact:
    """All that is wanted is among these names and values."""
    have = found or {}
    return lambda wanted: all(
        name in have and matching.is_same(value, have[name]) for name, value in wanted.items()
    )


def in_any_order(found: Sequence[str]) -> Fact:
    return lambda wanted: sorted(wanted) == sorted(found)


def part_of(found: str) -> Fact:
    return lambda wanted: wanted in found


def same_word(found: str) -> Fact:
    return lambda wanted: wanted.casefold() == found


def at(world: World, found: int | None) -> Fact:
    """The instant, as the zone of the scenario reads it."""
    zone = world.simulation.settings.zone
    return lambda wanted: (
        found == (None if wanted is None else schedule.parse_date_time(wanted, zone))
    )


def object_of(text: str) -> dict[str, Any]:
    """The object that a JSON text holds."""
    value = decode(text)
    assert isinstance(value, dict)
    return value


def fits(pattern: Part, item: Item) -> bool:
    """Whether something is as a pattern says; what it has no word for, it is not."""
    for key, field in keys_of(type(pattern)).items():
        wanted = getattr(pattern, field.name)
        if wanted is None and not pattern.wants_nothing(key):
            continue
        if key not in item.facts or not item.facts[key](wanted):
            return False
    return True


def line_of(pattern: Pattern) -> str:
    """A pattern for people: the text that it may be written as, and its other keys."""
    given = [
        (key, getattr(pattern, field.name))
        for key, field in keys_of(type(pattern)).items()
        if getattr(pattern, field.name) is not None or pattern.wants_nothing(key)
    ]
    texts = [
        str(value) if key == pattern.short else f"{key}: {_shown(value)}" for key, value in given
    ]
    return ", ".join(texts) or "any"


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return value
    return matching.shown(list(value) if isinstance(value, tuple) else value)


def asked(expected: Sequence[Part], facts: Mapping[str, Any]) -> str:
    """What patterns ask about, so that the difference is seen."""
    keys = {key for pattern in expected for key in pattern.lines}
    return "".join(f", {key}: {_shown(value)}" for key, value in facts.items() if key in keys)


def check_list(world: World, what: str, expected: Sequence[Pattern], found: Sequence[Item]) -> None:
    """Raises Mismatch; an element that no process has is named first."""
    check_elements(world, expected)
    matching.check_all(what, expected, found, fits, line_of)


def check_elements(world: World, expected: Sequence[Pattern]) -> None:
    """A misspelt element would never fit. Raises Mismatch when no process has one of them."""
    known = [
        label
        for process_id in world.deployed.processes()
        for label in world.deployed.names_of(process_id).labels()
    ]
    for pattern in expected:
        name = getattr(pattern, "element", None)
        if name is not None and name not in known:
            is_kind = name in set(IncidentKind)
            raise Mismatch(
                f"No element is {name!r}.{did_you_mean(name, known)}",
                hint=f"It is the kind of an incident: `{{kind: {name}}}`." if is_kind else "",
            )
