"""The only code that changes the state of a process instance: one event at a time.

The state is the fold of its events, so nothing here may know the model, the command or anything
else than state, event and the time of the transition.
"""

from collections.abc import MutableMapping
from typing import TypeAlias, assert_never

from msgspec.structs import replace

from engine import events as e
from engine import state as s
from engine import variables as v
from engine.errors import InvariantError
from engine.instances import ledger, offers, waits
from engine.lifecycle import ElementState, InstanceState, guard_element, guard_instance
from engine.ordered import Ordered, writable
from engine.pages import WIDE, copied, paged, put_in_order

Arrivals: TypeAlias = MutableMapping[int, MutableMapping[str, int]]


def create(instance_id: str, start: e.InstanceStart) -> s.ProcessInstance:
    """The state before the first event: nothing but what is fixed at the start."""
    guard_instance(None, InstanceState.RUNNING)
    return s.ProcessInstance(
        instance_id=instance_id,
        start=start,
        state=InstanceState.RUNNING,
        counter=start.counter,
        sequence=start.counter,
        digest="",
        revision=0,
        elements={},
        waits={},
        arrivals={},
        variables={},
    )


def make_draft(state: s.ProcessInstance, *, walks: bool = False) -> s.ProcessInstance:
    """A copy that `evolve` may change. What is inside the maps is copied when it is changed.

    Only arrivals are copied at once where their scopes are few: tokens that pass through are what
    a transition consists of. Those in pages stay so, unless it `walks` through all of them anyway.
    """
    return replace(
        state,
        elements=copied(state.elements),
        waits=copied(state.waits),
        arrivals=_copied_arrivals(state.arrivals, walks=walks),
        variables=copied(state.variables),
        ledger=copied(state.ledger),
        loops=copied(state.loops),
        outputs=copied(state.outputs),
    )


def _copied_arrivals(arrivals: Arrivals, *, walks: bool) -> Arrivals:
    if not isinstance(arrivals, dict):
        return copied(arrivals)
    return {
        scope: dict(flows.items()) if walks or isinstance(flows, dict) else flows
        for scope, flows in arrivals.items()
    }


def close_draft(state: s.ProcessInstance) -> None:
    """The transition has ended: what has become wide is in pages from now on."""
    state.elements = paged(state.elements)
    state.waits = paged(state.waits)
    if isinstance(state.arrivals, dict):
        for scope, flows in state.arrivals.items():
            if isinstance(flows, dict) and len(flows) > WIDE:
                state.arrivals[scope] = Ordered(flows)
    state.arrivals = paged(state.arrivals)
    state.variables = paged(state.variables)
    state.ledger = paged(state.ledger)
    state.loops = paged(state.loops)
    state.outputs = paged(state.outputs)


def widen(state: s.ProcessInstance, scope: int | None = None) -> None:
    """Keep a draft in pages where it has become wide already, for what is read off it often.

    `scope` is one whose arrivals are.
    """
    if len(state.elements) > WIDE:
        state.elements = paged(state.elements)
    if len(state.waits) > WIDE:
        state.waits = paged(state.waits)
    flows = None if scope is None else state.arrivals.get(scope)
    if type(flows) is dict and scope is not None and len(flows) > WIDE:
        state.arrivals[scope] = Ordered(flows, state.revision)


