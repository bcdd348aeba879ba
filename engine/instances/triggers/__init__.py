"""Triggers (BPMN: event definitions): what an event waits for, and what it does when it throws.

One module a trigger; where in the process it stands is the position's business (`elements`).
"""

from collections.abc import Callable, Mapping
from typing import Any

from engine import events as e
from engine.instances.advance import Advance
from engine.instances.triggers import (
    cancel,
    compensate,
    condition,
    error,
    escalation,
    link,
    message,
    signal,
    terminate,
    timer,
)
from engine.instances.triggers.waiting import Waiter
from engine.lifecycle import Step
from engine.model import elements as m

# Any: each row takes its own kind of trigger, which the key names.
ARM: Mapping[type[m.Trigger], Callable[[Advance, Waiter, Any], e.AnyEvent] | None] = {
    m.NoneTrigger: None,
    m.MessageTrigger: message.arm,
    m.TimerTrigger: timer.arm,
    m.ErrorTrigger: None,  # found when it is thrown, so it costs nothing to wait for
    m.EscalationTrigger: None,
    m.SignalTrigger: signal.arm,
    m.ConditionTrigger: condition.arm,
    m.LinkTrigger: None,
    m.TerminateTrigger: None,
    m.CompensateTrigger: None,
    m.CancelTrigger: None,
    m.MultipleTrigger: None,  # armed part by part
}

THROW: Mapping[type[m.Trigger], Callable[[Advance, int, Any], Step | None] | None] = {
    m.NoneTrigger: None,
    m.MessageTrigger: message.throw,
    m.TimerTrigger: None,
    m.ErrorTrigger: error.throw,
    m.EscalationTrigger: escalation.throw,
    m.SignalTrigger: signal.throw,
    m.ConditionTrigger: None,
    m.LinkTrigger: link.throw,
    m.TerminateTrigger: terminate.throw,
    m.CompensateTrigger: compensate.throw,
    m.CancelTrigger: cancel.throw,
    m.MultipleTrigger: None,  # thrown part by part
}


def arm(advance: Advance, waiter: Waiter, trigger: m.Trigger) -> tuple[e.AnyEvent, ...]:
    """What makes the waiter wait for its trigger. Raises StuckError, with nothing armed.

    Of parts that must all occur each is taken once, until the event waits anew; only a cycle runs.
    """
    once = waiter._replace(interrupting=True) if m.needs_all(trigger) else waiter
    armed: list[e.AnyEvent] = []
    for part in m.parts_of(trigger):
        row = ARM[type(part)]
        if row is not None:
            armed.append(row(advance, waiter if isinstance(part, m.TimerTrigger) else once, part))
    return tuple(armed)


def throw(advance: Advance, key: int, trigger: m.Trigger) -> Step | None:
    """Throw, and say what the event does next (None: nothing, it is over). Raises StuckError.

    Of several the later are thrown even if an earlier one is caught where it ends others; not if
    it ends the event itself. What ends the scope comes after the compensation that is waited for.
    """
    parts = m.parts_of(trigger)
    if len(parts) > 1:
        _check_all(advance, key, parts)
    waits = False
    for part in parts:
        row = THROW[type(part)]
        if row is None or (waits and isinstance(part, m.ENDINGS)):
            continue  # see throw_last
        if row(advance, key, part) is None:
            if not isinstance(part, m.CompensateTrigger):
                return None
            waits = True
    return None if waits else Step.COMPLETE


def throw_last(advance: Advance, key: int, trigger: m.Trigger) -> bool:
    """After its compensation an event throws what ends its scope, if it does. Raises StuckError."""
    last = m.parts_of(trigger)[-1]
    if not isinstance(trigger, m.MultipleTrigger) or not isinstance(last, m.ENDINGS):
        return False
    throw(advance, key, last)
    return True


def _check_all(advance: Advance, key: int, parts: tuple[m.Trigger, ...]) -> None:
    """All that several need is evaluated before the first is thrown, or it would be twice."""
    for part in parts:
        match part:
            case m.MessageTrigger():
                message.address(advance, Waiter(key, ""), part)
            case m.SignalTrigger():
                advance.evaluator.name(part.name, key)
            case m.EscalationTrigger() if part.code is not None:
                advance.evaluator.name(part.code, key)
            case m.ErrorTrigger():
                error.find(advance, key, part)
            case _:
                pass
