"""What FEEL reads as a date, a time or a duration, and what it does not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.expressions.calendar.temporal_text import (
    parse_date,
    parse_date_time,
    parse_duration,
    parse_literal,
    parse_time,
)
from engine.expressions.environment import Environment
from engine.expressions.text import literal_text
from engine.values import ExpressionValue


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2026-12-01", "2026-12-01"),
        ("-2026-12-01", "-2026-12-01"),
        ("999999999-12-31", "999999999-12-31"),
        ("10:30:00", "10:30:00"),
        ("10:30:00.5Z", "10:30:00.5Z"),
        ("10:30", "10:30:00"),
        ("1970-01-01T00:00Z", "1970-01-01T00:00:00Z"),
        ("10:30:00z", "10:30:00Z"),
        ("10:30:00+01:00", "10:30:00+01:00"),
        ("10:30:00@Europe/Berlin", "10:30:00@Europe/Berlin"),
        ("10:30:00@Etc/UTC", "10:30:00@Etc/UTC"),
        ("2026-12-01T10:30:00", "2026-12-01T10:30:00"),
        ("2026-12-01T24:00:00Z", "2026-12-02T00:00:00Z"),
        ("2026-07-01T10:30:00+02:00[Europe/Berlin]", "2026-07-01T10:30:00@Europe/Berlin"),
        ("2026-07-01T10:30:00Z[Europe/Berlin]", "2026-07-01T12:30:00@Europe/Berlin"),
        ("PT36H", "P1DT12H"),
        ("-P1DT2H3M4.5S", "-P1DT2H3M4.5S"),
        ("PT0.0000000019S", "PT0.000000001S"),
        ("P14M", "P1Y2M"),
        ("P0D", "PT0S"),
        ("P0Y", "P0M"),
    ],
)
def test_literals_are_read(text: str, written: str) -> None:
    value = parse_literal(text)
    assert literal_text(value, Environment()) == written
    assert isinstance(value, ExpressionValue)
    assert parse_literal(value.json_text()) == value


@pytest.mark.parametrize(
    "text",
    ["", "2026", "26-12-01", "02026-12-01", "+2026-12-01", "2026-12-1", "2026-02-30", "2026-13-01",
     "10", "24:00:00", "10:60:00", "10:30:60", "10:30:00+15:00", "10:30:00+01:60", "10:30:00+1",
     "10:30:00@Nowhere", "10:30:00@", "10:30:00+01:00@Europe/Berlin", "2026-12-01T", "T10:30:00",
     "2026-12-01T24:00:01", "2026-12-01 10:30:00", "2026-12-01T10", "P", "PT", "P1", "P1H",
     "PT1D", "P1M1D", "P1W", "P1.5D", "--P1D", "P-1D", "PT1S1H", "P9999999999999Y", "P\u0661D",
     "2026-07-01T10:30:00+99:00[Europe/Berlin]", "P99999999999999999999D"],
)  # fmt: skip
def test_what_is_no_literal_is_null(text: str) -> None:
    assert parse_literal(text) is None


@settings(deadline=None)
@given(st.text("0123456789-+:.TZPDHMSY@[]/Europ", max_size=40))
def test_no_text_breaks_the_parsers(text: str) -> None:
    for parse in (parse_date, parse_time, parse_date_time, parse_duration):
        value = parse(text)
        assert value is None or parse(value.json_text()) == value


def test_the_offset_picks_one_of_two_equal_wall_times() -> None:
    first = parse_date_time("2026-10-25T02:30:00+02:00[Europe/Berlin]")
    second = parse_date_time("2026-10-25T02:30:00+01:00[Europe/Berlin]")
    assert first is not None
    assert second is not None
    assert second.instant - first.instant == 3600 * 1_000_000_000
