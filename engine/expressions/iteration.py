"""What can be iterated over, in which order, and where an index points."""

from collections.abc import Iterable
from decimal import Decimal

from engine.expressions.calendar.temporal import Date, date_of_days
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


def iterable(value: Value) -> Iterable[Value] | None:
    """The items of a list or range, or the single value itself; null cannot be iterated.

    Ranges are walked lazily: whoever walks pays for each step, and 1..10**9 is not made.
    """
    if isinstance(value, list):
        return value
    if isinstance(value, Range):
        return _range_items(value)
    return None if value is None else [value]


def _range_items(limits: Range) -> Iterable[Value] | None:
    """A closed range, upwards; an excluded end is left out."""
    if less(limits.low, limits.high) is None or less(limits.high, limits.low):
        return None
    positions = _positions(limits.low, limits.high)
    if positions is None:
        return None
    first = 0 if limits.low_included else 1
    inside = positions[first:] if limits.high_included else positions[first:-1]
    return _items(inside, limits.low)


def span(low: Value, high: Value) -> Iterable[Value] | None:
    """Whole numbers or days from one to the other, both included, upwards or downwards."""
    positions = _positions(low, high)
    return None if positions is None else _items(positions, low)


def _positions(low: Value, high: Value) -> range | None:
    if isinstance(low, Date) and isinstance(high, Date):
        return _upwards_or_downwards(low.days, high.days)
    if is_number(low) and is_number(high):
        return _upwards_or_downwards(_position(low), _position(high))
    return None


def _position(value: Value) -> int:
    return truncated(value) if isinstance(value, (int, Decimal)) else 0


def _upwards_or_downwards(low: int, high: int) -> range:
    return range(low, high + 1) if low <= high else range(low, high - 1, -1)


def _items(positions: range, like: Value) -> Iterable[Value]:
    return map(date_of_days, positions) if isinstance(like, Date) else positions