def evolve(  # noqa: C901, PLR0912, PLR0915 - one case an event
    state: s.ProcessInstance, event: e.AnyEvent, at_ms: int
) -> None:
    """Change the state by one event of a transition at `at_ms`, the most frequent kinds first.

    Raises InvariantError when the event cannot follow on the state: a bug.
    """
    state.sequence += 1
    match event:
        case e.FlowTaken():
            _take_flow(state, event)
        case e.ElementActivated():
            _activate(state, event, at_ms)
        case e.ElementCompleted():
            element = _remove_element(state, event.key, ElementState.COMPLETED)
            if event.discarded and element.scope is not None:
                _consume(state, element.scope, event.discarded)
                _hold(state, element.scope, -len(event.discarded))
        case e.VariablesSet():
            _set_variables(state, event)
        case e.JobOpened():
            waits.open_job(state, event)
        case e.JobClosed():
            waits.close_job(state, event)
        case e.TimerArmed():
            waits.arm_timer(state, event)
        case e.TimerClosed() | e.SubscriptionClosed() | e.CallClosed() | e.IncidentResolved():
            waits.remove(state, event.key)
        case e.CompensationEnded() | e.GateClosed() | e.AdHocClosed():
            waits.remove(state, event.key)
        case e.GateOpened():
            waits.add(state, s.GateWait(key=event.key, owner=event.owner))
        case e.GateFired():
            _fire_gate(state, event)
        case e.AdHocOpened():
            waits.add(state, s.AdHocWait(key=event.key, owner=event.owner))
        case e.ActivitiesChosen():
            offers.choose(state, event)
        case e.AdHocStopped():
            _stop_ad_hoc(state, event)
        case e.SubscriptionOpened():
            waits.open_subscription(state, event)
        case e.TaskChanged():
            waits.change_task(state, event)
        case e.CallOpened():
            waits.add(state, s.CallWait(key=event.key, owner=event.owner, child_id=event.child_id))
        case e.IncidentRaised():
            waits.raise_incident(state, event, at_ms)
        case e.CompensationRecorded():
            ledger.record(state, event)
        case e.CompensationStarted():
            _start_sweep(state, event)
        case e.ElementTerminated():
            _remove_element(state, event.key, ElementState.TERMINATED)
        case e.ElementTerminating():
            _begin_to_end(state, event)
        case e.LoopOpened():
            _open_loop(state, event)
        case e.OutputCollected():
            _collect(state, event)
        case e.LoopStopped():
            state.loops[event.key] = replace(state.loops[event.key], stopped=True)
        case e.ConditionEvaluated():
            if event.key:
                condition = waits.find(state, event.key, s.ConditionWait)
                state.waits[event.key] = replace(condition, holds=event.result)
        case e.EventThrown() | e.DecisionEvaluated():
            pass  # what it led to here has events of its own
        case e.InstanceChanged():
            if event.start is None:
                after = InstanceState(event.state)
                guard_instance(state.state, after)
                state.state = after
        case _:
            assert_never(event)


def _take_flow(state: s.ProcessInstance, event: e.FlowTaken) -> None:
    flows = state.arrivals.get(event.scope)
    if flows is None:
        state.arrivals[event.scope] = {event.flow_id: 1}
    else:
        if type(flows) is not dict or type(state.arrivals) is not dict:
            flows = _own_flows(state, event.scope, flows)
        flows[event.flow_id] = flows.get(event.flow_id, 0) + 1
    _hold(state, event.scope, 1)


def _own_flows(
    state: s.ProcessInstance, scope_key: int, flows: MutableMapping[str, int]
) -> MutableMapping[str, int]:
    """The arrivals of a scope, to be changed: a copy. Of dictionaries `make_draft` has made it."""
    if isinstance(flows, Ordered) and flows.epoch == state.revision:
        return flows
    own = writable(flows, state.revision)
    state.arrivals[scope_key] = own
    return own


def _hold(state: s.ProcessInstance, scope_key: int, change: int) -> None:
    """The scope holds so many more, or less, element instances and arrivals."""
    scope = state.elements[scope_key]
    state.elements[scope_key] = replace(scope, open=scope.open + change)


def _consume(state: s.ProcessInstance, scope_key: int, flow_ids: tuple[str, ...]) -> None:
    """Take one arrival off each of these flows of a scope."""
    flows = state.arrivals[scope_key]
    if type(flows) is not dict or type(state.arrivals) is not dict:
        flows = _own_flows(state, scope_key, flows)
    for flow_id in flow_ids:
        left = flows[flow_id] - 1
        if left:
            flows[flow_id] = left
        else:
            del flows[flow_id]
    if not flows:
        del state.arrivals[scope_key]


def _activate(state: s.ProcessInstance, event: e.ElementActivated, at_ms: int) -> None:
    guard_element(None, ElementState.ACTIVE)
    scope_key = event.scope or None
    if scope_key is not None:
        if event.consumed:
            _consume(state, scope_key, event.consumed)
        if len(event.consumed) != 1:  # else the element instance takes the place of its arrival
            _hold(state, scope_key, 1 - len(event.consumed))
    state.elements[event.key] = s.ElementInstance(
        key=event.key,
        element_id=event.element_id,
        scope=scope_key,
        since_ms=at_ms,
        ordinal=event.ordinal,
        compensates=event.compensates,
        ad_hoc=event.ad_hoc,
    )
    if event.compensates and scope_key is not None:
        ledger.begin(state, scope_key, event.compensates, event.key)
    if event.ad_hoc:
        offers.begin(state, event)
    if event.ordinal and scope_key is not None:
        state.loops[scope_key] = replace(state.loops[scope_key], begun=event.ordinal)
    waits.count(state, event.key)


