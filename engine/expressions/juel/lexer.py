"""JUEL text to tokens: what stands between `${` and `}`; and where the next one begins."""

import enum
import re
from typing import Final, NamedTuple

from engine.expressions.errors import ExpressionSyntaxError


class Kind(enum.Enum):
    """What a token is."""

    NUMBER = "number"
    STRING = "string"
    NAME = "name"
    OPERATOR = "operator"
    END = "end"


class Token(NamedTuple):
    """A piece of the text; `text` is the value of a string and the symbol of a word operator."""

    kind: Kind
    text: str
    start: int
    word: str = ""


OPENING: Final = re.compile(r"[$#]\{")
_TOKEN = re.compile(
    r"""
    (?P<blank>\s+)
    |(?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)
    |(?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
    |(?P<name>(?:[^\W\d]|\$)(?:\w|\$)*)
    |(?P<operator>&&|\|\||==|!=|<=|>=|[-+*/%<>!?:.,()\[\]{}])
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\([\\\"'])")
_WORDS: Final = {
    "and": "&&",
    "or": "||",
    "not": "!",
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "gt": ">",
    "le": "<=",
    "ge": ">=",
    "div": "/",
    "mod": "%",
    "empty": "empty",
}


def tokenize(text: str, start: int, *, closed: bool) -> tuple[list[Token], int]:
    """The tokens of one expression, the last of kind END, and where the text goes on.

    It ends behind a closing brace, or (`closed` false) at the end. Raises ExpressionSyntaxError.
    """
    tokens = []
    position = start
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            raise ExpressionSyntaxError(_unreadable(text[position]), position)
        if closed and match.group() == "}":
            tokens.append(Token(Kind.END, "", position))
            return tokens, match.end()
        if match.lastgroup != "blank":
            tokens.append(_token(match))
        position = match.end()
    if closed:
        raise ExpressionSyntaxError("The expression is not closed by '}'", len(text))
    tokens.append(Token(Kind.END, "", position))
    return tokens, position


def _token(match: re.Match[str]) -> Token:
    raw = match.group()
    kind = Kind(match.lastgroup)
    if kind is Kind.STRING:
        return Token(kind, _ESCAPE.sub(r"\1", raw[1:-1]), match.start())
    if kind is Kind.NAME and raw in _WORDS:
        return Token(Kind.OPERATOR, _WORDS[raw], match.start(), raw)
    return Token(kind, raw, match.start(), raw if kind is Kind.NAME else "")


def _unreadable(character: str) -> str:
    if character in "\"'":
        return "A string is not closed"
    return f"Unexpected character {character!r}"
