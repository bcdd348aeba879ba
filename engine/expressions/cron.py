"""Cron expressions as Camunda 8 (Spring, six fields) and Camunda 7 (Quartz, six or seven) read it.

Second, minute, hour, day of month, month, day of week, and Quartz's year. A day must match both of
its fields. Weekdays count from Sunday: 0 (or 7) in Spring, 1 in Quartz. Search is pure and bounded.
"""

import re
from collections.abc import Mapping
from typing import Final, TypeAlias

import msgspec

from engine.expressions.calendar import civil, zones
from engine.expressions.calendar.temporal import NANOS_PER_SECOND, Date, Time, combine, epoch_ms

LENGTH_MAX: Final = 400
# Leap days, weekdays and the missing leap day of 2100 come together within 40 years.
_MONTHS_SEARCHED_MAX: Final = 12 * 41
_MS_PER_SECOND: Final = 1_000
_MACROS: Final = {
    "@YEARLY": "0 0 0 1 1 *",
    "@ANNUALLY": "0 0 0 1 1 *",
    "@MONTHLY": "0 0 0 1 * *",
    "@WEEKLY": "0 0 0 * * SUN",
    "@DAILY": "0 0 0 * * *",
    "@MIDNIGHT": "0 0 0 * * *",
    "@HOURLY": "0 0 * * * *",
}
_MONTHS: Final = {
    "JAN": 1, "FEB": 2, "MAR": 3, "APR": 4, "MAY": 5, "JUN": 6,
    "JUL": 7, "AUG": 8, "SEP": 9, "OCT": 10, "NOV": 11, "DEC": 12,
}  # fmt: skip
_WEEKDAYS: Final = {"SUN": 0, "MON": 1, "TUE": 2, "WED": 3, "THU": 4, "FRI": 5, "SAT": 6}
_ALL_HOURS: Final = tuple(range(24))
_DAY_RULE = re.compile(r"L(?:-(\d{1,2}))?|(\d{1,2}|L)W", re.ASCII)
_WEEKDAY_RULE = re.compile(r"([A-Z]{3}|\d)(?:#([1-5])|L)", re.ASCII)


class CronError(ValueError):
    """The text is no cron expression. The caller names it in an incident or a finding."""


class DayRule(msgspec.Struct, frozen=True):
    """Days of a month: a set, the last one less an offset, or the weekday nearest to one."""

    days: frozenset[int] = frozenset()
    last_offset: int | None = None
    nearest: int | None = None  # 0 for the last day


class WeekdayRule(msgspec.Struct, frozen=True):
    """Days by their weekday (0 for Sunday): all of them, or the nth (-1: the last) of the month."""

    weekdays: frozenset[int]
    nth: int | None = None


class Cron(msgspec.Struct, frozen=True):
    """A parsed expression. None for a field that allows everything."""

    seconds: tuple[int, ...]
    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: tuple[DayRule, ...] | None
    months: frozenset[int]
    weekdays: tuple[WeekdayRule, ...] | None
    years: frozenset[int] | None


class _Field(msgspec.Struct, frozen=True):
    """How the values of a field are written. `wraps`: 22-2 goes around, as weekdays always do."""

    low: int
    high: int
    names: Mapping[str, int] = {}
    wraps: bool = False
    shift: int = 0  # taken off a number, so that Quartz's weekdays begin at 0 too

    def value(self, text: str) -> int:
        named = self.names.get(text)
        if named is not None:
            return named
        if not (text.isascii() and text.isdigit() and len(text) <= 4):
            raise CronError(f"{text!r} is no value of its field")
        number = int(text) - self.shift
        if not self.low <= number <= self.high:
            raise CronError(f"{text} is out of range")
        return number

    def values(self, text: str) -> frozenset[int]:
        return frozenset().union(*(self._part(part) for part in text.split(",")))

    def _part(self, text: str) -> frozenset[int]:
        limits, slash, step_text = text.partition("/")
        step = int(step_text) if step_text.isascii() and step_text.isdigit() else 0
        if slash and not 1 <= step <= 9999:
            raise CronError(f"{text!r} has no valid step")
        first, last = self._limits(limits, open_ended=bool(slash))
        size = self.high - self.low + 1
        if last < first:
            if not self.wraps:
                raise CronError(f"{text!r} runs backwards")
            last += size
        return frozenset(
            self.low + (value - self.low) % size for value in range(first, last + 1, step or 1)
        )

    def _limits(self, text: str, *, open_ended: bool) -> tuple[int, int]:
        if text in ("*", "?"):
            return self.low, self.high
        first, dash, last = text.partition("-")
        start = self.value(first)
        if dash:
            return start, self.value(last)
        return start, self.high if open_ended else start


