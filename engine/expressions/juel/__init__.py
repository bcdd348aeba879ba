"""JUEL, the expression language of Camunda 7, Flowable and Activiti: a subset, safe to evaluate.

Values, budget and environment are FEEL's. Objects of Java do not exist: what calls them is
recognised when the text is compiled, so that a dialect can make a job of it.
"""

from collections.abc import Callable

from engine.expressions.errors import ExpressionSyntaxError
from engine.expressions.expression import Expression
from engine.expressions.juel.compiler import compile_tree
from engine.expressions.juel.lexer import OPENING
from engine.expressions.juel.parser import parse_expression, parse_template
from engine.expressions.juel.syntax import Node

__all__ = ["compile_juel", "compile_juel_expression", "holds_expression"]


def holds_expression(text: str) -> bool:
    """Whether there is a `${` or `#{` in it; a text without is only that text."""
    return OPENING.search(text) is not None


def compile_juel(text: str) -> Expression:
    """Compile literal text with `${...}` and `#{...}` in it.

    One expression alone gives its value, anything else a string. Raises ExpressionSyntaxError, and
    UnsupportedCallError for a call into Java.
    """
    return _compiled(text, parse_template)


def compile_juel_expression(text: str) -> Expression:
    """Compile what would stand between the braces, as decision tables write it. Raises the same."""
    return _compiled(text, parse_expression)


def _compiled(text: str, parse: Callable[[str], Node]) -> Expression:
    try:
        code, build = compile_tree(parse(text))
    except RecursionError:
        raise ExpressionSyntaxError("The expression is nested too deeply", 0) from None
    return Expression(text, tuple(build.names), code, changes_alone=build.changes_alone)
