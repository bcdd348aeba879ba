"""What is known while a tree is compiled: which names are bound here, which are free."""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from engine.expressions.environment import Code
from engine.expressions.errors import ExpressionSyntaxError
from engine.expressions.functions import Function
from engine.expressions.parsing.syntax import Node, TypeName

# Compiling, evaluating and printing recurse once or twice a level.
TREE_DEPTH_MAX: Final = 150


class Build:
    """One compilation: the tables it works with, and what it learns about the whole tree."""

    def __init__(
        self,
        compilers: Mapping[type[Node], "Compile"],
        builtins: Mapping[str, Function],
        types: Mapping[str, TypeName],
    ) -> None:
        self.compilers = compilers
        self.builtins = builtins
        self._types = types
        self.free: dict[str, None] = {}
        self.unknown: dict[str, None] = {}
        self.changes_alone = False
        self.depth = 0
        self.deepest = 0

    def declared(self, kind: TypeName) -> TypeName:
        """The type, with what is declared elsewhere put in place of its name."""
        if kind.name in self._types:
            return self._types[kind.name]
        return TypeName(
            kind.name,
            tuple(self.declared(inner) for inner in kind.inner),
            tuple((name, self.declared(entry)) for name, entry in kind.entries),
        )


class Scope:
    """A place in the tree: for each frame around it, the names that the frame is known to have.

    A frame may have further names at run time (the entries of an item). The names of a context grow
    while its entries are compiled, so that each sees those before it.
    """

    __slots__ = ("_frames", "build")

    def __init__(self, build: Build, frames: tuple[set[str], ...] = ()) -> None:
        self.build = build
        self._frames = frames

    @property
    def framed(self) -> bool:
        """Whether there is a frame around this place."""
        return bool(self._frames)

    def binds(self, name: str) -> bool:
        """Whether a frame around this place is known to have the name."""
        return any(name in names for names in self._frames)

    def bind(self, name: str) -> None:
        """Add a name to the innermost frame."""
        self._frames[-1].add(name)

    def binding(self, *names: str) -> "Scope":
        """The scope inside of a further frame with these names, and perhaps more."""
        return Scope(self.build, (*self._frames, set(names)))

    def code(self, node: Node) -> Code:
        """Compile a part of the tree."""
        build = self.build
        build.depth += 1
        if build.depth > TREE_DEPTH_MAX:
            raise ExpressionSyntaxError(
                f"The expression is nested deeper than {TREE_DEPTH_MAX} levels", 0
            )
        build.deepest = max(build.deepest, build.depth)
        code = build.compilers[type(node)](node, self)
        build.depth -= 1
        return code


Compile: TypeAlias = Callable[..., Code]