def parse_cron(text: str, *, quartz: bool = False) -> Cron:
    """Parse an expression of either dialect. Raises CronError."""
    if len(text) > LENGTH_MAX:
        raise CronError(f"it is longer than {LENGTH_MAX} characters")
    upper = text.strip().upper()
    fields = _MACROS.get(upper, upper).split()
    if len(fields) not in ((6, 7) if quartz else (6,)):
        raise CronError("six fields are expected" + (", or seven with the year" if quartz else ""))
    second, minute, hour, day, month, weekday, *years = fields
    sixty = _Field(0, 59, wraps=quartz)
    return Cron(
        seconds=tuple(sorted(sixty.values(second))),
        minutes=tuple(sorted(sixty.values(minute))),
        hours=tuple(sorted(_Field(0, 23, wraps=quartz).values(hour))),
        days=_parse_days(day, quartz=quartz),
        months=_Field(1, 12, _MONTHS, wraps=quartz).values(month),
        weekdays=_parse_weekdays(weekday, quartz=quartz),
        years=_Field(1970, 2199).values(years[0]) if years and years[0] not in ("*", "?") else None,
    )


def _parse_days(text: str, *, quartz: bool) -> tuple[DayRule, ...] | None:
    if text in ("*", "?"):
        return None
    field = _Field(1, 31, wraps=quartz)
    rules = []
    for part in text.split(","):
        match = _DAY_RULE.fullmatch(part)
        if match is None:
            rules.append(DayRule(days=field.values(part)))
        elif match[2] is None:
            rules.append(DayRule(last_offset=int(match[1] or 0)))
        else:
            rules.append(DayRule(nearest=0 if match[2] == "L" else field.value(match[2])))
    return tuple(rules)


def _parse_weekdays(text: str, *, quartz: bool) -> tuple[WeekdayRule, ...] | None:
    if text in ("*", "?"):
        return None
    # Spring's 7 is Sunday again, so its field runs from 0 to 7 until the values are folded.
    field = _Field(0, 6, _WEEKDAYS, wraps=True, shift=1) if quartz else _Field(0, 7, _WEEKDAYS)
    rules = []
    for part in text.split(","):
        match = _WEEKDAY_RULE.fullmatch(part)
        if match is not None:
            nth = int(match[2]) if match[2] else -1
            rules.append(WeekdayRule(frozenset({field.value(match[1]) % 7}), nth))
        elif part == "L" and quartz:
            rules.append(WeekdayRule(frozenset({6})))
        else:
            rules.append(WeekdayRule(_folded(field, part)))
    return tuple(rules)


def _folded(field: _Field, part: str) -> frozenset[int]:
    first, dash, last = part.partition("-")
    if dash and "/" not in part and field.value(first) > field.value(last):
        around = range(field.value(first), field.value(last) + 8)  # FRI-MON goes over Sunday
        return frozenset(value % 7 for value in around)
    return frozenset(value % 7 for value in field.values(part))


_Wall: TypeAlias = tuple[Date, int]  # a date and the second of its day


