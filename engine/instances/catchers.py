"""Where an error or escalation is caught: on its way outward, from what throws it to the caller.

    root [ sub-process S [ service task T ] ]     T throws
    T: boundary events of T
    S: event sub-processes in S, then boundary events of S
    root: event sub-processes in the process, then the caller, if there is one

At each level an event for exactly this code comes before one that catches all. A scope that an
event sub-process has interrupted begins no other, and one that interrupts nothing does not catch
what it throws itself: that goes on outward, as 10.5.7 has it of handlers that throw again.
"""

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias, TypeVar

from engine.instances import event_subprocesses
from engine.instances.advance import Advance
from engine.instances.holds import interrupt
from engine.lifecycle import Step
from engine.model.elements import (
    BoundaryEvent,
    ErrorTrigger,
    EscalationTrigger,
    StartEvent,
    parts_of,
)
from engine.variables import Texts

E = TypeVar("E", BoundaryEvent, StartEvent)
CodeTrigger: TypeAlias = ErrorTrigger | EscalationTrigger


class Attached(NamedTuple):
    """A boundary event on the activity instance `key` catches."""

    key: int
    event: BoundaryEvent
    trigger: CodeTrigger


class Inside(NamedTuple):
    """The start event of an event sub-process in the scope `key` catches."""

    key: int
    event: StartEvent
    trigger: CodeTrigger


class Caller(NamedTuple):
    """Nothing in this process catches; the one that called it may, where it asks for the end."""


Catcher: TypeAlias = Attached | Inside | Caller


def find_catcher(advance: Advance, key: int, code: str, kind: type[CodeTrigger]) -> Catcher | None:
    """What catches what an element instance throws. Changes nothing. Raises StuckError."""
    found: Catcher | None = _boundary_of(advance, key, code, kind)
    inner, here = key, advance.instance(key).scope
    while found is None and here is not None:
        found = _event_sub_process_of(advance, here, inner, code, kind)
        found = found or _boundary_of(advance, here, code, kind)
        inner, here = here, advance.instance(here).scope
    if found is None and advance.state.start.parent_id is not None:
        return Caller()
    return found


def _boundary_of(advance: Advance, key: int, code: str, kind: type[CodeTrigger]) -> Attached | None:
    if advance.instance(key).scope is None:
        return None
    attached = (advance.model.elements[index] for index in advance.attached(key))
    events = (event for event in attached if isinstance(event, BoundaryEvent))
    chosen = _choose(advance, key, code, events, kind)
    return None if chosen is None else Attached(key, *chosen)


def _event_sub_process_of(
    advance: Advance, scope: int, inner: int, code: str, kind: type[CodeTrigger]
) -> Inside | None:
    """What catches in a scope, beside the one of its elements out of which the code comes."""
    thrower = advance.instance(inner).element_id
    events = [
        event
        for event in event_subprocesses.start_events(advance, scope)
        if advance.model.elements[event.scope].id != thrower
    ]
    chosen = _choose(advance, scope, code, events, kind)
    if chosen is None or event_subprocesses.is_interrupted(advance, scope):
        return None
    return Inside(scope, *chosen)


def _choose(
    advance: Advance, key: int, code: str, events: Iterable[E], kind: type[CodeTrigger]
) -> tuple[E, CodeTrigger] | None:
    catch_all: tuple[E, CodeTrigger] | None = None
    for event in events:
        for trigger in parts_of(event.trigger):
            if not isinstance(trigger, kind):
                continue
            if trigger.code is None:
                catch_all = catch_all or (event, trigger)
            elif advance.evaluator.text(trigger.code, key) == code:
                return event, trigger
    return catch_all


def catch(advance: Advance, catcher: Attached | Inside, payload: Texts) -> None:
    """Let the event happen where `find_catcher` found that it is caught."""
    if isinstance(catcher, Inside):
        event_subprocesses.begin(advance, catcher.key, catcher.event, payload)
        return
    if catcher.event.interrupting:
        interrupt(advance, catcher.key, catcher.event, payload)
        return
    scope = advance.instance(catcher.key).scope or 0
    advance.begin(catcher.event, scope, step=Step.COMPLETE, payload=payload)
