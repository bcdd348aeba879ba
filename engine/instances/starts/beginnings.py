"""Where an instance begins: a start event, a receive task, behind a gateway without incoming flow.

What began it has occurred already. Of what needs others, too, these are waited for from here on.
"""

from typing import NamedTuple, TypeAlias

from engine import events as e
from engine import variables as v
from engine.instances.advance import Advance, DueStep
from engine.instances.elements import HANDLERS
from engine.instances.event_subprocesses import begin_by
from engine.instances.keeping import keep
from engine.instances.late_inputs import begin_occurred
from engine.instances.limits import clip
from engine.instances.stuck import StuckError
from engine.instances.triggers import arm
from engine.instances.triggers.waiting import Waiter
from engine.lifecycle import Step
from engine.model.elements import (
    PROCESS,
    EventBasedGateway,
    IntermediateCatchEvent,
    ProcessModel,
    ReceiveTask,
    StartEvent,
    needs_all,
    parts_of,
)

BeginningElement: TypeAlias = StartEvent | ReceiveTask | IntermediateCatchEvent


class Occurrence(NamedTuple):
    """What began an instance: with these variables, as the `part` of the event's triggers.

    `part` None: the whole event, whatever it waits for.
    """

    payload: v.Texts | None = None
    part: int | None = None


def beginnings(model: ProcessModel) -> list[BeginningElement]:
    """The elements at which a command may begin an instance by naming one."""
    known = (find_beginning(model, element.id) for element in model.elements)
    return [each for each in known if each is not None and not _needs_others(model, each)]


def _needs_others(model: ProcessModel, element: BeginningElement) -> bool:
    gateway = gateway_before(model, element)
    return gateway is not None and gateway.parallel


def find_beginning(model: ProcessModel, element_id: str) -> BeginningElement | None:
    """The element with this id, if an instance may begin there."""
    index = model.element_index.get(element_id)
    element = None if index is None else model.elements[index]
    match element:
        case StartEvent() if element.scope == PROCESS:
            return element
        case ReceiveTask() if element.instantiate:
            return element
        case ReceiveTask() | IntermediateCatchEvent() if gateway_before(model, element):
            return element
        case _:
            return None


def gateway_before(model: ProcessModel, element: BeginningElement) -> EventBasedGateway | None:
    """The instantiating gateway that an element follows."""
    for flow in element.incoming:
        source = model.elements[model.flows[flow].source]
        if isinstance(source, EventBasedGateway) and source.instantiate:
            return source
    return None


def begin(advance: Advance, element: BeginningElement, occurrence: Occurrence) -> None:
    """Begin the process at an element that has occurred, or of which a part has."""
    root = advance.state.root
    gateway = gateway_before(advance.model, element)
    if gateway is not None:
        _begin_behind(advance, gateway, element, occurrence)
    elif needs_all(element.trigger) and occurrence.part is not None:
        _begin_with_part(advance, element, occurrence.part, occurrence.payload)
    else:
        begin_by(advance, root, advance.model, element, occurrence.payload)
        return
    if advance.model.events:
        # After the element, so that what came with it can be seen.
        advance.due.append(DueStep(root, Step.ARM, None))


def _begin_behind(
    advance: Advance, gateway: EventBasedGateway, arm_: BeginningElement, occurrence: Occurrence
) -> None:
    """The event behind the gateway has occurred; behind a parallel one the others are begun, too.

    BPMN 13.2: "If the Event-Based Gateway is parallel, also the first matching Event creates a new
    Process instance. However, the Process then waits for the other Events to arrive. [...] A
    Process instance completes only if all Events that succeed a Parallel Event-Based Gateway have
    occurred."
    """
    root = advance.state.root
    advance.emit(e.ElementCompleted(key=advance.activate(gateway, root)))
    flows = [
        advance.model.flows[index]
        for index in gateway.outgoing
        if gateway.parallel or advance.model.flows[index].target == arm_.index
    ]
    for flow in flows:
        advance.emit(e.FlowTaken(flow_id=flow.id, scope=root))
    for flow in flows:
        element = advance.model.elements[flow.target]
        consumed = (flow.id,)
        if element is arm_:
            begin_occurred(advance, element, root, occurrence.payload, consumed=consumed)
        else:
            step = HANDLERS[type(element)].first
            advance.begin(element, root, consumed=consumed, step=step)


def _begin_with_part(
    advance: Advance, event: BeginningElement, occurred: int, payload: v.Texts | None
) -> None:
    """The start event waits for what else it needs. BPMN 10.5.2: all "MUST be triggered"."""
    key = advance.activate(event, advance.state.root)
    keep(advance, key, event, payload)
    for part, trigger in enumerate(parts_of(event.trigger)):
        if part == occurred:
            continue
        try:
            armed = arm(advance, Waiter(key, event.id), trigger)
        except StuckError as stuck:
            # The model's own schedule has no instant left. The event occurs without this part.
            raised = e.IncidentRaised(
                key=advance.new_key(),
                owner=key,
                kind=stuck.kind,
                message=clip(stuck.message),
                step=Step.RUN,
                element_id=event.id,
            )
            armed = (raised,)
        for event_armed in armed:
            advance.emit(event_armed)
