"""The answers of people: a user task is completed, or throws a BPMN error."""

from engine import commands as c
from engine import state as s
from engine.instances import task_changes
from engine.instances.advance import Advance
from engine.instances.commands.jobs import escalate
from engine.instances.errors import BpmnError, find_catcher, throw_error, unhandled
from engine.instances.guards import check_size, parse_variables
from engine.instances.incidents import raise_incident
from engine.instances.mappings import targets_of
from engine.instances.stuck import StuckError
from engine.instances.task_changes import find_task
from engine.lifecycle import Step
from engine.rejections import Rejection


def throw_from_task(advance: Advance, task_id: str, error: BpmnError) -> Rejection | None:
    """Nothing catches it: an incident, and the task stays open."""
    task = find_task(advance, task_id)
    if isinstance(task, Rejection):
        return task
    rejection = check_size(advance, {task.owner: error.variables or {}})
    if rejection is not None:
        return rejection
    try:
        catcher = find_catcher(advance, task.owner, error)
        if catcher is None:
            raise unhandled(error)
    except StuckError as stuck:
        raise_incident(advance, task.owner, Step.NOTHING, stuck)
        return None
    throw_error(advance, catcher, error)
    return None


def escalate_from_task(
    advance: Advance, task_id: str, code: str, variables: dict[str, str]
) -> Rejection | None:
    """The task stays as it is, unless what catches the escalation ends its activity."""
    task = find_task(advance, task_id)
    if isinstance(task, Rejection):
        return task
    return escalate(advance, task.owner, code, variables)


def complete(advance: Advance, command: c.CompleteTask) -> Rejection | None:
    task = find_task(advance, command.task_id)
    if isinstance(task, Rejection):
        return task
    variables = parse_variables(command.variables)
    if isinstance(variables, Rejection):
        return variables
    rejection = check_size(advance, targets_of(advance, task.owner, variables))
    if rejection is None:
        change = s.TaskChange(state="completing", details=task.details, variables=variables)
        task_changes.ask(advance, task, change)
    return rejection
