"""What all activities have in common: input mappings and the arming of their boundary events."""

from engine.events import AnyEvent
from engine.instances.advance import Advance
from engine.instances.mappings import map_inputs, to_texts
from engine.instances.triggers import arm
from engine.instances.triggers.waiting import Waiter
from engine.lifecycle import Step
from engine.model.elements import Activity, BoundaryEvent, Task


def is_skipped(advance: Advance, task: Task, key: int) -> bool:
    """Whether a task is to be passed over. Raises StuckError."""
    return task.skip is not None and advance.evaluator.condition(task.skip, key)


def activate(advance: Advance, activity: Activity, key: int) -> Step:
    """Inputs, then boundary events: all evaluated first, so that a failure arms none of them.

    The boundary events see the inputs: they are armed inside the activity's scope. They stay as
    they are when a later step fails and is retried, so that a deadline never moves. Of an activity
    that is repeated, each iteration has the inputs, and the loop the boundary events.
    """
    if not activity.inputs and not activity.boundary:
        return Step.RUN
    made = map_inputs(advance, () if advance.is_loop(key) else activity.inputs, key)
    armed: list[AnyEvent] = []
    for index in advance.attached(key):
        event = advance.model.elements[index]
        if isinstance(event, BoundaryEvent):
            waiter = Waiter(key, event.id, event.interrupting, made)
            armed.extend(arm(advance, waiter, event.trigger))
    advance.set_variables(key, to_texts(made))
    for event_armed in armed:
        advance.emit(event_armed)
    return Step.RUN
