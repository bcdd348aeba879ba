"""What people write who know another language better, and how FEEL writes it."""

import re
from typing import Final

from engine.expressions.errors import ExpressionSyntaxError

_WRITTEN: Final = {
    "===": "Write equality as `=`.",
    "!==": "Write `!=`.",
    "==": "Write equality as `=`.",
    "&&": "Write `and`.",
    "||": "Write `or`.",
    "=>": "Write `>=`.",
    "=<": "Write `<=`.",
    "<>": "Write `!=`.",
    "&": "Write `and`, or `+` to join texts.",
    "|": "Write `or`.",
    "!": "Write `not(...)`.",
    "'": 'Write texts in double quotes: "a".',
    "%": "Write `modulo(a, b)`.",
    "?": "Write `if a then b else c`.",
    ";": "Write one expression, without a semicolon.",
    "$": "Write variables by their names alone.",
    "#": "Write variables by their names alone.",
}
"""The longest that stands at an error is the one that counts."""

_SIGNS: Final = re.compile("|".join(re.escape(sign) for sign in _WRITTEN))
_LONGEST: Final = 3
_ELSEWHERE: Final = re.compile(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'|(===|!==|==|&&|\|\||=>|=<|<>)')
"""Texts, and the signs that are wrong wherever else they stand."""


def syntax_error(message: str, text: str, position: int) -> ExpressionSyntaxError:
    """The error at this place, with advice about a sign of another language that stands there."""
    advice = _advice(text, position)
    if advice:
        return ExpressionSyntaxError(message, position, advice)
    return ExpressionSyntaxError(message, position)


def _advice(text: str, position: int) -> str:
    """About what stands at this place, or ends there, and its like elsewhere; else nothing."""
    for start in range(max(0, position - _LONGEST + 1), position + 1):
        match = _SIGNS.match(text, start)
        if match is not None and match.end() > position:
            others = (sign[1] for sign in _ELSEWHERE.finditer(text) if sign[1])
            return " ".join(dict.fromkeys(_WRITTEN[sign] for sign in (match[0], *others)))
    return ""
