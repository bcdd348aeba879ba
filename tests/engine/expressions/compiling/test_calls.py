"""Calls by position and by name, and functions that an expression defines."""

import pytest

from engine.expressions import BudgetExceededError
from engine.values import Value
from tests.engine.expressions.evaluating import feel


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{f: function(a, b) a - b, r: f(5, 3)}.r", 2),
        ("{f: function(a, b) a - b, r: f(b: 5, a: 3)}.r", -2),
        ("{f: function(a, b) a - b, r: f(5)}.r", None),
        ("{f: function(a, b) a - b, r: f(5, 3, 1)}.r", None),
        ("{f: function(a, b) a - b, r: f(a: 5, c: 3)}.r", None),
        ("{f: function(a: number) a, r: f(\"x\")}.r", None),
        ("{f: function(a: number) a, r: f([5])}.r", 5),
        ("{f: function(a: list<number>) a, r: f(5)}.r", [5]),
        ("(function(x) x + 1)(2)", 3),
        ("{make: function(n) function(x) x + n, r: make(2)(3)}.r", 5),
        ("{n: 1, f: function(x) x + n, n2: f(1)}.n2", 2),
        ("{even: function(n) if n = 0 then true else odd(n - 1),"
         " odd: function(n) if n = 0 then false else even(n - 1), r: even(7)}.r", False),
        ("{abs: function(x) 42, r: abs(1)}.r", 42),
        ("{date: 5, r: date(\"2026-01-01\").year + date}.r", 2031),
        ("{count: 5, r: count(list: [1])}.r", 1),
        ("nothing(1)", None),
        ("(1)(2)", None),
        ('upper case(string: "a")', "A"),
        ('upper case(text: "a")', None),
        ('upper case("a", "b")', None),
        ('substring(string: "abcd", start position: 2, length: 2)', "bc"),
        ("sort(list: [3, 1, 2], precedes: 5)", None),
    ],
)  # fmt: skip
def test_calls(text: str, value: Value) -> None:
    assert feel(text) == value


def test_recursion_ends_at_a_fixed_depth() -> None:
    text = "{sum to: function(n) if n = 0 then 0 else n + sum to(n - 1), r: sum to(%d)}.r"
    assert feel(text % 30) == 465
    with pytest.raises(BudgetExceededError, match="nested deeper"):
        feel(text % 1_000)
