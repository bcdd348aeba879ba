"""BPMN errors: thrown by end events, workers and called processes, caught on the way outward."""

from engine.expressions import Expression
from engine.instances.advance import Advance
from engine.instances.catchers import Catcher
from engine.instances.errors import BpmnError, find_catcher, throw_error, unhandled
from engine.instances.evaluator import text_of
from engine.instances.limits import clip
from engine.lifecycle import Step
from engine.model.elements import ErrorTrigger, Text


def throw(advance: Advance, key: int, trigger: ErrorTrigger) -> Step | None:
    """Throw the end event's error. Raises StuckError when nothing catches it."""
    error, catcher = find(advance, key, trigger)
    throw_error(advance, catcher, error)
    return None


def find(advance: Advance, key: int, trigger: ErrorTrigger) -> tuple[BpmnError, Catcher]:
    """The error with the event's own variables, and what catches it. Changes nothing.

    Raises StuckError when nothing catches it.
    """
    code = "" if trigger.code is None else advance.evaluator.text(trigger.code, key)
    error = BpmnError(
        code=code,
        message=_message(advance, key, trigger.message),
        variables=advance.state.variables.get(key),
    )
    catcher = find_catcher(advance, key, error)
    if catcher is None:
        raise unhandled(error)
    return error, catcher


def _message(advance: Advance, key: int, source: Text | None) -> str | None:
    """What the model says about the error, evaluated as it is thrown. Raises StuckError."""
    value = advance.evaluator.evaluate(source, key) if isinstance(source, Expression) else source
    return None if value is None else clip(text_of(value))
