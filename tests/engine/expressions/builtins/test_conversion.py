"""Conversions between strings, numbers and JSON."""

from decimal import Decimal

import pytest

from engine.values import Value
from tests.engine.expressions.evaluating import feel


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('number("1500.5")', Decimal("1500.5")),
        ('number("1,500", ",")', 1500),
        ('number("1 500,5", " ", ",")', Decimal("1500.5")),
        ('number("1.500,5", ".", ",")', Decimal("1500.5")),
        ('number("1,500", ",", ",")', None),
        ('number("1,500", "-", ".")', None),
        ('number("1e3")', 1000),
        ('number("-.5")', Decimal("-0.5")),
        ('number("x")', None),
        ('number("")', None),
        ('number("1_000")', None),
        ('number("1e99999")', None),
        ("number(5)", 5),
        ("string(1.10)", "1.1"),
        ("string(100.0)", "100"),
        ('string("a")', "a"),
        ("string(true)", "true"),
        ("string(null)", None),
        ('string(["a", null, 1])', '["a", null, 1]'),
        ('string({a: "x", "b c": [1]})', '{a: "x", b c: [1]}'),
        ('string(@"2026-01-01T00:00:00@Europe/Berlin")', "2026-01-01T00:00:00@Europe/Berlin"),
        ("string([1..5))", "[1..5)"),
        ("to json({a: [1, null, 1.50]})", '{"a":[1,null,1.5]}'),
        ('to json(@"2025-11-24T10:00:00@Europe/Berlin")',
         '"2025-11-24T10:00:00+01:00[Europe/Berlin]"'),
        ("to json(function() 1)", None),
        ("from json(\"{\\\"a\\\": [1, 0.1]}\").a", [1, Decimal("0.1")]),
        ('from json("nope")', None),
        ("from json(1)", None),
    ],
)  # fmt: skip
def test_functions(text: str, value: Value) -> None:
    assert feel(text) == value
