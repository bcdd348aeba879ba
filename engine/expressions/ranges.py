"""Which pairs of ends make a range."""

from typing import Final

from engine.expressions.range_value import Range
from engine.expressions.type_names import type_name

_UNORDERED: Final = ("boolean", "list", "context", "function", "range")


def make_range(limits: Range) -> Range | None:
    """The range itself; null unless its ends are of one type that has an order."""
    ends = [end for end in (limits.low, limits.high) if end is not None]
    if not ends or type_name(ends[0]) != type_name(ends[-1]):
        return None
    return None if type_name(ends[0]) in _UNORDERED else limits
