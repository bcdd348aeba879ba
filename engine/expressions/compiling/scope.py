"""What is known while a tree is compiled: which names are bound here, which are free."""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from engine.expressions.environment import Code
from engine.expressions.errors import ExpressionSyntaxError
from engine.expressions.functions import Function
from engine.expressions.parsing.syntax import Node

# Compiling, evaluating and printing recurse once or twice a level.
TREE_DEPTH_MAX: Final = 150


class Build:
    """One compilation: the tables it works with, and what it learns about the whole tree."""

    def __init__(
        self, compilers: Mapping[type[Node], "Compile"], builtins: Mapping[str, Function]
    ) -> None:
        self.compilers = compilers
        self.builtins = builtins
        self.free: dict[str, None] = {}
        self.depth = 0
        self.deepest = 0


class Scope:
    """A place in the tree. `bound` are the names of enclosing frames that are known by name."""

    __slots__ = ("bound", "build", "framed")

    def __init__(self, build: Build, bound: frozenset[str], *, framed: bool) -> None:
        self.build = build
        self.bound = bound
        self.framed = framed

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

    def binding(self, *names: str) -> "Scope":
        """The scope inside of a frame with these names, and perhaps more."""
        return Scope(self.build, self.bound | frozenset(names), framed=True)


Compile: TypeAlias = Callable[..., Code]
