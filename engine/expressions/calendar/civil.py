"""The proleptic Gregorian calendar on plain integers, for years far outside of 1 to 9999.

Python's datetime ends there, FEEL does not. Days are counted from 1970-01-01.
"""

from typing import Final

YEAR_MAX: Final = 999_999_999
DAYS_PER_CYCLE: Final = 146_097  # 400 years, and exactly 20,871 weeks
_DAYS_IN_MONTH = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_DAYS_TO_EPOCH = 719_468  # from 0000-03-01, where the counting below begins


def is_leap(year: int) -> bool:
    """Whether the year has a 29 February."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def days_in_month(year: int, month: int) -> int:
    """How many days the month has."""
    return 29 if month == 2 and is_leap(year) else _DAYS_IN_MONTH[month - 1]


def to_days(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01. Years are counted from March, so that the leap day comes last."""
    shifted = year - (month <= 2)
    cycle, year_of_cycle = divmod(shifted, 400)
    day_of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    day_of_cycle = year_of_cycle * 365 + year_of_cycle // 4 - year_of_cycle // 100 + day_of_year
    return cycle * DAYS_PER_CYCLE + day_of_cycle - _DAYS_TO_EPOCH


def from_days(days: int) -> tuple[int, int, int]:
    """Year, month and day of a count of days since 1970-01-01."""
    cycle, day_of_cycle = divmod(days + _DAYS_TO_EPOCH, DAYS_PER_CYCLE)
    year_of_cycle = (
        day_of_cycle - day_of_cycle // 1460 + day_of_cycle // 36524 - day_of_cycle // 146096
    ) // 365
    day_of_year = day_of_cycle - (365 * year_of_cycle + year_of_cycle // 4 - year_of_cycle // 100)
    month_from_march = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * month_from_march + 2) // 5 + 1
    month = month_from_march + 3 if month_from_march < 10 else month_from_march - 9
    return cycle * 400 + year_of_cycle + (month <= 2), month, day


def weekday(days: int) -> int:
    """1 for Monday to 7 for Sunday."""
    return (days + 3) % 7 + 1


def week_of_year(year: int, month: int, day: int) -> int:
    """The ISO 8601 week: week 1 holds the year's first Thursday."""
    days = to_days(year, month, day)
    thursday = days - weekday(days) + 4
    return (thursday - to_days(from_days(thursday)[0], 1, 1)) // 7 + 1
