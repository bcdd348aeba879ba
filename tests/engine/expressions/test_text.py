"""Values as FEEL would write them: what is written can be read again."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.expressions import BudgetExceededError, Environment, compile_feel
from engine.expressions.text import literal_text, to_text
from engine.values import Value, normalise
from tests.engine.expressions.evaluating import shown

VALUES: st.SearchStrategy[Value] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.decimals(-1000, 1000, places=3).map(normalise)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\\")),
    lambda inner: st.lists(inner, max_size=4),
    max_leaves=20,
)


@settings(deadline=None)
@given(VALUES)
def test_what_is_written_is_read_as_the_same(value: Value) -> None:
    text = literal_text(value, Environment())
    assert compile_feel(text).evaluate(Environment()) == value


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ('{a: "x\\"y", "b-c": null}', '{a: "x\\"y", "b-c": null}'),
        ("(< 5)", "(< 5)"),
        ("(>= 5)", "(>= 5)"),
        ("]1..5[", "(1..5)"),
        ("function(x) x", "function"),
        ('@"10:00:00@Europe/Berlin"', "10:00:00@Europe/Berlin"),
    ],
)
def test_special_values(text: str, written: str) -> None:
    assert shown(text) == written


def test_a_string_is_its_own_text() -> None:
    assert to_text("a", Environment()) == "a"


def test_long_texts_are_paid_for() -> None:
    with pytest.raises(BudgetExceededError):
        literal_text([1] * 50_000, Environment())
