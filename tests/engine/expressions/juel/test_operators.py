"""Arithmetic: exact numbers, and what has no result."""

from decimal import Decimal

import pytest

from engine.values import Value
from tests.engine.expressions.juel.evaluating import fails, juel


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1 + 0.2", Decimal("0.3")),
        ("7 / 2", Decimal("3.5")),
        ("6 / 2", 3),
        ("1 / 3", Decimal("0.3333333333333333333333333333333333")),
        ("7 % 3", 1),
        ("-7 % 3", -1),
        ("7 % -3", 1),
        ("7.5 % 2", Decimal("1.5")),
        ("-7.5 mod 2", Decimal("-1.5")),
        ("-(2.5)", Decimal("-2.5")),
        ("-'3'", -3),
        ("-null", 0),
        ("99999999999999999 * 10", 999999999999999990),
        ("1 - 2 - 3", -4),
        ("1 < 2 && 2 < 3.5", True),
        ("1 != 1.0", False),
        ("'a' != 'b'", True),
        ("1 > '0' and '1' >= 1", True),
    ],
)
def test_operators(text: str, value: Value) -> None:
    assert juel(text) == value


@pytest.mark.parametrize("text", ["1 / 0", "1 % 0", "1.5 % 0", "1e6000 * 1e6000"])
def test_what_is_no_number_fails(text: str) -> None:
    assert "The result is no number" in fails(text)


def test_a_remainder_beyond_34_digits_fails() -> None:
    assert "The result is no number" in fails("1e60 % 0.3")
