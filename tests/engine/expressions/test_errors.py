"""What errors carry."""

from engine.expressions import BudgetExceededError, EvaluationError, ExpressionSyntaxError


def test_a_syntax_error_counts_characters_from_one() -> None:
    error = ExpressionSyntaxError("Expected ')'", 4)
    assert str(error) == "Expected ')' (at character 5)"
    assert (error.message, error.position) == ("Expected ')'", 4)


def test_an_exceeded_budget_is_an_evaluation_error() -> None:
    error = BudgetExceededError("Too much.", ("a",))
    assert isinstance(error, EvaluationError)
    assert (error.message, error.missing) == ("Too much.", ("a",))
