"""What can go wrong: a text that is no expression, an evaluation that must become an incident."""


class ExpressionSyntaxError(ValueError):
    """The text is not an expression. The deployment that contains it is refused.

    `advice` is a sentence that says how to put it right.
    """

    def __init__(
        self, message: str, position: int, advice: str = "Correct it at that character."
    ) -> None:
        super().__init__(f"{message} (at character {position + 1})")
        self.advice = advice
        self.message = message
        self.position = position


class UnsupportedCallError(ExpressionSyntaxError):
    """The text calls into Java, so it cannot be evaluated here; a worker could do what it asks for.

    `name` is what the chain of calls begins with (a bean, a function), or "" for a plain value;
    `call` is the chain without its arguments, such as `orderService.check`.
    """

    def __init__(self, name: str, call: str, position: int) -> None:
        advice = "Compute it in a job before, and use the variable that the job gives."
        super().__init__(f"{call!r} exists only in Java", position, advice)
        self.name = name
        self.call = call


class EvaluationError(Exception):
    """The evaluation has no usable result. The caller turns it into an incident."""

    def __init__(self, message: str, missing: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.missing = missing


class BudgetExceededError(EvaluationError):
    """The evaluation took more steps, or nested deeper, than it may. It becomes an incident."""
