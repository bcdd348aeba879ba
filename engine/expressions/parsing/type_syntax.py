"""Type names: `number`, `list<string>`, `context<a: date>`, `function<number> -> string`."""

from engine.expressions.parsing.cursor import Cursor
from engine.expressions.parsing.lexer import Kind
from engine.expressions.parsing.syntax import TypeName

# The words of a type's name, and the type: those of DMN, then those of Camunda's documentation.
_SEVERAL_WORDS = {
    ("years", "and", "months", "duration"): "years and months duration",
    ("days", "and", "time", "duration"): "days and time duration",
    ("date", "and", "time"): "date and time",
    ("date", "time"): "date and time",
    ("day", "-", "time", "-", "duration"): "days and time duration",
    ("days", "-", "time", "-", "duration"): "days and time duration",
    ("year", "-", "month", "-", "duration"): "years and months duration",
    ("years", "-", "months", "-", "duration"): "years and months duration",
}


def parse_type(cursor: Cursor) -> TypeName:
    """Take a type."""
    cursor.deeper()
    try:
        return _parse_type(cursor)
    finally:
        cursor.depth -= 1


def _parse_type(cursor: Cursor) -> TypeName:
    for words, name in _SEVERAL_WORDS.items():
        if all(cursor.sees(word, ahead) for ahead, word in enumerate(words)):
            cursor.back_to(cursor.index + len(words))
            return TypeName(name)
    known = cursor.known_name()
    if known is not None:
        return TypeName(known)
    if cursor.peek().kind not in (Kind.NAME, Kind.QUOTED):
        cursor.fail("Expected a type")
    name = cursor.take().text
    if name in ("list", "range", "function", "context") and cursor.accept("<"):
        return _parse_inner(cursor, name)
    while cursor.accept("."):
        name += "." + cursor.take().text
    return TypeName(name)


def _parse_inner(cursor: Cursor, name: str) -> TypeName:
    if name == "context":
        entries = []
        while not cursor.sees(">"):
            key = cursor.name_before()
            cursor.expect(":")
            entries.append((key, parse_type(cursor)))
            if not cursor.accept(","):
                break
        cursor.expect(">")
        return TypeName(name, entries=tuple(entries))
    inner = []
    while not cursor.sees(">"):
        inner.append(parse_type(cursor))
        if not cursor.accept(","):
            break
    cursor.expect(">")
    if name == "function":
        cursor.expect("->")
        inner.append(parse_type(cursor))
    return TypeName(name, tuple(inner))
