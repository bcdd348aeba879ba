"""The loop: takes the steps that are due, completes scopes, works off the agenda, within bounds.

Nothing here recurses: neither a deep model nor a long loop grows the stack.
"""

from typing import Any, Final, NamedTuple

from engine import commands as c
from engine.instances import ad_hoc, interruptions, listeners, scans
from engine.instances.advance import SCOPE_START, Advance, DueStep
from engine.instances.arming import arm_events
from engine.instances.compensation import find_sweeps, go_on, has_sweep, next_sweep
from engine.instances.conditions import ask_conditions, weight
from engine.instances.data_objects import require_inputs
from engine.instances.elements import HANDLERS, ad_hoc_sub_processes, loops
from engine.instances.elements.handler import Handler
from engine.instances.endings import complete_instance, end_more, end_process, find_endings
from engine.instances.event_subprocesses import begin_held, disarm
from engine.instances.incidents import raise_incident
from engine.instances.joins.inclusive import ALL_JOINS, settle_joins
from engine.instances.mappings import targets_of
from engine.instances.rearming import rearm_events
from engine.instances.stuck import IncidentKind, StuckError
from engine.lifecycle import Step
from engine.model.elements import Activity, AdHocSubProcess, AnyElement, SubProcess
from engine.state import (
    AdHocWait,
    ElementInstance,
    GateWait,
    HoldWait,
    IncidentWait,
    JobWait,
    SweepWait,
    Wait,
)


def run(advance: Advance) -> None:
    """Advance until every branch waits, or a limit of steps is met.

    A transition is cut after `steps_per_command_max` steps and carried on by a later record, so
    that a long loop, a wide fan-out or expensive expressions never hold its partition; one that
    takes `steps_max` steps without waiting once is taken for an endless loop and stopped by an
    incident.
    """
    settings = advance.context.settings
    budget = _budget(advance)
    begun = 0
    has_ended_some = False
    while True:
        _settle(advance, budget - begun)
        if advance.changes.unasked is not None:
            _carry_on(advance)
            return
        beginning = _next_beginning(advance)
        if beginning is None and advance.ending and not has_ended_some:
            has_ended_some = True
            end_more(advance)
            continue
        if beginning is None:
            if advance.due:
                continue  # a complex gateway has found something to do
            if advance.ending:
                _carry_on(advance)
            return
        if advance.steps >= settings.steps_max:
            _stop(advance)
            return
        if begun + (weight(advance) if begun else 0) >= budget:
            _carry_on(advance)
            return
        begun += 1
        advance.consequences.steps += 1
        _begin(advance, beginning)


def _carry_on(advance: Advance) -> None:
    rest = c.Continue(
        instance_id=advance.state.instance_id,
        steps=advance.steps,
        unasked=advance.changes.unasked,
    )
    advance.send(rest, through_log=True)


class Beginning(NamedTuple):
    """What the agenda says is next: an element with the arrivals it consumes, or (None) a scope.

    `sweep`: it is the next compensation handler of this sweep.
    """

    scope: int
    element: AnyElement | None = None
    consumed: tuple[str, ...] = ()
    sweep: int = 0


def _begin(advance: Advance, beginning: Beginning) -> None:
    scope, element, consumed, sweep = beginning
    if sweep:
        del advance.swept[sweep]
        go_on(advance, sweep)
    elif element is None:
        start_scope(advance, scope)
    else:
        advance.begin(element, scope, consumed=consumed, step=HANDLERS[type(element)].first)


def _next_beginning(advance: Advance) -> Beginning | None:
    """The next entry of the agenda that something can come of; what must wait costs no step.

    Otherwise more arrivals waiting at joins than a command has steps would be all that a
    `Continue` ever looked at.
    """
    sweep = next_sweep(advance) if advance.swept else None
    if sweep is not None:
        return Beginning(0, sweep=sweep)
    has_ad_hocs = advance.model.has_ad_hocs
    while advance.agenda or (not advance.due and settle_joins(advance)):
        scope, flow_index = advance.agenda.popleft()
        if advance.is_over(scope):
            continue  # it was ended meanwhile, with all that was on its way inside
        if flow_index == SCOPE_START:
            if not _has_to_begin(advance, scope):
                continue
            return Beginning(scope)
        flow = advance.model.flows[flow_index]
        if flow.id not in advance.state.arrivals.get(scope, ()):
            continue  # another arrival at the same target has consumed it already
        element = advance.model.elements[flow.target]
        if has_ad_hocs and ad_hoc.is_held(advance, element, scope):
            continue
        joins = HANDLERS[type(element)].joins
        consumed = (flow.id,) if joins is None else joins(advance, element, scope)
        if consumed is not None:
            return Beginning(scope, element, consumed)
    return None


