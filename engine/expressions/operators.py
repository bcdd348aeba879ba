"""Equality, order and membership, with FEEL's third answer: null where values do not compare.

DMN 1.5 table 54 and section 10.3.2.13. One table per relation says which types compare, and how.
"""

import operator
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final, TypeAlias

from engine.expressions.calendar.temporal import Date, DateTime, DaysDuration, MonthsDuration, Time
from engine.expressions.environment import Environment
from engine.expressions.range_value import Range
from engine.values import Value

Answer: TypeAlias = bool | None
_Rule: TypeAlias = Callable[[Any, Any], Answer]

_NUMBERS = ((int, int), (int, Decimal), (Decimal, int), (Decimal, Decimal))
_SIMPLE_ORDERED = (str, Date, DaysDuration, MonthsDuration)


def _instants_equal(left: Time | DateTime, right: Time | DateTime) -> bool:
    if (_offset(left) is None) is not (_offset(right) is None):
        return False
    return left.instant == right.instant


def _instant_less(left: Time | DateTime, right: Time | DateTime) -> Answer:
    if (_offset(left) is None) is not (_offset(right) is None):
        return None
    return left.instant < right.instant


def _offset(value: Time | DateTime) -> int | None:
    return value.offset if isinstance(value, Time) else value.time.offset


_EQUAL: Final[dict[tuple[type, type], _Rule]] = {
    **dict.fromkeys(_NUMBERS, operator.eq),
    **{(kind, kind): operator.eq for kind in (bool, *_SIMPLE_ORDERED) if kind is not str},
    (Time, Time): _instants_equal,
    (DateTime, DateTime): _instants_equal,
}
_LESS: Final[dict[tuple[type, type], _Rule]] = {
    **dict.fromkeys(_NUMBERS, operator.lt),
    **{(kind, kind): operator.lt for kind in _SIMPLE_ORDERED},
    (Time, Time): _instant_less,
    (DateTime, DateTime): _instant_less,
}


def equals(left: Value, right: Value, env: Environment) -> Answer:
    """left = right; null for different types, but nothing except null equals null."""
    if left is None or right is None:
        return left is right
    rule = _EQUAL.get((type(left), type(right)))
    if rule is not None:
        return rule(left, right)
    costly = _EQUAL_BY_PARTS.get(type(left))
    return costly(left, right, env) if costly and type(left) is type(right) else None


def _texts_equal(left: str, right: str, env: Environment) -> bool:
    env.spend(len(left) >> 12)  # fast, but not for nothing in a loop
    return left == right


def _lists_equal(left: list[Value], right: list[Value], env: Environment) -> bool:
    if len(left) != len(right):
        return False
    env.spend(1 + (len(left) >> 2))  # short ones cost, too: they may hold each other many times
    return all(equals(one, other, env) is True for one, other in zip(left, right, strict=True))


def _contexts_equal(left: dict[str, Value], right: dict[str, Value], env: Environment) -> bool:
    if left.keys() != right.keys():
        return False
    env.spend(1 + (len(left) >> 2))
    return all(equals(value, right[key], env) is True for key, value in left.items())


def _ranges_equal(left: Range, right: Range, env: Environment) -> bool:
    return (
        (left.low_included, left.high_included, left.operator)
        == (right.low_included, right.high_included, right.operator)
        and equals(left.low, right.low, env) is True
        and equals(left.high, right.high, env) is True
    )


_EQUAL_BY_PARTS: Final[dict[type, Callable[[Any, Any, Environment], bool]]] = {
    str: _texts_equal,
    list: _lists_equal,
    dict: _contexts_equal,
    Range: _ranges_equal,
}


def less(left: Value, right: Value) -> Answer:
    """left < right; null where the two have no order."""
    rule = _LESS.get((type(left), type(right)))
    return None if rule is None else rule(left, right)


def at_most(left: Value, right: Value) -> Answer:
    """left <= right; null where the two have no order."""
    greater = less(right, left)
    return None if greater is None else not greater


def negated(answer: Answer) -> Answer:
    """Not, where not null is null."""
    return None if answer is None else not answer


def both(left: Answer, right: Answer) -> Answer:
    """And: false wins over null, null over true."""
    if left is False or right is False:
        return False
    return True if left and right else None


def between(value: Value, low: Value, high: Value) -> Answer:
    """low <= value <= high"""
    return both(at_most(low, value), at_most(value, high))


def contains(limits: Range, value: Value, env: Environment) -> Answer:
    """Whether the value lies within the range."""
    if limits.operator in ("=", "!="):
        answer = equals(value, limits.low, env)
        return answer if limits.operator == "=" else negated(answer)
    if value is None:
        return None
    low = _above(limits, value)
    return both(low, _below(limits, value))


def _above(limits: Range, value: Value) -> Answer:
    if limits.low is None:
        return True if limits.operator else None
    return at_most(limits.low, value) if limits.low_included else less(limits.low, value)


def _below(limits: Range, value: Value) -> Answer:
    if limits.high is None:
        return True if limits.operator else None
    return at_most(value, limits.high) if limits.high_included else less(value, limits.high)


def passes(value: Value, test: Value, env: Environment) -> Answer:
    """value in test: within a range, among the items of a list, or equal."""
    if isinstance(test, Range):
        return equals(value, test, env) if isinstance(value, Range) else contains(test, value, env)
    if isinstance(test, list):
        if isinstance(value, list) and equals(value, test, env):
            return True
        env.spend(1 + (len(test) >> 2))
        return any(passes(value, item, env) is True for item in test)
    return equals(value, test, env)
