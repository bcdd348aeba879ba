"""Complex gateways: they fire when their condition says so, and reset when nothing more can come.

BPMN 13.4.5: the gateway is waiting for start until its activationCondition holds, which may count
the tokens on its incoming flows. It then takes one from each flow that has some, and is waiting for
reset: for the flows that it took none from, as an inclusive gateway waits for its own. When none
can come any more it takes those that did, and is waiting for start again.

    flows f g h, condition activationCount >= 2
    f arrives: f 1             begins to wait for start
    h arrives: f 1, h 1        fires, takes f and h; waits for reset: g may still come
    f, g arrive: f 1, g 1      resets, takes g; f stays, and is the first of the next cycle

An element instance stands for a cycle, from the first arrival to the reset. Without a condition an
outgoing flow is taken when the gateway fires and not again when it resets: a discriminator drawn
with one plain flow gives one token a cycle. Conditions are evaluated both times, and may ask for
`waitingForStart`. The condition of the gateway is asked at each arrival and, where it asks for
variables, after each change of variables.
"""

from engine import events as e
from engine.instances.advance import Advance, DueStep
from engine.instances.elements.handler import Handler
from engine.instances.endings import close_waits
from engine.instances.flows import leave_by_true
from engine.instances.listeners import going_on
from engine.instances.scans import at
from engine.instances.stuck import IncidentKind, StuckError
from engine.lifecycle import Step
from engine.model.elements import ComplexGateway
from engine.state import GateWait, IncidentWait, JobWait
from engine.values import Value


def _join(advance: Advance, gateway: ComplexGateway, scope: int) -> tuple[str, ...] | None:
    """The first arrival begins a cycle, later ones are looked at in it; none is consumed yet."""
    if len(gateway.incoming) == 1:
        return (advance.model.flows[gateway.incoming[0]].id,)
    key = _cycle(advance, gateway, scope)
    if key is None:
        return ()
    gate = _gate(advance, key)
    if (gate is None or gate.waiting_for_start) and not _is_held(advance, key):
        advance.due.append(DueStep(key, going_on(gateway, Step.RUN), None))
    return None


def _cycle(advance: Advance, gateway: ComplexGateway, scope: int) -> int | None:
    """The element instance of the cycle that is under way in this scope."""
    place = (scope, gateway.index)
    known = advance.gates.get(place)
    if known in advance.state.elements:
        return known
    for key in at(advance.state, scope, gateway.id):
        advance.gates[place] = key
        return key
    return None


def _gate(advance: Advance, key: int) -> GateWait | None:
    waits = (advance.state.waits[number] for number in advance.instance(key).waits)
    return next((wait for wait in waits if isinstance(wait, GateWait)), None)


def _is_held(advance: Advance, key: int) -> bool:
    """Whether an incident or a listener holds it: afterwards it looks at all that has arrived."""
    waits = (advance.state.waits[number] for number in advance.instance(key).waits)
    return any(isinstance(wait, IncidentWait | JobWait) for wait in waits)


def _run(advance: Advance, gateway: ComplexGateway, key: int) -> Step | None:
    """Fire if the activation condition holds."""
    if len(gateway.incoming) <= 1:
        return Step.LEAVE
    gate = _gate(advance, key)
    if gate is None:
        advance.emit(e.GateOpened(key=advance.new_key(), owner=key))
        gate = _gate(advance, key)
    if gate is None or not gate.waiting_for_start or not _is_activated(advance, gateway, key):
        return None
    scope = advance.instance(key).scope or 0
    chosen = _choose(advance, gateway, key, starting=True)
    if not chosen and gateway.outgoing:
        raise StuckError(
            IncidentKind.NO_FLOW_CHOSEN,
            f"Expected a true condition or a default flow at {gateway.id}, found neither",
        )
    arrived = tuple(flow for flow, count in _counts(advance, gateway, scope).items() if count)
    advance.emit(e.GateFired(key=gate.key, consumed=arrived))
    advance.ask_joins(scope, gateway.id)  # it may take no flow, and have nothing to wait for
    for flow in chosen:
        advance.take(flow, scope)
    return None


def _counts(advance: Advance, gateway: ComplexGateway, scope: int) -> dict[str, int]:
    """How many arrivals wait on each incoming flow, by its id."""
    arrivals = advance.state.arrivals.get(scope, {})
    flows = (advance.model.flows[index].id for index in gateway.incoming)
    return {flow: arrivals.get(flow, 0) for flow in flows}


def _is_activated(advance: Advance, gateway: ComplexGateway, key: int) -> bool:
    """The condition sees each flow's count by its id, all in a context, and their sum."""
    counts = _counts(advance, gateway, advance.instance(key).scope or 0)
    if gateway.activation is None or not any(counts.values()):
        return False
    shown: dict[str, Value] = dict(counts)
    locals_: dict[str, Value] = {
        **shown,
        "activationCounts": shown,
        "activationCount": sum(counts.values()),
    }
    return advance.evaluator.condition(gateway.activation, key, locals_)


def _choose(advance: Advance, gateway: ComplexGateway, key: int, *, starting: bool) -> list[int]:
    chosen = []
    locals_: dict[str, Value] = {"waitingForStart": starting}
    for index in gateway.outgoing:
        flow = advance.model.flows[index]
        if index == gateway.default:
            continue
        if flow.condition is None:
            if starting:
                chosen.append(index)
            continue
        whose = f"Flow {flow.id!r}"
        result = advance.evaluator.condition(flow.condition, key, locals_, whose=whose)
        advance.emit(
            e.ConditionEvaluated(
                scope=advance.instance(key).scope or 0,
                flow_id=flow.id,
                expression=flow.condition.text,
                result=result,
            )
        )
        if result:
            chosen.append(index)
    if not chosen and gateway.default is not None:
        chosen.append(gateway.default)
    return chosen


def _reset(advance: Advance, gateway: ComplexGateway, key: int) -> None:
    """Nothing more can come: the cycle ends with what has come since it fired, if anything has.

    10.6.5: "If tokens arrive later ..., those tokens cause a reset of the Gateway and new token can
    be produced on the outgoing Sequence Flows". Where none came late, nothing is produced.

    BPMN 13.4.5: "the Gateway might not produce any tokens in this phase and no exception is
    thrown".
    """
    gate, scope = _gate(advance, key), advance.instance(key).scope or 0
    taken = () if gate is None else gate.taken
    counts = _counts(advance, gateway, scope)
    late = tuple(flow for flow, count in counts.items() if count and flow not in taken)
    chosen = _choose(advance, gateway, key, starting=False) if late else []
    close_waits(advance, key)
    advance.emit(e.ElementCompleted(key=key, discarded=late))
    for flow in chosen:
        advance.take(flow, scope)
    for flow_id in advance.state.arrivals.get(scope, {}):
        if flow_id in counts:
            advance.agenda.append((scope, advance.model.flow_index[flow_id]))


COMPLEX = Handler[ComplexGateway](run=_run, complete=_reset, leave=leave_by_true, joins=_join)
