"""Gateways: where flows part and meet."""

from engine.events import AnyEvent
from engine.instances.advance import Advance
from engine.instances.elements.handler import Handler
from engine.instances.flows import leave_by_all, leave_by_first_true
from engine.instances.joins.inclusive import take_free
from engine.instances.mappings import map_inputs
from engine.instances.triggers import arm
from engine.instances.triggers.waiting import Waiter
from engine.lifecycle import Step
from engine.model.elements import (
    EventBasedGateway,
    ExclusiveGateway,
    InclusiveGateway,
    IntermediateCatchEvent,
    ParallelGateway,
    ReceiveTask,
)


def _join_all(advance: Advance, gateway: ParallelGateway, scope: int) -> tuple[str, ...] | None:
    """One arrival of each incoming flow, when all have one; a surplus arrival stays.

    BPMN 13.4.1: "The Parallel Gateway is activated if there is at least one token on each incoming
    Sequence Flow. The Parallel Gateway consumes exactly one token from each incoming".

        flows f, g, h in;  arrivals f 2, g 1       waits: h has none
        h arrives:         arrivals f 2, g 1, h 1  fires, consumes f g h, leaves f 1
        g, h arrive:       arrivals f 1, g 1, h 1  fires again

    Counting flows first keeps a join of n flows linear: n arrivals do not look at n flows each.
    """
    arrivals = advance.state.arrivals.get(scope, {})
    if len(arrivals) < len(gateway.incoming):
        return None
    flows = advance.model.flows
    incoming = tuple(flows[index].id for index in gateway.incoming)
    return incoming if all(flow in arrivals for flow in incoming) else None


def _join_inclusive(
    advance: Advance, gateway: InclusiveGateway, scope: int
) -> tuple[str, ...] | None:
    """With several incoming flows an arrival alone decides nothing: `joins/inclusive.py`.

    The loop asks there when all else of the transition has settled.
    """
    if len(gateway.incoming) > 1:
        return take_free(advance, gateway, scope)
    return tuple(advance.model.flows[index].id for index in gateway.incoming)


def _run_pass_through(advance: Advance, gateway: object, key: int) -> Step:
    return Step.LEAVE


def _run_event_based(advance: Advance, gateway: EventBasedGateway, key: int) -> Step | None:
    """Wait for all arms at once. BPMN 13.4.4: the first event that occurs decides.

    A parallel one, to which a none start event has led, begins them all: each waits by itself.
    What an arm waits for sees its inputs, which are made again when it begins.
    """
    if gateway.parallel:
        return Step.LEAVE
    armed: list[AnyEvent] = []
    for index in gateway.outgoing:
        event = advance.model.elements[advance.model.flows[index].target]
        if isinstance(event, IntermediateCatchEvent | ReceiveTask):
            made = map_inputs(advance, event.inputs, key) if event.inputs else None
            armed.extend(arm(advance, Waiter(key, event.id, locals=made), event.trigger))
    for event_armed in armed:
        advance.emit(event_armed)
    return None


EXCLUSIVE = Handler[ExclusiveGateway](run=_run_pass_through, leave=leave_by_first_true)
PARALLEL = Handler[ParallelGateway](run=_run_pass_through, leave=leave_by_all, joins=_join_all)
INCLUSIVE = Handler[InclusiveGateway](run=_run_pass_through, joins=_join_inclusive)
EVENT_BASED = Handler[EventBasedGateway](run=_run_event_based, leave=leave_by_all)
