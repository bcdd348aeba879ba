"""The functions that Flowable's decision tables call: of dates, and of collections.

A collection may be a text, as Flowable's modeler writes it: `"a", "b"` or `1, 2`.
"""

import re
from collections.abc import Callable
from typing import Final

from engine.expressions.calendar.temporal import DateTime, from_epoch_ms
from engine.expressions.environment import Environment
from engine.expressions.errors import EvaluationError
from engine.expressions.juel.coercion import shown
from engine.expressions.juel.methods import call_method
from engine.expressions.juel.methods.moments import now
from engine.expressions.numeric import parse_number
from engine.expressions.operators import equals
from engine.expressions.schedule import ScheduleError, parse_date_time
from engine.values import Value

_NUMBER: Final = re.compile(r"-?\d{1,34}(?:\.\d{1,34})?", re.ASCII)


def to_date(env: Environment, value: Value) -> Value:
    """A date and time; that of a date alone is midnight. Null stays null, which is before nothing.

    Raises EvaluationError.
    """
    if value is None or isinstance(value, DateTime):
        return value
    try:
        return from_epoch_ms(parse_date_time(value, env.zone), env.zone)
    except ScheduleError as error:
        raise EvaluationError(str(error)) from None


def add_date(env: Environment, value: Value, years: Value, months: Value, days: Value) -> Value:
    """So many years, months and days later."""
    return _shifted(env, value, ("plusYears", "plusMonths", "plusDays"), (years, months, days))


def subtract_date(
    env: Environment, value: Value, years: Value, months: Value, days: Value
) -> Value:
    """So many years, months and days earlier."""
    return _shifted(env, value, ("minusYears", "minusMonths", "minusDays"), (years, months, days))


def _shifted(
    env: Environment, value: Value, shifts: tuple[str, ...], amounts: tuple[Value, ...]
) -> Value:
    moment = to_date(env, value)
    for shift, amount in zip(shifts, amounts, strict=True):
        moment = None if moment is None else call_method(moment, shift, [amount], env)
    return moment


def today(env: Environment) -> Value:
    """The midnight at which the day has begun."""
    return call_method(now(env), "withTimeAtStartOfDay", [], env)


def _items(value: Value) -> list[Value]:
    if value is None:
        raise EvaluationError("A collection is null.")
    if isinstance(value, list):
        return value
    if not isinstance(value, str) or ("," not in value and not value.startswith('"')):
        return [value]
    return [_item(part.strip()) for part in value.split(",")]


def _item(part: str) -> Value:
    if part.startswith('"') and part.endswith('"') and len(part) > 1:
        return part[1:-1]
    if not _NUMBER.fullmatch(part):
        raise EvaluationError(f"{shown(part)} is no text in quotes and no number.")
    return parse_number(part)


def _all_of(env: Environment, collection: Value, value: Value) -> bool:
    """Whether the collection has all items of the other."""
    items, wanted = _items(collection), _items(value)
    env.spend(len(items) * len(wanted) >> 2)
    return all(any(equals(item, each, env) is True for item in items) for each in wanted)


def _any_of(env: Environment, collection: Value, value: Value) -> bool:
    """Whether the collection has an item of the other."""
    items, wanted = _items(collection), _items(value)
    env.spend(len(items) * len(wanted) >> 2)
    return any(equals(item, each, env) is True for item in items for each in wanted)


def _not(
    check: Callable[[Environment, Value, Value], bool],
) -> Callable[[Environment, Value, Value], Value]:
    return lambda env, collection, value: not check(env, collection, value)


COLLECTIONS: Final[dict[str, Callable[[Environment, Value, Value], Value]]] = {
    **dict.fromkeys(("allOf", "contains"), _all_of),
    **dict.fromkeys(("anyOf", "containsAny"), _any_of),
    **dict.fromkeys(("noneOf", "notContainsAny"), _not(_any_of)),
    **dict.fromkeys(("notAllOf", "notContains"), _not(_all_of)),
}
"""Of a collection and the items that are looked for in it. Each first name is the newer one."""
