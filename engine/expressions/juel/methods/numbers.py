"""The methods of Java's numbers and booleans that JUEL expressions may call on JSON's."""

from typing import Final

from engine.expressions.juel.methods.method import Method, method
from engine.expressions.numeric import truncated

NUMBERS: Final[dict[str, Method]] = {
    "doubleValue": method(lambda _env, number: number),
    "floatValue": method(lambda _env, number: number),
    "intValue": method(lambda _env, number: truncated(number)),
    "longValue": method(lambda _env, number: truncated(number)),
}
BOOLEANS: Final[dict[str, Method]] = {
    "booleanValue": method(lambda _env, value: value),
}
