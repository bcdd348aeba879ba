"""Numbers: one form, 34 digits, and nothing infinite."""

from decimal import Decimal

import pytest

from engine.expressions.numeric import (
    divide,
    is_number,
    number_text,
    parse_number,
    power,
    truncated,
    whole,
)
from engine.values import INTEGER_LIMIT, Value


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("007", 7),
        ("1.50", Decimal("1.5")),
        ("1e3", 1000),
        (".5", Decimal("0.5")),
        ("1" * 40, Decimal("1." + "1" * 33 + "E+39")),
        ("1e9999", None),
    ],
)
def test_literals(text: str, number: Value) -> None:
    assert parse_number(text) == number


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (5, "5"),
        (Decimal("5.00"), "5"),
        (Decimal("0.10"), "0.1"),
        (Decimal("-0"), "0"),
        (Decimal("1E+30"), "1" + "0" * 30),
        (Decimal("1E+50"), "1" + "0" * 50),
        (Decimal("1E+500"), "1E+500"),
        (Decimal("1E-10"), "0.0000000001"),
        (Decimal("1E-50"), "1E-50"),
    ],
)
def test_texts(number: int | Decimal, text: str) -> None:
    assert number_text(number) == text


def test_a_boolean_is_no_number() -> None:
    assert [is_number(value) for value in (1, Decimal(1), True, "1", None)] == [
        True, True, False, False, False,
    ]  # fmt: skip


def test_integers_are_rounded_beyond_34_digits() -> None:
    assert whole(INTEGER_LIMIT - 1) == INTEGER_LIMIT - 1
    assert type(whole(INTEGER_LIMIT)) is Decimal
    assert whole(INTEGER_LIMIT * 10 + 1) == INTEGER_LIMIT * 10


def test_truncation_is_bounded() -> None:
    assert truncated(Decimal("-1.9")) == -1
    assert truncated(Decimal("1E+6000")) == INTEGER_LIMIT


def test_exact_results_are_integers() -> None:
    assert type(divide(6, 3)) is int
    assert type(power(2, 3)) is int
    assert divide(Decimal(1), 0) is None
    assert power(0, -1) is None
