"""Conditions: they occur when they become true, or are true when the event begins to wait."""

from engine import events as e
from engine.expressions import Expression
from engine.instances.advance import Advance
from engine.instances.triggers.waiting import Waiter
from engine.model.elements import ConditionTrigger
from engine.values import Value


def arm(advance: Advance, waiter: Waiter, trigger: ConditionTrigger) -> e.AnyEvent:
    """The wait. A condition that cannot be evaluated arms nothing: StuckError.

    Whether it holds already is found right after this step, as after each change of variables.
    """
    holds(advance, trigger.condition, waiter.owner, waiter.locals)
    key = advance.new_key()
    advance.changes.armed[key] = None
    return e.SubscriptionOpened(
        key=key,
        owner=waiter.owner,
        element_id=waiter.element_id,
        name=trigger.condition.text,
        interrupting=waiter.interrupting,
        kind="condition",
    )


def holds(
    advance: Advance, condition: Expression, owner: int, locals_: dict[str, Value] | None = None
) -> bool:
    """Whether it is true; null, as long as its variables are missing, is not. Raises StuckError."""
    value = advance.evaluator.evaluate(condition, owner, locals_)
    if value is None or isinstance(value, bool):
        return value is True
    raise advance.evaluator.unusable(condition, "true or false", value)
