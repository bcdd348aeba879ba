"""The way of a BPMN error: from where it is thrown outward, to the first event that catches it.

    root [ sub-process S [ service task T ] ]     T throws E1
    T: boundary events of T    S: boundary events of S    root: the caller, if there is one

At each level an event for exactly this code comes before one that catches all. An error that
nothing in a called process catches ends that process and goes on at the call activity.
"""

from typing import NamedTuple, TypeAlias

from engine.instances.advance import Advance
from engine.instances.endings import end_instance, terminate
from engine.instances.stuck import IncidentKind, StuckError
from engine.lifecycle import InstanceState, Step
from engine.model.elements import Activity, BoundaryEvent, ErrorTrigger
from engine.values import encode


class BpmnError(NamedTuple):
    """`variables` are JSON texts that came with it."""

    code: str
    message: str | None = None
    variables: dict[str, str] | None = None


class Boundary(NamedTuple):
    """An error boundary event on the activity instance `key` catches."""

    key: int
    event: BoundaryEvent
    trigger: ErrorTrigger


class Caller(NamedTuple):
    """Nothing in this process catches; the one that called it may."""


Catcher: TypeAlias = Boundary | Caller


def find_catcher(advance: Advance, key: int, error: BpmnError) -> Catcher | None:
    """What catches an error thrown by an element instance. Changes nothing. Raises StuckError."""
    here: int | None = key
    while here is not None and (scope := advance.instance(here).scope) is not None:
        catcher = _boundary_of(advance, here, error.code)
        if catcher is not None:
            return catcher
        here = scope
    return Caller() if advance.state.start.parent_id is not None else None


def _boundary_of(advance: Advance, key: int, code: str) -> Boundary | None:
    element = advance.element(key)
    catch_all: Boundary | None = None
    for index in element.boundary if isinstance(element, Activity) else ():
        event = advance.model.elements[index]
        if not isinstance(event, BoundaryEvent) or not isinstance(event.trigger, ErrorTrigger):
            continue
        trigger = event.trigger
        if trigger.code is None:
            catch_all = catch_all or Boundary(key, event, trigger)
        elif advance.evaluator.text(trigger.code, key) == code:
            return Boundary(key, event, trigger)
    return catch_all


def throw_error(advance: Advance, catcher: Catcher, error: BpmnError) -> None:
    """Let the error happen where `find_catcher` found that it is caught."""
    if isinstance(catcher, Caller):
        end_instance(advance, InstanceState.FAILED, reason=error.message, error_code=error.code)
        return
    scope = advance.instance(catcher.key).scope or 0
    payload = dict(error.variables or {})
    if catcher.trigger.code_variable is not None:
        payload[catcher.trigger.code_variable] = encode(error.code)
    if catcher.trigger.message_variable is not None:
        payload[catcher.trigger.message_variable] = encode(error.message)
    # An error always interrupts (BPMN 10.5.4), whatever the event itself says.
    terminate(advance, catcher.key)
    advance.begin(catcher.event, scope, step=Step.COMPLETE, payload=payload)


def unhandled(error: BpmnError) -> StuckError:
    message = f": {error.message}" if error.message else ""
    return StuckError(
        IncidentKind.UNHANDLED_ERROR,
        f"Expected an event that catches the error {error.code!r}, found none{message}",
    )
