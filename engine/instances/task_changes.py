"""The changes of a user task, and the listeners that each of them waits for.

A change is asked for, listened to, and made or denied. What is asked for stands in the task's wait
until the last listener has answered; till then the task is as it was, and takes no other change.

    AssignTask(bob)     TaskChanged assigning, assignee bob      job of the first listener opens
    CompleteJob         TaskChanged assigning, as corrected      that of the second
    CompleteJob         TaskChanged assigned, assignee bob       or denied: as it was

Which of the listeners a job is stands in its header, as with listeners of other elements.
"""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from engine import events as e
from engine import state as s
from engine import variables as v
from engine.instances.advance import Advance, DueStep
from engine.instances.guards import find_wait, incident_of, instant_text
from engine.instances.incidents import raise_incident
from engine.instances.job_opening import open_job
from engine.instances.stuck import StuckError
from engine.lifecycle import Step
from engine.model.elements import JobDefinition, UserTask
from engine.model.vocabulary import LISTENER, LISTENER_EVENT
from engine.rejections import Rejection, RejectionCode
from engine.values import encode

MADE: Final[Mapping[str, str]] = {
    "creating": "created",
    "assigning": "assigned",
    "updating": "updated",
    "completing": "completed",
    "canceling": "canceled",
}
"""What a change is called while its listeners are asked, and once it is made."""


def create(advance: Advance, task: UserTask, key: int, number: int, details: e.TaskDetails) -> None:
    """Offer a new task of this number to people, once its listeners are done."""
    wait = s.TaskWait(key=number, owner=key, details=details)
    if task.listeners.get("creating"):
        ask(advance, wait, s.TaskChange(state="creating", details=details))
    else:
        _make_created(advance, wait, s.TaskChange(state="creating", details=details))


def find_task(advance: Advance, task_id: str) -> s.TaskWait | Rejection:
    """The open task with this id, if no change of it is under way."""
    task = find_wait(advance, task_id, s.TaskWait, "task")
    return task if isinstance(task, Rejection) else check_free(advance, task, task_id) or task


def check_free(advance: Advance, task: s.TaskWait, task_id: str) -> Rejection | None:
    """A task takes one change at a time."""
    if task.change is None:
        return None
    return Rejection(
        RejectionCode.INVALID_STATE,
        f"Expected task {task_id} with no change under way, found it {task.change.state}: "
        f"a listener has yet to answer{_held_by(advance, task.owner)}",
    )


def _held_by(advance: Advance, key: int) -> str:
    """The job that a change waits for, or the incident that the job waits for."""
    for number in advance.instance(key).waits:
        job = advance.state.waits[number]
        if isinstance(job, s.JobWait) and not job.stopped and LISTENER_EVENT in job.headers:
            return f", job {advance.state.instance_id}:{number}"
    incident = incident_of(advance, key)
    return "" if incident is None else f": resolve incident {incident} first"


def listened(advance: Advance, key: int, event: str) -> s.TaskWait | None:
    """The task of an element instance that has listeners at an event of its life."""
    if advance.instance(key).scope is None:
        return None
    element = advance.element(key)
    if not isinstance(element, UserTask) or not element.listeners.get(event):
        return None
    return _task_of(advance, key)


def cancel(advance: Advance, task: s.TaskWait) -> None:
    """The task is over by something else; its listeners come before it goes."""
    ask(advance, task, s.TaskChange(state="canceling", details=task.details))


def ask(advance: Advance, task: s.TaskWait, change: s.TaskChange) -> None:
    """Make a change at once or, where it has listeners, when all of them are done."""
    if not _listeners(advance, task.owner, change.state):
        _make(advance, task, change)
        return
    _emit(advance, task, change.state, change)
    call(advance, task.owner, 0)


def call(advance: Advance, key: int, index: int) -> None:
    """Open the job of a listener at the change under way; after the last one it is made."""
    task = _task_of(advance, key)
    if task is None or task.change is None:
        return
    change = task.change
    listeners = _listeners(advance, key, change.state)
    try:
        if index >= len(listeners):
            _make(advance, task, change)
        else:
            _open(advance, task, change, index, listeners[index])
    except StuckError as stuck:
        raise_incident(advance, key, Step.TASK, stuck)


def correct(advance: Advance, key: int, change: s.TaskChange) -> None:
    """A listener has changed what is asked for; the next one sees it."""
    task = _task_of(advance, key)
    if task is not None and change != task.change:
        _emit(advance, task, change.state, change)


