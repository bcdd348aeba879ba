"""Syntax trees to closures: one table, from each construct to the function that compiles it."""

from typing import Final

from engine.expressions.builtins import BUILTINS
from engine.expressions.compiling.calls import compile_call, compile_function, compile_named_call
from engine.expressions.compiling.collections import (
    compile_context,
    compile_filter,
    compile_for,
    compile_list,
    compile_path,
    compile_quantified,
)
from engine.expressions.compiling.operators import (
    compile_arithmetic,
    compile_between,
    compile_comparison,
    compile_conjunction,
    compile_disjunction,
    compile_if,
    compile_in,
    compile_instance_of,
    compile_literal,
    compile_name,
    compile_negation,
    compile_range,
    compile_unary_comparison,
)
from engine.expressions.compiling.scope import Build, Compile, Scope
from engine.expressions.compiling.unary_tests import compile_unary_tests
from engine.expressions.environment import Code
from engine.expressions.parsing import syntax
from engine.expressions.surroundings import Surroundings

COMPILERS: Final[dict[type[syntax.Node], Compile]] = {
    syntax.Literal: compile_literal,
    syntax.Name: compile_name,
    syntax.Negation: compile_negation,
    syntax.Arithmetic: compile_arithmetic,
    syntax.Comparison: compile_comparison,
    syntax.Between: compile_between,
    syntax.In: compile_in,
    syntax.Conjunction: compile_conjunction,
    syntax.Disjunction: compile_disjunction,
    syntax.If: compile_if,
    syntax.InstanceOf: compile_instance_of,
    syntax.RangeLiteral: compile_range,
    syntax.UnaryComparison: compile_unary_comparison,
    syntax.ListLiteral: compile_list,
    syntax.ContextLiteral: compile_context,
    syntax.Path: compile_path,
    syntax.Filter: compile_filter,
    syntax.For: compile_for,
    syntax.Quantified: compile_quantified,
    syntax.Call: compile_call,
    syntax.NamedCall: compile_named_call,
    syntax.FunctionLiteral: compile_function,
    syntax.UnaryTests: compile_unary_tests,
}


def compile_tree(tree: syntax.Node, around: Surroundings | None = None) -> tuple[Code, Build]:
    """The code of a tree, and what was learnt about it."""
    build = Build(COMPILERS, BUILTINS, {} if around is None else around.types)
    code = Scope(build, () if around is None else around.frames).code(tree)
    return code, build