def _has_to_begin(advance: Advance, scope: int) -> bool:
    """Whether the start of a scope, or a further part of it, is still to be made."""
    if scope in advance.state.loops:
        return loops.may_begin(advance, scope)
    offer = advance.offer_of(scope)
    return offer is None or ad_hoc.may_begin(advance, offer)


def _budget(advance: Advance) -> int:
    """The later in its record a command comes, the less: 1/(n+1) for the n-th, in the end nothing.

    So all that a record leads to (a thousand called instances, a loop of calls without a wait)
    takes a few times the steps of one command, and the rest is carried on by later records.
    """
    context = advance.context
    return context.settings.steps_per_command_max // (1 + context.step)


def _settle(advance: Advance, room: int) -> None:
    """Take all steps that are due, and complete the scopes in which nothing is left.

    `room`: the steps that are left, of which conditions may take as much as they weigh.
    """
    while True:
        if advance.changes:
            _ask_conditions(advance, room)
        if advance.due:
            _perform(advance, advance.due.popleft())
        elif advance.touched:
            if advance.model.hears_cancellations and interruptions.go_on(advance):
                continue
            scope = next(iter(advance.touched))
            del advance.touched[scope]
            _complete_if_empty(advance, scope)
        else:
            return


def _ask_conditions(advance: Advance, room: int) -> None:
    if advance.steps < advance.context.settings.steps_max:
        ask_conditions(advance, room)
    else:
        advance.changes.forget()
        _stop(advance)


def _complete_if_empty(advance: Advance, scope: int) -> None:
    instance = advance.state.elements.get(scope)
    if instance is None or (advance.model.has_ad_hocs and ad_hoc.goes_on(advance, scope)):
        return
    if instance.open or has_sweep(advance, scope) or advance.is_ending(scope):
        return
    if scope in advance.state.loops and advance.state.loops[scope].wants_more:
        # Only a sequential one has nothing on the agenda; may_begin passes over what is too much.
        advance.agenda.append((scope, SCOPE_START))
        return
    disarm(advance, scope)
    ad_hoc.withdraw(advance, scope)
    step = Step.LEAVE if instance.scope is None else Step.COMPLETE
    advance.due.append(DueStep(scope, step, None))


def _perform(advance: Advance, due: DueStep) -> None:
    """Take a step and those that follow on it, until the element instance waits or is gone."""
    key = due.key
    instance = advance.state.elements.get(key)
    if instance is None or (advance.is_ending(key) and due.step not in _LAST):
        return
    if due.step is Step.REARM:
        _rearm(advance, key)
        return
    if instance.scope is None:
        _perform_process(advance, due.step)
        return
    element = advance.model.element(instance.element_id)
    handler = _handler(advance, element, instance)
    is_iteration = instance.ordinal > 0
    is_heard = bool(element.listeners)
    again: Step = due.step
    step: Step | None = listeners.AFTER.get(due.step, due.step) if is_heard else due.step
    if due.payload and not _receive(advance, due):
        return
    try:
        while step is not None:
            if is_heard:
                if again not in listeners.AFTER and listeners.call(advance, element, key, step):
                    return
                again = listeners.GOING_ON.get(step, step)
            leaves = is_iteration and step is Step.LEAVE
            action: Any = loops.leave_iteration if leaves else getattr(handler, step)
            step = action(advance, element, key)
            again = step or again
            if advance.ending and advance.is_ending(key):
                return  # what it threw has ended it, too
    except StuckError as stuck:
        raise_incident(advance, key, again, stuck)


_LAST: Final = frozenset({Step.CANCEL, Step.CANCEL_ON})
"""What a process that is over still has to do."""


def _handler(advance: Advance, element: AnyElement, instance: ElementInstance) -> Handler[Any]:
    """What an element instance does: a loop and a choice are around what the element does."""
    if instance.ad_hoc and advance.is_choice(instance.key):
        return ad_hoc_sub_processes.CHOICE
    if not instance.ordinal and isinstance(element, Activity) and element.loop is not None:
        return loops.LOOP
    return HANDLERS[type(element)]


def _perform_process(advance: Advance, step: Step) -> None:
    """A step of the process itself: it begins, arms its event sub-processes, or completes."""
    root = advance.state.root
    try:
        if listeners.call(advance, advance.model, root, step):
            return
        match listeners.AFTER.get(step, step):
            case Step.RUN if advance.instance(root).open:
                begin_held(advance, root, advance.model)
            case Step.RUN:
                start_scope(advance, root)
            case Step.TAKE:
                require_inputs(advance)
                advance.due.append(DueStep(root, Step.RUN, None))  # what it begins at is there
            case Step.LEAVE:
                complete_instance(advance)
            case Step.CANCEL:
                end_process(advance)
            case _:
                arm_events(advance, root)
    except StuckError as stuck:
        raise_incident(advance, root, step, stuck)


