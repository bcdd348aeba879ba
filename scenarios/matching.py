"""How what is expected is compared with what there is."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from engine.values import Value, encode
from scenarios.errors import Mismatch, did_you_mean

Wanted = TypeVar("Wanted")


class Item(msgspec.Struct, frozen=True):
    """Something that there is: its line for people, and by key whether it is as wanted."""

    line: str
    facts: Mapping[str, Callable[[Any], bool]]


def is_same(expected: Value, found: Value) -> bool:
    """Equal as JSON: true is not 1, and the order of an object's members does not matter."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return expected.keys() == found.keys() and all(
            is_same(value, found[name]) for name, value in expected.items()
        )
    if isinstance(expected, list) and isinstance(found, list):
        return len(expected) == len(found) and all(map(is_same, expected, found))
    return expected == found and isinstance(expected, bool) == isinstance(found, bool)


def check_variables(expected: Mapping[str, Value], found: Mapping[str, Value]) -> None:
    """Every variable that is expected is there with this value. Raises Mismatch."""
    wrong = [
        name
        for name, value in expected.items()
        if name not in found or not is_same(value, found[name])
    ]
    if wrong:
        raise Mismatch(
            "The variables are not as expected.",
            expected=[f"{name}: {shown(expected[name])}" for name in wrong],
            found=[_variable_line(name, found) for name in wrong],
        )


def _variable_line(name: str, found: Mapping[str, Value]) -> str:
    if name in found:
        return f"{name}: {shown(found[name])}"
    known = ", ".join(found) or "none at all"
    return f"no {name}.{did_you_mean(name, found)} There are: {known}"


def shown(value: Value) -> str:
    """A value for people: its JSON, shortened."""
    text = encode(value)
    return text if len(text) <= 200 else f"{text[:197]}..."


def check_all(
    what: str,
    expected: Sequence[Wanted],
    found: Sequence[Item],
    fits: Callable[[Wanted, Item], bool],
    line_of: Callable[[Wanted], str],
) -> None:
    """Each that is expected is there, and nothing else, in any order. Raises Mismatch.

    Where several patterns fit one item, the assignment is sought that suits all of them.
    """
    taken = _assignment(expected, found, fits)
    missing = [wanted for number, wanted in enumerate(expected) if number not in taken.values()]
    others = [item for number, item in enumerate(found) if number not in taken]
    if missing or others:
        raise Mismatch(
            f"The {what} are not as expected.",
            expected=[line_of(wanted) for wanted in expected] or [f"no {what}"],
            found=[item.line for item in found] or [f"no {what}"],
            hint=""
            if len(expected) + len(found) <= 2
            else _difference([line_of(each) for each in missing], [each.line for each in others]),
        )


def _difference(missing: Sequence[str], others: Sequence[str]) -> str:
    parts = []
    if missing:
        parts.append(f"missing: {'; '.join(missing)}")
    if others:
        parts.append(f"not expected: {'; '.join(others)}")
    return ", ".join(parts)


def _assignment(
    expected: Sequence[Wanted], found: Sequence[Item], fits: Callable[[Wanted, Item], bool]
) -> dict[int, int]:
    """Found number -> expected number, as many as possible (augmenting paths)."""
    taken: dict[int, int] = {}

    def place(wanted: int, tried: dict[int, None]) -> bool:
        for number, item in enumerate(found):
            if number in tried or not fits(expected[wanted], item):
                continue
            tried[number] = None
            if number not in taken or place(taken[number], tried):
                taken[number] = wanted
                return True
        return False

    for number in range(len(expected)):
        place(number, {})
    return taken


def check_order(
    what: str,
    expected: Sequence[Wanted],
    found: Sequence[Item],
    fits: Callable[[Wanted, Item], bool],
    line_of: Callable[[Wanted], str],
) -> None:
    """Each that is expected is there in this order, with anything in between. Raises Mismatch."""
    position = 0
    for wanted in expected:
        begin = position
        while position < len(found) and not fits(wanted, found[position]):
            position += 1
        if position == len(found):
            behind = "" if begin == 0 else f" behind {found[begin - 1].line!r}"
            raise Mismatch(
                f"The {what} do not go as expected.",
                expected=[line_of(each) for each in expected],
                found=[item.line for item in found] or [f"no {what}"],
                hint=f"missing{behind}: {line_of(wanted)}",
            )
        position += 1
