"""What an element instance waited for has happened: by the position of the event that caught it."""

from engine import events as e
from engine import variables as v
from engine.errors import InvariantError
from engine.instances import event_subprocesses
from engine.instances.advance import Advance, DueStep
from engine.instances.endings import close_waits, terminate
from engine.instances.limits import clip
from engine.instances.mappings import map_inputs, targets_of, to_texts
from engine.instances.stuck import StuckError
from engine.lifecycle import Step
from engine.model.elements import (
    AnyElement,
    BoundaryEvent,
    IntermediateCatchEvent,
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
        advance.due.append(DueStep(owner, Step.COMPLETE, payload))
    elif isinstance(event, StartEvent):
        event_subprocesses.begin(advance, owner, event, payload)
    else:
        _at_gateway(advance, owner, event, payload)
    if _is_parallel(event) and not getattr(event, "interrupting", True):
        # After the event itself, so that what came with it can be seen.
        advance.due.append(DueStep(owner, Step.REARM, None))


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


def keep(advance: Advance, owner: int, event: AnyElement, payload: v.Texts | None) -> None:
    """What came with one of them, until all have occurred: where the event would write it."""
    instance = advance.instance(owner)
    try:
        is_own = instance.element_id == event.id  # else it is an arm of a gateway, which waits
        if isinstance(event, IntermediateCatchEvent | StartEvent) and is_own:
            advance.set_each(targets_of(advance, owner, payload or {}))
        elif isinstance(event, BoundaryEvent) and instance.scope is not None:
            advance.propagate(instance.scope, payload or {})
        else:
            advance.propagate(owner, payload or {})
    except StuckError as stuck:
        advance.emit(
            e.IncidentRaised(
                key=advance.new_key(),
                owner=owner,
                kind=stuck.kind,
                message=clip(stuck.message),
                step=Step.NOTHING,
                element_id=None,
            )
        )


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
            begin_occurred(advance, arm, scope, payload, consumed=(flow.id,))
            return
    raise InvariantError(f"{gateway.id} waits for {arm.id}, and no flow leads there")


def begin_occurred(
    advance: Advance,
    element: AnyElement,
    scope: int,
    payload: v.Texts | None,
    *,
    consumed: tuple[str, ...] = (),
) -> None:
    """Begin an element whose event has occurred before it: its inputs first, as if it had waited.

    Where they fail, what came with the event is kept, and they are made when that is put right.
    """
    inputs = getattr(element, "inputs", ())
    if not inputs:
        advance.begin(element, scope, consumed=consumed, step=Step.COMPLETE, payload=payload)
        return
    key = advance.activate(element, scope, consumed=consumed)
    step = Step.COMPLETE
    try:
        advance.set_variables(key, to_texts(map_inputs(advance, inputs, scope)))
    except StuckError:
        step = Step.TAKE  # fails again, and is an incident
    advance.due.append(DueStep(key, step, payload))
