"""Execution listeners: jobs that an element instance waits for at an event of its life.

Those of user tasks wait in `task_changes.py`.

They are done one after the other, in the order of the model. Which of them a job is stands in a
header of its own, so that the document needs nothing more to know what comes next:

    torpor:listener = run:0        the first of those before the step RUN
    torpor:listenerEvent = start
"""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from engine import variables as v
from engine.instances.advance import Advance, DueStep
from engine.instances.job_opening import open_job
from engine.lifecycle import Step
from engine.model.elements import Activity, JobDefinition
from engine.model.vocabulary import LISTENER, LISTENER_EVENT
from engine.state import JobWait

_EVENTS: Final[Mapping[Step, tuple[str, ...]]] = {
    Step.RUN: ("start",),
    Step.LEAVE: ("end",),
}
"""What happens before a step, in this order."""

GOING_ON: Final[Mapping[Step, Step]] = {
    Step.RUN: Step.RUN_ON,
    Step.LEAVE: Step.LEAVE_ON,
}
"""A step of an element with listeners -> the one that does not ask for them again."""

AFTER: Final[Mapping[Step, Step]] = {on: step for step, on in GOING_ON.items()}
"""A step that is taken with its listeners done -> that step."""


def hold(advance: Advance, element: object, key: int, step: Step) -> bool:
    """Whether an element instance has to wait for listeners before a step. Raises StuckError.

    Of an activity that is repeated, each iteration has the listeners, and the loop none; so it is
    with what was chosen in an ad-hoc sub-process.
    """
    if step not in _EVENTS or not isinstance(element, Activity) or not element.listeners:
        return False
    if advance.is_loop(key) or advance.is_choice(key):
        return False
    return _open(advance, element, key, step, 0)


def _open(advance: Advance, element: Activity, key: int, step: Step, index: int) -> bool:
    due = _due(element, step)
    if index >= len(due):
        return False
    event, definition = due[index]
    marks = {LISTENER: f"{step}:{index}", LISTENER_EVENT: event}
    open_job(advance, replace(definition, headers={**definition.headers, **marks}), key)
    return True


def _due(element: Activity, step: Step) -> list[tuple[str, JobDefinition]]:
    return [
        (event, definition)
        for event in _EVENTS[step]
        for definition in element.listeners.get(event, ())
    ]


def is_listener(job: JobWait) -> bool:
    return LISTENER in job.headers


def targets_of(
    advance: Advance, job: JobWait, variables: dict[str, str]
) -> dict[int, dict[str, str]]:
    """Where a listener's variables go: to the element before it runs, outward when it has."""
    if job.headers[LISTENER].startswith(f"{Step.RUN}:"):
        return {job.owner: variables} if variables else {}
    return v.propagate(advance.state, job.owner, variables)


def go_on(advance: Advance, job: JobWait) -> None:
    """A listener is done: the next one, or the step that they were before. Raises StuckError."""
    step, _, index = job.headers[LISTENER].partition(":")
    element = advance.element(job.owner)
    if not isinstance(element, Activity) or not _open(
        advance, element, job.owner, Step(step), int(index) + 1
    ):
        advance.due.append(DueStep(job.owner, GOING_ON[Step(step)], None))
