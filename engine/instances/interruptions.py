"""What has interrupted something goes on, once all that it ended is gone: see `holds.py`."""

from engine import state as s
from engine.instances import event_subprocesses
from engine.instances.advance import Advance, DueStep
from engine.instances.holds import released
from engine.instances.triggers import cancel
from engine.lifecycle import Step
from engine.model.elements import StartEvent, SubProcess


def go_on(advance: Advance) -> bool:
    """Whether anything has gone on."""
    found = released(advance)
    for wait in found:
        _go_on(advance, wait)
    return bool(found)


def _go_on(advance: Advance, wait: s.HoldWait) -> None:
    element = advance.element(wait.owner)
    if wait.until:
        advance.due.append(DueStep(wait.owner, Step.COMPLETE, wait.variables))
        return
    start = advance.model.element(wait.start) if wait.start else None
    if isinstance(element, SubProcess) and isinstance(start, StartEvent):
        event_subprocesses.begin_by(advance, wait.owner, element, start, wait.variables)
    else:
        cancel.undo(advance, wait.owner)
