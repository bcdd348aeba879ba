"""Escalations: thrown by events, workers and called processes, caught on the way outward."""

from engine.instances import escalations
from engine.instances.advance import Advance
from engine.lifecycle import Step
from engine.model.elements import EscalationTrigger


def throw(advance: Advance, key: int, trigger: EscalationTrigger) -> Step | None:
    """Throw with the event's own variables; it goes on unless that ends it."""
    code = "" if trigger.code is None else advance.evaluator.name(trigger.code, key)
    escalations.throw(advance, key, code, advance.state.variables.get(key, {}))
    return None if advance.is_over(key) else Step.COMPLETE
