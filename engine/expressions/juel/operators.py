"""JUEL's operators: one table each, of functions that coerce both sides.

JSR-245 sections 1.7 and 1.8, except that numbers are exact: 7 / 2 is 3.5, and 1 / 3 has 34 digits.
"""

from collections.abc import Callable
from decimal import Decimal
from typing import Final, TypeAlias

from engine.expressions.arithmetic import calculate
from engine.expressions.environment import Environment
from engine.expressions.errors import EvaluationError
from engine.expressions.juel.coercion import compare, equal, is_empty, to_boolean, to_number
from engine.expressions.numeric import CONTEXT, Number
from engine.values import Value

Operation: TypeAlias = Callable[[Value, Value, Environment], Value]


def _arithmetic(operator: str) -> Operation:
    def apply(left: Value, right: Value, _env: Environment) -> Value:
        return _defined(calculate(operator, to_number(left), to_number(right)))

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


def _less(left: Value, right: Value, env: Environment) -> Value:
    order = compare(left, right, env)
    return order is not None and order < 0


def _greater(left: Value, right: Value, env: Environment) -> Value:
    order = compare(left, right, env)
    return order is not None and order > 0


def _at_most(left: Value, right: Value, env: Environment) -> Value:
    order = compare(left, right, env)
    return order is not None and order <= 0


def _at_least(left: Value, right: Value, env: Environment) -> Value:
    order = compare(left, right, env)
    return order is not None and order >= 0


ARITHMETIC: Final[dict[str, Operation]] = {
    "+": _arithmetic("+"),
    "-": _arithmetic("-"),
    "*": _arithmetic("*"),
    "/": _arithmetic("/"),
    "%": _remainder,
}
OPERATIONS: Final[dict[str, Operation]] = {
    **ARITHMETIC,
    "==": equal,
    "!=": _not_equal,
    "<": _less,
    ">": _greater,
    "<=": _at_most,
    ">=": _at_least,
}


def _negated(value: Value) -> Value:
    number: Number = to_number(value)
    return number.copy_negate() if isinstance(number, Decimal) else -number


PREFIXES: Final[dict[str, Callable[[Value], Value]]] = {
    "!": lambda value: not to_boolean(value),
    "-": _negated,
    "empty": is_empty,
}
