"""All functions together: no arguments, however odd, make one fail in an uncontrolled way."""

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.expressions import Environment, EvaluationError, compile_feel
from engine.expressions.builtins import BUILTINS
from engine.expressions.functions import invoke
from engine.values import Value, ValueEncodeError, encode

ODD_TEXTS = [
    "null", "true", "0", "-1", "1.5", "1E6144", "1E-6143", '""', '"a"', '"("', '"P1D"',
    '"2020-01-01"', '"[1..2]"', "[]", "[1]", "[1, null]", '["a"]', "[[1]]", "{}", "{a: 1}",
    '[{key: "a", value: 1}]', '@"2020-02-29"', '@"999999999-12-31"', '@"-999999999-01-01"',
    '@"10:00:00"', '@"10:00:00@Europe/Berlin"', '@"2020-01-01T00:00:00@Europe/Berlin"',
    '@"999999999-12-31T23:59:59Z"', '@"P1D"', '@"-P1Y"', '@"P1000000000Y"', '@"P99999999999D"',
    "[1..2]", '["a".."b")', "(< 5)", "(= 5)", "function(x) x", "function(x, y) x < y",
]  # fmt: skip
ODD_VALUES: list[Value] = [compile_feel(text).evaluate(Environment()) for text in ODD_TEXTS]


@pytest.mark.parametrize("name", BUILTINS)
@settings(max_examples=25, deadline=None)
@given(arguments=st.lists(st.sampled_from(ODD_VALUES), max_size=4))
def test_any_arguments_give_a_value(name: str, arguments: list[Value]) -> None:
    try:
        value = invoke(BUILTINS[name], arguments, Environment())
    except EvaluationError:
        return
    assert type(value) is not float
    assert not (isinstance(value, Decimal) and not value.is_finite())
    try:
        encode(value)
    except ValueEncodeError:
        return


@settings(max_examples=400, deadline=None)
@given(
    st.sampled_from(ODD_TEXTS),
    st.sampled_from(["+", "-", "*", "/", "**", "=", "!=", "<", "<=", ">", ">=", "in", "and", "or"]),
    st.sampled_from(ODD_TEXTS),
)
def test_any_operands_give_a_value(left: str, operator: str, right: str) -> None:
    value = compile_feel(f"({left}) {operator} ({right})").evaluate(Environment())
    assert not (isinstance(value, Decimal) and not value.is_finite())


@settings(max_examples=400, deadline=None)
@given(
    st.sampled_from(["for i in {} return {}", "{}[{}]", "({})..({})", "[({})..({})]", "({}).a",
                     "({}).year", "({}).start", "some i in {} satisfies {}", "-({})"]),
    st.sampled_from(ODD_TEXTS),
    st.sampled_from(ODD_TEXTS),
)  # fmt: skip
def test_any_parts_make_an_expression(template: str, one: str, other: str) -> None:
    text = template.format(one, other)
    if text.startswith("(") and ")..(" in text:
        text = f"for i in {text} return i"
    try:
        compile_feel(text).evaluate(Environment())
    except EvaluationError:
        return


def test_names_are_unique_and_words() -> None:
    assert all(name and name == " ".join(name.split()) for name in BUILTINS)
