"""The only code that changes the state of a process instance: one event at a time.

The state is the fold of its events, so nothing here may know the model, the command or anything
else than state, event and the time of the transition. Waits, offers of ad-hoc sub-processes and the
ledger of compensation have modules of their own, and `fold.py` takes a whole history.
"""

from collections.abc import Callable, Mapping, MutableMapping
from typing import Any, Final, TypeAlias

from msgspec.structs import replace

from engine import events as e
from engine import state as s
from engine import variables as v
from engine.errors import InvariantError
from engine.instances.evolve import ledger, offers, waits
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


def evolve(state: s.ProcessInstance, event: e.AnyEvent, at_ms: int) -> None:
    """Change the state by one event of a transition at `at_ms`.

    Raises InvariantError when the event cannot follow on the state: a bug.
    """
    state.sequence += 1
    EVOLUTIONS[type(event)](state, event, at_ms)


def _take_flow(state: s.ProcessInstance, event: e.FlowTaken, at_ms: int) -> None:
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


def _complete(state: s.ProcessInstance, event: e.ElementCompleted, at_ms: int) -> None:
    element = _remove_element(state, event.key, ElementState.COMPLETED)
    if event.discarded and element.scope is not None:
        _consume(state, element.scope, event.discarded)
        _hold(state, element.scope, -len(event.discarded))


def _terminate(state: s.ProcessInstance, event: e.ElementTerminated, at_ms: int) -> None:
    _remove_element(state, event.key, ElementState.TERMINATED)


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


def _begin_to_end(state: s.ProcessInstance, event: e.ElementTerminating, at_ms: int) -> None:
    element = state.elements[event.key]
    guard_element(element.state, ElementState.TERMINATING)
    state.elements[event.key] = replace(element, state=ElementState.TERMINATING)
    if event.state is not None:
        state.ending = s.Ending(
            state=InstanceState(event.state),
            reason=event.reason,
            error_code=event.error_code,
            error_variables=event.error_variables,
        )


def _open_loop(state: s.ProcessInstance, event: e.LoopOpened, at_ms: int) -> None:
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


def _stop_loop(state: s.ProcessInstance, event: e.LoopStopped, at_ms: int) -> None:
    state.loops[event.key] = replace(state.loops[event.key], stopped=True)


def _collect(state: s.ProcessInstance, event: e.OutputCollected, at_ms: int) -> None:
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


def _set_variables(state: s.ProcessInstance, event: e.VariablesSet, at_ms: int) -> None:
    if event.scope not in state.elements:
        raise InvariantError(f"variables for the scope {event.scope}, which is not there")
    state.variables_bytes += v.growth(state, event.scope, event.variables)
    # A new dict a write: the one before may be another document's.
    own = {**state.variables.get(event.scope, {}), **event.variables}
    put_in_order(state.variables, event.scope, own)


def _fire_gate(state: s.ProcessInstance, event: e.GateFired, at_ms: int) -> None:
    gate = waits.find(state, event.key, s.GateWait)
    scope = state.elements[gate.owner].scope or 0
    _consume(state, scope, event.consumed)
    _hold(state, scope, -len(event.consumed))
    state.waits[event.key] = replace(gate, waiting_for_start=False, taken=event.consumed)


def _stop_ad_hoc(state: s.ProcessInstance, event: e.AdHocStopped, at_ms: int) -> None:
    offer = waits.find(state, event.key, s.AdHocWait)
    if event.discarded:
        _consume(state, offer.owner, event.discarded)
        _hold(state, offer.owner, -len(event.discarded))
    offers.stop(state, event.key)


def _start_sweep(state: s.ProcessInstance, event: e.CompensationStarted, at_ms: int) -> None:
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


def _change_instance(state: s.ProcessInstance, event: e.InstanceChanged, at_ms: int) -> None:
    if event.start is None:
        after = InstanceState(event.state)
        guard_instance(state.state, after)
        state.state = after


def _change_nothing(state: s.ProcessInstance, event: e.AnyEvent, at_ms: int) -> None:
    """What it led to here has events of its own."""


# Any: a row takes its own kind of event, which the key names.
EVOLUTIONS: Final[Mapping[type[e.AnyEvent], Callable[[s.ProcessInstance, Any, int], None]]] = {
    e.InstanceChanged: _change_instance,
    e.ElementActivated: _activate,
    e.ElementCompleted: _complete,
    e.ElementTerminated: _terminate,
    e.ElementTerminating: _begin_to_end,
    e.FlowTaken: _take_flow,
    e.VariablesSet: _set_variables,
    e.TimerArmed: waits.arm_timer,
    e.TimerClosed: waits.close,
    e.SubscriptionOpened: waits.open_subscription,
    e.SubscriptionClosed: waits.close,
    e.EventThrown: _change_nothing,
    e.JobOpened: waits.open_job,
    e.JobClosed: waits.close_job,
    e.TaskChanged: waits.change_task,
    e.CallOpened: waits.open_call,
    e.CallClosed: waits.close,
    e.IncidentRaised: waits.raise_incident,
    e.IncidentResolved: waits.close,
    e.ConditionEvaluated: waits.evaluate_condition,
    e.CompensationRecorded: ledger.record,
    e.CompensationStarted: _start_sweep,
    e.CompensationEnded: waits.close,
    e.GateOpened: waits.open_gate,
    e.GateFired: _fire_gate,
    e.GateClosed: waits.close,
    e.LoopOpened: _open_loop,
    e.OutputCollected: _collect,
    e.LoopStopped: _stop_loop,
    e.AdHocOpened: waits.open_offer,
    e.ActivitiesChosen: offers.choose,
    e.AdHocStopped: _stop_ad_hoc,
    e.AdHocClosed: offers.close,
    e.DecisionEvaluated: _change_nothing,
    e.HoldOpened: waits.open_hold,
    e.HoldClosed: waits.close_hold,
}
"""What each kind of event changes. `at_ms` is when the transition is made."""
