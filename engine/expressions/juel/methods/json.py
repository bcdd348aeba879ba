"""The methods of Camunda's Spin nodes, which wrap JSON in Java: here they are called on JSON."""

import re
from decimal import Decimal
from typing import Final

from engine.expressions.environment import Environment
from engine.expressions.errors import EvaluationError
from engine.expressions.juel.coercion import shown
from engine.expressions.juel.methods.method import Implementation, Method, method
from engine.expressions.type_names import type_name
from engine.values import Value, ValueDecodeError, decode

_STEP: Final = re.compile(r"\.([^\W\d][\w-]*)|\[(?:(\d{1,9})|'([^']*)'|\"([^\"]*)\")\]")


def parse_json(env: Environment, value: Value) -> Value:
    """S() and JSON(): the value of a JSON text, and anything else as it is."""
    if not isinstance(value, str):
        return value
    env.spend(len(value) >> 6)
    try:
        return decode(value)
    except ValueDecodeError as error:
        raise EvaluationError(str(error)) from None


def _prop(_env: Environment, value: Value, name: Value) -> Value:
    if isinstance(value, dict) and isinstance(name, str) and name in value:
        return value[name]
    raise EvaluationError(f"There is no property {shown(name)}.")


def _has_prop(_env: Environment, value: Value, name: Value) -> Value:
    return isinstance(value, dict) and name in value


def _typed(wanted: str, *kinds: type) -> Implementation:
    """The value itself, if it is of one of the types."""

    def check(_env: Environment, value: Value) -> Value:
        if type(value) in kinds:
            return value
        raise EvaluationError(f"{shown(value)} is no {wanted}.")

    return check


def _json_path(env: Environment, value: Value, path: Value) -> Value:
    """A path of names and positions, such as `$.order.items[0]`. Filters are not supported."""
    if not isinstance(path, str) or not path.startswith("$"):
        raise EvaluationError(f"The path {shown(path)} does not begin with '$'.")
    position = 1
    while position < len(path):
        step = _STEP.match(path, position)
        if step is None:
            raise EvaluationError(f"The path {shown(path)} is not supported.")
        env.spend(1)
        value = _step(value, step)
        position = step.end()
    return value


def _step(value: Value, step: re.Match[str]) -> Value:
    if step[2] is not None:
        place = int(step[2])
        if isinstance(value, list) and place < len(value):
            return value[place]
    else:
        key = next(part for part in (step[1], step[3], step[4]) if part is not None)
        if isinstance(value, dict) and key in value:
            return value[key]
    raise EvaluationError(f"There is no {step[0]} in a {type_name(value)}.")


def _field_names(_env: Environment, value: Value) -> Value:
    if isinstance(value, dict):
        return list(value)
    raise EvaluationError(f"{shown(value)} is no object.")


def _is(*kinds: type) -> Implementation:
    return lambda _env, value: type(value) in kinds


_ITSELF: Final = method(lambda _env, value: value)
JSON: Final[dict[str, Method]] = {
    "boolValue": method(_typed("boolean", bool)),
    "element": _ITSELF,
    "elementList": method(_typed("list", list)),
    "elements": method(_typed("list", list)),
    "fieldNames": method(_field_names),
    "hasProp": method(_has_prop, 1),
    "isArray": method(_is(list)),
    "isBoolean": method(_is(bool)),
    "isNull": method(lambda _env, value: value is None),
    "isNumber": method(_is(int, Decimal)),
    "isObject": method(_is(dict)),
    "isString": method(_is(str)),
    "jsonPath": method(_json_path, 1),
    "numberValue": method(_typed("number", int, Decimal)),
    "prop": method(_prop, 1),
    "stringValue": method(_typed("string", str)),
    "value": _ITSELF,
}