def next_fire(cron: Cron, after_ms: int, zone: str) -> int | None:
    """The first instant after `after_ms` at which the expression fires; None if there is none soon.

    A wall time that the zone skips fires as much later as the clock is set ahead. One that comes
    twice fires once, unless every hour fires: then a pause of an hour would be the surprise.
    """
    after_s = after_ms // _MS_PER_SECOND
    offset = zones.offset_of_instant(zone, after_s)
    found = _search(cron, _wall(after_s + offset + 1))
    steady = _steady(cron, found, offset, zone)
    while found is not None:
        instant = _instant(found, zone)
        if instant > after_s:
            return min(instant, steady or instant) * _MS_PER_SECOND
        found = _search(cron, _following(found))
    return None


def _steady(cron: Cron, found: _Wall | None, offset: int, zone: str) -> int | None:
    """The instant of the find as if the offset stayed the same, if that fires by its own wall."""
    if found is None or cron.hours != _ALL_HOURS:
        return None
    instant = found[0].days * zones.SECONDS_PER_DAY + found[1] - offset
    wall = _wall(instant + zones.offset_of_instant(zone, instant))
    return instant if _search(cron, wall) == wall else None


def _wall(second: int) -> _Wall:
    days, second_of_day = divmod(second, zones.SECONDS_PER_DAY)
    return Date(*civil.from_days(days)), second_of_day


def _following(wall: _Wall) -> _Wall:
    return _wall(wall[0].days * zones.SECONDS_PER_DAY + wall[1] + 1)


def _instant(wall: _Wall, zone: str) -> int:
    moment = combine(wall[0], Time(wall[1] * NANOS_PER_SECOND, None, zone))
    return epoch_ms(moment, zone) // _MS_PER_SECOND


def _search(cron: Cron, start: _Wall) -> _Wall | None:
    """The first wall time from `start` on that fits."""
    date, second = start
    year, month = date.year, date.month
    for _ in range(_MONTHS_SEARCHED_MAX):
        if month in cron.months and (cron.years is None or year in cron.years):
            for day in _days(cron, year, month):
                found = Date(year, month, day)
                if found < date:
                    continue
                clock = _clock(cron, second if found == date else 0)
                if clock is not None:
                    return found, clock
        year, month = (year, month + 1) if month < 12 else (_next_year(cron, year), 1)
        if year > 9998:
            return None
    return None


def _next_year(cron: Cron, year: int) -> int:
    if cron.years is None:
        return year + 1
    return min((later for later in cron.years if later > year), default=9999)


def _clock(cron: Cron, second: int) -> int | None:
    """The first time of day from that second on."""
    for hour in cron.hours:
        if hour < second // 3600:
            continue
        for minute in cron.minutes:
            base = hour * 3600 + minute * 60
            if base + 59 < second:
                continue
            for last in cron.seconds:
                if base + last >= second:
                    return base + last
    return None


def _days(cron: Cron, year: int, month: int) -> list[int]:
    """The days of the month that fit both fields."""
    length = civil.days_in_month(year, month)
    first = civil.weekday(civil.to_days(year, month, 1)) % 7
    days = set(range(1, length + 1))
    if cron.days is not None:
        days &= set().union(*(_of_day_rule(rule, length, first) for rule in cron.days))
    if cron.weekdays is not None:
        days &= set().union(*(_of_weekday_rule(rule, length, first) for rule in cron.weekdays))
    return sorted(days)


def _of_day_rule(rule: DayRule, length: int, first: int) -> set[int]:
    if rule.last_offset is not None:
        return {length - rule.last_offset}
    if rule.nearest is None:
        return set(rule.days)
    day = rule.nearest or length
    if day > length:
        return set()
    weekday = (first + day - 1) % 7
    if weekday == 6:  # Saturday: the Friday before, within the month
        return {day - 1 if day > 1 else day + 2}
    if weekday == 0:  # Sunday: the Monday after, within the month
        return {day + 1 if day < length else day - 2}
    return {day}


def _of_weekday_rule(rule: WeekdayRule, length: int, first: int) -> set[int]:
    days = [day for day in range(1, length + 1) if (first + day - 1) % 7 in rule.weekdays]
    if rule.nth is None:
        return set(days)
    if rule.nth > len(days):
        return set()
    return {days[rule.nth - 1] if rule.nth > 0 else days[-1]}
