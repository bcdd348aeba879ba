"""Which texts are expressions, how operators bind, and what is said about the other texts."""

import pytest

from engine.expressions import ExpressionSyntaxError
from engine.expressions.juel import compile_juel, compile_juel_expression, holds_expression
from engine.values import Value
from tests.engine.expressions.evaluating import environment
from tests.engine.expressions.juel.evaluating import juel, template


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("10 - 3 - 2", 5),
        ("8 / 4 / 2", 1),
        ("-2 * -3", 6),
        ("- -2", 2),
        ("1 + 1 == 2", True),
        ("1 < 2 == true", True),
        ("1 == 1 && 2 == 3 || true", True),
        ("true || false && false", True),
        ("not false and true", True),
        ("!true || true", True),
        ("7 mod 3 eq 1", True),
        ("7 div 2", 3.5),
        ("1 lt 2 and 2 gt 1 and 1 le 1 and 1 ge 1 and 1 ne 2", True),
        ("true ? 1 : false ? 2 : 3", 1),
        ("false ? 1 : false ? 2 : 3", 3),
        ("true ? false ? 1 : 2 : 3", 2),
        ("a ? b : c", 2),
        ("a ? now() == null : c", False),
        (".5 + 1. + 1e1", 11.5),
        ("'it\\'s'", "it's"),
        ('"a\\\\b"', "a\\b"),
        ("'}'", "}"),
        ("map.empty", 1),
        ("map['a b']", 2),
        ("null", None),
    ],
)
def test_expressions(text: str, value: Value) -> None:
    variables: dict[str, Value] = {"a": True, "b": 2, "c": 3, "map": {"empty": 1, "a b": 2}}
    assert juel(text, variables) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("plain", "plain"),
        ("", ""),
        ("$ and # alone, and {braces}", "$ and # alone, and {braces}"),
        ("${n}", 5),
        ("#{n}", 5),
        (" ${n}", " 5"),
        ("${n}${n}", "55"),
        ("a ${n} b #{n} c", "a 5 b 5 c"),
        ("\\${n} ${n}", "${n} 5"),
        ("\\#{n}", "#{n}"),
        ("C:\\${n}", "C:${n}"),
        ("\\n", "\\n"),
    ],
)
def test_texts_around_expressions(text: str, value: Value) -> None:
    assert template(text, {"n": 5}) == value


def test_whether_a_text_holds_an_expression() -> None:
    assert holds_expression("a ${b}")
    assert holds_expression("#{b}")
    assert not holds_expression("costs $5 {net}")


def test_an_expression_without_braces() -> None:
    assert compile_juel_expression("a > 1").evaluate(environment({"a": 2})) is True
    with pytest.raises(ExpressionSyntaxError):
        compile_juel_expression("a > 1}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("${", "not closed by '}'"),
        ("${a", "not closed by '}'"),
        ("${}", "Expected an expression, found the end"),
        ("${a b}", "found 'b'"),
        ("${a +}", "found the end"),
        ("${a = 1}", "Unexpected character '='"),
        ("${'a}", "A string is not closed"),
        ("${a.}", "Expected a property name"),
        ("${a.1}", "found '.1'"),
        ("${a ? b}", "Expected ':'"),
        ("${a[1}", "Expected ']'"),
        ("${(a}", "Expected ')'"),
        ("${a eq}", "found the end"),
        ("${a and and b}", "found 'and'"),
        ("${f(1,)}", "found ')'"),
        ("${[1]}", "found '['"),
        ("${{}", "found '{'"),
        ("${a:b}", "found ':'"),
        ("${" + "(" * 50 + "1}", "nested deeper than 48"),
        ("${" + "-" * 50 + "1}", "nested deeper than 48"),
        ("${" + "a." * 200 + "b}", "nested deeper than 150"),
        ("${a" + "[0]" * 200 + "}", "nested deeper than 150"),
        ("x" * 64_001, "longer than 64000"),
    ],
)
def test_what_is_no_expression(text: str, message: str) -> None:
    with pytest.raises(ExpressionSyntaxError, match="at character") as caught:
        compile_juel(text)
    assert message in str(caught.value)


def test_the_position_of_a_mistake_counts_from_the_beginning_of_the_text() -> None:
    with pytest.raises(ExpressionSyntaxError) as caught:
        compile_juel("Dear ${name} ${a b}")
    assert caught.value.position == 17


def test_a_long_chain_of_operators_is_not_nested() -> None:
    assert juel("1" + " + 1" * 5_000) == 5_001
    assert juel("true" + " && true" * 5_000) is True
