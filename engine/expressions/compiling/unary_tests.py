"""Code for the unary tests of a decision table, whose input value is the variable `?`."""

from engine.expressions.compiling.scope import Scope
from engine.expressions.environment import Code, Environment, Frame
from engine.expressions.operators import passes
from engine.expressions.parsing import syntax
from engine.expressions.parsing.search import mentions
from engine.values import Value

INPUT = "?"


def compile_unary_tests(node: syntax.UnaryTests, scope: Scope) -> Code:
    """True if the input passes one of the tests (or none, where negated); no tests: always true."""
    if not node.tests:
        return lambda _env, _frame: True
    tests = tuple(_compile_test(test, scope) for test in node.tests)
    negated = node.negated

    def check(env: Environment, frame: Frame | None) -> Value:
        return any(test(env, frame) is True for test in tests) is not negated

    return check


def _compile_test(node: syntax.Node, scope: Scope) -> Code:
    """DMN 1.5 section 7.3.3: an expression over `?` is a condition, any other a value to meet.

    As in Camunda, one over variables alone is a condition, too, if it gives true. A literal, a name
    or a path is still a value where the input is a boolean.
    """
    code = scope.code(node)
    if mentions(node, INPUT) or isinstance(node, syntax.Quantified):
        return code
    given = scope.code(syntax.Name(INPUT))
    if isinstance(node, (syntax.Literal, syntax.UnaryComparison, syntax.RangeLiteral)):
        return lambda env, frame: passes(given(env, frame), code(env, frame), env)
    names_value = isinstance(node, (syntax.Name, syntax.Path))

    def meet(env: Environment, frame: Frame | None) -> Value:
        value, wanted = given(env, frame), code(env, frame)
        if wanted is True and not (names_value and type(value) is bool):
            return True
        return passes(value, wanted, env)

    return meet
