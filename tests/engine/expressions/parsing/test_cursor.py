"""Names of several words, and what is said about an unexpected token."""

import pytest

from engine.expressions import ExpressionSyntaxError
from engine.expressions.parsing.cursor import Cursor


def test_the_longest_known_name_wins() -> None:
    cursor = Cursor("first name of child", ["first name", "first name of", "name"])
    assert cursor.known_name() == "first name of"
    assert cursor.known_name() is None
    assert cursor.take().text == "child"


def test_a_known_name_may_hold_operators_and_any_blanks() -> None:
    assert Cursor("profit\n  -  loss + 1", ["profit - loss"]).known_name() == "profit - loss"


def test_a_key_is_everything_before_its_colon() -> None:
    assert Cursor("net  worth (EUR): 1", []).key() == "net worth (EUR)"
    assert Cursor('"a:b": 1', []).key() == "a:b"
    assert Cursor("`x y`: 1", []).key() == "x y"


@pytest.mark.parametrize("text", [": 1", "a, b: 1", "a", "{b: 1}"])
def test_a_key_without_name_or_colon_is_refused(text: str) -> None:
    with pytest.raises(ExpressionSyntaxError, match="Expected a key"):
        Cursor(text, []).key()


def test_a_failure_names_what_stands_there() -> None:
    with pytest.raises(ExpressionSyntaxError, match=r"Expected 'then', found '\"x\"'"):
        Cursor('"x"', []).expect("then")
    with pytest.raises(ExpressionSyntaxError, match="found the end"):
        Cursor("", []).expect("then")


def test_a_keyword_in_a_string_is_no_keyword() -> None:
    assert not Cursor('"then"', []).accept("then")


def test_names_that_no_token_can_spell_need_backticks() -> None:
    assert Cursor("a", ["#", "a"]).known_name() is None
