"""Functions on dates, times and durations."""

import pytest

from engine.expressions import compile_feel
from engine.expressions.text import literal_text
from tests.engine.expressions.evaluating import environment, shown


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("now()", "2026-11-29T14:00:00Z"),
        ("today()", "2026-11-29"),
        ('date("2018-04-29")', "2018-04-29"),
        ('date(date and time("2012-12-25T11:00:00"))', "2012-12-25"),
        ("date(2012, 12, 25)", "2012-12-25"),
        ("date(2024, 6, 31)", "null"),
        ('date("2024-06-31")', "null"),
        ("date(5)", "null"),
        ('date and time("2018-04-29T09:30:00")', "2018-04-29T09:30:00"),
        ('date and time("2018-04-29")', "2018-04-29T00:00:00"),
        ('date and time(date("2018-04-29"))', "2018-04-29T00:00:00Z"),
        ('date and time(@"2018-04-29", @"09:30:00@Europe/Berlin")',
         "2018-04-29T09:30:00@Europe/Berlin"),
        ('date and time(@"2018-04-29T01:00:00", @"09:30:00")', "2018-04-29T09:30:00"),
        ('date and time(@"2020-07-31T14:27:30@Europe/Berlin", "America/Los_Angeles")',
         "2020-07-31T05:27:30@America/Los_Angeles"),
        ('date and time(@"2020-07-31T14:27:30", "Z")', "2020-07-31T14:27:30Z"),
        ('date and time(@"2020-07-31T14:27:30Z", "+02:00")', "2020-07-31T16:27:30+02:00"),
        ('date and time(@"2020-07-31T14:27:30Z", "Nowhere")', "null"),
        ('time("12:00:00")', "12:00:00"),
        ('time("T12:00")', "12:00:00"),
        ('time(date and time("2012-12-25T11:00:00Z"))', "11:00:00Z"),
        ('time(date("2012-12-25"))', "00:00:00Z"),
        ("time(23, 59, 0)", "23:59:00"),
        ("time(23, 59, 1.5)", "23:59:01.5"),
        ('time(14, 30, 0, duration("PT1H"))', "14:30:00+01:00"),
        ('time(14, 30, 0, duration("PT15H"))', "null"),
        ("time(14, 30, 0, null)", "14:30:00"),
        ("time(24, 0, 0)", "null"),
        ('duration("P5D")', "P5D"),
        ('duration("P32Y")', "P32Y"),
        ('duration("P1M1D")', "null"),
        ("duration(5)", "null"),
        ('years and months duration(date("2011-12-22"), date("2013-08-24"))', "P1Y8M"),
        ('years and months duration(date("2013-08-24"), date("2011-12-25"))', "-P1Y7M"),
        ('day of week(date("2019-09-17"))', '"Tuesday"'),
        ('day of year(date and time("2019-09-17T12:00:00"))', "260"),
        ('week of year(date("2019-09-17"))', "38"),
        ('week of year(date("2021-01-03"))', "53"),
        ('month of year(date("2019-09-17"))', '"September"'),
        ('last day of month(date("2024-02-01"))', "2024-02-29"),
        ('last day of month(date and time("2022-10-16T12:00:00"))', "2022-10-31"),
        ("day of week(5)", "null"),
        ('cycle(3, duration("PT1H"))', '"R3/PT1H"'),
        ('cycle(duration("P7D"))', '"R/PT168H"'),
        ('cycle(null, duration("P1Y"))', '"R/P1Y"'),
        ('cycle(2, duration("P1DT1H1M1.5S"))', '"R2/PT25H1M1.5S"'),
        ('cycle(2, duration("-P2D"))', '"R2/-PT48H"'),
        ('cycle("a", duration("P1D"))', "null"),
        ("cycle(3, 5)", "null"),
    ],
)  # fmt: skip
def test_functions(text: str, written: str) -> None:
    assert shown(text) == written


def test_now_is_in_the_zone_of_the_environment() -> None:
    env = environment(zone="Asia/Tokyo")
    value = compile_feel("[now(), today()]").evaluate(env)
    assert literal_text(value, env) == "[2026-11-29T23:00:00@Asia/Tokyo, 2026-11-29]"
