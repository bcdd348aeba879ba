"""User tasks: the records that task lists read, and the effects of them."""

from collections.abc import Mapping

from engine import events as e
from engine import records as r
from engine import state as s
from engine import variables as v
from engine.effects.consequences import Consequences
from engine.values import encode_object

_TASK_EFFECTS: Mapping[str, str] = {
    "created": "TaskCreated",
    "assigned": "TaskAssigned",
    "updated": "TaskUpdated",
    "completed": "TaskCompleted",
    "canceled": "TaskCanceled",
    "denied": "TaskChangeDenied",
}
"""A change that waits for listeners has no effect yet."""


def task_changed(to: Consequences, event: e.TaskChanged) -> None:
    """The whole task each time, with the variables that it sees; a tombstone when it ends.

    While a change waits for listeners the task is as it was, in the state of that change.
    """
    known = to.state.waits.get(event.key)
    task = known if isinstance(known, s.TaskWait) else None
    if event.state != "created" and (task is None or not task.offered):
        return  # nobody sees it yet, or any more
    is_under_way = event.state in s.TASK_CHANGES
    details = (None if is_under_way else event.details) or _details(task)
    task_id = to.handle(event.key)
    ends = event.state in {"completed", "canceled"}
    variables = None if ends else encode_object(v.visible(to.state, event.owner))
    kind = _TASK_EFFECTS.get(event.state)
    to.carried += 2 * len(variables or "")  # in the effect and in the task
    if kind is not None:
        to.effect(kind, event.owner, task=_told(task_id, task, event, details), variables=variables)
    record = None if variables is None else _record(to, event, details, variables)
    to.publish(r.Topic.TASKS, task_id, record)


def _details(task: s.TaskWait | None) -> e.TaskDetails:
    return e.TaskDetails() if task is None else task.details


def _told(
    task_id: str, task: s.TaskWait | None, event: e.TaskChanged, details: e.TaskDetails
) -> r.EffectTask:
    change = None if task is None else task.change
    return r.EffectTask(
        task_id=task_id,
        assignee=details.assignee,
        denied=change.state if event.state == "denied" and change is not None else None,
        reason=event.reason,
    )


def _record(
    to: Consequences, event: e.TaskChanged, details: e.TaskDetails, variables: str
) -> r.Task:
    state, start = to.state, to.state.start
    known = state.waits.get(event.key)
    usual = "created" if details.assignee is None else "assigned"
    return r.Task(
        task_id=to.handle(event.key),
        state=usual if event.state == "denied" else event.state,
        instance_id=state.instance_id,
        root_id=start.root_id,
        process_id=start.process_id,
        version=start.version,
        business_key=start.business_key,
        element_id=state.elements[event.owner].element_id,
        name=details.name,
        assignee=details.assignee,
        candidate_users=details.candidate_users,
        candidate_groups=details.candidate_groups,
        due_at=details.due_at,
        follow_up_at=details.follow_up_at,
        priority=details.priority,
        form_key=details.form_key,
        created_at=details.created_at,
        variables=variables,
        revision=known.revision + 1 if isinstance(known, s.TaskWait) else 1,
    )
