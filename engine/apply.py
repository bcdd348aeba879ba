"""`apply`: one command on one aggregate. Chooses the aggregate's own decide by the address."""

from engine import commands as c
from engine.outcome import AggregateState, Context, Outcome
from engine.rejections import Rejection


def apply(
    context: Context, state: AggregateState | None, command: c.AnyCommand
) -> Outcome | Rejection:
    """Apply a command to the state of its aggregate; neither argument is changed.

    Raises InvariantError when state and rules do not fit together: a bug.
    """
    raise NotImplementedError
