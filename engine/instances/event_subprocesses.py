"""Event sub-processes: what begins them, and what they end.

Their start events wait on the element instance of the scope around them, beside whatever runs in
it. One that interrupts ends all the rest of its scope, and takes its place; so a scope is
interrupted at most once. One that does not runs beside the rest, any number of times.
"""

from typing import Final

from engine.errors import InvariantError
from engine.instances import ad_hoc
from engine.instances.advance import Advance, DueStep
from engine.instances.data_objects import declare
from engine.instances.endings import CLOSED, terminate_inside
from engine.instances.holds import hold
from engine.instances.keeping import keep
from engine.instances.late_inputs import begin_occurred, step_after
from engine.instances.listeners import starts_with_listeners
from engine.instances.scans import at, count_inside, inside
from engine.lifecycle import Step
from engine.model.elements import AnyElement, ProcessModel, StartEvent, SubProcess
from engine.state import IncidentWait, Wait
from engine.variables import Texts


def start_events(advance: Advance, scope: int) -> list[StartEvent]:
    """The start events of the event sub-processes directly inside a living scope."""
    if advance.is_loop(scope) or advance.is_choice(scope):
        return []  # each iteration is a scope of its own, a choice is part of one
    container: object = advance.model
    if advance.instance(scope).scope is not None:
        container = advance.element(scope)
    if not isinstance(container, SubProcess | ProcessModel):
        return []
    found = (advance.model.elements[index] for index in container.events)
    return [event for event in found if isinstance(event, StartEvent)]


def disarm(advance: Advance, scope: int) -> None:
    """Nothing in this scope begins an event sub-process any more."""
    starts = {event.id for event in start_events(advance, scope)}
    if not starts:
        return
    for key in advance.instance(scope).waits:
        wait: Wait = advance.state.waits[key]
        if getattr(wait, "element_id", None) in starts and type(wait) in CLOSED:
            advance.emit(CLOSED[type(wait)](wait))


def begin(advance: Advance, scope: int, start: StartEvent, payload: Texts | None) -> None:
    """What the start event waits for has occurred in its scope.

    BPMN 13.5.4: an interrupting start event cancels what runs in the scope, and what is on its way
    there: arrivals that nothing will consume any more.
    """
    container = advance.model.elements[start.scope]
    if not isinstance(container, SubProcess):
        raise InvariantError(f"{start.id} waits, and begins no event sub-process")
    consumed: tuple[str, ...] = ()
    if start.interrupting:
        disarm(advance, scope)
        _forget_stops(advance, scope)
        ad_hoc.withdraw(advance, scope)
        terminate_inside(advance, scope)
        arrivals = advance.state.arrivals.get(scope, {})
        consumed = tuple(flow for flow, count in arrivals.items() for _ in range(count))
    key = advance.activate(container, scope, consumed=consumed)
    declare(advance, container.data, key)
    others = count_inside(advance.state, scope) - 1
    if start.interrupting and others and advance.model.hears_cancellations:
        hold(advance, key, start=start.id, payload=payload)
    else:
        begin_by(advance, key, container, start, payload)


def begin_by(
    advance: Advance,
    scope: int,
    container: SubProcess | ProcessModel,
    start: AnyElement,
    payload: Texts | None = None,
) -> None:
    """Begin a scope by what has occurred: its listeners first, while what begins it waits."""
    if starts_with_listeners(container):
        keep(advance, advance.activate(start, scope), start, payload)
        advance.due.append(DueStep(scope, Step.RUN, None))
        return
    begin_occurred(advance, start, scope, payload)
    _arm_after(advance, scope, container)


def begin_held(advance: Advance, scope: int, container: SubProcess | ProcessModel) -> None:
    """The listeners of a scope are done: what begins it goes on."""
    for key in inside(advance.state, scope):
        advance.due.append(DueStep(key, step_after(advance.element(key)), None))
    _arm_after(advance, scope, container)


def _arm_after(advance: Advance, scope: int, container: SubProcess | ProcessModel) -> None:
    """After what begins the scope, so that what came with it can be seen."""
    if container.events:
        advance.due.append(DueStep(scope, Step.ARM, None))


_STOPS: Final = frozenset({Step.CONTINUE, Step.ARM, Step.REARM})


def _forget_stops(advance: Advance, scope: int) -> None:
    """What kept the scope from going on is ended: its incidents have lost their object."""
    for key in advance.instance(scope).waits:
        wait = advance.state.waits[key]
        if isinstance(wait, IncidentWait) and wait.step in _STOPS:
            advance.emit(CLOSED[IncidentWait](wait))


def is_interrupted(advance: Advance, scope: int) -> bool:
    """Whether an event sub-process has interrupted the scope: it then lives there to its end."""
    interrupting = (
        advance.model.elements[start.scope].id
        for start in start_events(advance, scope)
        if start.interrupting
    )
    return any(at(advance.state, scope, element_id) for element_id in interrupting)
