"""Tokens of an expression, and where it ends."""

import pytest

from engine.expressions import ExpressionSyntaxError
from engine.expressions.juel.lexer import Kind, tokenize


def test_tokens_end_at_the_closing_brace() -> None:
    tokens, end = tokenize("x ${a.b eq '}'} y", 4, closed=True)
    assert [(token.kind, token.text) for token in tokens] == [
        (Kind.NAME, "a"),
        (Kind.OPERATOR, "."),
        (Kind.NAME, "b"),
        (Kind.OPERATOR, "=="),
        (Kind.STRING, "}"),
        (Kind.END, ""),
    ]
    assert "x ${a.b eq '}'} y"[end:] == " y"


def test_an_operator_that_is_a_word_keeps_it() -> None:
    tokens, _ = tokenize("a mod b", 0, closed=False)
    assert (tokens[1].text, tokens[1].word, tokens[1].start) == ("%", "mod", 2)


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("1 1.5 .5 1. 1e5 2.5E-3", ["1", "1.5", ".5", "1.", "1e5", "2.5E-3"]),
        ("a<=b>=c", ["a", "<=", "b", ">=", "c"]),
        ("$x _y ä1", ["$x", "_y", "ä1"]),
        ("'a\\'b' \"c\\\\d\"", ["a'b", "c\\d"]),
    ],
)
def test_tokens(text: str, texts: list[str]) -> None:
    tokens, _ = tokenize(text, 0, closed=False)
    assert [token.text for token in tokens[:-1]] == texts


@pytest.mark.parametrize("text", ["'a", "a & b", "a ~ b", "\\"])
def test_what_is_no_token(text: str) -> None:
    with pytest.raises(ExpressionSyntaxError):
        tokenize(text, 0, closed=False)
