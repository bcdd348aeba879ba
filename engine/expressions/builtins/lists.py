"""List functions that rearrange and search; those that reduce a list to a number are aggregates."""

import functools
from decimal import Decimal
from typing import Final

from engine.expressions.builtins.spread import offset
from engine.expressions.calendar.temporal import Date, DaysDuration, MonthsDuration
from engine.expressions.environment import NESTING_MAX, Environment
from engine.expressions.errors import BudgetExceededError
from engine.expressions.functions import Function, Signature, invoke, signature
from engine.expressions.numeric import Number, truncated
from engine.expressions.operators import equals, less
from engine.values import Value

_List = list[Value]


def list_contains(env: Environment, items: _List, element: Value) -> Value:
    """list contains"""
    env.spend(len(items) >> 2)
    return any(equals(item, element, env) is True for item in items)


def count(_env: Environment, items: _List) -> Value:
    """count"""
    return len(items)


def is_empty(_env: Environment, items: _List) -> Value:
    """is empty"""
    return not items


def sublist(_env: Environment, items: _List, start: Number, length: Number | None = None) -> Value:
    """sublist"""
    first = offset(start, len(items))
    if first is None:
        return None
    if length is None:
        return items[first:]
    end = first + truncated(length)
    return items[first:end] if length >= 1 and end <= len(items) else None


def append(_env: Environment, items: _List, further: _List) -> Value:
    """append"""
    return items + further


def concatenate(env: Environment, lists: _List) -> Value:
    """concatenate"""
    if None in lists:
        return None
    joined: _List = []
    for part in lists:
        joined.extend(part if isinstance(part, list) else [part])
        env.spend(1 + (len(joined) >> 6))
    return joined


def insert_before(_env: Environment, items: _List, position: Number, item: Value) -> Value:
    """insert before"""
    start = offset(position, max(len(items), 1))
    return None if start is None else [*items[:start], item, *items[start:]]


def remove(_env: Environment, items: _List, position: Number) -> Value:
    """remove"""
    start = offset(position, len(items))
    return None if start is None else items[:start] + items[start + 1 :]


def replace_at(_env: Environment, items: _List, position: Number, item: Value) -> Value:
    """list replace, at a position"""
    start = offset(position, len(items))
    return None if start is None else [*items[:start], item, *items[start + 1 :]]


def replace_matching(env: Environment, items: _List, match: Function, item: Value) -> Value:
    """list replace, wherever a function of the item and the new item says so"""
    if match.arity != 2:
        return None
    replaced: _List = []
    for old in items:
        answer = invoke(match, (old, item), env)
        if not isinstance(answer, bool):
            return None
        replaced.append(item if answer else old)
    return replaced


def reverse(_env: Environment, items: _List) -> Value:
    """reverse"""
    return items[::-1]


def index_of(env: Environment, items: _List, match: Value) -> Value:
    """index of: every position"""
    env.spend(len(items) >> 2)
    return [position for position, item in enumerate(items, 1) if equals(item, match, env) is True]


# Values of these types are equal exactly if their hashed keys are; the others are compared.
_HASHED: Final[dict[type, str]] = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    Decimal: "number",
    str: "string",
    Date: "date",
    DaysDuration: "days",
    MonthsDuration: "months",
}


def _distinct(items: _List, env: Environment) -> _List:
    distinct: _List = []
    keys: set[tuple[str, object]] = set()
    compared: _List = []
    env.spend(len(items) >> 2)
    for item in items:
        kind = _HASHED.get(type(item))
        if kind is not None:
            if (kind, item) not in keys:
                keys.add((kind, item))
                distinct.append(item)
            continue
        env.spend(1 + (len(compared) >> 2))
        if not any(equals(item, other, env) is True for other in compared):
            compared.append(item)
            distinct.append(item)
    return distinct


def union(env: Environment, lists: _List) -> Value:
    """union"""
    joined = concatenate(env, lists)
    return _distinct(joined, env) if isinstance(joined, list) else None


def distinct_values(env: Environment, items: _List) -> Value:
    """distinct values"""
    return _distinct(items, env)


def duplicate_values(env: Environment, items: _List) -> Value:
    """duplicate values"""
    return [item for item in _distinct(items, env) if len(_positions(items, item, env)) > 1]


def _positions(items: _List, match: Value, env: Environment) -> _List:
    positions = index_of(env, items, match)
    return positions if isinstance(positions, list) else []


def flatten(env: Environment, items: _List) -> Value:
    """flatten"""
    flat: _List = []
    _flatten_into(flat, items, env, 0)
    return flat


def _flatten_into(flat: _List, items: _List, env: Environment, depth: int) -> None:
    if depth > NESTING_MAX:
        raise BudgetExceededError(f"A list is nested deeper than {NESTING_MAX} levels.")
    env.spend(1 + (len(items) >> 2))
    for item in items:
        if isinstance(item, list):
            _flatten_into(flat, item, env, depth + 1)
        else:
            flat.append(item)


class _UnorderedError(Exception):
    """Two items have no order, so their list cannot be sorted."""


def sort(env: Environment, items: _List, precedes: Function | None = None) -> Value:
    """sort: by the order of the items, or by a function that says which of two comes first"""
    if precedes is not None and precedes.arity != 2:
        return None

    def before(left: Value, right: Value) -> bool:
        env.spend(1)
        answer = less(left, right) if precedes is None else invoke(precedes, (left, right), env)
        if not isinstance(answer, bool):
            raise _UnorderedError
        return answer

    def compare(left: Value, right: Value) -> int:
        return -1 if before(left, right) else int(before(right, left))

    try:
        return sorted(items, key=functools.cmp_to_key(compare))
    except _UnorderedError:
        return None


def partition(env: Environment, items: _List, size: Number) -> Value:
    """partition: into lists of that size, the last one shorter"""
    step = truncated(size)
    if step < 1:
        return None
    env.spend(len(items) // step)
    return [items[start : start + step] for start in range(0, len(items), step)]


FUNCTIONS: Final[dict[str, tuple[Signature, ...]]] = {
    "list contains": (signature("list: list, element: any", list_contains),),
    "count": (signature("list: list", count),),
    "is empty": (signature("list: list", is_empty),),
    "sublist": (
        signature("list: list, start position: number, length?: number", sublist),
        signature("list: list, start: number, length?: number", sublist),
    ),
    "append": (
        signature("list: list, item...: any", append),
        signature("list: list, items...: any", append),
    ),
    "concatenate": (
        signature("list...: any", concatenate),
        signature("lists...: any", concatenate),
    ),
    "insert before": (signature("list: list, position: number, newItem: any", insert_before),),
    "remove": (signature("list: list, position: number", remove),),
    "list replace": (
        signature("list: list, position: number, newItem: any", replace_at),
        signature("list: list, match: function, newItem: any", replace_matching),
    ),
    "reverse": (signature("list: list", reverse),),
    "index of": (signature("list: list, match: any", index_of),),
    "union": (signature("list...: any", union), signature("lists...: any", union)),
    "distinct values": (signature("list: list", distinct_values),),
    "duplicate values": (signature("list: list", duplicate_values),),
    "flatten": (signature("list: list", flatten),),
    "sort": (signature("list: list, precedes?: function", sort),),
    "partition": (signature("list: list, size: number", partition),),
}
