"""Arming what waits beside an element instance: the event sub-processes of a scope."""

from engine.events import AnyEvent
from engine.instances.advance import Advance
from engine.instances.event_subprocesses import start_events
from engine.instances.triggers import arm
from engine.instances.triggers.waiting import Waiter


def arm_events(advance: Advance, scope: int) -> None:
    """Let the event sub-processes of a scope wait. Raises StuckError, with none of them armed."""
    armed: list[AnyEvent] = []
    for start in start_events(advance, scope):
        armed.extend(arm(advance, Waiter(scope, start.id, start.interrupting), start.trigger))
    for event in armed:
        advance.emit(event)
