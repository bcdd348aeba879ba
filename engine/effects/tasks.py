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
}


def task_changed(to: Consequences, event: e.TaskChanged) -> None:
    """The whole task each time, with the variables that it sees; a tombstone when it ends."""
    known = to.state.waits.get(event.key)
    task = known if isinstance(known, s.TaskWait) else None
    details = event.details or (task.details if task is not None else e.TaskDetails())
    task_id = to.handle(event.key)
    ends = event.state in {"completed", "canceled"}
    variables = None if ends else encode_object(v.visible(to.state, event.owner))
    to.effect(
        _TASK_EFFECTS[event.state],
        event.owner,
        task=r.EffectTask(task_id=task_id, assignee=details.assignee),
        variables=variables,
    )
    if variables is None:
        to.publish(r.Topic.TASKS, task_id, None)
        return
    state, start = to.state, to.state.start
    record = r.Task(
        task_id=task_id,
        state=event.state,
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
        revision=1 if task is None else task.revision + 1,
    )
    to.publish(r.Topic.TASKS, task_id, record)
