"""Signals: broadcast to whoever waits for the name, and kept for nobody."""

from engine import events as e
from engine import state as s
from engine.instances.advance import Advance
from engine.instances.conversations import is_joint
from engine.instances.occurrences import occur
from engine.instances.scans import signal_waits
from engine.instances.triggers.waiting import Waiter
from engine.lifecycle import Step
from engine.model.elements import SignalTrigger
from engine.values import encode_object
from engine.variables import Texts


def arm(advance: Advance, waiter: Waiter, trigger: SignalTrigger) -> e.AnyEvent:
    """The wait. The partition's index finds it by name, by the offset since when it waits."""
    return e.SubscriptionOpened(
        key=advance.new_key(),
        owner=waiter.owner,
        element_id=waiter.element_id,
        name=advance.evaluator.name(trigger.name, waiter.owner, waiter.locals),
        interrupting=waiter.interrupting,
        kind="signal",
        since=advance.context.offset,
    )


def throw(advance: Advance, key: int, trigger: SignalTrigger) -> Step | None:
    """Broadcast with the event's own inputs: what it merely sees would go to everybody.

    The waits of this instance take it here, where it is known which of them are older than the
    signal; all others get it through the log of their partition, and so does its beginning: what
    belongs to that may come as a start.
    """
    waiter = Waiter(key, advance.instance(key).element_id)
    name = advance.evaluator.name(trigger.name, waiter.owner)
    variables = advance.state.variables.get(key, {})
    advance.emit(
        e.EventThrown(owner=key, kind="signal", name=name, variables=encode_object(variables))
    )
    for number in signal_waits(advance.state, name):
        wait = advance.state.waits.get(number)  # None: one before it has ended what waited
        if not isinstance(wait, s.SignalWait) or is_joint(advance, wait):
            continue
        if not advance.is_ending(wait.owner):
            take(advance, wait, variables)
    return None if advance.is_over(key) else Step.COMPLETE


def take(advance: Advance, wait: s.SignalWait, variables: Texts) -> None:
    """The signal that somebody waited for has come."""
    if wait.interrupting:
        advance.emit(e.SubscriptionClosed(key=wait.key, taken=True))
    occur(advance, wait.owner, wait.element_id, variables)
