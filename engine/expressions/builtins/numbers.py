"""Numeric functions."""

import decimal
from decimal import Decimal
from typing import Final

from engine.expressions.calendar.temporal import DaysDuration, MonthsDuration
from engine.expressions.environment import Environment, random_fraction
from engine.expressions.functions import Implementation, Signature, signature
from engine.expressions.numeric import CONTEXT, Number, finite
from engine.values import Value, normalise

_MODES: Final = (
    decimal.ROUND_UP,
    decimal.ROUND_DOWN,
    decimal.ROUND_CEILING,
    decimal.ROUND_FLOOR,
    decimal.ROUND_HALF_UP,
    decimal.ROUND_HALF_DOWN,
    decimal.ROUND_HALF_EVEN,
)
_SERIES_STEPS: Final = 32  # 34 digits of a logarithm take as long as that
_SCALE_MIN, _SCALE_MAX = -6111, 6176  # DMN 1.5 table 76


def _rounding(mode: str) -> Implementation:
    def rounded(_env: Environment, number: Number, scale: Number | None = 0) -> Value:
        if scale is None or not _SCALE_MIN <= scale <= _SCALE_MAX:
            return None
        digits = int(scale)
        value = Decimal(number)
        if value and value.adjusted() + digits >= CONTEXT.prec:
            return number  # has no digits there, so there is nothing to round
        unit = Decimal(1).scaleb(-digits, CONTEXT)
        result = finite(value.quantize(unit, mode, CONTEXT))
        return None if result is None else normalise(result)

    return rounded


def decimal_by_mode(env: Environment, number: Number, scale: Number, mode: str) -> Value:
    """decimal, with a rounding mode of Java by its name: half_up, ceiling ..."""
    name = f"ROUND_{mode.upper()}"
    return _rounding(name)(env, number, scale) if name in _MODES else None


def absolute(_env: Environment, value: Value) -> Value:
    """abs"""
    match value:
        case DaysDuration():
            return DaysDuration(abs(value.nanos))
        case MonthsDuration():
            return MonthsDuration(abs(value.months))
        case Decimal():
            return value.copy_abs()
        case int() if not isinstance(value, bool):
            return abs(value)
        case _:
            return None


def modulo(_env: Environment, dividend: Number, divisor: Number) -> Value:
    """modulo: dividend - divisor * floor(dividend / divisor)"""
    if not divisor:
        return None
    if isinstance(dividend, int) and isinstance(divisor, int):
        return dividend % divisor
    remainder = CONTEXT.remainder(dividend, divisor)
    if not remainder.is_finite():
        return None
    opposite = remainder and (remainder < 0) is not (divisor < 0)
    return normalise(CONTEXT.add(remainder, divisor) if opposite else remainder)


def square_root(_env: Environment, number: Number) -> Value:
    """sqrt"""
    root = finite(CONTEXT.sqrt(number))
    return None if root is None else normalise(root)


def logarithm(env: Environment, number: Number) -> Value:
    """log: the natural one"""
    env.spend(_SERIES_STEPS)
    return finite(CONTEXT.ln(number))


def exponential(env: Environment, number: Number) -> Value:
    """exp"""
    env.spend(_SERIES_STEPS)
    return finite(CONTEXT.exp(number))


def odd(_env: Environment, number: Number) -> Value:
    """odd"""
    return _remainder_by_two(number) == 1


def even(_env: Environment, number: Number) -> Value:
    """even"""
    return _remainder_by_two(number) == 0


def _remainder_by_two(number: Number) -> Number:
    if isinstance(number, int):
        return number % 2
    if number.adjusted() >= CONTEXT.prec:
        return 0  # too large to have a last digit at all
    return CONTEXT.remainder(number, 2).copy_abs()


def random_number(env: Environment) -> Value:
    """random number: derived from the environment's seed"""
    return random_fraction(env)


FUNCTIONS: Final[dict[str, tuple[Signature, ...]]] = {
    "decimal": (
        signature("n: number, scale: number", _rounding(decimal.ROUND_HALF_EVEN)),
        signature("n: number, scale: number, mode: string", decimal_by_mode),
    ),
    "floor": (signature("n: number, scale?: number", _rounding(decimal.ROUND_FLOOR)),),
    "ceiling": (signature("n: number, scale?: number", _rounding(decimal.ROUND_CEILING)),),
    "round up": (signature("n: number, scale?: number", _rounding(decimal.ROUND_UP)),),
    "round down": (signature("n: number, scale?: number", _rounding(decimal.ROUND_DOWN)),),
    "round half up": (signature("n: number, scale?: number", _rounding(decimal.ROUND_HALF_UP)),),
    "round half down": (
        signature("n: number, scale?: number", _rounding(decimal.ROUND_HALF_DOWN)),
    ),
    "abs": (signature("n: any", absolute),),
    "modulo": (signature("dividend: number, divisor: number", modulo),),
    "sqrt": (signature("number: number", square_root),),
    "log": (signature("number: number", logarithm),),
    "exp": (signature("number: number", exponential),),
    "odd": (signature("number: number", odd),),
    "even": (signature("number: number", even),),
    "random number": (signature("", random_number),),
}
