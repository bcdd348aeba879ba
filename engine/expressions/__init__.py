"""FEEL expressions: compiled once at deployment, evaluated purely, in bounded time and memory."""

from engine.expressions.environment import MISSING, STEPS_MAX, Environment, Lookup, Missing
from engine.expressions.errors import (
    BudgetExceededError,
    EvaluationError,
    ExpressionSyntaxError,
    UnsupportedCallError,
)
from engine.expressions.expression import (
    Expression,
    compile_feel,
    compile_unary_tests,
    evaluate_condition,
)

__all__ = [
    "MISSING",
    "STEPS_MAX",
    "BudgetExceededError",
    "Environment",
    "EvaluationError",
    "Expression",
    "ExpressionSyntaxError",
    "Lookup",
    "Missing",
    "UnsupportedCallError",
    "compile_feel",
    "compile_unary_tests",
    "evaluate_condition",
]
