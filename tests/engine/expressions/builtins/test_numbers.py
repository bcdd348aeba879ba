"""Numeric functions."""

from decimal import Decimal

import pytest

from engine.expressions import compile_feel
from engine.values import Value
from tests.engine.expressions.evaluating import environment, feel


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("decimal(1/3, 2)", Decimal("0.33")),
        ("decimal(2.5, 0)", 2),
        ('decimal(2.5, 0, "half_up")', 3),
        ('decimal(2.5, 0, "sideways")', None),
        ("decimal(1234, -2)", 1200),
        ("decimal(1, 7000)", None),
        ("decimal(1E6144, 100)", Decimal("1E+6144")),
        ("floor(1.5)", 1),
        ("floor(-1.5)", -2),
        ("floor(-1.56, 1)", Decimal("-1.6")),
        ("floor(1.5, null)", None),
        ("ceiling(-1.56, 1)", Decimal("-1.5")),
        ("round up(-5.5)", -6),
        ("round up(1.121, 2)", Decimal("1.13")),
        ("round down(-5.5, 0)", -5),
        ("round half up(5.5, 0)", 6),
        ("round half up(-1.126, 2)", Decimal("-1.13")),
        ("round half down(5.5, 0)", 5),
        ("abs(-10)", 10),
        ("abs(-1.5)", Decimal("1.5")),
        ("abs(true)", None),
        ('string(abs(duration("-PT5H")))', "PT5H"),
        ('string(abs(duration("-P2M")))', "P2M"),
        ("modulo(12, 5)", 2),
        ("modulo(-12, 5)", 3),
        ("modulo(12, -5)", -3),
        ("modulo(10.1, 4.5)", Decimal("1.1")),
        ("modulo(-10.1, 4.5)", Decimal("3.4")),
        ("modulo(1, 0)", None),
        ("modulo(1E6000, 0.001)", None),
        ("sqrt(16)", 4),
        ("sqrt(-1)", None),
        ("log(0)", None),
        ("log(1)", 0),
        ("exp(0)", 1),
        ("exp(1E9)", None),
        ("odd(5)", True),
        ("odd(-5)", True),
        ("odd(5.5)", False),
        ("even(-2)", True),
        ("even(2.0)", True),
        ("even(1E40)", True),
        ("random number() >= 0 and random number() < 1", True),
    ],
)
def test_functions(text: str, value: Value) -> None:
    assert feel(text) == value


def test_logarithm_and_exponential_have_34_digits() -> None:
    assert feel("log(10)") == Decimal("2.302585092994045684017991454684364")
    assert feel("exp(5)") == Decimal("148.4131591025766034211155800405523")


def test_random_numbers_differ_and_repeat_with_their_seed() -> None:
    expression = compile_feel("[random number(), random number()]")
    first, again = expression.evaluate(environment()), expression.evaluate(environment())
    assert first == again
    assert isinstance(first, list)
    assert first[0] != first[1]
