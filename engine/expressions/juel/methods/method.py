"""What a table of methods holds, and the arguments that its implementations check."""

from collections.abc import Callable
from typing import Final, TypeAlias

import msgspec

from engine.expressions.errors import EvaluationError
from engine.expressions.juel.coercion import to_number
from engine.expressions.numeric import truncated
from engine.values import Value

Implementation: TypeAlias = Callable[..., Value]
"""Takes the environment, the value that the method is called on, and the arguments."""

ANY_NUMBER: Final = 255


class Method(msgspec.Struct, frozen=True):
    """A method of one type of value, callable with `least` to `most` arguments."""

    implementation: Implementation
    least: int = 0
    most: int = 0

    def takes(self, count: int) -> bool:
        """Whether it can be called with that many arguments."""
        return self.least <= count <= self.most


def method(implementation: Implementation, *counts: int) -> Method:
    """A method that takes this number of arguments (none if not given), or from one to another."""
    least, most = (counts[0], counts[-1]) if counts else (0, 0)
    return Method(implementation, least, most)


def index(value: Value) -> int:
    """An argument that counts positions. Raises EvaluationError unless it is a number."""
    return truncated(to_number(value))


def within(position: int, length: int, what: str) -> int:
    """The position. Raises EvaluationError where Java's would be an IndexOutOfBoundsException."""
    if not 0 <= position < length:
        raise EvaluationError(f"There is no {what} {position}; there are {length}.")
    return position
