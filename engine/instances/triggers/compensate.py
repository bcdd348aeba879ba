"""Compensation events: thrown, they run the handlers of what has completed."""

from engine.instances import compensation
from engine.instances.advance import Advance
from engine.lifecycle import Step
from engine.model.elements import CompensateTrigger


def throw(advance: Advance, key: int, trigger: CompensateTrigger) -> Step | None:
    """Compensate one activity or the scope; wait for the handlers unless told otherwise.

    BPMN 10.5.5: `waitForCompletion` "determines whether the throw Compensation Event waits for the
    triggered compensation to complete (the default), or just triggers the compensation and
    immediately continues".
    """
    scope = advance.instance(key).scope or 0
    claim = compensation.find(
        advance, compensation.visible_scopes(advance, scope), trigger.activity
    )
    if not claim.entries:
        return Step.COMPLETE
    compensation.start(advance, key if trigger.wait else scope, scope, claim)
    return None if trigger.wait else Step.COMPLETE
