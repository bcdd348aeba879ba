"""Text to Expression, and what the engine asks of one: a value, or a plain yes or no."""

from collections.abc import Iterable
from decimal import Decimal

import msgspec

from engine.expressions.builtins import BUILTINS
from engine.expressions.compiling.compiler import compile_tree
from engine.expressions.environment import Code, Environment
from engine.expressions.errors import BudgetExceededError, EvaluationError, ExpressionSyntaxError
from engine.expressions.parsing.parser import Parser
from engine.expressions.parsing.syntax import Node
from engine.expressions.surroundings import NOTHING_AROUND, Surroundings
from engine.expressions.type_names import type_name
from engine.values import Value, normalise


class Expression(msgspec.Struct, frozen=True, eq=False):
    """A compiled text. Immutable; cheap to evaluate any number of times.

    `names` are the variables it may ask for, in order of first use. Inside of a filter a name may
    turn out to be an entry of the item instead. `levels` is how deep the tree is.
    `unknown_functions` are called and are neither builtins nor known names: only a variable that
    holds a function could be meant, and variables that are JSON hold none. `changes_alone`: it may
    give something else though no variable of its names has changed, as it asks for the time, for
    chance, or for variables by names that it makes.
    """

    text: str
    names: tuple[str, ...]
    code: Code
    levels: int = 0
    unknown_functions: tuple[str, ...] = ()
    changes_alone: bool = False

    def evaluate(self, env: Environment) -> Value:
        """The value. Raises EvaluationError only where the budget is exceeded."""
        env.begin()
        try:
            value = self.code(env, None)
        except RecursionError:
            raise BudgetExceededError("The expression nests too deeply.") from None
        return normalise(value) if type(value) is Decimal else value


def compile_feel(
    text: str, names: Iterable[str] = (), around: Surroundings | None = None
) -> Expression:
    """Compile a FEEL expression. Raises ExpressionSyntaxError.

    `names` are variables whose names hold blanks or operators, as DMN allows them; any other
    variable needs no declaration. With something `around` it, its code wants the frames of that.
    """
    return _compiled(text, names, around, unary=False)


def compile_unary_tests(
    text: str, names: Iterable[str] = (), around: Surroundings | None = None
) -> Expression:
    """Compile the input entry of a decision table; its input is the variable `?`.

    It evaluates to true or false. Raises ExpressionSyntaxError.
    """
    return _compiled(text, names, around, unary=True)


def _compiled(
    text: str, names: Iterable[str], around: Surroundings | None, *, unary: bool
) -> Expression:
    inside = around or NOTHING_AROUND
    try:
        parser = Parser(text, BUILTINS.keys(), names, inside.trees, inside.entries)
        tree: Node = parser.parse_unary_tests() if unary else parser.parse()
        code, build = compile_tree(tree, around)
    except RecursionError:
        raise ExpressionSyntaxError("The expression is nested too deeply", 0) from None
    return Expression(
        text,
        tuple(build.free),
        code,
        build.deepest,
        tuple(build.unknown),
        build.changes_alone,
    )


def evaluate_condition(expression: Expression, env: Environment) -> bool:
    """True or false. Raises EvaluationError for anything else, naming the missing variables."""
    value = expression.evaluate(env)
    if type(value) is bool:
        return value
    missing = tuple(env.missing)
    found = "null" if value is None else f"a {type_name(value)}"
    reason = f"; missing: {', '.join(missing)}" if value is None and missing else ""
    raise EvaluationError(
        f"The condition {expression.text!r} gives {found}, not true or false{reason}.", missing
    )
