"""JUEL's operators: one table each, of functions that coerce both sides.

JSR-245 sections 1.7 and 1.8, except that numbers are exact: 7 / 2 is 3.5, and 1 / 3 has 34 digits.
"""

import operator
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final, TypeAlias

from engine.expressions.arithmetic import calculate
from engine.expressions.environment import Environment
from engine.expressions.errors import EvaluationError
from engine.expressions.juel.coercion import (
    NUMBERS,
    compare,
    equal,
    is_empty,
    to_boolean,
    to_number,
)
from engine.expressions.numeric import CONTEXT, Number
from engine.values import Value

Operation: TypeAlias = Callable[[Value, Value, Environment], Value]


def _arithmetic(symbol: str) -> Operation:
    def apply(left: Value, right: Value, _env: Environment) -> Value:
        return _defined(calculate(symbol, to_number(left), to_number(right)))

    return apply


def _remainder(left: Value, right: Value, _env: Environment) -> Value:
    """The remainder, with the sign of the left side, as in Java."""
    one, other = to_number(left), to_number(right)
    if not other:
        return _defined(None)
    if isinstance(one, int) and isinstance(other, int):
        rest = abs(one) % abs(other)
        return -rest if one < 0 else rest
    result = CONTEXT.remainder(Decimal(one), Decimal(other))
    return _defined(result if result.is_finite() else None)


def _defined(result: Value) -> Value:
    if result is None:
        raise EvaluationError("The result is no number: a division by zero, or out of range.")
    return result


def _not_equal(left: Value, right: Value, env: Environment) -> Value:
    return not equal(left, right, env)


def _relation(rule: Callable[[Any, Any], bool]) -> Operation:
    """A comparison; false if just one side is null."""

    def holds(left: Value, right: Value, env: Environment) -> Value:
        if type(left) in NUMBERS and type(right) in NUMBERS:
            return rule(left, right)
        order = compare(left, right, env)
        return order is not None and rule(order, 0)

    return holds


ARITHMETIC: Final[dict[str, Operation]] = {
    "+": _arithmetic("+"),
    "-": _arithmetic("-"),
    "*": _arithmetic("*"),
    "/": _arithmetic("/"),
    "%": _remainder,
}
RELATIONS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
"""Of two numbers, which need no coercion."""

OPERATIONS: Final[dict[str, Operation]] = {
    **ARITHMETIC,
    **{symbol: _relation(rule) for symbol, rule in RELATIONS.items()},
    "==": equal,
    "!=": _not_equal,
}


def _negated(value: Value) -> Value:
    number: Number = to_number(value)
    return number.copy_negate() if isinstance(number, Decimal) else -number


PREFIXES: Final[dict[str, Callable[[Value], Value]]] = {
    "!": lambda value: not to_boolean(value),
    "-": _negated,
    "empty": is_empty,
}
