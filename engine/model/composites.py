"""Expressions made of others: lists and objects, as Camunda 7 maps them; what Flowable skips."""

from collections.abc import Mapping, Sequence
from typing import Final

from engine.expressions import MISSING, Environment, EvaluationError, Expression
from engine.expressions.environment import Frame
from engine.values import Value


def compose_list(items: Sequence[Expression]) -> Expression:
    """The list of their values."""

    def code(env: Environment, frame: Frame | None) -> Value:
        env.spend(len(items))
        return [item.code(env, frame) for item in items]

    text = ", ".join(item.text for item in items)
    return Expression(f"[{text}]", _names(items), code)


def compose_map(entries: Mapping[str, Expression]) -> Expression:
    """The object of their values."""

    def code(env: Environment, frame: Frame | None) -> Value:
        env.spend(len(entries))
        return {key: entry.code(env, frame) for key, entry in entries.items()}

    text = ", ".join(f"{key}: {entry.text}" for key, entry in entries.items())
    return Expression(f"{{{text}}}", _names(tuple(entries.values())), code)


SKIPPING: Final = ("_ACTIVITI_SKIP_EXPRESSION_ENABLED", "_FLOWABLE_SKIP_EXPRESSION_ENABLED")
"""Variables of which one must be true before anything is skipped; the first that is one counts."""


def compose_skip(skip: Expression) -> Expression:
    """Whether to skip: false where nobody has said that anything may be."""

    def code(env: Environment, frame: Frame | None) -> Value:
        return skip.code(env, frame) if _is_skipping(env) else False

    return Expression(skip.text, (*SKIPPING, *skip.names), code)


def compose_skipping_flow(skip: Expression, condition: Expression | None) -> Expression:
    """Whether a flow is taken: by its condition only where nothing may be skipped."""

    def code(env: Environment, frame: Frame | None) -> Value:
        if _is_skipping(env):
            return skip.code(env, frame)
        return True if condition is None else condition.code(env, frame)

    names = () if condition is None else condition.names
    text = skip.text if condition is None else condition.text
    return Expression(text, (*SKIPPING, *skip.names, *names), code)


def _is_skipping(env: Environment) -> bool:
    """As Flowable asks: what is no truth value in the first variable is passed over."""
    env.spend(1)
    first, second = (env.lookup(name) for name in SKIPPING)
    if isinstance(first, bool):
        return first
    if second is MISSING or second is None:
        return False
    if not isinstance(second, bool):
        raise EvaluationError(f"The variable {SKIPPING[1]} is neither true nor false.")
    return second


def _names(parts: Sequence[Expression]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for part in parts for name in part.names))
