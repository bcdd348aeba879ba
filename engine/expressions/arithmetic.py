"""The arithmetic operators: a table per operator, from the types of both sides to their rule.

DMN 1.5 tables 56 to 59. What is not in a table is null.
"""

from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any, Final, TypeAlias

from engine.expressions.calendar.temporal import (
    DAYS_DURATION_NANOS_MAX,
    MONTHS_MAX,
    NANOS_PER_DAY,
    Date,
    DateTime,
    DaysDuration,
    MonthsDuration,
    Time,
    add_months,
    at_instant,
    combine,
    date_of_days,
)
from engine.expressions.numeric import CONTEXT, Number, divide, finite, power, truncated, whole
from engine.values import Value

_Rule: TypeAlias = Callable[[Any, Any], Value]
_Table: TypeAlias = dict[tuple[type, type], _Rule]
_UTC = Time(0, 0)


def _add_numbers(left: Number, right: Number) -> Number | None:
    return finite(CONTEXT.add(left, right))


def _subtract_numbers(left: Number, right: Number) -> Number | None:
    return finite(CONTEXT.subtract(left, right))


def _multiply_numbers(left: Number, right: Number) -> Number | None:
    return finite(CONTEXT.multiply(left, right))


def _days_duration(nanos: int) -> DaysDuration | None:
    return DaysDuration(nanos) if abs(nanos) <= DAYS_DURATION_NANOS_MAX else None


def _months_duration(months: int) -> MonthsDuration | None:
    return MonthsDuration(months) if abs(months) <= MONTHS_MAX else None


def _date_plus_days(date: Date, duration: DaysDuration) -> Date | None:
    return date_of_days(date.days + duration.nanos // NANOS_PER_DAY)


def _moment_plus_days(moment: DateTime, duration: DaysDuration) -> DateTime | None:
    return at_instant(moment.instant + duration.nanos, moment.time)


def _moment_plus_months(moment: DateTime, duration: MonthsDuration) -> DateTime | None:
    date = add_months(moment.date, duration.months)
    return None if date is None else combine(date, moment.time)


def _time_plus_days(time: Time, duration: DaysDuration) -> Time:
    return Time((time.nanos + duration.nanos) % NANOS_PER_DAY, time.offset, time.zone)


def _time_difference(left: Time, right: Time) -> DaysDuration | None:
    if (left.offset is None) is not (right.offset is None):
        return None
    return DaysDuration(left.instant - right.instant)


def _moment_difference(left: DateTime, right: DateTime) -> DaysDuration | None:
    if (left.time.offset is None) is not (right.time.offset is None):
        return None
    return _days_duration(left.instant - right.instant)


def _utc_midnight(date: Date) -> DateTime:
    """DMN 1.5 table 57: a date that meets a date and time counts as midnight UTC."""
    return DateTime(date, _UTC)


def _scale_days(duration: DaysDuration, factor: Number) -> DaysDuration | None:
    nanos = CONTEXT.multiply(duration.nanos, factor)
    return _days_duration(_nearest(nanos)) if nanos.is_finite() else None


def _scale_months(duration: MonthsDuration, factor: Number) -> MonthsDuration | None:
    months = CONTEXT.multiply(duration.months, factor)
    return _months_duration(truncated(months)) if months.is_finite() else None


def _divide_days(duration: DaysDuration, divisor: Number) -> DaysDuration | None:
    quotient = divide(duration.nanos, divisor)
    return None if quotient is None else _days_duration(_nearest(Decimal(quotient)))


def _divide_months(duration: MonthsDuration, divisor: Number) -> MonthsDuration | None:
    quotient = divide(duration.months, divisor)
    return None if quotient is None else _months_duration(truncated(quotient))


def _nearest(nanos: Decimal) -> int:
    if not -DAYS_DURATION_NANOS_MAX <= nanos <= DAYS_DURATION_NANOS_MAX:
        return 2 * DAYS_DURATION_NANOS_MAX
    return int(nanos.to_integral_value(ROUND_HALF_EVEN))


def _swapped(rule: _Rule) -> _Rule:
    return lambda left, right: rule(right, left)


def _for_numbers(rule: _Rule) -> _Table:
    kinds = (int, Decimal)
    return {(left, right): rule for left in kinds for right in kinds}


def _with_number(kind: type, rule: _Rule) -> _Table:
    return {(kind, int): rule, (kind, Decimal): rule}


_PLUS_DURATION: Final[_Table] = {
    (Date, DaysDuration): _date_plus_days,
    (DateTime, DaysDuration): _moment_plus_days,
    (Time, DaysDuration): _time_plus_days,
    (Date, MonthsDuration): lambda date, duration: add_months(date, duration.months),
    (DateTime, MonthsDuration): _moment_plus_months,
    (DaysDuration, DaysDuration): lambda left, right: _days_duration(left.nanos + right.nanos),
    (MonthsDuration, MonthsDuration): lambda left, right: _months_duration(
        left.months + right.months
    ),
}
_ADD: Final[_Table] = {
    **_for_numbers(_add_numbers),
    (int, int): lambda left, right: whole(left + right),
    (str, str): lambda left, right: left + right,
    **{(right, left): _swapped(rule) for (left, right), rule in _PLUS_DURATION.items()},
    **_PLUS_DURATION,
}


def _minus_duration(rule: _Rule) -> _Rule:
    return lambda left, right: rule(left, negate(right))


_SUBTRACT: Final[_Table] = {
    **_for_numbers(_subtract_numbers),
    (int, int): lambda left, right: whole(left - right),
    **{kinds: _minus_duration(rule) for kinds, rule in _PLUS_DURATION.items()},
    (Time, Time): _time_difference,
    (DateTime, DateTime): _moment_difference,
    (Date, Date): lambda left, right: _days_duration((left.days - right.days) * NANOS_PER_DAY),
    (Date, DateTime): lambda left, right: _moment_difference(_utc_midnight(left), right),
    (DateTime, Date): lambda left, right: _moment_difference(left, _utc_midnight(right)),
}
_SCALE: Final[_Table] = {
    **_with_number(DaysDuration, _scale_days),
    **_with_number(MonthsDuration, _scale_months),
}
_MULTIPLY: Final[_Table] = {
    **_for_numbers(_multiply_numbers),
    (int, int): lambda left, right: whole(left * right),
    **{(right, left): _swapped(rule) for (left, right), rule in _SCALE.items()},
    **_SCALE,
}
_DIVIDE: Final[_Table] = {
    **_for_numbers(divide),
    **_with_number(DaysDuration, _divide_days),
    **_with_number(MonthsDuration, _divide_months),
    (DaysDuration, DaysDuration): lambda left, right: divide(left.nanos, right.nanos),
    (MonthsDuration, MonthsDuration): lambda left, right: divide(left.months, right.months),
}
TABLES: Final[dict[str, _Table]] = {
    "+": _ADD,
    "-": _SUBTRACT,
    "*": _MULTIPLY,
    "/": _DIVIDE,
    "**": _for_numbers(power),
}


def calculate(operator: str, left: Value, right: Value) -> Value:
    """left operator right, or null."""
    rule = TABLES[operator].get((type(left), type(right)))
    return None if rule is None else rule(left, right)


def negate(operand: Value) -> Value:
    """-operand, or null if it has no opposite."""
    match operand:
        case bool():
            return None
        case int():
            return -operand
        case Decimal():
            return operand.copy_negate()
        case DaysDuration():
            return DaysDuration(-operand.nanos)
        case MonthsDuration():
            return MonthsDuration(-operand.months)
        case _:
            return None
