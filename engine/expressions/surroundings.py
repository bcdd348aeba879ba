"""What is around an expression that is part of something larger, such as a decision model."""

from collections.abc import Iterable, Mapping
from typing import Final

from engine.expressions.parsing.cursor import NO_NAMES, NameTree
from engine.expressions.parsing.syntax import TypeName


class Surroundings:
    """What an expression may refer to beside variables. Made once for many expressions.

    `bound` are the names that the caller's frames hold when it is evaluated, `types` declared
    types by name. `entries` are names of contexts' entries: only those that hold blanks or
    operators need to be known.
    """

    __slots__ = ("bound", "entries", "names", "types")

    def __init__(
        self,
        bound: Iterable[str] = (),
        entries: NameTree | None = None,
        types: Mapping[str, TypeName] | None = None,
    ) -> None:
        self.bound = frozenset(bound)
        self.types = types or {}
        self.entries = entries or NO_NAMES
        self.names = NameTree.of((*self.bound, *self.types))

    def binding(self, *names: str) -> "Surroundings":
        """The surroundings inside of a further frame with these names."""
        return Surroundings((*self.bound, *names), self.entries, self.types)


NOTHING_AROUND: Final = Surroundings()
