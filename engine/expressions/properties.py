"""What follows a dot: the entries of a context, the parts of a date, time, duration or range."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final, TypeAlias

from engine.expressions.calendar import civil
from engine.expressions.calendar.temporal import (
    NANOS_PER_DAY,
    NANOS_PER_SECOND,
    Date,
    DateTime,
    DaysDuration,
    MonthsDuration,
    Time,
)
from engine.expressions.environment import Environment
from engine.expressions.numeric import CONTEXT, Number
from engine.expressions.range_value import Range
from engine.values import Value, normalise

_Getters: TypeAlias = dict[str, Callable[[Any], Value]]


def _seconds(nanos: int) -> Number:
    return normalise(CONTEXT.divide(Decimal(nanos), NANOS_PER_SECOND))


def _signed(amount: int, part: Number) -> Number:
    if amount >= 0:
        return part
    return part.copy_negate() if isinstance(part, Decimal) else -part


def _offset(time: Time) -> Value:
    return None if time.offset is None else DaysDuration(time.offset * NANOS_PER_SECOND)


_DATE: Final[_Getters] = {
    "year": lambda date: date.year,
    "month": lambda date: date.month,
    "day": lambda date: date.day,
    "weekday": lambda date: civil.weekday(date.days),
}
_TIME: Final[_Getters] = {
    "hour": lambda time: time.nanos // (3600 * NANOS_PER_SECOND),
    "minute": lambda time: time.nanos // (60 * NANOS_PER_SECOND) % 60,
    "second": lambda time: _seconds(time.nanos % (60 * NANOS_PER_SECOND)),
    "time offset": _offset,
    "timezone": lambda time: time.zone,
}
_UTC = Time(0, 0)


def _of(part: Callable[[Any], Any], getters: _Getters) -> _Getters:
    return {name: _composed(part, getter) for name, getter in getters.items()}


def _composed(part: Callable[[Any], Any], getter: Callable[[Any], Value]) -> Callable[[Any], Value]:
    return lambda value: getter(part(value))


_GETTERS: Final[dict[type, _Getters]] = {
    # DMN 1.5 table 53: a date counts as midnight UTC where a time is asked for.
    Date: _DATE
    | _of(lambda date: _UTC, {name: _TIME[name] for name in _TIME if name != "timezone"}),
    Time: _TIME,
    DateTime: _of(lambda moment: moment.date, _DATE) | _of(lambda moment: moment.time, _TIME),
    DaysDuration: {
        "days": lambda value: _signed(value.nanos, abs(value.nanos) // NANOS_PER_DAY),
        "hours": lambda value: _signed(
            value.nanos, abs(value.nanos) // (3600 * NANOS_PER_SECOND) % 24
        ),
        "minutes": lambda value: _signed(
            value.nanos, abs(value.nanos) // (60 * NANOS_PER_SECOND) % 60
        ),
        "seconds": lambda value: _signed(
            value.nanos, _seconds(abs(value.nanos) % (60 * NANOS_PER_SECOND))
        ),
    },
    MonthsDuration: {
        "years": lambda value: _signed(value.months, abs(value.months) // 12),
        "months": lambda value: _signed(value.months, abs(value.months) % 12),
    },
    Range: {
        "start": lambda value: value.low,
        "end": lambda value: value.high,
        "start included": lambda value: value.low_included,
        "end included": lambda value: value.high_included,
    },
}


def get_property(value: Value, name: str, env: Environment) -> Value:
    """value.name; of a list, the list of each item's; null if there is none."""
    if isinstance(value, dict):
        return value.get(name)
    if isinstance(value, list):
        env.spend(len(value) >> 2)
        return [get_property(item, name, env) for item in value]
    getter = _GETTERS.get(type(value), {}).get(name)
    return None if getter is None else getter(value)
