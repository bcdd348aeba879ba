"""`instance of`, and DMN's implicit conversions."""

import pytest

from engine.expressions.calendar.temporal import Date, DateTime, Time
from engine.expressions.parsing.cursor import Cursor
from engine.expressions.parsing.type_syntax import parse_type
from engine.expressions.type_names import conform
from engine.values import Value
from tests.engine.expressions.evaluating import feel


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 instance of number", True),
        ("1.5 instance of number", True),
        ("true instance of number", False),
        ('"a" instance of string', True),
        ('"a" instance of Any', True),
        ("null instance of Any", False),
        ("null instance of Null", True),
        ("[1] instance of list", True),
        ("[1] instance of list<number>", True),
        ('[1, "a"] instance of list<number>', False),
        ("{a: 1} instance of context", True),
        ("{a: 1, b: 2} instance of context<a: number>", True),
        ("{a: null} instance of context<a: number>", True),
        ("{b: 1} instance of context<a: number>", False),
        ("[1..2] instance of range<number>", True),
        ("[1..2] instance of range<string>", False),
        ("(function(x) x) instance of function", True),
        ("(function(x) x) instance of function<number> -> number", True),
        ('@"2026-01-01" instance of date', True),
        ('@"2026-01-01" instance of date and time', False),
        ('@"P1D" instance of days and time duration', True),
        ('@"P1Y" instance of years and months duration', True),
        ("1 instance of tUnknown", False),
    ],
)
def test_instance_of(text: str, value: Value) -> None:
    assert feel(text) is value


@pytest.mark.parametrize(
    ("value", "wanted", "result"),
    [
        (1, "number", 1),
        ([1], "number", 1),
        ([1, 2], "number", None),
        (1, "list<number>", [1]),
        ("a", "list<number>", None),
        ("1", "number", None),
        (None, "number", None),
        (Date(2026, 1, 1), "date and time", DateTime(Date(2026, 1, 1), Time(0, 0))),
        (1, "Any", 1),
    ],
)
def test_conversions(value: Value, wanted: str, result: Value) -> None:
    assert conform(value, parse_type(Cursor(wanted, []))) == result
