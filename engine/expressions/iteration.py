"""What can be iterated over, in which order, and where an index points."""

from collections.abc import Iterable
from decimal import Decimal

from engine.expressions.calendar.temporal import Date, date_of_days
from engine.expressions.environment import Environment
from engine.expressions.numeric import is_number, truncated
from engine.expressions.operators import less
from engine.expressions.range_value import Range
from engine.values import Value


def index_into(value: Value, index: Value) -> Value:
    """The item at a position from 1, or from -1 backwards; null if there is none."""
    if not isinstance(index, (int, Decimal)) or isinstance(index, bool):
        return None
    items = value if isinstance(value, list) else [] if value is None else [value]
    position = truncated(index)
    if position > 0:
        return items[position - 1] if position <= len(items) else None
    return items[position] if position and -position <= len(items) else None


def iterable(value: Value, env: Environment) -> Iterable[Value] | None:
    """The items of a list or range, or the single value itself; null cannot be iterated."""
    if isinstance(value, list):
        return value
    if isinstance(value, Range):
        return _range_items(value, env)
    return None if value is None else [value]


def _range_items(limits: Range, env: Environment) -> Iterable[Value] | None:
    """A closed range, upwards; an excluded end is left out."""
    if less(limits.low, limits.high) is None or less(limits.high, limits.low):
        return None
    items = span(limits.low, limits.high, env)
    if items is None:
        return None
    inside = list(items)
    if not limits.low_included:
        inside = inside[1:]
    return inside if limits.high_included else inside[:-1]


def span(low: Value, high: Value, env: Environment) -> Iterable[Value] | None:
    """Whole numbers or days from one to the other, both included, upwards or downwards."""
    if is_number(low) and is_number(high):
        return _whole_span(_position(low), _position(high), env)
    if isinstance(low, Date) and isinstance(high, Date):
        return [date_of_days(days) for days in _whole_span(low.days, high.days, env)]
    return None


def _position(value: Value) -> int:
    return truncated(value) if isinstance(value, (int, Decimal)) else 0


def _whole_span(low: int, high: int, env: Environment) -> range:
    env.spend(abs(high - low))  # before anything is made: 1..10**9 ends here
    return range(low, high + 1) if low <= high else range(low, high - 1, -1)
