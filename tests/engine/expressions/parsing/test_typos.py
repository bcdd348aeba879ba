"""Signs of other languages are told how FEEL writes them."""

import pytest

from engine.expressions import ExpressionSyntaxError, compile_feel


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a == b", "`=`"),
        ("a === b", "`=`"),
        ("a !== b", "`!=`"),
        ("a <> b", "`!=`"),
        ("a && b", "`and`"),
        ("a || b", "`or`"),
        ("a => b", "`>=`"),
        ("a =< b", "`<=`"),
        ("!a", "`not(...)`"),
        ("'a'", "double quotes"),
        ("a % b", "modulo"),
        ("a ? 1 : 2", "`if a then b else c`"),
        ("a;", "semicolon"),
        ("${a}", "by their names alone"),
    ],
)
def test_a_sign_of_another_language_is_told_how_feel_writes_it(text: str, said: str) -> None:
    with pytest.raises(ExpressionSyntaxError) as caught:
        compile_feel(text)
    assert said in caught.value.advice


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("a > 5 && x == 1", "Write `and`. Write equality as `=`."),
        ("a == 1 || b", "Write `or`. Write equality as `=`."),
        ('a && b = "x == y"', "Write `and`."),
        ("a = 'x == y'", 'Write texts in double quotes: "a".'),
    ],
)
def test_every_sign_of_another_language_is_told_at_once(text: str, advice: str) -> None:
    with pytest.raises(ExpressionSyntaxError) as caught:
        compile_feel(text)
    assert caught.value.advice == advice


@pytest.mark.parametrize("text", ["1 +", "(a", "a b", '"a'])
def test_other_errors_say_where(text: str) -> None:
    with pytest.raises(ExpressionSyntaxError) as caught:
        compile_feel(text)
    assert caught.value.advice == "Correct it at that character."
