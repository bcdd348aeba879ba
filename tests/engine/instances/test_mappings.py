"""Mappings: nested targets, and values that no variable can hold."""

from decimal import Decimal

import pytest

from engine.expressions import Environment, compile_feel
from engine.instances.mappings import _with_leaf, to_texts
from engine.instances.stuck import IncidentKind, StuckError
from engine.values import Value


@pytest.mark.parametrize(
    ("before", "path", "after"),
    [
        ({"a": 1, "b": {"c": 2}}, ["b", "d"], {"a": 1, "b": {"c": 2, "d": 3}}),
        (None, ["x"], {"x": 3}),
        ({"x": 1}, ["x"], {"x": 3}),
        ({"x": 1}, ["x", "y"], {"x": {"y": 3}}),
        ("text", ["x"], {"x": 3}),
        ([1], ["x"], {"x": 3}),
    ],
)
def test_a_leaf_is_merged_and_the_rest_stays(before: Value, path: list[str], after: Value) -> None:
    assert _with_leaf(before, path, 3) == after


def test_the_object_that_a_leaf_is_merged_into_is_not_changed() -> None:
    before: Value = {"b": {"c": 2}}
    _with_leaf(before, ["b", "c"], 3)
    assert before == {"b": {"c": 2}}


def test_values_become_their_exact_texts() -> None:
    made = to_texts({"n": Decimal("0.10"), "t": "ä", "l": [None, True]})
    assert made == {"n": "0.1", "t": '"ä"', "l": "[null,true]"}


def test_a_value_without_a_json_form_names_its_variable() -> None:
    value = compile_feel("[1..3]").evaluate(Environment())
    with pytest.raises(StuckError, match="'span'") as caught:
        to_texts({"span": value})
    assert caught.value.kind is IncidentKind.EXPRESSION_FAILED
