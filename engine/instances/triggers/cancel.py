"""Cancel end events: they give up their transaction."""

from engine import events as e
from engine.instances import compensation
from engine.instances.advance import Advance
from engine.instances.endings import terminate_inside
from engine.instances.event_subprocesses import disarm
from engine.instances.holds import hold
from engine.instances.scans import count_inside
from engine.lifecycle import Step
from engine.model.elements import CancelTrigger


def throw(advance: Advance, key: int, trigger: CancelTrigger) -> Step | None:
    """End all that still runs in the transaction, compensate what completed, then leave it.

    BPMN 10.3.5: "If a Transaction is cancelled ... the Activities inside the Transaction will be
    subjected to the cancellation actions, which could include rolling back the process and
    compensation for specific Activities."
    """
    scope = advance.instance(key).scope
    if scope is None:
        return None
    arrivals = advance.state.arrivals.get(scope, {})
    discarded = tuple(flow for flow, count in arrivals.items() for _ in range(count))
    advance.emit(e.ElementCompleted(key=key, discarded=discarded))
    disarm(advance, scope)
    terminate_inside(advance, scope)
    if advance.model.hears_cancellations and count_inside(advance.state, scope):
        hold(advance, scope)
    else:
        undo(advance, scope)
    return None


def undo(advance: Advance, scope: int) -> None:
    """All that ran is gone: compensate what completed, then leave the transaction."""
    compensation.give_up(advance, scope)
