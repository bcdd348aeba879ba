"""BPMN errors: they end what they are thrown in, as far outward as an event catches them.

An error that nothing in a called process catches ends that process and goes on at the call
activity. Where it is caught is `catchers.py`'s.
"""

from typing import NamedTuple

from engine.instances import catchers
from engine.instances.advance import Advance
from engine.instances.catchers import Caller, Catcher
from engine.instances.endings import end_instance
from engine.instances.stuck import IncidentKind, StuckError
from engine.lifecycle import InstanceState
from engine.model.elements import ErrorTrigger
from engine.values import encode, encode_object


class BpmnError(NamedTuple):
    """`variables` are JSON texts that came with it."""

    code: str
    message: str | None = None
    variables: dict[str, str] | None = None


def find_catcher(advance: Advance, key: int, error: BpmnError) -> Catcher | None:
    """What catches an error thrown by an element instance. Changes nothing. Raises StuckError."""
    found = catchers.find_catcher(advance, key, error.code, ErrorTrigger)
    return Caller() if found is None and advance.model.fails_uncaught else found


def throw_error(advance: Advance, catcher: Catcher, error: BpmnError) -> None:
    """Let the error happen where `find_catcher` found that it is caught."""
    if isinstance(catcher, Caller):
        end_instance(
            advance,
            InstanceState.FAILED,
            reason=error.message,
            error_code=error.code,
            error_variables=encode_object(error.variables or {}),
        )
        return
    payload = dict(error.variables or {})
    trigger = catcher.trigger
    if trigger.code_variable is not None:
        payload[trigger.code_variable] = encode(error.code)
    if isinstance(trigger, ErrorTrigger) and trigger.message_variable is not None:
        payload[trigger.message_variable] = encode(error.message)
    catchers.catch(advance, catcher, payload)


def unhandled(error: BpmnError) -> StuckError:
    """What an element is stuck with when nothing catches the error that it throws."""
    message = f": {error.message}" if error.message else ""
    return StuckError(
        IncidentKind.UNHANDLED_ERROR,
        f"Expected an event that catches the error {error.code!r}, found none{message}",
    )
