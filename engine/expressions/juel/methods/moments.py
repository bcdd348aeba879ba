"""The methods of java.util.Date and Joda's DateTime that JUEL expressions may call.

`now()` gives the one and `dateTime()` the other in Camunda 7; here both are a date and time.
"""

from collections.abc import Callable
from typing import Final

from engine.expressions.arithmetic import calculate
from engine.expressions.calendar.temporal import (
    NANOS_PER_DAY,
    NANOS_PER_SECOND,
    DateTime,
    DaysDuration,
    MonthsDuration,
    Time,
    combine,
    epoch_ms,
    from_epoch_ms,
)
from engine.expressions.environment import Environment
from engine.expressions.errors import EvaluationError
from engine.expressions.juel.coercion import compare
from engine.expressions.juel.methods.method import Implementation, Method, index, method
from engine.expressions.properties import get_property
from engine.values import Value

_MONTHS: Final = {"Months": 1, "Years": 12}
_NANOS: Final = {
    "Seconds": NANOS_PER_SECOND,
    "Minutes": 60 * NANOS_PER_SECOND,
    "Hours": 3600 * NANOS_PER_SECOND,
}
_DAYS: Final = {"Days": 1, "Weeks": 7}
_PARTS: Final = {
    "getYear": "year",
    "getMonthOfYear": "month",
    "getDayOfMonth": "day",
    "getDayOfWeek": "weekday",
    "getHourOfDay": "hour",
    "getMinuteOfHour": "minute",
    "getSecondOfMinute": "second",
}
_AMOUNT_MAX: Final = 10**9


def _amount(value: Value) -> int:
    amount = index(value)
    if abs(amount) > _AMOUNT_MAX:
        raise EvaluationError(f"{amount} is too much to add to a date.")
    return amount


def _months_later(sign: int, months: int) -> Implementation:
    def later(_env: Environment, moment: DateTime, amount: Value) -> Value:
        return _dated(calculate("+", moment, MonthsDuration(sign * months * _amount(amount))))

    return later


def _nanos_later(sign: int, nanos: int) -> Implementation:
    def later(_env: Environment, moment: DateTime, amount: Value) -> Value:
        return _dated(calculate("+", moment, DaysDuration(sign * nanos * _amount(amount))))

    return later


def _days_later(sign: int, days: int) -> Implementation:
    """A day is a day of the calendar: the wall time stays, also where the clocks change."""

    def later(_env: Environment, moment: DateTime, amount: Value) -> Value:
        length = DaysDuration(sign * days * _amount(amount) * NANOS_PER_DAY)
        date = calculate("+", moment.date, length)
        return None if date is None else _dated(combine(date, moment.time))  # type: ignore[arg-type]  # a date plus days is a date

    return later


def _dated(moment: Value) -> Value:
    if moment is None:
        raise EvaluationError("The date is outside of the calendar.")
    return moment


def _shifts(sign: int, prefix: str) -> dict[str, Method]:
    shifts = {
        **{unit: _months_later(sign, months) for unit, months in _MONTHS.items()},
        **{unit: _days_later(sign, days) for unit, days in _DAYS.items()},
        **{unit: _nanos_later(sign, nanos) for unit, nanos in _NANOS.items()},
    }
    return {prefix + unit: method(shift, 1) for unit, shift in shifts.items()}


def _part(name: str) -> Implementation:
    return lambda env, moment: get_property(moment, name, env)


def _order(accepts: Callable[[int], bool]) -> Implementation:
    def check(env: Environment, moment: DateTime, other: Value) -> Value:
        order = compare(moment, other, env)
        return order is not None and accepts(order)

    return check


def _epoch_ms(env: Environment, moment: DateTime) -> Value:
    return epoch_ms(moment, env.zone)


def _start_of_day(_env: Environment, moment: DateTime) -> Value:
    return combine(moment.date, Time(0, moment.time.offset, moment.time.zone))


def now(env: Environment) -> DateTime:
    """The command's time in the environment's zone."""
    return from_epoch_ms(env.now_ms, env.zone)


_BEFORE = _order(lambda order: order < 0)
_AFTER = _order(lambda order: order > 0)
MOMENTS: Final[dict[str, Method]] = {
    **_shifts(1, "plus"),
    **_shifts(-1, "minus"),
    **{name: method(_part(part)) for name, part in _PARTS.items()},
    "after": method(_AFTER, 1),
    "before": method(_BEFORE, 1),
    "getMillis": method(_epoch_ms),
    "getTime": method(_epoch_ms),
    "isAfter": method(_AFTER, 1),
    "isAfterNow": method(lambda env, moment: _AFTER(env, moment, now(env))),
    "isBefore": method(_BEFORE, 1),
    "isBeforeNow": method(lambda env, moment: _BEFORE(env, moment, now(env))),
    "isEqual": method(_order(lambda order: order == 0), 1),
    "toDate": method(lambda _env, moment: moment),
    "toDateTime": method(lambda _env, moment: moment),
    "withTimeAtStartOfDay": method(_start_of_day),
}
