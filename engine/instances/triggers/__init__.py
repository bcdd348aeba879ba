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
}


def arm(advance: Advance, waiter: Waiter, trigger: m.Trigger) -> tuple[e.AnyEvent, ...]:
    """What makes the waiter wait for its trigger. Raises StuckError, with nothing armed."""
    row = ARM[type(trigger)]
    return () if row is None else (row(advance, waiter, trigger),)


def throw(advance: Advance, key: int, trigger: m.Trigger) -> Step | None:
    """Throw, and say what the event does next (None: nothing, it is over). Raises StuckError."""
    row = THROW[type(trigger)]
    return Step.COMPLETE if row is None else row(advance, key, trigger)
