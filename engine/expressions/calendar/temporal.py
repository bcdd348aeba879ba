"""Dates, times and durations as immutable values, exact to the nanosecond.

A time with a named zone carries the offset of that zone too: at its date, or, for a time without
date, on 1 January 2000. Results outside of the calendar's years are null.
"""

from typing import Final

from engine.expressions.calendar import civil, zones
from engine.values import ExpressionValue

NANOS_PER_SECOND: Final = 1_000_000_000
NANOS_PER_DAY: Final = zones.SECONDS_PER_DAY * NANOS_PER_SECOND
_NANOS_PER_MS: Final = 1_000_000
_DAYS_OF_2000 = civil.to_days(2000, 1, 1)
# XML Schema bounds neither; Java bounds both near here, and so does the arithmetic above.
MONTHS_MAX: Final = 12 * 2**31
DAYS_DURATION_NANOS_MAX: Final = 2**63 * NANOS_PER_SECOND


class Date(ExpressionValue, frozen=True, order=True):
    """A day of the calendar."""

    year: int
    month: int
    day: int

    @property
    def days(self) -> int:
        """Days since 1970-01-01."""
        return civil.to_days(self.year, self.month, self.day)

    def json_text(self) -> str:
        """ISO 8601, the year with at least four digits."""
        sign, year = ("-", -self.year) if self.year < 0 else ("", self.year)
        return f"{sign}{year:04}-{self.month:02}-{self.day:02}"


class Time(ExpressionValue, frozen=True):
    """A time of day: local, with an offset from UTC, or with a zone and the offset it implies."""

    nanos: int
    offset: int | None = None
    zone: str | None = None

    @property
    def instant(self) -> int:
        """Nanoseconds that order times of day; only comparable if both or neither have offsets."""
        return self.nanos - (self.offset or 0) * NANOS_PER_SECOND

    def json_text(self) -> str:
        """ISO 8601, a zone in brackets behind the offset (RFC 9557), as Camunda stores it."""
        return clock_text(self.nanos) + zone_text(self)

    def feel_text(self) -> str:
        """As FEEL writes it: a zone behind @, without the offset that it implies."""
        return clock_text(self.nanos) + (f"@{self.zone}" if self.zone else zone_text(self))


class DateTime(ExpressionValue, frozen=True):
    """A date with a time of day."""

    date: Date
    time: Time

    @property
    def instant(self) -> int:
        """Nanoseconds since 1970-01-01T00:00:00 UTC, or local ones where there is no offset."""
        return self.date.days * NANOS_PER_DAY + self.time.instant

    def json_text(self) -> str:
        """ISO 8601, a zone in brackets behind the offset (RFC 9557), as Camunda stores it."""
        return f"{self.date.json_text()}T{self.time.json_text()}"

    def feel_text(self) -> str:
        """As FEEL writes it: a zone behind @, without the offset that it implies."""
        return f"{self.date.json_text()}T{self.time.feel_text()}"


class DaysDuration(ExpressionValue, frozen=True, order=True):
    """A days and time duration: an exact length of time."""

    nanos: int

    def json_text(self) -> str:
        """ISO 8601, in days, hours, minutes and seconds."""
        days, rest = divmod(abs(self.nanos), NANOS_PER_DAY)
        hours, rest = divmod(rest, 3600 * NANOS_PER_SECOND)
        minutes, rest = divmod(rest, 60 * NANOS_PER_SECOND)
        seconds, fraction = divmod(rest, NANOS_PER_SECOND)
        clock = (f"{hours}H" if hours else "") + (f"{minutes}M" if minutes else "")
        if seconds or fraction:
            clock += f"{seconds}{_fraction_text(fraction)}S"
        text = (f"{days}D" if days else "") + (f"T{clock}" if clock else "")
        return ("-" if self.nanos < 0 else "") + "P" + (text or "T0S")


class MonthsDuration(ExpressionValue, frozen=True, order=True):
    """A years and months duration: its length depends on where it is added."""

    months: int

    def json_text(self) -> str:
        """ISO 8601, in years and months."""
        years, months = divmod(abs(self.months), 12)
        text = (f"{years}Y" if years else "") + (f"{months}M" if months else "")
        return ("-" if self.months < 0 else "") + "P" + (text or "0M")


