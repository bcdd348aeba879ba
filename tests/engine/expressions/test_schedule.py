"""Durations, dates and cycles: the calendar, changes of the clocks, and every refusal."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.expressions import Environment, compile_feel, schedule
from engine.expressions.schedule import (
    INSTANT_MAX_MS,
    INSTANT_MIN_MS,
    Cycle,
    Duration,
    ScheduleError,
    add_duration,
    first_due,
    next_due,
    parse_cycle,
    parse_date_time,
    parse_due,
    parse_duration,
)
from engine.values import Value

SECOND = 1_000_000_000
DAY_MS = 86_400_000


def ms(text: str) -> int:
    return parse_date_time(text, "UTC")


def feel(text: str) -> Value:
    return compile_feel(text).evaluate(Environment())


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("PT10S", Duration(0, 0, 10 * SECOND)),
        ("PT1H30M", Duration(0, 0, 5400 * SECOND)),
        ("P1Y2M", Duration(14)),
        ("P1DT12H", Duration(0, 1, 43_200 * SECOND)),
        ("P2W", Duration(0, 14)),
        ("PT0.5S", Duration(0, 0, SECOND // 2)),
        ("-PT5M", Duration(0, 0, -300 * SECOND)),
        ("P1Y2M3DT4H5M6S", Duration(14, 3, 14_706 * SECOND)),
        ("P1M", Duration(1)),
        ("pt10s", Duration(0, 0, 10 * SECOND)),
        ("PT1.123456789S", Duration(0, 0, 1_123_456_789)),
        ("P0D", Duration()),
        ("+PT5S", Duration(0, 0, 5 * SECOND)),
        ("PT-6H3M", Duration(0, 0, -21_420 * SECOND)),
        ("PT-0.5S", Duration(0, 0, -SECOND // 2)),
        (" PT1S ", Duration(0, 0, SECOND)),
    ],
)
def test_durations_are_read(text: str, duration: Duration) -> None:
    assert parse_duration(text) == duration


@pytest.mark.parametrize(
    "value",
    ["P", "PT", "1H", "P1H", "PT1D", "P1.5M", "P1Y2", "PT1S1H", "R3/PT1S", "P99999999999999999Y",
     "PT1_0S", "P\uff11D", "", None, 5, True, [], "P1DT"],
)  # fmt: skip
def test_what_is_no_duration_is_refused_with_a_sentence(value: Value) -> None:
    with pytest.raises(ScheduleError, match=r"\.$"):
        parse_duration(value)


def test_feel_durations_are_durations() -> None:
    assert parse_duration(feel('duration("P1DT1H")')) == Duration(nanos=90_000 * SECOND)
    assert parse_duration(feel('duration("P1Y1M")')) == Duration(months=13)


@pytest.mark.parametrize(
    ("start", "duration", "zone", "end"),
    [
        ("2026-01-31T10:00:00Z", "P1M", "UTC", "2026-02-28T10:00:00Z"),
        ("2026-03-28T12:00:00+01:00", "P1D", "Europe/Berlin", "2026-03-29T12:00:00+02:00"),
        ("2026-03-28T12:00:00+01:00", "PT24H", "Europe/Berlin", "2026-03-29T13:00:00+02:00"),
        ("2026-03-28T02:30:00+01:00", "P1D", "Europe/Berlin", "2026-03-29T03:30:00+02:00"),
        ("2024-02-29T00:00:00Z", "P1Y", "UTC", "2025-02-28T00:00:00Z"),
        ("2026-01-31T10:00:00Z", "P1Y2M3DT4H5M6S", "UTC", "2027-04-03T14:05:06Z"),
        ("2026-01-31T10:00:00Z", "-P1M", "UTC", "2025-12-31T10:00:00Z"),
        ("2026-01-31T10:00:00Z", "PT0S", "UTC", "2026-01-31T10:00:00Z"),
        ("2026-01-31T10:00:00Z", "PT0.0015S", "UTC", "2026-01-31T10:00:00.001Z"),
    ],
)
def test_durations_add_up(start: str, duration: str, zone: str, end: str) -> None:
    assert add_duration(ms(start), parse_duration(duration), zone) == ms(end)


@pytest.mark.parametrize("duration", ["P999999999Y", "-P9999Y", "PT999999999H", "P999999999D"])
def test_a_sum_beyond_the_calendar_is_refused(duration: str) -> None:
    with pytest.raises(ScheduleError, match="years 1 to 9999"):
        add_duration(ms("2026-01-01"), parse_duration(duration), "UTC")


@settings(deadline=None)
@given(
    st.integers(INSTANT_MIN_MS, INSTANT_MAX_MS),
    st.builds(
        Duration,
        st.integers(-(10**10), 10**10),
        st.integers(-(10**10), 10**10),
        st.integers(-(10**30), 10**30),
    ),
    st.sampled_from(["UTC", "Europe/Berlin", "Australia/Lord_Howe", "America/New_York"]),
)
def test_any_sum_is_an_instant_or_a_clean_refusal(
    start: int, duration: Duration, zone: str
) -> None:
    try:
        assert INSTANT_MIN_MS <= add_duration(start, duration, zone) <= INSTANT_MAX_MS
    except ScheduleError:
        return


@pytest.mark.parametrize(
    "text",
    [
        "2026-12-01T08:00:00Z",
        "2026-12-01T09:00:00+01:00",
        "2026-12-01T09:00:00+01:00[Europe/Berlin]",
        "2026-12-01T09:00:00[Europe/Berlin]",
        "2026-12-01T09:00:00@Europe/Berlin",
        "2026-12-01T08:00Z",
        "2026-12-01T08Z",
        "2026-12-01T08:00:00",
        "20261201T080000Z",
        "20261201T0900+0100",
        "2026-12-01T08:00:00.000000000Z",
        "2026-12-01T09:00:00+01",
        "2026-12-01t08:00:00z",
    ],
)
def test_every_form_of_a_date_is_the_same_instant(text: str) -> None:
    assert parse_date_time(text, "UTC") == 1_796_112_000_000


@pytest.mark.parametrize(
    ("value", "due"),
    [
        ("P1D", DAY_MS),
        (" -pt1s", -1_000),
        ("+PT1S", 1_000),
        (feel('duration("P1D")'), DAY_MS),
        (feel('duration("P1M")'), 31 * DAY_MS),
        ("1970-01-02", DAY_MS),
        (feel('date("1970-01-02")'), DAY_MS),
    ],
)
def test_what_is_due_is_a_date_or_so_much_later(value: Value, due: int) -> None:
    assert parse_due(value, 0, "UTC") == due


@pytest.mark.parametrize("value", ["soon", "P", 5, None])
def test_what_is_due_is_nothing_else(value: Value) -> None:
    with pytest.raises(ScheduleError):
        parse_due(value, 0, "UTC")


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2026-12-01", "2026-12-01T00:00:00Z"),
        ("2026-12-01T24:00:00Z", "2026-12-02T00:00:00Z"),
        ("2026-12-01T24:00", "2026-12-02T00:00:00Z"),
        ("2026-12-01T00:00:00.123456789Z", "2026-12-01T00:00:00.123Z"),
    ],
)
def test_special_forms_of_a_date(text: str, same: str) -> None:
    assert ms(text) == ms(same)


def test_a_date_without_zone_is_wall_time_of_the_given_zone() -> None:
    assert parse_date_time("2026-07-01T12:00:00", "Europe/Berlin") == ms("2026-07-01T10:00:00Z")
    assert parse_date_time("2026-07-01", "Europe/Berlin") == ms("2026-06-30T22:00:00Z")


def test_the_offset_decides_when_the_wall_time_comes_twice() -> None:
    later = parse_date_time("2026-10-25T02:30:00+01:00[Europe/Berlin]", "UTC")
    assert later == ms("2026-10-25T01:30:00Z")


def test_feel_dates_are_dates() -> None:
    assert parse_date_time(feel('date("2026-12-01")'), "UTC") == ms("2026-12-01")
    moment = feel('date and time("2026-12-01T09:00:00@Europe/Berlin")')
    assert parse_date_time(moment, "UTC") == ms("2026-12-01T08:00:00Z")
    local = feel('date and time("2026-12-01T09:00:00")')
    assert parse_date_time(local, "Europe/Berlin") == ms("2026-12-01T08:00:00Z")


@pytest.mark.parametrize(
    "value",
    ["", "2026", "2026-13-01", "2026-02-30", "2026-12-01T", "2026-12-01T25:00", "2026-12-01T08:60",
     "2026-12-01T24:00:01", "2026-12-01T08:00:00+15:00", "2026-12-01T08:00:00[Nowhere/Town]",
     "2026-12-01 08:00:00", "tomorrow", None, 1796112000000,
     "2026-12-01T08:00:00[../../etc/passwd]", "2026-12-01T08:00:00@etc", "12026-01-01",
     "+12026-01-01", "-2026-01-01T00:00:00Z", "0000-01-01"],
)  # fmt: skip
def test_what_is_no_date_is_refused_with_a_sentence(value: Value) -> None:
    with pytest.raises(ScheduleError, match=r"\.$"):
        parse_date_time(value, "UTC")


def test_an_unknown_zone_is_refused() -> None:
    with pytest.raises(ScheduleError, match="no time zone 'Nowhere'"):
        parse_date_time("2026-12-01", "Nowhere")


TEN = Duration(nanos=10 * SECOND)


@pytest.mark.parametrize(
    ("text", "cycle"),
    [
        ("R3/PT10S", Cycle(3, TEN)),
        ("R/PT10S", Cycle(None, TEN)),
        ("R-1/PT10S", Cycle(None, TEN)),
        ("R0/PT10S", Cycle(0, TEN)),
        ("R5/2026-12-01T08:00:00Z/PT10S", Cycle(5, TEN, 1_796_112_000_000)),
        ("R5/PT10S/2026-12-01T08:00:00Z", Cycle(5, TEN, None, 1_796_112_000_000)),
        (
            "R/2026-12-01T08:00:00Z/PT10S/2026-12-01T08:00:10Z",
            Cycle(None, TEN, 1_796_112_000_000, 1_796_112_010_000),
        ),
        ("R2/2026-12-01T08:00:00Z/2026-12-01T08:00:10Z", Cycle(2, TEN, 1_796_112_000_000)),
        ("R2/2026-12-01T09:00:00+01:00[Europe/Berlin]/P1M",
         Cycle(2, Duration(months=1), 1_796_112_000_000, None, "Europe/Berlin")),
    ],
)  # fmt: skip
def test_cycles_are_read(text: str, cycle: Cycle) -> None:
    assert parse_cycle(text, "UTC") == cycle


@pytest.mark.parametrize(
    "value",
    ["", "R", "R3", "PT10S", "R/", "Rx/PT1S", "R-2/PT1S", "R3/PT1S/PT1S", "R3/a/b/c/d", None, 3,
     "R3/PT1S/2026-12-01/2026-12-02", "0 0 *"],
)  # fmt: skip
def test_what_is_no_cycle_is_refused_with_a_sentence(value: Value) -> None:
    with pytest.raises(ScheduleError, match=r"\.$"):
        parse_cycle(value, "UTC")


def due_instants(text: str, start: str, count: int, zone: str = "UTC") -> list[int | None]:
    """The first instants, each fired at its own time."""
    cycle = parse_cycle(text, zone)
    due = first_due(cycle, ms(start), zone)
    found = [due]
    while due is not None and len(found) < count:
        due = next_due(cycle, due, due, zone)
        found.append(due)
    return found


def test_a_cycle_counts_from_its_arming() -> None:
    start = ms("2026-12-01")
    assert due_instants("R/PT10S", "2026-12-01", 3) == [start + 10_000 * n for n in (1, 2, 3)]


def test_a_cycle_with_start_begins_there() -> None:
    assert due_instants("R/2026-12-05T00:00:00Z/P1D", "2026-12-01", 2) == [
        ms("2026-12-05"),
        ms("2026-12-06"),
    ]


def test_a_past_start_is_due_at_once_and_then_on_schedule() -> None:
    cycle = parse_cycle("R/2020-01-01T06:00:00Z/P1D", "UTC")
    now = ms("2026-12-01T12:00:00Z")
    due = first_due(cycle, now, "UTC")
    assert due == ms("2020-01-01T06:00:00Z")
    assert next_due(cycle, due, now, "UTC") == ms("2026-12-02T06:00:00Z")


def test_missed_repetitions_collapse_and_the_schedule_holds() -> None:
    cycle = parse_cycle("R/PT5M", "UTC")
    due = ms("2026-12-01T00:05:00Z")
    late = ms("2026-12-02T00:07:13Z")
    assert next_due(cycle, due, late, "UTC") == ms("2026-12-02T00:10:00Z")


def test_months_from_a_start_keep_its_day() -> None:
    assert due_instants("R/2026-01-31T00:00:00Z/P1M", "2026-01-01", 4) == [
        ms("2026-01-31"),
        ms("2026-02-28"),
        ms("2026-03-31"),
        ms("2026-04-30"),
    ]


def test_days_keep_the_wall_time_over_a_change_of_the_clocks() -> None:
    assert due_instants("R/P1D", "2026-03-27T07:00:00Z", 3, "Europe/Berlin") == [
        ms("2026-03-28T08:00:00+01:00"),
        ms("2026-03-29T08:00:00+02:00"),
        ms("2026-03-30T08:00:00+02:00"),
    ]


def test_the_zone_of_the_start_counts() -> None:
    text = "R/2026-03-28T08:00:00+01:00[Europe/Berlin]/P1D"
    assert due_instants(text, "2026-03-01", 2, "UTC") == [
        ms("2026-03-28T08:00:00+01:00"),
        ms("2026-03-29T08:00:00+02:00"),
    ]


def test_a_cycle_ends_with_its_end() -> None:
    assert due_instants("R/PT1H/2026-12-01T02:30:00Z", "2026-12-01", 5) == [
        ms("2026-12-01T01:00:00Z"),
        ms("2026-12-01T02:00:00Z"),
        None,
    ]


def test_no_repetition_is_never_due() -> None:
    assert first_due(parse_cycle("R0/PT1S", "UTC"), 0, "UTC") is None


@pytest.mark.parametrize("text", ["R/PT0S", "R/-PT1S", "R/P1M-31D", "R/PT0.0001S"])
def test_a_period_that_leads_nowhere_is_due_once(text: str) -> None:
    instants = due_instants(text, "2026-12-01", 3)
    assert len(instants) == 2
    assert instants[0] is not None
    assert instants[1] is None


@settings(deadline=None)
@given(
    st.integers(ms("2000-01-01"), ms("2060-01-01")),
    st.integers(0, 20 * 365 * DAY_MS),
    st.sampled_from(["PT1S", "PT90M", "P1D", "P1W", "P1M", "P1Y", "P1M1DT1H", "PT0.007S"]),
    st.sampled_from(["UTC", "Europe/Berlin", "Australia/Lord_Howe"]),
)
def test_the_next_instant_is_the_first_one_after_now(
    previous: int, late: int, duration: str, zone: str
) -> None:
    cycle = parse_cycle(f"R/{duration}", zone)
    due = next_due(cycle, previous, previous + late, zone)
    assert due is not None
    assert due > previous + late
    period = parse_duration(duration)
    assert add_duration(due, period.times(-2), zone) <= previous + late + 3 * DAY_MS


def test_cron_is_a_recurrence_too() -> None:
    cron = parse_cycle("0 0 9 * * MON-FRI", "UTC")
    due = first_due(cron, ms("2026-11-29T14:00:00Z"), "UTC")
    assert due == ms("2026-11-30T09:00:00Z")
    assert next_due(cron, due, ms("2026-12-04T10:00:00Z"), "UTC") == ms("2026-12-07T09:00:00Z")


def test_the_cron_dialect_decides_what_a_weekday_number_means() -> None:
    spring, quartz = (
        parse_cycle("0 0 12 ? * 2", "UTC"),
        parse_cycle("0 0 12 ? * 2", "UTC", quartz=True),
    )
    now = ms("2026-11-29T14:00:00Z")
    assert first_due(spring, now, "UTC") == ms("2026-12-01T12:00:00Z")
    assert first_due(quartz, now, "UTC") == ms("2026-11-30T12:00:00Z")


@pytest.mark.parametrize(
    "parse",
    [
        schedule.parse_duration,
        lambda text: schedule.parse_date_time(text, "UTC"),
        lambda text: schedule.parse_due(text, 0, "UTC"),
        lambda text: schedule.parse_cycle(text, "UTC"),
    ],
)
def test_a_text_that_is_too_long_is_not_read(parse: Callable[[str], object]) -> None:
    with pytest.raises(ScheduleError, match="at most 1000 characters"):
        parse("R/P1Y, " * 100_000)
