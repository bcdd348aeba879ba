"""Text to tokens. Names are single words here; the parser joins those that hold blanks."""

import enum
import re
from typing import Final, NamedTuple

from engine.expressions.errors import ExpressionSyntaxError
from engine.expressions.parsing import typos

LENGTH_MAX: Final = 64_000


class Kind(enum.Enum):
    """What a token is."""

    NUMBER = "number"
    STRING = "string"
    NAME = "name"
    QUOTED = "quoted"  # a name in backticks
    OPERATOR = "operator"
    END = "end"


class Token(NamedTuple):
    """A piece of the text; `text` is the value of a string and the name inside backticks."""

    kind: Kind
    text: str
    start: int
    end: int


_TOKEN = re.compile(
    r"""
    (?P<blank>(?:\s|//[^\n]*|/\*.*?\*/)+)
    |(?P<number>(?:\d+(?:\.(?!\.)\d+)?|\.\d+)(?:[eE][+-]?\d+)?)
    |(?P<string>"(?:\\.|[^"\\])*")
    |(?P<quoted>`[^`]+`)
    |(?P<name>(?:[^\W\d]|[\U00010000-\U000effff])(?:\w|[\U00010000-\U000effff])*(?:'\w+)?|[?])
    |(?P<operator>\.\.|\*\*|<=|>=|!=|->|[-+*/=<>()\[\]{},.:@])
    """,
    re.VERBOSE | re.DOTALL,
)
_KINDS: Final = {kind.value: kind for kind in Kind}
"""The groups of the pattern; blanks and comments are no token."""

_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{6}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_LAST_CODE_POINT = 0x10FFFF


def tokenize(text: str) -> list[Token]:
    """All tokens, the last of kind END. Raises ExpressionSyntaxError."""
    if len(text) > LENGTH_MAX:
        raise ExpressionSyntaxError(f"The expression is longer than {LENGTH_MAX} characters", 0)
    tokens = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            raise typos.syntax_error(_unreadable(text[position]), text, position)
        end = match.end()
        kind = _KINDS.get(match.lastgroup)
        if kind is not None:
            tokens.append(Token(kind, _content(kind, match), position, end))
        position = end
    tokens.append(Token(Kind.END, "", len(text), len(text)))
    return tokens


def _unreadable(character: str) -> str:
    if character == '"':
        return "A string is not closed"
    if character == "`":
        return "A name in backticks is not closed"
    return f"Unexpected character {character!r}"


def _content(kind: Kind, match: re.Match[str]) -> str:
    raw = match.group()
    if kind is Kind.STRING:
        return _unescape(raw[1:-1], match.start())
    return raw[1:-1] if kind is Kind.QUOTED else raw


def _unescape(raw: str, position: int) -> str:
    if "\\" not in raw:
        return raw
    text = _ESCAPE.sub(_unescaped, raw)
    try:
        # Joins the two halves of \uD83D\uDC0E into one character.
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeError:
        raise ExpressionSyntaxError("A string holds half a surrogate pair", position) from None


def _unescaped(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) > 1:
        point = int(code[1:], 16)
        return chr(point) if point <= _LAST_CODE_POINT else match[0]
    return _ESCAPED.get(code, match[0])