def _fraction_text(nanos: int) -> str:
    return f".{nanos:09}".rstrip("0") if nanos else ""


def clock_text(nanos: int) -> str:
    """Hours, minutes and seconds of a time of day."""
    seconds, fraction = divmod(nanos, NANOS_PER_SECOND)
    hours, rest = divmod(seconds, 3600)
    return f"{hours:02}:{rest // 60:02}:{rest % 60:02}{_fraction_text(fraction)}"


def zone_text(time: Time) -> str:
    """What follows the time of day: nothing, Z, an offset, or an offset and a zone."""
    offset = "" if time.offset is None else offset_text(time.offset)
    return offset if time.zone is None else f"{offset}[{time.zone}]"


def offset_text(offset: int) -> str:
    """An offset from UTC in seconds, as ISO 8601 writes it."""
    if not offset:
        return "Z"
    hours, rest = divmod(abs(offset), 3600)
    seconds = f":{rest % 60:02}" if rest % 60 else ""
    return f"{'-' if offset < 0 else '+'}{hours:02}:{rest // 60:02}{seconds}"


def make_date(year: int, month: int, day: int) -> Date | None:
    """The date, or null if the calendar has no such day."""
    if not (-civil.YEAR_MAX <= year <= civil.YEAR_MAX and 1 <= month <= 12):
        return None
    return Date(year, month, day) if 1 <= day <= civil.days_in_month(year, month) else None


def date_of_days(days: int) -> Date | None:
    """The date that many days after 1970-01-01, or null beyond the last year."""
    year, month, day = civil.from_days(days)
    return Date(year, month, day) if abs(year) <= civil.YEAR_MAX else None


def zoned_time(nanos: int, zone: str) -> Time:
    """A time of day in a named zone, without a date."""
    second = nanos // NANOS_PER_SECOND
    return Time(nanos, zones.offset_of_local(zone, _DAYS_OF_2000, second), zone)


def combine(date: Date, time: Time) -> DateTime:
    """The date at that time; in a named zone, with the offset that holds there on that date.

    A wall time that the zone skips (spring) moves ahead by the length of the gap.
    """
    if time.zone is None:
        return DateTime(date, time)
    offset = zones.offset_of_local(time.zone, date.days, time.nanos // NANOS_PER_SECOND)
    instant = date.days * NANOS_PER_DAY + time.nanos - offset * NANOS_PER_SECOND
    return at_instant(instant, Time(0, offset, time.zone)) or DateTime(date, time)


def at_instant(instant: int, like: Time) -> DateTime | None:
    """The wall time of an instant, with the offset or zone of `like`."""
    offset = like.offset
    if like.zone is not None:
        offset = zones.offset_of_instant(like.zone, instant // NANOS_PER_SECOND)
    days, nanos = divmod(instant + (offset or 0) * NANOS_PER_SECOND, NANOS_PER_DAY)
    date = date_of_days(days)
    return None if date is None else DateTime(date, Time(nanos, offset, like.zone))


def from_epoch_ms(epoch_ms: int, zone: str) -> DateTime:
    """The instant in a zone; in UTC with the plain offset Z. KeyError for an unknown zone."""
    like = Time(0, 0) if zone == "UTC" else Time(0, None, zone)
    moment = at_instant(epoch_ms * _NANOS_PER_MS, like)
    if moment is None:
        raise ValueError(f"{epoch_ms} ms is outside of the calendar.")
    return moment


def epoch_ms(moment: DateTime, zone: str) -> int:
    """UTC epoch milliseconds; a date-time without offset is read as wall time of the zone."""
    if moment.time.offset is None and zone != "UTC":
        moment = combine(moment.date, Time(moment.time.nanos, None, zone))
    return moment.instant // _NANOS_PER_MS


def add_months(date: Date, months: int) -> Date | None:
    """The same day that many months later, or the last day of a shorter month."""
    year, month = divmod(date.year * 12 + date.month - 1 + months, 12)
    if abs(year) > civil.YEAR_MAX:
        return None
    return Date(year, month + 1, min(date.day, civil.days_in_month(year, month + 1)))
