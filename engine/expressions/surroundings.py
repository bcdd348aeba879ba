"""What is around an expression that is part of something larger, such as a decision model."""

from collections.abc import Mapping
from typing import Final

from engine.expressions.parsing.cursor import NO_NAMES, NameTree
from engine.expressions.parsing.syntax import TypeName


class Surroundings:
    """What an expression may refer to beside variables. Made once for many expressions.

    `frames` are the names in the frames that its code is called with, the innermost last, `trees`
    those of them (and of the types) that hold blanks or operators. `entries` are such names of
    contexts' entries, which follow a dot or stand inside of a filter. `types` are declared types,
    by name.
    """

    __slots__ = ("entries", "frames", "trees", "types")

    def __init__(
        self, entries: NameTree = NO_NAMES, types: Mapping[str, TypeName] | None = None
    ) -> None:
        self.entries = entries
        self.types = types or {}
        self.frames: tuple[set[str], ...] = ()
        self.trees: tuple[NameTree, ...] = (NameTree.of(self.types),)

    def binding(self, *names: str) -> "Surroundings":
        """The surroundings inside of a further frame with these names."""
        inner = Surroundings(self.entries)
        inner.types = self.types
        inner.frames = (*self.frames, set(names))
        inner.trees = (*self.trees, NameTree.of(names))
        return inner

    def bind(self, name: str) -> None:
        """Add a name to the innermost frame, for the expressions to come."""
        self.frames[-1].add(name)
        self.trees[-1].learn(name)


NOTHING_AROUND: Final = Surroundings()
