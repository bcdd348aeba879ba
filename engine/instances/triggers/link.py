"""Link events: a jump from a throw event to the catch event of its name, inside one scope."""

from engine import events as e
from engine.errors import InvariantError
from engine.instances.advance import Advance
from engine.instances.endings import close_waits
from engine.lifecycle import Step
from engine.model.elements import LinkTrigger


def throw(advance: Advance, key: int, trigger: LinkTrigger) -> Step | None:
    """Go on at the catch event. BPMN 10.5.4: as if a sequence flow led there."""
    scope = advance.instance(key).scope
    if trigger.target is None or scope is None:
        raise InvariantError(f"the link {trigger.name!r} leads nowhere")
    close_waits(advance, key)
    advance.emit(e.ElementCompleted(key=key))
    advance.begin(advance.model.elements[trigger.target], scope, step=Step.RUN)
    return None
