"""Dates, times and durations from ISO 8601 text, in the forms of DMN (XML Schema) and Java."""

import re
from typing import Final

from engine.expressions.calendar import zones
from engine.expressions.calendar.temporal import (
    DAYS_DURATION_NANOS_MAX,
    MONTHS_MAX,
    NANOS_PER_DAY,
    NANOS_PER_SECOND,
    Date,
    DateTime,
    DaysDuration,
    MonthsDuration,
    Time,
    at_instant,
    combine,
    date_of_days,
    make_date,
    zoned_time,
)
from engine.values import ExpressionValue

_DATE = re.compile(r"(-?(?:\d{4}|[1-9]\d{4,8}))-(\d\d)-(\d\d)", re.ASCII)
_TIME = re.compile(
    r"(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?"
    r"(Z|z|[+-]\d\d:\d\d(?::\d\d)?)?"
    r"(?:@([A-Za-z0-9_+\-/]+)|\[([A-Za-z0-9_+\-/]+)\])?",
    re.ASCII,
)
_MONTHS = re.compile(r"(-?)P(?=\d)(?:(\d{1,12})Y)?(?:(\d{1,12})M)?", re.ASCII)
_DAYS = re.compile(
    r"(-?)P(?=\d|T\d)(?:(\d{1,12})D)?"
    r"(?:T(?=\d)(?:(\d{1,15})H)?(?:(\d{1,15})M)?(?:(\d{1,18})(?:\.(\d{0,9})\d*)?S)?)?",
    re.ASCII,
)
_MIDNIGHT_AFTER = re.compile(r"24:00:00(?:\.0{1,9})?(?![\d.])", re.ASCII)
_OFFSET_BEFORE_ZONE = re.compile(r"(Z|z|[+-][\d:]+)\[")
_OFFSET_HOURS_MAX: Final = 14


def parse_date(text: str) -> Date | None:
    """A date, or null."""
    match = _DATE.fullmatch(text)
    return make_date(int(match[1]), int(match[2]), int(match[3])) if match else None


def parse_offset(text: str) -> int | None:
    """Z or an offset such as +01:00, in seconds; null if out of range."""
    if text in "Zz":
        return 0
    parts = [int(part) for part in text[1:].split(":")]
    hours, minutes, seconds = (*parts, 0)[:3]
    if hours > _OFFSET_HOURS_MAX or minutes > 59 or seconds > 59:
        return None
    total = hours * 3600 + minutes * 60 + seconds
    return -total if text[0] == "-" else total


def _parse_clock(match: re.Match[str]) -> int | None:
    hour, minute, second = int(match[1]), int(match[2]), int(match[3] or 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    fraction = int((match[4] or "").ljust(9, "0"))
    return (hour * 3600 + minute * 60 + second) * NANOS_PER_SECOND + fraction


def parse_time(text: str) -> Time | None:
    """A time of day with an offset, a zone after @ or in brackets, or neither; or null."""
    match = _TIME.fullmatch(text)
    nanos = _parse_clock(match) if match else None
    if match is None or nanos is None:
        return None
    offset_part, zone = match[5], match[6] or match[7]
    if match[6] is not None and offset_part is not None:
        return None  # FEEL's @zone replaces the offset; only Java's bracket follows one
    if zone is not None and zone not in ("Z", "z"):
        return zoned_time(nanos, zone) if zones.is_zone(zone) else None
    if offset_part is None:
        return Time(nanos, None if zone is None else 0)
    offset = parse_offset(offset_part)
    return None if offset is None else Time(nanos, offset)


def parse_date_time(text: str) -> DateTime | None:
    """A date, T and a time; midnight for a date alone; 24:00:00 is the next midnight."""
    date_part, separator, time_part = text.partition("T")
    date = parse_date(date_part)
    if date is None or not separator:
        return None if date is None else DateTime(date, Time(0))
    if time_part.startswith("24:00:00") and _MIDNIGHT_AFTER.match(time_part):
        date, time_part = date_of_days(date.days + 1), "00" + time_part[2:]
    time = parse_time(time_part)
    if date is None or time is None:
        return None
    offset_part = _OFFSET_BEFORE_ZONE.search(time_part)
    if offset_part is None:
        return combine(date, time)
    # As Java does: the offset decides when that is, and the zone how it is written.
    offset = parse_offset(offset_part[1])
    instant = DateTime(date, Time(time.nanos, offset)).instant
    return None if offset is None else at_instant(instant, time)


def parse_duration(text: str) -> DaysDuration | MonthsDuration | None:
    """A duration of either kind, or null. A mixed one (P1M1D) is none: its length is undefined."""
    match = _MONTHS.fullmatch(text)
    if match is not None:
        months = int(match[2] or 0) * 12 + int(match[3] or 0)
        signed = -months if match[1] else months
        return MonthsDuration(signed) if months <= MONTHS_MAX else None
    match = _DAYS.fullmatch(text)
    if match is None:
        return None
    days, hours, minutes, seconds = (int(match[group] or 0) for group in range(2, 6))
    fraction = int((match[6] or "").ljust(9, "0"))
    nanos = days * NANOS_PER_DAY + fraction
    nanos += (hours * 3600 + minutes * 60 + seconds) * NANOS_PER_SECOND
    signed = -nanos if match[1] else nanos
    return DaysDuration(signed) if nanos <= DAYS_DURATION_NANOS_MAX else None


def parse_literal(text: str) -> ExpressionValue | None:
    """What FEEL writes after @: a date, time, date and time, or duration; or null."""
    if text.startswith(("P", "-P")):
        return parse_duration(text)
    return parse_date(text) or parse_time(text) or parse_date_time(text)
