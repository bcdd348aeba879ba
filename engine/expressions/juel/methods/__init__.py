"""Which methods a JUEL expression may call: explicit tables, by the type of the value.

A value is JSON or a date, never a Python object: what is not in a table does not exist.
"""

from decimal import Decimal
from typing import Final

from engine.expressions.calendar.temporal import DateTime
from engine.expressions.environment import Environment
from engine.expressions.errors import EvaluationError
from engine.expressions.juel.coercion import compare, shown, to_text
from engine.expressions.juel.methods import collections, json, moments, numbers, texts
from engine.expressions.juel.methods.method import Method, method
from engine.expressions.operators import equals
from engine.values import Value

# Of any value but null, on which only Spin has some.
_COMMON: Final[dict[str, Method]] = {
    **json.JSON,
    "compareTo": method(lambda env, value, other: compare(value, other, env), 1),
    "equals": method(lambda env, value, other: equals(value, other, env) is True, 1),
    "toString": method(lambda env, value: to_text(value, env)),
}
_OF_NULL: Final = {name: json.JSON[name] for name in ("isNull", "value", "element")}
_TABLES: Final[dict[type, dict[str, Method]]] = {
    type(None): _OF_NULL,
    str: {**_COMMON, **texts.METHODS},
    bool: {**_COMMON, **numbers.BOOLEANS},
    int: {**_COMMON, **numbers.NUMBERS},
    Decimal: {**_COMMON, **numbers.NUMBERS},
    list: {**_COMMON, **collections.LISTS},
    dict: {**_COMMON, **collections.MAPS},
    DateTime: {**_COMMON, **moments.MOMENTS},
}
_GETTERS: Final = ("get", "is")


def getter_key(name: str) -> str | None:
    """`name` for `getName` and `open` for `isOpen`; null for what is no getter's name."""
    for prefix in _GETTERS:
        rest = name.removeprefix(prefix)
        if rest != name and rest[:1].isupper():
            # java.beans.Introspector.decapitalize: getURL is the getter of URL.
            return rest if rest[1:2].isupper() else rest[0].lower() + rest[1:]
    return None


def is_known(name: str, count: int) -> bool:
    """Whether any value has this method with that many arguments."""
    if count == 0 and getter_key(name) is not None:
        return True
    return any(name in table and table[name].takes(count) for table in _TABLES.values())


def call_method(value: Value, name: str, arguments: list[Value], env: Environment) -> Value:
    """value.name(arguments). Raises EvaluationError if the value has no such method."""
    env.spend(1 + (len(value) >> 6) if type(value) is str else 1)
    found = _TABLES.get(type(value), _COMMON).get(name)
    if found is not None and found.takes(len(arguments)):
        result = found.implementation(env, value, *arguments)
        if type(result) is str:
            env.spend(len(result) >> 6)
        return result
    key = None if arguments or not isinstance(value, dict) else getter_key(name)
    if key is not None and isinstance(value, dict):
        return value.get(key)
    if value is None:
        raise EvaluationError(f"{name}() is called on null.")
    raise EvaluationError(f"{shown(value)} has no method {name}() of {len(arguments)} arguments.")
