"""Text to tokens."""

import pytest

from engine.expressions import ExpressionSyntaxError
from engine.expressions.parsing.lexer import LENGTH_MAX, Kind, tokenize


def kinds(text: str) -> list[tuple[str, str]]:
    return [(token.kind.value, token.text) for token in tokenize(text)]


def test_every_kind_of_token_is_told_apart() -> None:
    assert kinds('a1 `b c` 1.5e-3 "x" .. ?') == [
        ("name", "a1"),
        ("quoted", "b c"),
        ("number", "1.5e-3"),
        ("string", "x"),
        ("operator", ".."),
        ("name", "?"),
        ("end", ""),
    ]


def test_a_range_is_no_decimal_point() -> None:
    assert [text for _, text in kinds("1..5")] == ["1", "..", "5", ""]
    assert [text for _, text in kinds("1.5..2.5")] == ["1.5", "..", "2.5", ""]


def test_comments_and_blanks_are_skipped() -> None:
    assert kinds("a // to the end\n /* b \n c */ d")[:2] == [("name", "a"), ("name", "d")]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"a\nb\t\"\\\'"', "a\nb\t\"\\'"),
        (r'"\u00e4"', "ä"),
        (r'"\uD83D\uDC0E"', "🐎"),
        (r'"\U01F40E"', "🐎"),
        (r'"\d+"', r"\d+"),
        ('"two\nlines"', "two\nlines"),
    ],
)
def test_escapes_in_strings(text: str, value: str) -> None:
    assert tokenize(text)[0].text == value


def test_names_may_hold_any_letter() -> None:
    assert kinds("größe 変数 🐎")[:3] == [("name", "größe"), ("name", "変数"), ("name", "🐎")]


@pytest.mark.parametrize(
    ("text", "message", "position"),
    [
        ('a + "b', "A string is not closed", 4),
        ("`a", "A name in backticks is not closed", 0),
        ("a # b", "Unexpected character '#'", 2),
        (r'"\uD83D"', "A string holds half a surrogate pair", 0),
        ("x" * (LENGTH_MAX + 1), "longer than", 0),
    ],
)
def test_what_cannot_be_read_is_named_with_its_place(
    text: str, message: str, position: int
) -> None:
    with pytest.raises(ExpressionSyntaxError, match=message) as caught:
        tokenize(text)
    assert caught.value.position == position


def test_the_last_token_is_the_end() -> None:
    assert tokenize("")[0].kind is Kind.END
