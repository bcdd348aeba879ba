"""The arithmetic tables: which types go together, exactly, and where there is no result."""

from decimal import Decimal, localcontext

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.expressions.arithmetic import TABLES, calculate, negate
from engine.values import INTEGER_LIMIT, Value
from tests.engine.expressions.evaluating import feel, shown


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1 + 0.2", Decimal("0.3")),
        ("1 - 0.9", Decimal("0.1")),
        ("6 / 3", 2),
        ("1 / 3", Decimal("0.3333333333333333333333333333333333")),
        ("1 / 0", None),
        ("2 ** 10", 1024),
        ("2 ** 0.5", Decimal("1.414213562373095048801688724209698")),
        ("2 ** -1", Decimal("0.5")),
        ("0 ** 0", None),
        ("(-8) ** (1/3)", None),
        ("9 ** 99999999", None),
        ("9999999999999999999999999999999999 + 1", Decimal(10**34)),
        ("9999999999999999999999999999999999 * 10", Decimal("9" * 34 + "0")),
        ("1E6144 * 10", None),
        ("1E-6143 / 1E100", 0),
        ('"a" + "b"', "ab"),
        ('"a" + 1', None),
        ('"a" - "a"', None),
        ("true + true", None),
        ("null + 1", None),
        ("[1] + [2]", None),
        ("-true", None),
        ('-"a"', None),
    ],
)  # fmt: skip
def test_numbers_and_strings(text: str, value: Value) -> None:
    assert feel(text) == value


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ('@"2026-01-31" + @"P1M"', "2026-02-28"),
        ('@"P1M" + @"2026-01-31"', "2026-02-28"),
        ('@"2026-01-31" - @"P1M"', "2025-12-31"),
        ('@"2026-01-31" + @"PT36H"', "2026-02-01"),
        ('@"2026-01-31" - @"PT1S"', "2026-01-30"),
        ('@"2026-01-31T10:00:00" + @"PT15H"', "2026-02-01T01:00:00"),
        ('@"2026-03-28T12:00:00@Europe/Berlin" + @"P1D"', "2026-03-29T13:00:00@Europe/Berlin"),
        ('@"2026-02-28T12:00:00@Europe/Berlin" + @"P1M"', "2026-03-28T12:00:00@Europe/Berlin"),
        ('@"23:30:00" + @"PT1H"', "00:30:00"),
        ('@"00:30:00Z" - @"PT1H"', "23:30:00Z"),
        ('@"10:00:00" - @"12:00:00"', "-PT2H"),
        ('@"10:00:00Z" - @"12:00:00+02:00"', "PT0S"),
        ('@"10:00:00Z" - @"10:00:00"', "null"),
        ('@"2026-03-01" - @"2026-02-01"', "P28D"),
        ('@"2026-03-01T00:00:00Z" - @"2026-02-01"', "P28D"),
        ('@"2026-03-01" - @"2026-02-01T12:00:00Z"', "P27DT12H"),
        ('@"2026-03-01T00:00:00Z" - @"2026-03-01T00:00:00"', "null"),
        ('@"2026-03-01" + @"2026-03-01"', "null"),
        ('@"P1D" + @"PT1H"', "P1DT1H"),
        ('@"P1Y" - @"P1M"', "P11M"),
        ('@"P1Y" + @"P1D"', "null"),
        ('@"P1D" * 1.5', "P1DT12H"),
        ('2 * @"P1Y"', "P2Y"),
        ('@"P1Y" * 1.5', "P1Y6M"),
        ('@"P1D" / 2', "PT12H"),
        ('@"P1Y" / 5', "P2M"),
        ('@"P1D" / @"PT6H"', "4"),
        ('@"P1Y" / @"P5M"', "2.4"),
        ('@"P1D" / 0', "null"),
        ('@"P1D" / @"PT0S"', "null"),
        ('-@"P1D"', "-P1D"),
        ('@"999999999-12-31" + @"P1D"', "null"),
        ('@"P99999999999D" * 1000000', "null"),
        ('@"P1000000000Y" * 1E100', "null"),
    ],
)
def test_dates_and_durations(text: str, written: str) -> None:
    assert shown(text) == written


NUMBERS = st.integers(-(10**40), 10**40) | st.decimals(allow_nan=False, allow_infinity=False)


@settings(deadline=None)
@given(NUMBERS, st.sampled_from(sorted(TABLES)), NUMBERS)
def test_results_stay_within_34_digits(left: int | Decimal, op: str, right: int | Decimal) -> None:
    value = calculate(op, left, right)
    if isinstance(value, Decimal):
        assert value.is_finite()
        digits = "".join(map(str, value.as_tuple().digits))
        assert len(digits.strip("0")) <= 34
    elif isinstance(value, int):
        assert -INTEGER_LIMIT < value < INTEGER_LIMIT


@settings(deadline=None)
@given(NUMBERS, st.sampled_from(sorted(TABLES)), NUMBERS)
def test_the_thread_decimal_context_has_no_say(
    left: int | Decimal, op: str, right: int | Decimal
) -> None:
    value = calculate(op, left, right)
    with localcontext() as context:
        context.prec = 3
        context.Emax = 5
        context.clear_traps()
        assert repr(calculate(op, left, right)) == repr(value)


def test_only_numbers_and_durations_have_an_opposite() -> None:
    assert negate(Decimal("1.5")) == Decimal("-1.5")
    assert negate(5) == -5
    assert negate(True) is None  # noqa: FBT003 - a value, not a flag
    assert negate([]) is None
