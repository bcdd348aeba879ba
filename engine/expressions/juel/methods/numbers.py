"""The methods of Java's numbers and booleans that JUEL expressions may call on JSON's."""

from collections.abc import Callable
from typing import Final

from engine.expressions.environment import Environment
from engine.expressions.juel.methods.method import Implementation, Method, method
from engine.expressions.juel.operators import ARITHMETIC
from engine.expressions.numeric import Number, truncated
from engine.values import Value


def _operation(operator: str) -> Implementation:
    """A BigDecimal's own name for an operator."""
    rule = ARITHMETIC[operator]
    return lambda env, number, other: rule(number, other, env)


def _of(part: Callable[[Number], Value]) -> Implementation:
    return lambda _env, number: part(number)


def _absolute(_env: Environment, number: Number) -> Value:
    return -number if number < 0 else number


NUMBERS: Final[dict[str, Method]] = {
    "abs": method(_absolute),
    "add": method(_operation("+"), 1),
    "divide": method(_operation("/"), 1),
    "doubleValue": method(_of(lambda number: number)),
    "floatValue": method(_of(lambda number: number)),
    "intValue": method(_of(truncated)),
    "longValue": method(_of(truncated)),
    "multiply": method(_operation("*"), 1),
    "negate": method(_of(lambda number: -number)),
    "remainder": method(_operation("%"), 1),
    "subtract": method(_operation("-"), 1),
}
BOOLEANS: Final[dict[str, Method]] = {
    "booleanValue": method(lambda _env, value: value),
}