def deny(advance: Advance, key: int, reason: str | None) -> None:
    """The change is not made; the task is as it was."""
    task = _task_of(advance, key)
    if task is not None:
        advance.emit(e.TaskChanged(key=task.key, owner=key, state="denied", reason=reason))


def change_of(advance: Advance, job: s.JobWait) -> s.TaskChange | None:
    """The change that waits for this job; None: it is no listener of a task."""
    if job.headers.get(LISTENER_EVENT) not in s.TASK_CHANGES:
        return None
    task = _task_of(advance, job.owner)
    return None if task is None else task.change


def _task_of(advance: Advance, key: int) -> s.TaskWait | None:
    for number in advance.instance(key).waits:
        wait = advance.state.waits[number]
        if isinstance(wait, s.TaskWait):
            return wait
    return None


def _listeners(advance: Advance, key: int, event: str) -> tuple[JobDefinition, ...]:
    element = advance.element(key)
    return element.listeners.get(event, ()) if isinstance(element, UserTask) else ()


def _open(
    advance: Advance, task: s.TaskWait, change: s.TaskChange, index: int, definition: JobDefinition
) -> None:
    headers = {
        **definition.headers,
        **_described(advance, task, change),
        LISTENER: f"{change.state}:{index}",
        LISTENER_EVENT: change.state,
    }
    open_job(advance, replace(definition, headers=headers), task.owner)


# --- what a change does ---


def _emit(advance: Advance, task: s.TaskWait, state: str, change: s.TaskChange) -> None:
    advance.emit(
        e.TaskChanged(
            key=task.key,
            owner=task.owner,
            state=state,
            details=change.details,
            variables=change.variables,
            local=change.local,
        )
    )


def _make(advance: Advance, task: s.TaskWait, change: s.TaskChange) -> None:
    """Variables have room: since they were asked for they have counted as if they were set."""
    if change.state == "creating":
        _make_created(advance, task, change)
        return
    if change.state == "updating" and change.variables:
        _emit(advance, task, "updating", replace(change, variables={}))
        own = {task.owner: change.variables}
        outward = v.propagate(advance.state, task.owner, change.variables)
        advance.set_each(own if change.local else outward)
    advance.emit(
        e.TaskChanged(
            key=task.key, owner=task.owner, state=MADE[change.state], details=change.details
        )
    )
    if change.state == "completing":
        advance.due.append(DueStep(task.owner, Step.COMPLETE, change.variables))
    elif change.state == "canceling":
        advance.ending[task.owner] = None


def _make_created(advance: Advance, task: s.TaskWait, change: s.TaskChange) -> None:
    """Whom the model assigns, its listeners may still deny: till then nobody has the task."""
    assignee = change.details.assignee
    is_asked = assignee is not None and _listeners(advance, task.owner, "assigning")
    details = replace(change.details, assignee=None) if is_asked else change.details
    advance.emit(e.TaskChanged(key=task.key, owner=task.owner, state="created", details=details))
    if is_asked:
        ask(advance, task, s.TaskChange(state="assigning", details=change.details))


# --- what a listener is told ---

_PREFIX: Final = "io.camunda.zeebe:"
_NAMES: Final[Mapping[str, str]] = {
    "assignee": "assignee",
    "candidate_groups": "candidateGroups",
    "candidate_users": "candidateUsers",
    "due_at": "dueDate",
    "follow_up_at": "followUpDate",
    "priority": "priority",
}
"""What can be changed of a task, and its name in Camunda 8."""


def _described(advance: Advance, task: s.TaskWait, change: s.TaskChange) -> dict[str, str]:
    """Headers with the task as it is to be, by the names that workers of Camunda 8 know."""
    headers = {
        "userTaskKey": f"{advance.state.instance_id}:{task.key}",
        "changedAttributes": encode([*_changed(task, change)]),
    }
    if change.details.form_key is not None:
        headers["formKey"] = change.details.form_key
    for name, told in _NAMES.items():
        value = getattr(change.details, name)
        if value is not None:
            headers[told] = _text(name, value)
    return {f"{_PREFIX}{name}": text for name, text in headers.items()}


def _changed(task: s.TaskWait, change: s.TaskChange) -> list[str]:
    """The names of what the change makes otherwise."""
    names = [
        told
        for name, told in _NAMES.items()
        if getattr(task.details, name) != getattr(change.details, name)
    ]
    return [*names, "variables"] if change.variables and change.state == "updating" else names


def _text(name: str, value: object) -> str:
    if isinstance(value, tuple):
        return encode(list(value))
    if isinstance(value, int) and name != "priority":
        return instant_text(value)
    return str(value)
