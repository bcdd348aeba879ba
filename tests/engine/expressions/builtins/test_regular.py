"""Regular expressions: what they match, what replaces, and what they cost."""

import pytest

from engine.expressions import BudgetExceededError, Environment, compile_feel
from engine.values import Value
from tests.engine.expressions.evaluating import environment, feel


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('matches("foobar", "^fo*bar")', True),
        ('matches("foobar", "oo")', True),
        ('matches("foobar", "^oo")', False),
        ('matches("FooBar", "foo", "i")', True),
        ('matches("a\\nb", "a.b")', False),
        ('matches("a\\nb", "a.b", "s")', True),
        ('matches("a\\nb", "^b", "m")', True),
        ('matches("ab", "a b", "x")', True),
        ('matches("a b", "a [ ] b", "x")', True),
        ('matches("a[b", "a \\\\[ b", "x")', True),
        ('matches("a.b", "a.b", "q")', True),
        ('matches("axb", "a.b", "q")', False),
        ('matches("a", "a", "?")', None),
        ('matches("a", "(")', None),
        ('matches("a", "(?=a)")', None),
        ('matches("aa", "(a)\\\\1")', None),
        ('matches(1, "a")', None),
        ('replace("abcd", "(ab)|(a)", "[1=$1][2=$2]")', "[1=ab][2=]cd"),
        ('replace("0123456789", "(\\d{3})(\\d{3})(\\d{4})", "($1) $2-$3")', "(012) 345-6789"),
        ('replace("How do you feel?", "Feel", "FEEL", "i")', "How do you FEEL?"),
        ('replace("abc", "b", "[$0]")', "a[b]c"),
        ('replace("abc", "b", "\\\\$")', "a$c"),
        ('replace("abc", "b", "$")', None),
        ('replace("abc", "b", "$5")', "ac"),
        ('replace("abc", "x*", "-")', None),
        ('replace("abc", "[", "-")', None),
        ('replace("a;b;c", ";", ", ")', "a, b, c"),
        ('split("John Doe", "\\s")', ["John", "Doe"]),
        ('split("a;b;c;;", ";")', ["a", "b", "c", "", ""]),
        ('split("a1b22c", "[0-9]+")', ["a", "b", "c"]),
        ('split("abc", "[")', None),
        ('split("", ",")', [""]),
        ('extract("references are 1234, 1256, 1378", "12[0-9]*")', ["1234", "1256"]),
        ('extract("abc", "x")', []),
        ('extract("äöü", "[äü]")', ["ä", "ü"]),
        ('extract("abc", "(")', None),
    ],
)
def test_functions(text: str, value: Value) -> None:
    assert feel(text) == value


@pytest.mark.parametrize(
    ("pattern", "length"),
    [("((a|b){0,30}){0,30}c", 100_000), ("(a|b)*a(a|b){900}c", 100_000), ("a.*c|a", 100_000)],
)
def test_a_dear_search_is_paid_for_before_it_is_done(pattern: str, length: int) -> None:
    env = environment({"text": "ab" * (length // 2), "pattern": pattern})
    with pytest.raises(BudgetExceededError):
        compile_feel("count(extract(text, pattern)) + 1").evaluate(env)


def test_a_usual_search_is_cheap() -> None:
    env = Environment(lambda _name: "someone@example.org")
    assert compile_feel('matches(mail, "^[^@ ]+@[a-z.]+$")').evaluate(env) is True
    assert env.steps_max - env.steps < 10


def test_many_large_patterns_cost_their_compilation() -> None:
    text = 'for i in 1..5000 return matches("a", "(?i)\\pL{1,5}" + string(i))'
    with pytest.raises(BudgetExceededError):
        feel(text)
