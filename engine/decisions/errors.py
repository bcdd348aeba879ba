"""What can go wrong while a decision is evaluated."""

from engine.expressions import EvaluationError


class DecisionError(EvaluationError):
    """A decision has no result: its table's hit policy is violated, a value does not fit, or there
    is no such decision. The caller turns it into an incident.
    """
