"""Camunda 7's conversion of a decision table's inputs and outputs to their declared types.

Other engines take these types for documentation, or for a check.
"""

from collections.abc import Callable
from typing import Final

from engine.decisions.errors import DecisionError
from engine.expressions import Environment
from engine.expressions.calendar.temporal import Date, DateTime
from engine.expressions.calendar.temporal_text import parse_date_time
from engine.expressions.juel.coercion import shown, to_number, to_text
from engine.expressions.numeric import truncated
from engine.values import Value


def _string(value: Value, env: Environment) -> Value:
    return value if isinstance(value, (list, dict)) else to_text(value, env)


def _boolean(value: Value, _env: Environment) -> Value:
    if isinstance(value, str):
        return value.lower() == "true"
    return value if isinstance(value, bool) else None


def _number(value: Value, _env: Environment) -> Value:
    return to_number(value)


def _whole(value: Value, _env: Environment) -> Value:
    return truncated(to_number(value))


def _date(value: Value, _env: Environment) -> Value:
    if isinstance(value, str):
        return parse_date_time(value)
    return value if isinstance(value, (Date, DateTime)) else None


_CONVERSIONS: Final[dict[str, Callable[[Value, Environment], Value]]] = {
    "string": _string,
    "boolean": _boolean,
    "integer": _whole,
    "long": _whole,
    "double": _number,
    "number": _number,
    "date": _date,
}


def convert(value: Value, kind: str | None, env: Environment) -> Value:
    """The value as one of the type. Raises EvaluationError if it cannot be one."""
    conversion = None if kind is None else _CONVERSIONS.get(kind)
    if value is None or conversion is None:
        return value
    converted = conversion(value, env)
    if converted is None:
        raise DecisionError(f"{shown(value)} is not of the type {kind}.")
    return converted
