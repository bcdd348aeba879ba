"""BPMN errors: thrown by end events, workers and called processes, caught on the way outward."""

from engine.instances.advance import Advance
from engine.instances.errors import BpmnError, find_catcher, throw_error, unhandled
from engine.lifecycle import Step
from engine.model.elements import ErrorTrigger


def throw(advance: Advance, key: int, trigger: ErrorTrigger) -> Step | None:
    """Throw the end event's error. Raises StuckError when nothing catches it."""
    code = "" if trigger.code is None else advance.evaluator.text(trigger.code, key)
    error = BpmnError(code=code)
    catcher = find_catcher(advance, key, error)
    if catcher is None:
        raise unhandled(error)
    throw_error(advance, catcher, error)
    return None
