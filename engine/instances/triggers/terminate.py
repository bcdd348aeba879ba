"""Terminate end events: they end their own scope, and what called it goes on."""

from engine import events as e
from engine.instances.advance import Advance
from engine.instances.endings import terminate_inside
from engine.instances.event_subprocesses import disarm
from engine.lifecycle import Step
from engine.model.elements import TerminateTrigger


def throw(advance: Advance, key: int, trigger: TerminateTrigger) -> Step | None:
    """End the event, the arrivals of its scope and all else in it; the scope then completes.

    That may take a while, in which its event sub-processes begin no more.

    BPMN 13.5.6: "For a 'terminate' End Event, the Sub-Process is abnormally terminated", and
    "no other ongoing Sub-Process instances or higher-level Sub-Process or Process instances are
    affected".
    """
    scope = advance.instance(key).scope
    if scope is None:
        return None
    arrivals = advance.state.arrivals.get(scope, {})
    discarded = tuple(flow for flow, count in arrivals.items() for _ in range(count))
    advance.emit(e.ElementCompleted(key=key, discarded=discarded))
    disarm(advance, scope)
    terminate_inside(advance, scope)
    return None
