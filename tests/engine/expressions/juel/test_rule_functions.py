"""Functions of Flowable's decision tables: what they refuse."""

import pytest

from engine.expressions import EvaluationError
from engine.expressions.juel import compile_juel
from engine.values import Value
from tests.engine.expressions.evaluating import environment


def value_of(text: str, **variables: Value) -> Value:
    return compile_juel(text).evaluate(environment(variables))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("${date:toDate('soon')}", "soon"),
        ("${date:toDate(5)}", "date"),
        ("${collection:anyOf(list, null)}", "null"),
        ("${collection:anyOf('a, b', 'a')}", "no text in quotes"),
        ("${date:addDate('2026-01-01', 99999999999, 0, 0)}", "too much"),
    ],
)
def test_what_makes_no_sense_is_an_error(text: str, said: str) -> None:
    with pytest.raises(EvaluationError, match=said):
        value_of(text, list=["a"])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${collection:contains(5, 5)}", True),
        ("${collection:contains('abc', 'abc')}", True),
        ("${collection:contains('\"abc\"', 'abc')}", True),
        ("${date:addDate(null, 1, 0, 0) == null}", True),
        ("${date:now().getHourOfDay()}", 0),
    ],
)
def test_a_value_alone_is_a_collection_of_one(text: str, value: Value) -> None:
    assert value_of(text) == value
