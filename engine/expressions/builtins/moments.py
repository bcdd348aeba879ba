"""Functions that make dates, times and durations, and that tell about them."""

from decimal import Decimal
from typing import Final

from engine.expressions.calendar import civil
from engine.expressions.calendar.temporal import (
    NANOS_PER_DAY,
    NANOS_PER_SECOND,
    Date,
    DateTime,
    DaysDuration,
    MonthsDuration,
    Time,
    at_instant,
    combine,
    from_epoch_ms,
    make_date,
)
from engine.expressions.calendar.temporal_text import (
    parse_date,
    parse_date_time,
    parse_duration,
    parse_time,
)
from engine.expressions.environment import Environment
from engine.expressions.functions import Signature, signature
from engine.expressions.numeric import CONTEXT, Number, truncated
from engine.values import Value

_UTC_MIDNIGHT: Final = Time(0, 0)
_OFFSET_MAX: Final = 14 * 3600 * NANOS_PER_SECOND
_DAY_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTH_NAMES = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip


def now(env: Environment) -> Value:
    """now: the command's time in the environment's zone"""
    return from_epoch_ms(env.now_ms, env.zone)


def today(env: Environment) -> Value:
    """today: the day of `now`"""
    return from_epoch_ms(env.now_ms, env.zone).date


def to_date(_env: Environment, value: Value) -> Value:
    """date, from a string, a date or a date and time"""
    match value:
        case str():
            return parse_date(value)
        case DateTime():
            return value.date
        case Date():
            return value
        case _:
            return None


def date_of_parts(_env: Environment, year: Number, month: Number, day: Number) -> Value:
    """date, from its parts"""
    return make_date(truncated(year), truncated(month), truncated(day))


def to_date_time(_env: Environment, value: Value) -> Value:
    """date and time, from a string, a date or a date and time"""
    match value:
        case str():
            return parse_date_time(value)
        case DateTime():
            return value
        case Date():
            return DateTime(value, _UTC_MIDNIGHT)
        case _:
            return None


def date_at_time(_env: Environment, date: Date | DateTime, time: Time) -> Value:
    """date and time, from a day and a time"""
    return combine(date.date if isinstance(date, DateTime) else date, time)


def in_zone(_env: Environment, moment: DateTime, zone: str) -> Value:
    """date and time, the same instant in another zone (or offset); a local one is just put there"""
    there = _UTC_MIDNIGHT if zone == "Z" else parse_time(f"00:00:00@{zone}")
    if there is None:
        there = parse_time(f"00:00:00{zone}")
    if there is None or there.offset is None:
        return None
    if moment.time.offset is None:
        return combine(moment.date, Time(moment.time.nanos, there.offset, there.zone))
    return at_instant(moment.instant, there)


def to_time(_env: Environment, value: Value) -> Value:
    """time, from a string, a time, a date or a date and time"""
    match value:
        case str():
            return parse_time(value.removeprefix("T"))
        case DateTime():
            return value.time
        case Date():
            return _UTC_MIDNIGHT
        case Time():
            return value
        case _:
            return None


