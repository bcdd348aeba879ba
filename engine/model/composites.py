"""Expressions made of others: lists and objects, as Camunda 7 maps them; what Flowable skips."""

from collections.abc import Mapping, Sequence
from typing import Final

from engine.expressions import MISSING, Environment, EvaluationError, Expression
from engine.expressions.environment import Frame
from engine.expressions.type_names import type_name
from engine.model.elements import Text
from engine.values import ExpressionValue, Value, encode


def compose_list(items: Sequence[Expression]) -> Expression:
    """The list of their values."""

    def code(env: Environment, frame: Frame | None) -> Value:
        env.spend(len(items))
        return [item.code(env, frame) for item in items]

    text = ", ".join(item.text for item in items)
    return Expression(f"[{text}]", _names(items), code, changes_alone=_change_alone(items))


def compose_map(entries: Mapping[str, Expression]) -> Expression:
    """The object of their values."""

    def code(env: Environment, frame: Frame | None) -> Value:
        env.spend(len(entries))
        return {key: entry.code(env, frame) for key, entry in entries.items()}

    text = ", ".join(f"{key}: {entry.text}" for key, entry in entries.items())
    parts = tuple(entries.values())
    return Expression(f"{{{text}}}", _names(parts), code, changes_alone=_change_alone(parts))


def compose_names(parts: Sequence[Text]) -> Expression:
    """The list of all names: a text is one, an expression gives a list or names with commas."""
    expressions = [part for part in parts if isinstance(part, Expression)]

    def code(env: Environment, frame: Frame | None) -> Value:
        env.spend(len(parts))
        names: list[Value] = []
        for part in parts:
            names += [part] if isinstance(part, str) else _names_in(part.code(env, frame))
        return names

    text = ", ".join(part if isinstance(part, str) else part.text for part in parts)
    return Expression(text, _names(expressions), code)


def _names_in(value: Value) -> list[Value]:
    if isinstance(value, str):
        return [part for part in (part.strip() for part in value.split(",")) if part]
    return value if isinstance(value, list) else [] if value is None else [value]


def compose_query(name: str, parameters: Mapping[str, Expression]) -> Expression:
    """A name with the values of its parameters: `name(first=1;second=b)`."""

    def code(env: Environment, frame: Frame | None) -> Value:
        env.spend(len(parameters))
        values = (
            f"{parameter}={_plain(source, env, frame)}" for parameter, source in parameters.items()
        )
        return [f"{name}({';'.join(values)})"]

    return Expression(name, _names(tuple(parameters.values())), code)


KEY_SEPARATOR: Final = "|"


def compose_key(parts: Sequence[Expression]) -> Expression:
    """The correlation key of several values: their texts with `|` between them.

    A `|` in a text is `\\|`, and a backslash two, so that different values give different keys.
    """
    if len(parts) == 1:
        return parts[0]

    def code(env: Environment, frame: Frame | None) -> Value:
        env.spend(len(parts))
        texts = (_plain(part, env, frame) for part in parts)
        return KEY_SEPARATOR.join(text.replace("\\", r"\\").replace("|", r"\|") for text in texts)

    text = KEY_SEPARATOR.join(part.text for part in parts)
    return Expression(text, _names(parts), code)


def _plain(part: Expression, env: Environment, frame: Frame | None) -> str:
    """The value as a text. Raises EvaluationError where it is none and no number, date or time."""
    value = part.code(env, frame)
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, bool | list | dict):
        found = "null" if value is None else f"a {type_name(value)}"
        raise EvaluationError(f"The expression {part.text!r} gives {found}, expected a text.")
    return value.json_text() if isinstance(value, ExpressionValue) else encode(value)


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


def _change_alone(parts: Sequence[Expression]) -> bool:
    return any(part.changes_alone for part in parts)
