"""Cron in both dialects: what fires next, around month ends and changes of the clocks."""

import pytest

from engine.expressions.cron import CronError, next_fire, parse_cron
from engine.expressions.schedule import parse_date_time


def ms(text: str) -> int:
    return parse_date_time(text, "UTC")


NOW = "2026-11-29T14:00:00Z"  # a Sunday


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("0 0 9-17 * * MON-FRI", "2026-11-30T09:00:00Z"),
        ("*/10 * * * * *", "2026-11-29T14:00:10Z"),
        ("0 */5 * * * *", "2026-11-29T14:05:00Z"),
        ("0 0/5 * * * ?", "2026-11-29T14:05:00Z"),
        ("0 0 0 L * *", "2026-11-30T00:00:00Z"),
        ("0 0 0 L-3 * *", "2026-12-28T00:00:00Z"),
        ("0 0 0 1,L * *", "2026-11-30T00:00:00Z"),
        ("0 0 0 ? * MON#2", "2026-12-14T00:00:00Z"),
        ("0 0 0 ? * MON#5", "2026-11-30T00:00:00Z"),
        ("0 0 8 1W * *", "2026-12-01T08:00:00Z"),
        ("0 0 8 1W 8 *", "2027-08-02T08:00:00Z"),
        ("0 0 8 31W 1,7 *", "2027-01-29T08:00:00Z"),
        ("0 0 0 LW * *", "2026-11-30T00:00:00Z"),
        ("0 0 0 * * 5L", "2026-12-25T00:00:00Z"),
        ("@daily", "2026-11-30T00:00:00Z"),
        ("@hourly", "2026-11-29T15:00:00Z"),
        ("@weekly", "2026-12-06T00:00:00Z"),
        ("@yearly", "2027-01-01T00:00:00Z"),
        ("0 0 12 ? * SUN", "2026-12-06T12:00:00Z"),
        ("0 0 12 * * 0", "2026-12-06T12:00:00Z"),
        ("0 0 12 * * 7", "2026-12-06T12:00:00Z"),
        ("0 0 12 * * 5-7", "2026-12-04T12:00:00Z"),
        ("0 0 12 * * FRI-MON", "2026-11-30T12:00:00Z"),
        ("0 0 12 ? * 2", "2026-12-01T12:00:00Z"),
        ("0 30 8 29 2 *", "2028-02-29T08:30:00Z"),
        ("59 59 23 29 2 1", "2044-02-29T23:59:59Z"),
        ("0 0 0 13 * FRI", "2027-08-13T00:00:00Z"),
    ],
)
def test_spring_expressions_fire_next(text: str, due: str) -> None:
    assert next_fire(parse_cron(text), ms(NOW), "UTC") == ms(due)


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("0 0 12 1 1 ? 2027", "2027-01-01T12:00:00Z"),
        ("0 0 12 1 1 ? 2040/5", "2040-01-01T12:00:00Z"),
        ("0 0 12 ? * 2", "2026-11-30T12:00:00Z"),
        ("0 0 12 ? * 1", "2026-12-06T12:00:00Z"),
        ("0 0 12 ? * L", "2026-12-05T12:00:00Z"),
        ("0 0 22-2 * * ?", "2026-11-29T22:00:00Z"),
        ("0 0 12 ? * FRI-MON *", "2026-11-30T12:00:00Z"),
    ],
)
def test_quartz_expressions_fire_next(text: str, due: str) -> None:
    assert next_fire(parse_cron(text, quartz=True), ms(NOW), "UTC") == ms(due)


@pytest.mark.parametrize("text", ["0 0 0 31 2 *", "0 0 0 30 FEB *", "0 0 0 31W 2 ?"])
def test_a_day_that_never_comes_never_fires(text: str) -> None:
    assert next_fire(parse_cron(text), ms(NOW), "UTC") is None


def test_a_year_that_is_over_never_fires() -> None:
    assert next_fire(parse_cron("0 0 0 1 1 ? 2020", quartz=True), ms(NOW), "UTC") is None


@pytest.mark.parametrize(
    "text",
    ["", "* * * * *", "0 0 0 1 1 ? 2027", "60 * * * * *", "* * 24 * * *", "* * * 0 * *",
     "* * * * 13 *", "* * * * * 8", "*/0 * * * * *", "*/x * * * * *", "5-1 * * * * *",
     "R * * * * *", "* * * * FOO *", "1,,2 * * * * *", "\u0661 * * * * *", "* * * 32W * *",
     "* * * * * MON#6", "-1 * * * * *", "1- * * * * *", "0 0 0 * * L", "@reboot", "* " * 300],
)  # fmt: skip
def test_what_is_no_spring_expression_is_refused(text: str) -> None:
    with pytest.raises(CronError):
        parse_cron(text)


def fires(text: str, start: str, count: int) -> list[int]:
    cron, instant, found = parse_cron(text), ms(start), []
    for _ in range(count):
        due = next_fire(cron, instant, "Europe/Berlin")
        assert due is not None
        instant = due
        found.append(due)
    return found


def test_a_skipped_wall_time_fires_after_the_gap() -> None:
    assert fires("0 30 2 * * *", "2027-03-27T12:00:00Z", 2) == [
        ms("2027-03-28T03:30:00+02:00"),
        ms("2027-03-29T02:30:00+02:00"),
    ]


def test_a_repeated_wall_time_fires_once() -> None:
    assert fires("0 30 2 * * *", "2027-10-30T12:00:00Z", 2) == [
        ms("2027-10-31T02:30:00+02:00"),
        ms("2027-11-01T02:30:00+01:00"),
    ]


def test_a_steady_rhythm_does_not_pause_while_the_clock_is_set_back() -> None:
    start = ms("2027-10-30T23:00:00Z")
    due = fires("0 */30 * * * *", "2027-10-30T23:00:00Z", 8)
    assert due == [start + number * 1_800_000 for number in range(1, 9)]


def test_a_steady_rhythm_goes_on_over_the_gap() -> None:
    start = ms("2027-03-28T00:00:00Z")
    due = fires("0 */30 * * * *", "2027-03-28T00:00:00Z", 8)
    assert due == [start + number * 1_800_000 for number in range(1, 9)]


def test_the_next_fire_is_strictly_later() -> None:
    cron = parse_cron("0 0 14 * * *")
    assert next_fire(cron, ms(NOW), "UTC") == ms("2026-11-30T14:00:00Z")
    assert next_fire(cron, ms(NOW) - 1, "UTC") == ms(NOW)