def _remove_element(state: s.ProcessInstance, key: int, after: ElementState) -> s.ElementInstance:
    """An element instance ends; what it owned ended before, its variables go with it."""
    element = state.elements.pop(key)
    guard_element(element.state, after)
    if element.waits:
        raise InvariantError(f"{element.element_id} ends and still waits for {element.waits}")
    state.arrivals.pop(key, None)
    if element.scope is not None:
        # The process's own variables stay: they are the result of the instance.
        own = state.variables.pop(key, None)
        if own is not None:
            state.variables_bytes -= v.size(own)
        _hold(state, element.scope, -1)
    if element.ordinal and element.scope is not None:
        _count_iteration(state, element.scope, after)
    if element.ad_hoc:
        offers.end(state, element, after)
    if key in state.loops:
        _close_loop(state, key)
    if key in state.outputs:
        _drop_outputs(state, key)
    if state.ledger:
        ledger.end(state, element)
    return element


def _begin_to_end(state: s.ProcessInstance, event: e.ElementTerminating) -> None:
    element = state.elements[event.key]
    guard_element(element.state, ElementState.TERMINATING)
    state.elements[event.key] = replace(element, state=ElementState.TERMINATING)
    if event.state is not None:
        state.ending = s.Ending(
            state=InstanceState(event.state), reason=event.reason, error_code=event.error_code
        )


def _open_loop(state: s.ProcessInstance, event: e.LoopOpened) -> None:
    if event.key in state.loops or event.key not in state.elements:
        raise InvariantError(f"{event.key} cannot become a loop")
    state.loops[event.key] = s.Loop(
        count=event.count,
        items=event.items,
        item=event.item,
        output=event.output,
        counter_first=event.counter_first,
    )
    state.loops_bytes += sum(map(v.utf8_length, event.items))


def _collect(state: s.ProcessInstance, event: e.OutputCollected) -> None:
    """New dicts for the page and for the table of pages: those before may be another document's."""
    pages = state.outputs.get(event.key, {})
    number = event.ordinal // s.OUTPUTS_PER_PAGE
    page = {**pages.get(number, {}), event.ordinal: event.text}
    put_in_order(state.outputs, event.key, {**pages, number: page})
    state.loops_bytes += v.utf8_length(event.text)


def _count_iteration(state: s.ProcessInstance, key: int, after: ElementState) -> None:
    loop = state.loops[key]
    if after is ElementState.COMPLETED:
        state.loops[key] = replace(loop, completed=loop.completed + 1)
    else:
        state.loops[key] = replace(loop, terminated=loop.terminated + 1)


def _close_loop(state: s.ProcessInstance, key: int) -> None:
    loop = state.loops.pop(key)
    state.loops_bytes -= sum(map(v.utf8_length, loop.items))


def _drop_outputs(state: s.ProcessInstance, key: int) -> None:
    for page in state.outputs.pop(key, {}).values():
        state.loops_bytes -= sum(map(v.utf8_length, page.values()))


def _set_variables(state: s.ProcessInstance, event: e.VariablesSet) -> None:
    if event.scope not in state.elements:
        raise InvariantError(f"variables for the scope {event.scope}, which is not there")
    state.variables_bytes += v.growth(state, event.scope, event.variables)
    # A new dict a write: the one before may be another document's.
    own = {**state.variables.get(event.scope, {}), **event.variables}
    put_in_order(state.variables, event.scope, own)


def _fire_gate(state: s.ProcessInstance, event: e.GateFired) -> None:
    gate = waits.find(state, event.key, s.GateWait)
    scope = state.elements[gate.owner].scope or 0
    _consume(state, scope, event.consumed)
    _hold(state, scope, -len(event.consumed))
    state.waits[event.key] = replace(gate, waiting_for_start=False, taken=event.consumed)


def _stop_ad_hoc(state: s.ProcessInstance, event: e.AdHocStopped) -> None:
    offer = waits.find(state, event.key, s.AdHocWait)
    if event.discarded:
        _consume(state, offer.owner, event.discarded)
        _hold(state, offer.owner, -len(event.discarded))
    state.waits[event.key] = replace(offer, chosen=(), stopped=True)


def _start_sweep(state: s.ProcessInstance, event: e.CompensationStarted) -> None:
    ledger.claim(state, event)
    waits.add(
        state,
        s.SweepWait(
            key=event.key,
            owner=event.owner,
            scope=event.scope,
            entries=tuple(entry.key for entry in event.entries),
            cancels=event.cancels,
        ),
    )
