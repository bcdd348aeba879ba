"""The functions of JUEL: Camunda 7's own, and Flowable's, some of which read variables by name."""

import base64
from collections.abc import Callable
from typing import Final, TypeAlias

import msgspec

from engine.expressions.environment import MISSING, Environment
from engine.expressions.errors import EvaluationError
from engine.expressions.juel import rule_functions as rules
from engine.expressions.juel.coercion import is_empty, shown
from engine.expressions.juel.methods.json import parse_json
from engine.expressions.juel.methods.method import ANY_NUMBER
from engine.expressions.juel.methods.moments import now
from engine.expressions.operators import equals, less
from engine.expressions.type_names import type_name
from engine.values import Value

Implementation: TypeAlias = Callable[..., Value]


class Function(msgspec.Struct, frozen=True):
    """A function, callable with `least` to `most` arguments.

    `of_variable`: its first argument is the name of a variable, with or without quotes.
    """

    implementation: Implementation
    least: int = 0
    most: int = 0
    of_variable: bool = False


def read_variable(env: Environment, name: Value) -> Value:
    """A variable by its name; null if there is none, which is no fault here."""
    if not isinstance(name, str):
        raise EvaluationError(f"{shown(name)} is no name of a variable.")
    value = env.lookup(name)
    return None if value is MISSING else value


def has_variable(env: Environment, name: Value) -> Value:
    """Whether there is a variable of this name, even if it is null."""
    return isinstance(name, str) and env.lookup(name) is not MISSING


def _get_or_default(env: Environment, name: Value, default: Value) -> Value:
    value = read_variable(env, name)
    return default if value is None else value


def _not_null(env: Environment, name: Value) -> Value:
    return read_variable(env, name) is not None


def _empty(env: Environment, name: Value) -> Value:
    return is_empty(read_variable(env, name))


def _not_empty(env: Environment, name: Value) -> Value:
    return not is_empty(read_variable(env, name))


def _equal(env: Environment, name: Value, other: Value) -> Value:
    return equals(read_variable(env, name), other, env) is True


def _not_equal(env: Environment, name: Value, other: Value) -> Value:
    return not _equal(env, name, other)


def _has(env: Environment, value: Value, element: Value) -> bool:
    if isinstance(value, str):
        env.spend(len(value) >> 6)
        return isinstance(element, str) and element in value
    if isinstance(value, list):
        env.spend(len(value) >> 2)
        return any(equals(item, element, env) is True for item in value)
    return False


def _contains(env: Environment, name: Value, *elements: Value) -> Value:
    value = read_variable(env, name)
    return value is not None and all(_has(env, value, element) for element in elements)


def _contains_any(env: Environment, name: Value, *elements: Value) -> Value:
    value = read_variable(env, name)
    return any(_has(env, value, element) for element in elements)


def _comparing(accepts: Callable[[int], bool]) -> Implementation:
    """A comparison without coercion, false if one side is null."""

    def check(env: Environment, name: Value, other: Value) -> Value:
        value = read_variable(env, name)
        if value is None or other is None:
            return False
        below, above = less(value, other), less(other, value)
        if below is None or above is None:
            raise EvaluationError(
                f"A {type_name(value)} and a {type_name(other)} cannot be compared."
            )
        return accepts(above - below)

    return check


def _base64(env: Environment, name: Value) -> Value:
    value = read_variable(env, name)
    if not isinstance(value, str):
        raise EvaluationError(f"{shown(value)} is not a string.")
    env.spend(len(value) >> 6)
    return base64.b64encode(value.encode("utf-8", "replace")).decode()


_LESS = _comparing(lambda order: order < 0)
_AT_MOST = _comparing(lambda order: order <= 0)
_GREATER = _comparing(lambda order: order > 0)
_AT_LEAST = _comparing(lambda order: order >= 0)
_OF_VARIABLES: Final[dict[tuple[str, ...], Function]] = {
    ("get",): Function(read_variable, 1, 1),
    ("getOrDefault",): Function(_get_or_default, 2, 2),
    ("exists", "exist"): Function(_not_null, 1, 1),
    ("isEmpty", "empty"): Function(_empty, 1, 1),
    ("isNotEmpty", "notEmpty"): Function(_not_empty, 1, 1),
    ("equals", "eq"): Function(_equal, 2, 2),
    ("notEquals", "ne"): Function(_not_equal, 2, 2),
    ("contains",): Function(_contains, 2, ANY_NUMBER),
    ("containsAny",): Function(_contains_any, 2, ANY_NUMBER),
    ("lowerThan", "lessThan", "lt"): Function(_LESS, 2, 2),
    ("lowerThanOrEquals", "lessThanOrEquals", "lte"): Function(_AT_MOST, 2, 2),
    ("greaterThan", "gt"): Function(_GREATER, 2, 2),
    ("greaterThanOrEquals", "gte"): Function(_AT_LEAST, 2, 2),
    ("base64",): Function(_base64, 1, 1),
}
FUNCTIONS: Final[dict[str, Function]] = {
    "now": Function(now),
    "dateTime": Function(now),
    "S": Function(parse_json, 1, 1),
    "JSON": Function(parse_json, 1, 1),
    "date:toDate": Function(rules.to_date, 1, 1),
    "date:addDate": Function(rules.add_date, 4, 4),
    "date:subtractDate": Function(rules.subtract_date, 4, 4),
    "date:now": Function(rules.today),
    **{
        f"collection:{name}": Function(implementation, 2, 2)
        for name, implementation in rules.COLLECTIONS.items()
    },
    **{
        f"{prefix}:{name}": msgspec.structs.replace(function, of_variable=True)
        for names, function in _OF_VARIABLES.items()
        for name in names
        for prefix in ("variables", "vars", "var")
    },
}
