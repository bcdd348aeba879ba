"""What an element instance waited for has happened: by the position of the event that caught it."""

from engine import events as e
from engine import variables as v
from engine.errors import InvariantError
from engine.instances import event_subprocesses
from engine.instances.advance import Advance, DueStep
from engine.instances.endings import close_waits, terminate
from engine.lifecycle import Step
from engine.model.elements import AnyElement, BoundaryEvent, StartEvent


def occur(advance: Advance, owner: int, element_id: str, payload: v.Texts | None) -> None:
    """The event `element_id`, for which the element instance `owner` waited, has occurred."""
    event = advance.model.element(element_id)
    if isinstance(event, BoundaryEvent):
        _at_boundary(advance, owner, event, payload)
    elif isinstance(event, StartEvent):
        event_subprocesses.begin(advance, owner, event, payload)
    elif advance.instance(owner).element_id == element_id:
        advance.due.append(DueStep(owner, Step.COMPLETE, payload))
    else:
        _at_gateway(advance, owner, event, payload)


def _at_boundary(
    advance: Advance, owner: int, event: BoundaryEvent, payload: v.Texts | None
) -> None:
    """An interrupting event ends its activity, another leaves it as it is (BPMN 13.5.3)."""
    scope = advance.instance(owner).scope or 0
    if event.interrupting:
        terminate(advance, owner)
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
            advance.begin(arm, scope, consumed=(flow.id,), step=Step.COMPLETE, payload=payload)
            return
    raise InvariantError(f"{gateway.id} waits for {arm.id}, and no flow leads there")