def time_of_parts(
    _env: Environment,
    hour: Number,
    minute: Number,
    second: Number,
    offset: DaysDuration | None = None,
) -> Value:
    """time, from its parts"""
    hours, minutes = truncated(hour), truncated(minute)
    if not (0 <= hours <= 23 and 0 <= minutes <= 59 and 0 <= second < 60):
        return None
    nanos = int(CONTEXT.multiply(Decimal(second), NANOS_PER_SECOND))
    nanos += (hours * 3600 + minutes * 60) * NANOS_PER_SECOND
    if offset is None:
        return Time(nanos)
    if abs(offset.nanos) > _OFFSET_MAX:
        return None
    return Time(nanos, offset.nanos // NANOS_PER_SECOND)


def to_duration(_env: Environment, value: Value) -> Value:
    """duration, from a string"""
    if isinstance(value, str):
        return parse_duration(value)
    return value if isinstance(value, (DaysDuration, MonthsDuration)) else None


def months_between(_env: Environment, start: Date | DateTime, end: Date | DateTime) -> Value:
    """years and months duration: whole months from one day to another"""
    first, last = _day(start), _day(end)
    months = (last.year - first.year) * 12 + last.month - first.month
    if months > 0 and last.day < first.day:
        months -= 1
    elif months < 0 and last.day > first.day:
        months += 1
    return MonthsDuration(months)


def _day(value: Date | DateTime) -> Date:
    return value.date if isinstance(value, DateTime) else value


def cycle(_env: Environment, repetitions: Value, interval: DaysDuration | MonthsDuration) -> Value:
    """cycle: the text of a timer cycle (Camunda 8); for ever if there is no number"""
    if repetitions is None:
        return f"R/{_timer_text(interval)}"
    if isinstance(repetitions, bool) or not isinstance(repetitions, (int, Decimal)):
        return None
    return f"R{truncated(repetitions)}/{_timer_text(interval)}"


def endless_cycle(env: Environment, interval: DaysDuration | MonthsDuration) -> Value:
    """cycle, for ever"""
    return cycle(env, None, interval)


def _timer_text(interval: DaysDuration | MonthsDuration) -> str:
    """Without days: a timer would add those on the calendar, and not as exact time."""
    if isinstance(interval, MonthsDuration) or abs(interval.nanos) < NANOS_PER_DAY:
        return interval.json_text()
    days, rest = divmod(abs(interval.nanos), NANOS_PER_DAY)
    hours, rest = divmod(rest, 3600 * NANOS_PER_SECOND)
    below = DaysDuration(rest).json_text().removeprefix("PT").removeprefix("0S")
    return f"{'-' if interval.nanos < 0 else ''}PT{days * 24 + hours}H{below}"


def day_of_year(_env: Environment, date: Date | DateTime) -> Value:
    """day of year"""
    day = _day(date)
    return day.days - civil.to_days(day.year, 1, 1) + 1


def day_of_week(_env: Environment, date: Date | DateTime) -> Value:
    """day of week, in English"""
    return _DAY_NAMES[civil.weekday(_day(date).days) - 1]


def month_of_year(_env: Environment, date: Date | DateTime) -> Value:
    """month of year, in English"""
    return _MONTH_NAMES[_day(date).month - 1]


def week_of_year(_env: Environment, date: Date | DateTime) -> Value:
    """week of year, by ISO 8601"""
    day = _day(date)
    return civil.week_of_year(day.year, day.month, day.day)


def last_day_of_month(_env: Environment, date: Date | DateTime) -> Value:
    """last day of month"""
    day = _day(date)
    return Date(day.year, day.month, civil.days_in_month(day.year, day.month))


FUNCTIONS: Final[dict[str, tuple[Signature, ...]]] = {
    "now": (signature("", now),),
    "today": (signature("", today),),
    "date": (
        signature("from: any", to_date),
        signature("year: number, month: number, day: number", date_of_parts),
    ),
    "date and time": (
        signature("from: any", to_date_time),
        signature("date: day, time: time", date_at_time),
        signature("date: date and time, timezone: string", in_zone),
    ),
    "time": (
        signature("from: any", to_time),
        signature(
            "hour: number, minute: number, second: number, offset?: days duration", time_of_parts
        ),
    ),
    "duration": (signature("from: any", to_duration),),
    "cycle": (
        signature("interval: duration", endless_cycle),
        signature("repetitions: any, interval: duration", cycle),
    ),
    "years and months duration": (signature("from: day, to: day", months_between),),
    "day of year": (signature("date: day", day_of_year),),
    "day of week": (signature("date: day", day_of_week),),
    "month of year": (signature("date: day", month_of_year),),
    "week of year": (signature("date: day", week_of_year),),
    "last day of month": (signature("date: day", last_day_of_month),),
}
