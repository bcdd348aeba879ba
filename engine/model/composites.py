"""Lists and objects whose parts are expressions of their own, as Camunda 7 maps them."""

from collections.abc import Mapping, Sequence

from engine.expressions import Environment, Expression
from engine.expressions.environment import Frame
from engine.values import Value


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


def _names(parts: Sequence[Expression]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for part in parts for name in part.names))


def _change_alone(parts: Sequence[Expression]) -> bool:
    return any(part.changes_alone for part in parts)
