"""Escalations: told outward to the first event that catches them; what threw them goes on.

Only an interrupting event ends anything. One that nothing catches goes on at the call activity of
the caller, and in the end is recorded and told as an effect.
"""

from engine import events as e
from engine.instances import catchers
from engine.instances.advance import Advance
from engine.instances.catchers import Caller
from engine.model.elements import EscalationTrigger
from engine.values import encode, encode_object
from engine.variables import Texts


def throw(advance: Advance, key: int, code: str, variables: Texts) -> None:
    """Throw from an element instance. Raises StuckError, with nothing thrown."""
    catcher = catchers.find_catcher(advance, key, code, EscalationTrigger)
    uncaught = catcher is None or isinstance(catcher, Caller)
    advance.emit(
        e.EventThrown(
            owner=key,
            kind="escalation",
            name=code,
            variables=encode_object(variables),
            caught=not uncaught,
        )
    )
    if catcher is None or isinstance(catcher, Caller):
        return
    payload = dict(variables)
    if catcher.trigger.code_variable is not None:
        payload[catcher.trigger.code_variable] = encode(code)
    catchers.catch(advance, catcher, payload)
