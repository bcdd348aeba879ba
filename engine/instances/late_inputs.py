"""Inputs of what occurs before it begins: behind an event gateway, and where a process begins.

Elsewhere an element has its inputs while it waits. Here a gateway waits for it, or the process.
"""

from engine import variables as v
from engine.instances.advance import Advance, DueStep
from engine.instances.mappings import map_inputs, to_texts
from engine.instances.stuck import StuckError
from engine.lifecycle import Step
from engine.model.elements import AnyElement


def begin_occurred(
    advance: Advance,
    element: AnyElement,
    scope: int,
    payload: v.Texts | None,
    *,
    consumed: tuple[str, ...] = (),
) -> None:
    """Begin an element whose event has occurred: its inputs first, as if it had waited.

    Where they fail, what came with the event is kept, and they are made when that is put right.
    """
    inputs = getattr(element, "inputs", ())
    if not inputs:
        advance.begin(element, scope, consumed=consumed, step=Step.COMPLETE, payload=payload)
        return
    key = advance.activate(element, scope, consumed=consumed)
    step = Step.COMPLETE
    try:
        advance.set_variables(key, to_texts(map_inputs(advance, inputs, scope)))
    except StuckError:
        step = Step.TAKE  # fails again, and is an incident
    advance.due.append(DueStep(key, step, payload))


def step_after(element: AnyElement) -> Step:
    """The step of an element that has occurred, and that has been held since."""
    return Step.TAKE if getattr(element, "inputs", ()) else Step.COMPLETE
