"""Messages: a subscription by name and correlation key, both computed once, when it opens."""

from engine import events as e
from engine.instances.advance import Advance
from engine.instances.limits import NAME_LENGTH_MAX
from engine.instances.triggers.waiting import Waiter
from engine.model.elements import MessageTrigger


def arm(advance: Advance, waiter: Waiter, trigger: MessageTrigger) -> e.AnyEvent:
    """The subscription. A key that is neither text nor number cannot be met: StuckError."""
    name = advance.evaluator.name(trigger.name, waiter.owner, waiter.locals)
    key = ""
    if trigger.correlation_key is not None:
        key = advance.evaluator.text(trigger.correlation_key, waiter.owner, waiter.locals)
        if len(key) > NAME_LENGTH_MAX:
            expected = f"a correlation key of at most {NAME_LENGTH_MAX} characters"
            raise advance.evaluator.unusable(trigger.correlation_key, expected, key)
    return e.SubscriptionOpened(
        key=advance.new_key(),
        owner=waiter.owner,
        element_id=waiter.element_id,
        name=name,
        correlation_key=key,
        interrupting=waiter.interrupting,
    )