def _rearm(advance: Advance, key: int) -> None:
    try:
        rearm_events(advance, key)
    except StuckError as stuck:
        raise_incident(advance, key, Step.REARM, stuck)


def _receive(advance: Advance, due: DueStep) -> bool:
    """Take in variables: as locals for the output mappings, else to where a write goes.

    False: there is no room for them. The incident keeps them, so that they come again.
    """
    try:
        advance.set_each(targets_of(advance, due.key, due.payload or {}))
    except StuckError as stuck:
        raise_incident(advance, due.key, due.step, stuck, due.payload)
        return False
    return True


def start_scope(advance: Advance, scope: int) -> None:
    """Arm a scope's event sub-processes, then begin what it begins with, which may be nothing.

    An event sub-process that cannot be armed, or an input that the process needs, holds the scope:
    an incident, and nothing has begun.
    """
    if scope in advance.state.loops:
        loops.begin_next(advance, scope)
        return
    offer = advance.offer_of(scope)
    if offer is not None:
        element = ad_hoc.next_chosen(advance, offer)
        ad_hoc.begin(advance, offer, element, HANDLERS[type(element)].first)
        return
    try:
        if scope == advance.state.root:
            require_inputs(advance)
        arm_events(advance, scope)
    except StuckError as stuck:
        is_root = scope == advance.state.root
        listened = advance.model if is_root else advance.element(scope)
        raise_incident(advance, scope, listeners.going_on(listened, Step.RUN), stuck)
        return
    starts = _starts(advance, advance.instance(scope))
    for index in starts:
        element = advance.model.elements[index]
        advance.begin(element, scope, step=HANDLERS[type(element)].first)
    if not starts:
        advance.touched[scope] = None


def _starts(advance: Advance, instance: ElementInstance) -> tuple[int, ...]:
    if instance.scope is None:
        return advance.model.starts
    element = advance.model.element(instance.element_id)
    return element.starts if isinstance(element, SubProcess) else ()


def rebuild_agenda(advance: Advance) -> None:
    """Read off the document what a cut transition has left on its agenda.

    Flows that wait at a join are among them, and find again that they must wait. A scope in which
    nothing has begun is one to start, unless an incident holds it.
    """
    state, model = advance.state, advance.model
    find_endings(advance)
    find_sweeps(advance)
    for scope, flows in state.arrivals.items():
        advance.moved[scope] = ALL_JOINS
        for flow_id, count in flows.items():
            entry = (scope, model.flow_index[flow_id])
            advance.agenda.extend([entry] * count)
    for key in scans.unfinished_loops(state):
        if loops.may_begin(advance, key):
            advance.agenda.append((key, SCOPE_START))
    for kind in (AdHocWait, GateWait):
        for key in scans.waits_of(state, kind):
            _ask_again(advance, state.waits[key])
    empty = [
        key
        for element_id, keys in scans.empty(state)
        if _begins_by_itself(model.element(element_id))
        for key in keys
        if not advance.is_loop(key) and not _is_held(advance, advance.instance(key))
    ]
    advance.agenda.extend((key, SCOPE_START) for key in sorted(empty))


def _ask_again(advance: Advance, wait: Wait) -> None:
    if isinstance(wait, AdHocWait) and ad_hoc.may_begin(advance, wait):
        advance.agenda.append((wait.owner, SCOPE_START))
    if isinstance(wait, GateWait):
        # It may wait for its reset, in a scope where nothing that has arrived says so.
        advance.moved[advance.instance(wait.owner).scope or 0] = ALL_JOINS


def _begins_by_itself(element: AnyElement) -> bool:
    return isinstance(element, SubProcess) and not isinstance(element, AdHocSubProcess)


def _is_held(advance: Advance, instance: ElementInstance) -> bool:
    waits = advance.state.waits
    held = IncidentWait | SweepWait | HoldWait | JobWait  # a sub-process has no job but a listener
    return any(isinstance(waits[key], held) for key in instance.waits)


def _stop(advance: Advance) -> None:
    root = advance.instance(advance.state.root)
    waits = (advance.state.waits[key] for key in root.waits)
    if any(isinstance(wait, IncidentWait) and wait.step == Step.CONTINUE for wait in waits):
        return
    limit = advance.context.settings.steps_max
    raise_incident(
        advance,
        advance.state.root,
        Step.CONTINUE,
        StuckError(
            IncidentKind.STEP_LIMIT,
            f"Expected a wait within {limit} steps, found none: a loop without a wait?",
        ),
    )
