"""Type names after `instance of` and behind parameters."""

import pytest

from engine.expressions import ExpressionSyntaxError
from engine.expressions.parsing.cursor import Cursor
from engine.expressions.parsing.syntax import TypeName
from engine.expressions.parsing.type_syntax import parse_type

NUMBER, STRING = TypeName("number"), TypeName("string")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("number", NUMBER),
        ("date and time", TypeName("date and time")),
        ("years and months duration", TypeName("years and months duration")),
        ("date time", TypeName("date and time")),
        ("day-time-duration", TypeName("days and time duration")),
        ("year-month-duration", TypeName("years and months duration")),
        ("list<number>", TypeName("list", (NUMBER,))),
        ("range<number>", TypeName("range", (NUMBER,))),
        ("list<list<string>>", TypeName("list", (TypeName("list", (STRING,)),))),
        ("context<a: number, b c: string>",
         TypeName("context", entries=(("a", NUMBER), ("b c", STRING)))),
        ("function<number, string> -> number", TypeName("function", (NUMBER, STRING, NUMBER))),
        ("function<> -> number", TypeName("function", (NUMBER,))),
        ("a.b.tType", TypeName("a.b.tType")),
    ],
)  # fmt: skip
def test_types_are_read(text: str, expected: TypeName) -> None:
    assert parse_type(Cursor(text, [])) == expected


@pytest.mark.parametrize("text", ["", "1", "list<", "list<number", "context<a>", "function<a>"])
def test_what_is_no_type_is_refused(text: str) -> None:
    with pytest.raises(ExpressionSyntaxError):
        parse_type(Cursor(text, []))
