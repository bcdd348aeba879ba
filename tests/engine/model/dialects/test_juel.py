"""How texts mark JUEL."""

import pytest

from engine.expressions import MISSING, Environment
from engine.expressions.juel import compile_juel
from engine.model.dialects import juel
from engine.model.extensions import Formula


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        (" ${a} ", Formula("${a}", "juel", 7)),
        ("x-#{a}", Formula("x-#{a}", "juel", 7)),
        ("plain", Formula("plain", "static", 7)),
        ("", Formula("", "static", 7)),
    ],
)
def test_a_text_is_an_expression_if_there_is_one_in_it(text: str, formula: Formula) -> None:
    assert juel.formula(text, 7) == formula


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("plain", Formula("plain", "juel", 7)),
        (" ", Formula("null", "feel", 7)),
    ],
)
def test_a_value_is_an_expression_in_any_case(text: str, formula: Formula) -> None:
    assert juel.value(text, 7) == formula


@pytest.mark.parametrize("name", ["a", "it's", "back\\slash", "two words"])
def test_a_variable_of_any_name_is_read_and_null_where_it_is_missing(name: str) -> None:
    expression = compile_juel(juel.variable(name).text)
    assert expression.evaluate(Environment(lookup={name: 5}.__getitem__)) == 5
    assert expression.evaluate(Environment(lookup=lambda _: MISSING)) is None


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("${ a }", "a"),
        ("#{a.b(c)}", "a.b(c)"),
        ("a", "a"),
        ("${a}${b}", "${a}${b}"),
        ("x${a}", "x${a}"),
    ],
)
def test_the_inner_text_is_what_stands_between_the_braces(text: str, inner: str) -> None:
    assert juel.inner(text) == inner
