"""The text that string() makes of a value, and that a value has inside of another's text."""

import re
from decimal import Decimal
from typing import Final

from engine.expressions.calendar.temporal import DateTime, Time
from engine.expressions.environment import Environment
from engine.expressions.numeric import number_text
from engine.expressions.range_value import Range
from engine.values import ExpressionValue, Value, ValueEncodeError

_CONSTANTS: Final = {None: "null", True: "true", False: "false"}
_PLAIN_KEY = re.compile(r"[\w ]+")


def to_text(value: Value, env: Environment) -> str:
    """A string as it is, anything else as FEEL would write it."""
    return value if isinstance(value, str) else literal_text(value, env)


def literal_text(value: Value, env: Environment) -> str:
    """As FEEL would write it, strings in quotes."""
    match value:
        case None | bool():
            return _CONSTANTS[value]
        case int() | Decimal():
            return number_text(value)
        case str():
            return quoted(value)
        case list() | dict():
            env.spend(len(value))
            return _collection_text(value, env)
        case Range():
            return _range_text(value, env)
        case _:
            return _special_text(value)


def _collection_text(value: list[Value] | dict[str, Value], env: Environment) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(literal_text(item, env) for item in value) + "]"
    return "{" + ", ".join(_entry(key, item, env) for key, item in value.items()) + "}"


def quoted(text: str) -> str:
    """A string literal."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _entry(key: str, value: Value, env: Environment) -> str:
    name = key if _PLAIN_KEY.fullmatch(key) else quoted(key)
    return f"{name}: {literal_text(value, env)}"


def _range_text(value: Range, env: Environment) -> str:
    if value.operator:
        operand = value.high if value.low is None else value.low
        return f"({value.operator} {literal_text(operand, env)})"
    low, high = literal_text(value.low, env), literal_text(value.high, env)
    return f"{'[' if value.low_included else '('}{low}..{high}{']' if value.high_included else ')'}"


def _special_text(value: ExpressionValue) -> str:
    if isinstance(value, (Time, DateTime)):
        return value.feel_text()
    try:
        return value.json_text()
    except ValueEncodeError:
        return "function"
