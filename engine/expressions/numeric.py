"""Numbers: int where exact, else a decimal of 34 digits (decimal128), in a context of our own."""

import decimal
from decimal import Decimal
from typing import Final, TypeAlias

from engine.values import INTEGER_LIMIT, Value, normalise

Number: TypeAlias = int | Decimal

# No traps: an overflow gives an infinity, which `finite` turns into null without an exception.
CONTEXT: Final = decimal.Context(
    prec=34, Emin=-6143, Emax=6144, rounding=decimal.ROUND_HALF_EVEN, traps=[]
)


def is_number(value: Value) -> bool:
    """Whether it is a number; a boolean is none, though Python counts it as an int."""
    kind = type(value)
    return kind is int or kind is Decimal


def finite(number: Decimal) -> Decimal | None:
    """The number, or null where the arithmetic had no result."""
    return number if number.is_finite() else None


def whole(number: int) -> Number:
    """The result of integer arithmetic: rounded to 34 digits once it is longer than that."""
    if -INTEGER_LIMIT < number < INTEGER_LIMIT:
        return number
    return CONTEXT.create_decimal(number)


def truncated(number: Number) -> int:
    """The integral part. Numbers beyond 34 digits cost no more than these digits."""
    if isinstance(number, int):
        return number
    return int(number) if -INTEGER_LIMIT < number < INTEGER_LIMIT else INTEGER_LIMIT


def parse_number(text: str) -> Number | None:
    """A number literal, rounded to 34 digits; null if it is out of range."""
    if text.isdecimal() and len(text) < 34:
        return int(text)
    number = CONTEXT.create_decimal(text)
    return normalise(number) if number.is_finite() else None


def number_text(number: Number) -> str:
    """Plain digits unless the exponent is far away."""
    short = normalise(number) if isinstance(number, Decimal) else number
    if isinstance(short, int):
        return str(short)
    return format(short, "f") if -20 < short.adjusted() < 0 else str(short)


def divide(left: Number, right: Number) -> Number | None:
    """The quotient, an int where it is exact; null for a division by zero."""
    if not right:
        return None
    if type(left) is int and type(right) is int and not left % right:
        return left // right
    return finite(CONTEXT.divide(left, right))


def power(base: Number, exponent: Number) -> Number | None:
    """The power; null where it is no real number or out of range."""
    result = finite(CONTEXT.power(base, exponent))
    if result is not None and type(base) is int and type(exponent) is int and exponent >= 0:
        return normalise(result)
    return result
