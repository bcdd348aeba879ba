"""Execution listeners: jobs that an element instance waits for at an event of its life.

Those of user tasks wait in `task_changes.py`.

They are done one after the other, in the order of the model. Which of them a job is stands in a
header of its own, so that the document needs nothing more to know what comes next:

    torpor:listener = run:0        the first of those before the step RUN
    torpor:listenerEvent = start

A process has listeners, too: those of its own element instance.
"""

from collections.abc import Mapping
from typing import Final, TypeAlias

from msgspec.structs import replace

from engine import variables as v
from engine.instances.advance import Advance, DueStep
from engine.instances.job_opening import open_job
from engine.lifecycle import Step
from engine.model.elements import (
    AnyElement,
    EndEvent,
    IntermediateThrowEvent,
    JobDefinition,
    ProcessModel,
    leaves_at_once,
)
from engine.model.vocabulary import LISTENER, LISTENER_EVENT
from engine.state import JobWait

Listened: TypeAlias = AnyElement | ProcessModel

_EVENTS: Final[Mapping[Step, tuple[str, ...]]] = {
    Step.RUN: ("start",),
    Step.LEAVE: ("end",),
    Step.CANCEL: ("cancel",),
}
"""What happens before a step, in this order."""

_EVENTS_OF_LOOPS: Final[Mapping[Step, tuple[str, ...]]] = {Step.RUN: ("beforeAll",)}
"""The same for a loop; all else of an activity happens in its iterations."""

_INWARD: Final = frozenset({"start", "beforeAll"})
"""Events at which variables become those of the element instance itself."""

GOING_ON: Final[Mapping[Step, Step]] = {
    Step.RUN: Step.RUN_ON,
    Step.LEAVE: Step.LEAVE_ON,
    Step.CANCEL: Step.CANCEL_ON,
}
"""A step of an element with listeners -> the one that does not ask for them again."""

AFTER: Final[Mapping[Step, Step]] = {on: step for step, on in GOING_ON.items()}
"""A step that is taken with its listeners done -> that step."""


def going_on(listened: Listened, step: Step) -> Step:
    """The step of an element instance whose listeners before it, if it has any, are done."""
    return GOING_ON[step] if listened.listeners else step


def starts_with_listeners(listened: Listened) -> bool:
    """Whether a scope that an event begins has listeners before that."""
    return "start" in listened.listeners


def call(advance: Advance, listened: Listened, key: int, step: Step) -> bool:
    """Call the first listener before a step; whether there is one to wait for. Raises StuckError.

    What was chosen in an ad-hoc sub-process has the listeners, the scope around it none.
    """
    if step not in _EVENTS or not listened.listeners or advance.is_choice(key):
        return False
    return _open(advance, listened, key, step, 0)


def _open(advance: Advance, listened: Listened, key: int, step: Step, index: int) -> bool:
    due = _due(advance, listened, key, step)
    if index >= len(due):
        return False
    event, definition = due[index]
    marks = {LISTENER: f"{step}:{index}", LISTENER_EVENT: event}
    open_job(advance, replace(definition, headers={**definition.headers, **marks}), key)
    return True


def _due(
    advance: Advance, listened: Listened, key: int, step: Step
) -> list[tuple[str, JobDefinition]]:
    events = _EVENTS_OF_LOOPS if advance.is_loop(key) else _EVENTS
    return [
        (event, definition)
        for event in (*events.get(step, ()), *_brought_forward(listened, step))
        for definition in listened.listeners.get(event, ())
    ]


def _brought_forward(listened: Listened, step: Step) -> tuple[str, ...]:
    """An event that is left by what it does has no later moment for the listeners at its end."""
    if step is not Step.RUN or not isinstance(listened, EndEvent | IntermediateThrowEvent):
        return ()
    return ("end",) if leaves_at_once(listened.trigger) else ()


def is_listener(job: JobWait) -> bool:
    return LISTENER in job.headers


def targets_of(
    advance: Advance, job: JobWait, variables: dict[str, str]
) -> dict[int, dict[str, str]]:
    """Where a listener's variables go: to the element before it runs, outward when it has.

    At its end as output mappings write: an iteration keeps what is its own, else they go around.
    """
    event = job.headers[LISTENER_EVENT]
    if event in _INWARD:
        return {job.owner: variables} if variables else {}
    instance = advance.instance(job.owner)
    if event == "end" and instance.scope is not None and not instance.ordinal:
        return v.propagate(advance.state, instance.scope, variables)
    return v.propagate(advance.state, job.owner, variables)


def go_on(advance: Advance, job: JobWait) -> None:
    """A listener is done: the next one, or the step that they were before. Raises StuckError."""
    step, _, index = job.headers[LISTENER].partition(":")
    listened: Listened = advance.model
    if advance.instance(job.owner).scope is not None:
        listened = advance.element(job.owner)
    if not _open(advance, listened, job.owner, Step(step), int(index) + 1):
        advance.due.append(DueStep(job.owner, GOING_ON[Step(step)], None))
