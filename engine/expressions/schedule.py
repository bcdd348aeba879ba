"""When timers are due: durations, dates and cycles, from text or from what FEEL has evaluated.

Everything here is a pure function of its arguments. Instants are UTC epoch milliseconds. Years,
months, weeks and days are added on the calendar of a zone, hours and less as exact time: P1D keeps
the wall-clock time over a change of the clocks, PT24H does not. An instant in the past and a zero
or negative duration are legal: such a timer is due at once.
"""

import re
from typing import Final, TypeAlias

import msgspec

from engine.expressions.calendar import zones
from engine.expressions.calendar.temporal import (
    NANOS_PER_DAY,
    NANOS_PER_SECOND,
    Date,
    DateTime,
    DaysDuration,
    MonthsDuration,
    Time,
    add_months,
    at_instant,
    combine,
    date_of_days,
    epoch_ms,
    from_epoch_ms,
    make_date,
)
from engine.expressions.calendar.temporal_text import parse_offset
from engine.expressions.cron import Cron, CronError, next_fire, parse_cron
from engine.expressions.errors import EvaluationError
from engine.expressions.type_names import type_name
from engine.values import Value

# Years 1 to 9999: what every client library and store can represent.
INSTANT_MIN_MS: Final = -62_135_596_800_000
INSTANT_MAX_MS: Final = 253_402_300_799_999
_NANOS_PER_MS: Final = 1_000_000
_MS_PER_DAY: Final = 86_400_000
_MS_PER_MONTH: Final = 2_629_746_000  # on average; only to guess how many periods have passed
_GUESS_STEPS_MAX: Final = 100


class ScheduleError(EvaluationError):
    """The value is no duration, date or cycle. It becomes an incident, or a deployment finding."""


class Duration(msgspec.Struct, frozen=True):
    """Months and days to add on the calendar, then an exact length of time."""

    months: int = 0
    days: int = 0
    nanos: int = 0

    def times(self, count: int) -> "Duration":
        """The duration so many times."""
        return Duration(self.months * count, self.days * count, self.nanos * count)


class Cycle(msgspec.Struct, frozen=True):
    """R[n]/[start/]duration[/end]; `repetitions` is None for ever, `end_ms` the last instant.

    `zone` is the one that the start names: its calendar then counts, not the engine's.
    """

    repetitions: int | None
    duration: Duration
    start_ms: int | None = None
    end_ms: int | None = None
    zone: str | None = None


Recurrence: TypeAlias = Cycle | Cron

_NUMBER = r"([+-]?\d{1,9})"
_DURATION = re.compile(
    rf"([+-]?)P(?=[\dT+-])(?:{_NUMBER}Y)?(?:{_NUMBER}M)?(?:{_NUMBER}W)?(?:{_NUMBER}D)?"
    rf"(?:T(?=[\d+-])(?:{_NUMBER}H)?(?:{_NUMBER}M)?(?:{_NUMBER}(?:[.,](\d{{1,9}}))?S)?)?",
    re.ASCII | re.IGNORECASE,
)
_MOMENT = re.compile(
    r"([+-]\d{4,9}|\d{4})(?:-(\d\d)-(\d\d)|(\d\d)(\d\d))"
    r"(?:T(\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d{1,9})\d*)?)?)?"
    r"(Z|[+-]\d\d(?::?\d\d(?::?\d\d)?)?)?(?:\[([\w/+-]+)\]|@([\w/+-]+))?)?",
    re.ASCII | re.IGNORECASE,
)
_ZONE = re.compile(r"\[([^\[\]]+)\]$")
_SLASH = re.compile(r"/(?![^\[]*\])")  # not the one in [Europe/Berlin]
_REPETITIONS = re.compile(r"R(-1|\d{0,9})", re.ASCII)


TEXT_MAX: Final = 1_000
"""In characters. No schedule that somebody means is longer, and reading one takes time."""


def _bounded_text(value: str, what: str) -> str:
    if len(value) > TEXT_MAX:
        raise ScheduleError(f"A {what} has at most {TEXT_MAX} characters, this has {len(value)}.")
    return value.strip()


def parse_duration(value: Value) -> Duration:
    """A duration from ISO 8601 text or a FEEL duration. Raises ScheduleError."""
    if isinstance(value, DaysDuration):
        return Duration(nanos=value.nanos)
    if isinstance(value, MonthsDuration):
        return Duration(months=value.months)
    if not isinstance(value, str):
        raise ScheduleError(f"A duration is expected, but this is {_described(value)}.")
    match = _DURATION.fullmatch(_bounded_text(value, "duration"))
    if match is None:
        raise ScheduleError(f"{_quoted(value)} is not a duration such as PT1H30M or P1D.")
    years, months, weeks, days, hours, minutes, seconds = (
        int(part or 0) for part in match.groups()[1:8]
    )
    fraction = int((match[9] or "").ljust(9, "0"))
    nanos = (hours * 3600 + minutes * 60 + seconds) * NANOS_PER_SECOND
    nanos += -fraction if (match[8] or "").startswith("-") else fraction
    return Duration(years * 12 + months, weeks * 7 + days, nanos).times(
        -1 if match[1] == "-" else 1
    )


