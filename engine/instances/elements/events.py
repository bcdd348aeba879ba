"""Events by position: start, catch, throw, boundary, end. What they wait for is the trigger's."""

from engine.instances.advance import Advance
from engine.instances.elements.handler import Handler, complete_with_outputs
from engine.instances.job_opening import open_job
from engine.instances.mappings import map_inputs, to_texts
from engine.instances.triggers import arm, throw, throw_last
from engine.instances.triggers.waiting import Waiter
from engine.lifecycle import Step
from engine.model.elements import (
    BoundaryEvent,
    EndEvent,
    IntermediateCatchEvent,
    IntermediateThrowEvent,
    LinkTrigger,
    NoneTrigger,
    StartEvent,
)


def _run_catch(advance: Advance, event: IntermediateCatchEvent, key: int) -> Step | None:
    made = map_inputs(advance, event.inputs, key) if event.inputs else {}
    armed = arm(advance, Waiter(key, event.id, locals=made), event.trigger)
    if made:
        advance.set_variables(key, to_texts(made))
    for event_armed in armed:
        advance.emit(event_armed)
    waits = bool(armed) or not isinstance(event.trigger, NoneTrigger | LinkTrigger)
    return None if waits else Step.COMPLETE


def _activate_throw(advance: Advance, event: EndEvent | IntermediateThrowEvent, key: int) -> Step:
    advance.set_variables(key, to_texts(map_inputs(advance, event.inputs, key)))
    return Step.RUN


def _run_throw(advance: Advance, event: EndEvent | IntermediateThrowEvent, key: int) -> Step | None:
    if event.job is not None:
        open_job(advance, event.job, key)
        return None
    return throw(advance, key, event.trigger)


def _complete_end(advance: Advance, event: EndEvent, key: int) -> Step | None:
    """Of what it throws the compensation may have been waited for before the rest."""
    if throw_last(advance, key, event.trigger):
        return None
    return complete_with_outputs(advance, event, key)


def _run_start(advance: Advance, event: StartEvent, key: int) -> Step | None:
    """It begins when it has occurred; only one that needs several may be stuck with some."""
    return None if advance.instance(key).waits else Step.COMPLETE


# A boundary event begins when its trigger has occurred: it has nothing to wait for.
START = Handler[StartEvent](run=_run_start)
BOUNDARY = Handler[BoundaryEvent]()
CATCH = Handler[IntermediateCatchEvent](run=_run_catch)
THROW = Handler[IntermediateThrowEvent](
    first=Step.ACTIVATE, activate=_activate_throw, run=_run_throw
)
END = Handler[EndEvent](
    first=Step.ACTIVATE, activate=_activate_throw, run=_run_throw, complete=_complete_end
)
