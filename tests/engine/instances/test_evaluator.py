"""Expressions see variables through the scopes, and say what was missing."""

import pytest

from engine.expressions import compile_feel
from engine.expressions.juel import compile_juel
from engine.instances.evaluator import Evaluator, naming_missing, text_of
from engine.instances.stuck import IncidentKind, StuckError
from tests.engine.test_variables import instance
from tests.support.contexts import NOW, context

SUB, TASK = 2, 3


def evaluator() -> Evaluator:
    return Evaluator(context(), instance())


def test_inner_variables_cover_outer_ones_and_locals_cover_all() -> None:
    expression = compile_feel("x + y")
    assert evaluator().evaluate(expression, TASK) == 4
    assert evaluator().evaluate(expression, SUB) == 2
    assert evaluator().evaluate(expression, TASK, {"y": 10}) == 11


def test_what_changed_in_between_is_seen() -> None:
    state = instance()
    expressions = Evaluator(context(), state)
    assert expressions.evaluate(compile_feel("x"), SUB) == 1
    state.variables[1] = {"x": "5"}
    assert expressions.evaluate(compile_feel("x"), SUB) == 5


def test_now_is_the_time_of_the_command() -> None:
    text = evaluator().text(compile_feel("now()"), TASK)
    assert text == "2023-11-14T22:13:20Z"
    assert NOW == 1_700_000_000_000


def test_random_values_follow_from_the_position() -> None:
    expression = compile_feel("random number()")
    first = Evaluator(context(offset=1), instance()).evaluate(expression, TASK)
    again = Evaluator(context(offset=1), instance()).evaluate(expression, TASK)
    other = Evaluator(context(offset=2), instance()).evaluate(expression, TASK)
    assert first == again
    assert first != other


def test_a_condition_that_is_neither_true_nor_false_names_what_is_missing() -> None:
    with pytest.raises(StuckError, match="missing: amount") as caught:
        evaluator().condition(compile_feel("amount > 3"), TASK)
    assert caught.value.kind is IncidentKind.EXPRESSION_FAILED
    assert caught.value.message.count("missing") == 1


def test_a_variable_that_the_error_names_is_not_named_again() -> None:
    with pytest.raises(StuckError) as caught:
        evaluator().evaluate(compile_juel("${initiator}"), TASK)
    assert caught.value.message == (
        "The expression '${initiator}' failed: There is no variable 'initiator'."
    )


@pytest.mark.parametrize(
    ("sentence", "whole"),
    [
        ("It failed.", "It failed; missing: a, b."),
        ("It failed", "It failed; missing: a, b"),
        ("There is no variable 'a'.", "There is no variable 'a'; missing: b."),
        ("It failed; missing: a, b.", "It failed; missing: a, b."),
    ],
)
def test_what_is_missing_stands_inside_of_the_sentence(sentence: str, whole: str) -> None:
    assert naming_missing(sentence, ("a", "b")) == whole


def test_an_expression_beyond_its_budget_names_its_text() -> None:
    expression = compile_feel("sum(for i in 1..100000 return i)")
    with pytest.raises(StuckError, match="for i in") as caught:
        evaluator().evaluate(expression, TASK)
    assert "steps" in caught.value.message


@pytest.mark.parametrize(
    ("text", "found"),
    [("z", "3"), ('"a" + "b"', "ab"), ("1.50", "1.5"), ('duration("PT60S")', "PT1M")],
)
def test_numbers_and_temporal_values_are_texts(text: str, found: str) -> None:
    assert evaluator().text(compile_feel(text), TASK) == found


@pytest.mark.parametrize("text", ["missing", "null", "true", "[1]", "{a: 1}"])
def test_other_values_are_no_texts(text: str) -> None:
    with pytest.raises(StuckError, match="expected a text"):
        evaluator().text(compile_feel(text), TASK)


def test_a_name_is_neither_empty_nor_long() -> None:
    assert evaluator().name("static", TASK) == "static"
    for text in ('""', '"' + "x" * 11 + '"'):
        with pytest.raises(StuckError, match="1 to 10 characters"):
            evaluator().name(compile_feel(text), TASK, length_max=10)


def test_a_value_with_no_text_is_described() -> None:
    assert text_of([1, "a"]) == '[1,"a"]'
    assert text_of("a") == "a"
