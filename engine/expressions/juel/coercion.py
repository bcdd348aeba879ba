"""JUEL's coercions: what counts as a boolean, a number, a text, as empty, equal or less.

JSR-245 section 1.18. What cannot be coerced fails the evaluation, where FEEL would give null.
"""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Final

from engine.expressions.calendar.temporal import Date, DateTime, DaysDuration, MonthsDuration, Time
from engine.expressions.calendar.temporal_text import (
    parse_date,
    parse_date_time,
    parse_duration,
    parse_time,
)
from engine.expressions.environment import Environment
from engine.expressions.errors import EvaluationError
from engine.expressions.numeric import Number, number_text, parse_number
from engine.expressions.operators import equals as equals_strictly
from engine.expressions.operators import less as less_strictly
from engine.expressions.type_names import type_name
from engine.values import ExpressionValue, Value, ValueEncodeError, encode

NUMBERS: Final = frozenset((int, Decimal))
_NUMBER: Final = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?", re.ASCII)
_NUMBER_LENGTH_MAX: Final = 100
_SHOWN_MAX: Final = 40
_READERS: Final[dict[type, Callable[[str], ExpressionValue | None]]] = {
    Date: parse_date,
    DateTime: parse_date_time,
    Time: parse_time,
    DaysDuration: parse_duration,
    MonthsDuration: parse_duration,
}


def to_boolean(value: Value) -> bool:
    """Null and "" are false; a text is true if it is "true" in any case."""
    if type(value) is bool:
        return value
    if value is None:
        return False
    if isinstance(value, str):
        return value.lower() == "true"
    raise _not_a("boolean", value)


def to_number(value: Value) -> Number:
    """Null and "" are 0; a text is the number that it spells."""
    if type(value) in NUMBERS:
        return value  # type: ignore[return-value]  # just checked, without a call
    if value is None or value == "":
        return 0
    if isinstance(value, str) and len(value) <= _NUMBER_LENGTH_MAX and _NUMBER.fullmatch(value):
        number = parse_number(value)
        if number is not None:
            return number
    raise _not_a("number", value)


def to_text(value: Value, env: Environment) -> str:
    """Null is "", a list or an object is its JSON text."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, (int, Decimal)) and not isinstance(value, bool):
        return number_text(value)
    try:
        text = value.json_text() if isinstance(value, ExpressionValue) else encode(value)
    except ValueEncodeError as error:
        raise EvaluationError(str(error)) from None
    env.spend(len(text) >> 6)
    return text


def is_empty(value: Value) -> bool:
    """Null, "", a list or an object without entries."""
    return value is None or (isinstance(value, (str, list, dict)) and not value)


def equal(left: Value, right: Value, env: Environment) -> bool:
    """left == right: numbers first, then booleans, then texts; what is left must be alike."""
    if left is None or right is None:
        return left is right
    if type(left) in NUMBERS or type(right) in NUMBERS:
        return to_number(left) == to_number(right)
    if isinstance(left, bool) or isinstance(right, bool):
        return to_boolean(left) is to_boolean(right)
    left, right = _read_alike(left, right)
    if isinstance(left, str) or isinstance(right, str):
        return equals_strictly(to_text(left, env), to_text(right, env), env) is True
    return equals_strictly(left, right, env) is True


def compare(left: Value, right: Value, env: Environment) -> int | None:
    """Below, at or above 0 as left is less, equal or greater; null if just one of them is null."""
    if left is None or right is None:
        return 0 if left is right else None
    if type(left) in NUMBERS or type(right) in NUMBERS:
        one, other = to_number(left), to_number(right)
        return (one > other) - (one < other)
    left, right = _read_alike(left, right)
    if isinstance(left, bool) and isinstance(right, bool):
        return left - right
    if isinstance(left, str) or isinstance(right, str):
        before, after = to_text(left, env), to_text(right, env)
        env.spend(len(before) >> 12)
        return (before > after) - (before < after)
    below = less_strictly(left, right)
    if below is None:
        raise EvaluationError(f"A {type_name(left)} and a {type_name(right)} cannot be compared.")
    return -1 if below else int(less_strictly(right, left) is True)


def _read_alike(left: Value, right: Value) -> tuple[Value, Value]:
    """Read a text that meets a date as one.

    A departure from JSR-245: where Java had a date variable, JSON has its text
    (test_a_text_that_meets_a_date_is_read_as_one).
    """
    if isinstance(left, str):
        return _read_as(type(right), left), right
    if isinstance(right, str):
        return left, _read_as(type(left), right)
    return left, right


def _read_as(kind: type, text: str) -> Value:
    reader = _READERS.get(kind)
    if reader is None:
        return text
    read = reader(text)
    return text if read is None else read


def _not_a(wanted: str, value: Value) -> EvaluationError:
    return EvaluationError(f"{shown(value)} is not a {wanted}.")


def shown(value: Value) -> str:
    """A value inside a message, never long."""
    if isinstance(value, str):
        return repr(value if len(value) <= _SHOWN_MAX else value[: _SHOWN_MAX - 3] + "...")
    return f"A {type_name(value)}"
