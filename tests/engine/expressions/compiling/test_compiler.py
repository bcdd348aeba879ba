"""The table of constructs is complete."""

from engine.expressions.compiling.compiler import COMPILERS, compile_tree
from engine.expressions.parsing.syntax import Conjunction, Name, Node


def test_every_construct_can_be_compiled() -> None:
    assert set(COMPILERS) == set(Node.__subclasses__())


def test_free_names_keep_their_order() -> None:
    _, build = compile_tree(Conjunction((Name("b"), Name("a"), Name("b"))))
    assert tuple(build.free) == ("b", "a")
