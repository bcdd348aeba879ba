"""Temporal values: text, order, zones, and the edges of the calendar."""

import pytest

from engine.expressions.calendar.temporal import (
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
    offset_text,
    zoned_time,
)

SECOND = 1_000_000_000
HOUR = 3600 * SECOND


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Date(2026, 1, 2), "2026-01-02"),
        (Date(7, 1, 2), "0007-01-02"),
        (Date(-7, 1, 2), "-0007-01-02"),
        (Date(123456, 1, 2), "123456-01-02"),
        (Time(HOUR), "01:00:00"),
        (Time(HOUR + 1_500_000), "01:00:00.0015"),
        (Time(0, 0), "00:00:00Z"),
        (Time(0, -19_800), "00:00:00-05:30"),
        (Time(0, 3_608), "00:00:00+01:00:08"),
        (Time(0, 3600, "Europe/Berlin"), "00:00:00+01:00[Europe/Berlin]"),
        (DateTime(Date(2026, 1, 2), Time(HOUR, 0)), "2026-01-02T01:00:00Z"),
        (DaysDuration(0), "PT0S"),
        (DaysDuration(-36 * HOUR), "-P1DT12H"),
        (DaysDuration(90 * SECOND + 5), "PT1M30.000000005S"),
        (MonthsDuration(0), "P0M"),
        (MonthsDuration(14), "P1Y2M"),
        (MonthsDuration(-12), "-P1Y"),
    ],
)
def test_values_are_written_as_iso(value: Date | Time | DateTime, text: str) -> None:
    assert value.json_text() == text


def test_a_day_that_does_not_exist_is_null() -> None:
    assert make_date(2026, 2, 29) is None
    assert make_date(2026, 13, 1) is None
    assert make_date(10**9, 1, 1) is None
    assert make_date(2024, 2, 29) == Date(2024, 2, 29)


def test_results_beyond_the_last_year_are_null() -> None:
    assert date_of_days(10**12) is None
    assert at_instant(10**30, Time(0, 0)) is None
    assert add_months(Date(999_999_999, 12, 31), 1) is None


def test_months_keep_the_day_or_take_the_last() -> None:
    assert add_months(Date(2026, 1, 31), 1) == Date(2026, 2, 28)
    assert add_months(Date(2026, 1, 31), -11) == Date(2025, 2, 28)
    assert add_months(Date(2026, 1, 31), 12) == Date(2027, 1, 31)


def test_a_skipped_wall_time_moves_ahead() -> None:
    moment = combine(Date(2026, 3, 29), zoned_time(2 * HOUR + HOUR // 2, "Europe/Berlin"))
    assert moment.json_text() == "2026-03-29T03:30:00+02:00[Europe/Berlin]"
    assert moment.feel_text() == "2026-03-29T03:30:00@Europe/Berlin"


def test_a_repeated_wall_time_is_the_earlier_one() -> None:
    moment = combine(Date(2026, 10, 25), zoned_time(2 * HOUR + HOUR // 2, "Europe/Berlin"))
    assert moment.time.offset == 7200


def test_epoch_milliseconds_and_moments_are_inverse() -> None:
    for zone in ("UTC", "Europe/Berlin"):
        for instant in (0, -1, 1_795_960_800_123, -62_000_000_000_000):
            assert epoch_ms(from_epoch_ms(instant, zone), "UTC") == instant


def test_an_instant_beyond_the_calendar_is_an_error() -> None:
    with pytest.raises(ValueError, match="outside of the calendar"):
        from_epoch_ms(10**23, "UTC")


def test_offsets_are_written_with_seconds_only_where_needed() -> None:
    assert [offset_text(offset) for offset in (0, 3600, -3601)] == ["Z", "+01:00", "-01:00:01"]
