"""What several families share: lists given as one argument or as many, and positions in them."""

from engine.expressions.numeric import Number, truncated
from engine.values import Value


def spread(values: list[Value]) -> list[Value] | None:
    """The items of f([1, 2]) as of f(1, 2); null for f() and f(null)."""
    if len(values) == 1:
        only = values[0]
        if only is None:
            return None
        return only if isinstance(only, list) else values
    return values or None


def offset(position: Number, length: int) -> int | None:
    """From a position counted from 1, or from -1 backwards, to one from 0; null if outside."""
    index = truncated(position)
    start = index - 1 if index > 0 else length + index
    return start if index and 0 <= start < length else None
