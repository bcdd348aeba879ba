"""Short ways to evaluate JUEL in tests."""

import pytest

from engine.expressions import Environment, EvaluationError
from engine.expressions.juel import compile_juel
from engine.values import Value
from tests.engine.expressions.evaluating import environment


def juel(text: str, variables: dict[str, Value] | None = None) -> Value:
    """The value of an expression, written without its braces."""
    return template("${" + text + "}", variables)


def template(text: str, variables: dict[str, Value] | None = None) -> Value:
    """The value of a whole text."""
    return compile_juel(text).evaluate(environment(variables))


def fails(text: str, variables: dict[str, Value] | None = None) -> str:
    """Why the evaluation of an expression, written without its braces, fails."""
    with pytest.raises(EvaluationError) as caught:
        juel(text, variables)
    return caught.value.message


def with_facts(**facts: Value) -> Environment:
    """An environment that tells these facts about the instance."""
    env = environment()
    env.facts = facts
    return env
