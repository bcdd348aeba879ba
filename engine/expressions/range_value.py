"""The range as a value, and what a unary comparison such as `< 5` is as a value."""

from engine.values import ExpressionValue, Value


class Range(ExpressionValue, frozen=True):
    """From low to high. `operator` is set where a comparison made it: then null means no bound.

    A null end without operator is unknown, and so is whether anything lies within.
    """

    low: Value
    high: Value
    low_included: bool
    high_included: bool
    operator: str = ""


def comparison_range(operator: str, operand: Value) -> Range | None:
    """The range of all values that compare so; null if the operand is."""
    if operator in ("=", "!="):
        included = operator == "="
        return Range(operand, operand, included, included, operator)
    if operand is None:
        return None
    included = operator in ("<=", ">=")
    if operator in ("<", "<="):
        return Range(None, operand, low_included=False, high_included=included, operator=operator)
    return Range(operand, None, low_included=included, high_included=False, operator=operator)
