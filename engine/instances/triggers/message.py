"""Messages: a subscription by name and correlation key, both computed once, when it opens."""

from engine import events as e
from engine import variables as v
from engine.expressions import EvaluationError, Expression, schedule
from engine.instances.advance import Advance
from engine.instances.limits import NAME_LENGTH_MAX
from engine.instances.triggers.waiting import Waiter
from engine.lifecycle import Step
from engine.model.elements import MessageTrigger
from engine.values import encode_object


def throw(advance: Advance, key: int, trigger: MessageTrigger) -> Step | None:
    """Publish the message with what the event sees, or with its own inputs if it has some."""
    waiter = Waiter(key, advance.instance(key).element_id)
    name, correlation_key = address(advance, waiter, trigger)
    own = advance.state.variables.get(key)
    variables = own if own else v.visible(advance.state, key)
    advance.emit(
        e.EventThrown(
            owner=key,
            kind="message",
            name=name,
            correlation_key=correlation_key,
            ttl_ms=_time_to_live(advance, key, trigger),
            variables=encode_object(variables),
            message_id=_message_id(advance, key, trigger),
        )
    )
    return Step.COMPLETE


def _time_to_live(advance: Advance, key: int, trigger: MessageTrigger) -> int:
    """In milliseconds from now on; null: none. Raises StuckError."""
    if trigger.ttl is None:
        return trigger.ttl_ms
    value = advance.evaluator.evaluate(trigger.ttl, key)
    if value is None:
        return 0
    zone, now = advance.context.settings.zone, advance.context.now
    try:
        until = schedule.add_duration(now, schedule.parse_duration(value), zone)
    except EvaluationError:
        raise advance.evaluator.unusable(trigger.ttl, "a duration", value) from None
    return max(0, until - now)


def _message_id(advance: Advance, key: int, trigger: MessageTrigger) -> str | None:
    """Raises StuckError for one that is neither text nor number, or too long; null: none."""
    if not isinstance(trigger.message_id, Expression):
        return trigger.message_id
    value = advance.evaluator.evaluate(trigger.message_id, key)
    return None if value is None else advance.evaluator.name(trigger.message_id, key)


def arm(advance: Advance, waiter: Waiter, trigger: MessageTrigger) -> e.AnyEvent:
    """The subscription. A key that is neither text nor number cannot be met: StuckError."""
    name, key = address(advance, waiter, trigger)
    return e.SubscriptionOpened(
        key=advance.new_key(),
        owner=waiter.owner,
        element_id=waiter.element_id,
        name=name,
        correlation_key=key,
        interrupting=waiter.interrupting,
    )


def address(advance: Advance, waiter: Waiter, trigger: MessageTrigger) -> tuple[str, str]:
    """Name and correlation key. A key that is neither text nor number is of no use: StuckError."""
    name = advance.evaluator.name(trigger.name, waiter.owner, waiter.locals)
    if trigger.begins:
        return name, advance.state.start.conversation or ""
    if trigger.correlation_key is None:
        return name, ""
    key = advance.evaluator.text(trigger.correlation_key, waiter.owner, waiter.locals)
    if len(key) > NAME_LENGTH_MAX:
        expected = f"a correlation key of at most {NAME_LENGTH_MAX} characters"
        raise advance.evaluator.unusable(trigger.correlation_key, expected, key)
    return name, key