def add_duration(instant_ms: int, duration: Duration, zone: str) -> int:
    """The instant so much later (or earlier). Raises ScheduleError beyond the years 1 to 9999."""
    if duration.months or duration.days:
        instant_ms = _on_calendar(instant_ms, duration, _known(zone))
    return _bounded(instant_ms + duration.nanos // _NANOS_PER_MS)


def _on_calendar(instant_ms: int, duration: Duration, zone: str) -> int:
    moment = from_epoch_ms(_bounded(instant_ms), zone)
    date = add_months(moment.date, duration.months)
    date = None if date is None else date_of_days(date.days + duration.days)
    if date is None:
        raise ScheduleError(_BEYOND)
    return epoch_ms(combine(date, moment.time), zone)


_BEYOND = "The timer would be due outside of the years 1 to 9999."


def _bounded(instant_ms: int) -> int:
    if not INSTANT_MIN_MS <= instant_ms <= INSTANT_MAX_MS:
        raise ScheduleError(_BEYOND)
    return instant_ms


def parse_date_time(value: Value, zone: str) -> int:
    """The instant of an ISO 8601 date (and time), or of a FEEL date or date and time.

    Where the value names neither offset nor zone, it is wall-clock time of `zone`; a date alone is
    its midnight there. Raises ScheduleError.
    """
    _known(zone)
    if isinstance(value, Date):
        return _bounded(epoch_ms(DateTime(value, Time(0)), zone))
    if isinstance(value, DateTime):
        return _bounded(epoch_ms(value, zone))
    if not isinstance(value, str):
        raise ScheduleError(f"A date and time is expected, but this is {_described(value)}.")
    moment = _parse_moment(_bounded_text(value, "date"), zone)
    if moment is None:
        raise ScheduleError(
            f"{_quoted(value)} is not a date and time such as 2026-12-01T08:00:00Z."
        )
    return _bounded(moment)


def parse_due(value: Value, now_ms: int, zone: str) -> int:
    """The instant of a date (and time), or the one so much later than now as a duration says.

    Raises ScheduleError.
    """
    if isinstance(value, DaysDuration | MonthsDuration) or (
        isinstance(value, str) and value.strip().lstrip("+-").startswith(("P", "p"))
    ):
        return add_duration(now_ms, parse_duration(value), zone)
    return parse_date_time(value, zone)


def _parse_moment(text: str, zone: str) -> int | None:
    match = _MOMENT.fullmatch(text)
    if match is None:
        return None
    date = make_date(int(match[1]), int(match[2] or match[4]), int(match[3] or match[5]))
    clock = _nanos_of_day(match)
    named = match[11] or match[12]
    if date is None or clock is None or (named is not None and not zones.is_zone(named)):
        return None
    if match[10] is None:
        # Not as a time of day: 24:00:00 is legal, and is the next midnight.
        moment = at_instant(DateTime(date, Time(0)).instant + clock, Time(0))
        return None if moment is None else epoch_ms(moment, named or zone)
    # Java and ISO agree: where both are given, the offset decides and the zone only names it.
    offset = parse_offset(_with_colons(match[10]))
    midnight = epoch_ms(DateTime(date, Time(0)), "UTC")
    return None if offset is None else midnight + clock // _NANOS_PER_MS - offset * 1_000


def _nanos_of_day(match: re.Match[str]) -> int | None:
    hour, minute, second = (int(match[group] or 0) for group in (6, 7, 8))
    fraction = int((match[9] or "").ljust(9, "0"))
    if hour > 23 or minute > 59 or second > 59:
        return NANOS_PER_DAY if (hour, minute, second, fraction) == (24, 0, 0, 0) else None
    return (hour * 3600 + minute * 60 + second) * NANOS_PER_SECOND + fraction


def _with_colons(offset: str) -> str:
    """+01, +0100 and +01:00 as the last of them."""
    if offset in "Zz":
        return offset
    digits = offset[1:].replace(":", "").ljust(4, "0")
    return offset[0] + ":".join(digits[start : start + 2] for start in range(0, len(digits), 2))


def parse_cycle(value: Value, zone: str, *, quartz: bool = False) -> Recurrence:
    """A cycle from text: R[n]/[start/]duration[/end], R[n]/start/end, or a cron expression.

    R or R-1 repeats for ever. `quartz` selects the cron dialect of Camunda 7 and Flowable. Raises
    ScheduleError.
    """
    if not isinstance(value, str):
        raise ScheduleError(f"A cycle is expected, but this is {_described(value)}.")
    parts = [part.strip() for part in _SLASH.split(_bounded_text(value, "cycle"))]
    repetitions = _REPETITIONS.fullmatch(parts[0])
    if repetitions is None:
        return _parse_cron(value, quartz=quartz)
    count = None if repetitions[1] in ("", "-1") else int(repetitions[1])
    if len(parts) == 2:
        return Cycle(count, parse_duration(parts[1]))
    if len(parts) not in (3, 4):
        raise ScheduleError(f"{_quoted(value)} is not a cycle such as R3/PT10M.")
    return _parse_bounded_cycle(count, parts[1:], zone)


def _parse_cron(value: str, *, quartz: bool) -> Cron:
    try:
        return parse_cron(value, quartz=quartz)
    except CronError as error:
        raise ScheduleError(
            f"{_quoted(value)} is neither a cycle such as R3/PT10M nor a cron expression: {error}."
        ) from None


def _parse_bounded_cycle(count: int | None, parts: list[str], zone: str) -> Cycle:
    if _DURATION.fullmatch(parts[0]):
        if len(parts) > 2:
            raise ScheduleError("A cycle that begins with its duration ends with one date.")
        return Cycle(count, parse_duration(parts[0]), None, parse_date_time(parts[1], zone))
    start_ms = parse_date_time(parts[0], zone)
    if len(parts) == 2 and not _DURATION.fullmatch(parts[1]):
        end_ms = parse_date_time(parts[1], zone)
        return Cycle(count, Duration(nanos=(end_ms - start_ms) * _NANOS_PER_MS), start_ms)
    end = parse_date_time(parts[2], zone) if len(parts) > 2 else None
    named = _ZONE.search(parts[0])
    return Cycle(count, parse_duration(parts[1]), start_ms, end, named[1] if named else None)


def first_due(recurrence: Recurrence, now_ms: int, zone: str) -> int | None:
    """When it is due first, counted from its arming; None if never (R0, or its end is over).

    A start that is past is due at once, whatever was missed since.
    """
    if isinstance(recurrence, Cron):
        return next_fire(recurrence, now_ms, _known(zone))
    if recurrence.repetitions == 0:
        return None
    due = recurrence.start_ms
    if due is None:
        due = add_duration(now_ms, recurrence.duration, _known(zone))
    return _before_end(recurrence, due)


def next_due(recurrence: Recurrence, previous_due_ms: int, now_ms: int, zone: str) -> int | None:
    """The next instant of the schedule after both the previous one and now; None if there is none.

    Repetitions missed in between collapse into the one that fires now. Those left of R[n] are the
    caller's to count. A period that does not lead forward has no next instant.
    """
    after = max(previous_due_ms, now_ms)
    if isinstance(recurrence, Cron):
        return next_fire(recurrence, after, _known(zone))
    zone = recurrence.zone or zone
    # With a start every instant is counted from there: P1M from 31 January is 31 March again.
    anchor = previous_due_ms if recurrence.start_ms is None else recurrence.start_ms
    count = _periods_until(after, anchor, recurrence.duration, zone)
    if count is None:
        return None
    return _before_end(recurrence, add_duration(anchor, recurrence.duration.times(count), zone))


def _periods_until(after: int, anchor: int, duration: Duration, zone: str) -> int | None:
    """How many periods from the anchor lead beyond `after`, at the least."""
    period = duration.months * _MS_PER_MONTH + duration.days * _MS_PER_DAY
    period += duration.nanos // _NANOS_PER_MS
    if period <= 0 or add_duration(anchor, duration, zone) <= anchor:
        return None
    count = max(1, (after - anchor) // period - 1)
    while count > 1 and add_duration(anchor, duration.times(count - 1), zone) > after:
        count -= 1
    for _ in range(_GUESS_STEPS_MAX):
        if add_duration(anchor, duration.times(count), zone) > after:
            return count
        count += 1
    return None


def _before_end(cycle: Cycle, due: int) -> int | None:
    return None if cycle.end_ms is not None and due > cycle.end_ms else due


def _known(zone: str) -> str:
    if not zones.is_zone(zone):
        raise ScheduleError(f"There is no time zone {_quoted(zone)}.")
    return zone


def _described(value: Value) -> str:
    return "null" if value is None else f"a {type_name(value)}"


def _quoted(text: str) -> str:
    return f"'{text[:60]}'"
