"""What an interruption waits for: user tasks that it ends may have listeners at that.

As in Camunda 8 an activity is ended only when these are done, and what has interrupted it goes on
after that. Until then a `HoldWait` keeps it: the boundary event, the event sub-process, or the
transaction that was canceled. Models without such listeners have none of this.
"""

from engine import events as e
from engine import state as s
from engine.instances.advance import Advance, DueStep
from engine.instances.endings import terminate
from engine.instances.scans import count_inside, waits_of
from engine.lifecycle import Step
from engine.model.elements import BoundaryEvent
from engine.variables import Texts


def interrupt(
    advance: Advance, key: int, event: BoundaryEvent, payload: Texts | None = None
) -> None:
    """End an activity by an event on its boundary, which goes on when that is gone."""
    scope = advance.instance(key).scope or 0
    terminate(advance, key)
    begun = advance.activate(event, scope)
    if advance.model.hears_cancellations and key in advance.state.elements:
        hold(advance, begun, until=key, payload=payload)
    else:
        advance.due.append(DueStep(begun, Step.COMPLETE, payload))


def hold(
    advance: Advance, owner: int, *, until: int = 0, start: str = "", payload: Texts | None = None
) -> None:
    """Keep an element instance from going on, until another is gone or nothing else is left."""
    advance.emit(
        e.HoldOpened(
            key=advance.new_key(),
            owner=owner,
            until=until,
            start=start,
            variables=dict(payload or {}),
        )
    )


def released(advance: Advance) -> list[s.HoldWait]:
    """The holds whose reason is gone, closed."""
    found = []
    for key in waits_of(advance.state, s.HoldWait):
        wait = advance.state.waits[key]
        if isinstance(wait, s.HoldWait) and not _is_held(advance, wait):
            advance.emit(e.HoldClosed(key=key))
            found.append(wait)
    return found


def _is_held(advance: Advance, wait: s.HoldWait) -> bool:
    if advance.is_ending(wait.owner):
        return True
    if wait.until:
        return wait.until in advance.state.elements
    if wait.start:
        return count_inside(advance.state, advance.instance(wait.owner).scope or 0) > 1
    return count_inside(advance.state, wait.owner) > 0
