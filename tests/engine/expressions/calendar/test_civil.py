"""The calendar on integers agrees with datetime where that reaches, and is consistent beyond."""

import datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.expressions.calendar import civil

EPOCH = datetime.date(1970, 1, 1).toordinal()


@settings(deadline=None)
@given(st.dates())
def test_days_agree_with_datetime(date: datetime.date) -> None:
    days = civil.to_days(date.year, date.month, date.day)
    assert days == date.toordinal() - EPOCH
    assert civil.from_days(days) == (date.year, date.month, date.day)
    assert civil.weekday(days) == date.isoweekday()
    assert civil.week_of_year(date.year, date.month, date.day) == date.isocalendar().week


@settings(deadline=None)
@given(st.integers(-400_000_000_000, 400_000_000_000))
def test_days_and_dates_are_two_names_for_one_thing(days: int) -> None:
    year, month, day = civil.from_days(days)
    assert civil.to_days(year, month, day) == days
    assert 1 <= day <= civil.days_in_month(year, month)


def test_february_follows_the_gregorian_rule() -> None:
    lengths = [civil.days_in_month(year, 2) for year in (1900, 2000, 2023, 2024, 0, -4)]
    assert lengths == [28, 29, 28, 29, 29, 29]
