"""What an element instance waited for has happened: by the position of the event that caught it."""

from engine import events as e
from engine import variables as v
from engine.errors import InvariantError
from engine.instances import event_subprocesses
from engine.instances.advance import Advance, DueStep
from engine.instances.endings import CLOSED, close_waits
from engine.instances.holds import interrupt
from engine.instances.keeping import keep
from engine.instances.late_inputs import begin_occurred
from engine.lifecycle import Step
from engine.model.elements import (
    AnyElement,
    BoundaryEvent,
    NoneTrigger,
    StartEvent,
    needs_all,
)
from engine.state import IncidentWait


def occur(advance: Advance, owner: int, element_id: str, payload: v.Texts | None) -> None:
    """The event `element_id`, for which the element instance `owner` waited, has occurred."""
    event = advance.model.element(element_id)
    if _is_parallel(event) and _waits_for_more(advance, owner, element_id):
        keep(advance, owner, event, payload)
        return
    if isinstance(event, BoundaryEvent):
        _at_boundary(advance, owner, event, payload)
    elif advance.instance(owner).element_id == element_id:
        _close_others(advance, owner, element_id)
        advance.due.append(DueStep(owner, Step.COMPLETE, payload))
    elif isinstance(event, StartEvent):
        event_subprocesses.begin(advance, owner, event, payload)
    else:
        _at_gateway(advance, owner, event, payload)
    if _is_parallel(event) and not getattr(event, "interrupting", True):
        # After the event itself, so that what came with it can be seen.
        advance.due.append(DueStep(owner, Step.REARM, None))


def _close_others(advance: Advance, owner: int, element_id: str) -> None:
    """What else the event might have waited for no longer can be what happens to it."""
    for key in advance.instance(owner).waits:
        wait = advance.state.waits[key]
        if getattr(wait, "element_id", None) == element_id and not isinstance(wait, IncidentWait):
            advance.emit(CLOSED[type(wait)](wait))


def _is_parallel(event: AnyElement) -> bool:
    return needs_all(getattr(event, "trigger", NoneTrigger()))


def _waits_for_more(advance: Advance, owner: int, element_id: str) -> bool:
    """Whether of several events that must all occur some are still to come."""
    waits = (advance.state.waits[key] for key in advance.instance(owner).waits)
    return any(
        getattr(wait, "element_id", None) == element_id
        for wait in waits
        if not isinstance(wait, IncidentWait) and not getattr(wait, "ahead", False)
    )


def _at_boundary(
    advance: Advance, owner: int, event: BoundaryEvent, payload: v.Texts | None
) -> None:
    """An interrupting event ends its activity, another leaves it as it is (BPMN 13.5.3)."""
    if event.interrupting:
        interrupt(advance, owner, event, payload)
        return
    scope = advance.instance(owner).scope or 0
    advance.begin(event, scope, step=Step.COMPLETE, payload=payload)


def _at_gateway(advance: Advance, owner: int, arm: AnyElement, payload: v.Texts | None) -> None:
    """The first event wins; the gateway completes, and with it the waits for the others."""
    scope = advance.instance(owner).scope or 0
    gateway = advance.element(owner)
    for index in gateway.outgoing:
        flow = advance.model.flows[index]
        if flow.target == arm.index:
            close_waits(advance, owner)
            advance.emit(e.ElementCompleted(key=owner))
            advance.emit(e.FlowTaken(flow_id=flow.id, scope=scope))
            begin_occurred(advance, arm, scope, payload, consumed=(flow.id,))
            return
    raise InvariantError(f"{gateway.id} waits for {arm.id}, and no flow leads there")
