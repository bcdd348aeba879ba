"""From a command to events: one function a kind of command on a living instance, in one table.

Guards come first; a function that returns a Rejection has changed nothing. For the engine's own
commands nobody waits for an answer: what is not applicable is passed over, or refused by a send.
"""

from collections.abc import Callable, Mapping
from typing import Any

from engine import commands as c
from engine import events as e
from engine import state as s
from engine import variables as v
from engine.instances import jobs
from engine.instances.advance import Advance, DueStep
from engine.instances.endings import end_instance
from engine.instances.errors import BpmnError, find_catcher, throw_error, unhandled
from engine.instances.guards import (
    check_size,
    find_wait,
    not_found,
    parse_variables,
    targets_of,
)
from engine.instances.occurrences import occur
from engine.instances.run import raise_incident, rebuild_agenda
from engine.instances.stuck import IncidentKind, StuckError
from engine.instances.triggers import timer
from engine.lifecycle import InstanceState, Step
from engine.model.elements import CallActivity
from engine.rejections import Rejection, RejectionCode
from engine.routing import split_handle


def _terminate(advance: Advance, command: c.TerminateInstance) -> None:
    end_instance(advance, InstanceState.TERMINATED, reason=command.reason)


def _set_variables(advance: Advance, command: c.SetVariables) -> Rejection | None:
    scope = advance.state.root
    if command.element_instance_id is not None:
        try:
            scope = split_handle(command.element_instance_id)[1]
        except ValueError as error:
            return Rejection(RejectionCode.INVALID_ARGUMENT, str(error))
        if scope not in advance.state.elements:
            return not_found(f"a living element instance {command.element_instance_id}")
    variables = parse_variables(command.variables)
    if isinstance(variables, Rejection):
        return variables
    if command.local:
        targets = {scope: variables} if variables else {}
    else:
        targets = v.propagate(advance.state, scope, variables)
    rejection = check_size(advance, targets)
    if rejection is None:
        for target, texts in targets.items():
            advance.set_variables(target, texts)
    return rejection


# --- jobs and user tasks ---


def _throw_error(advance: Advance, command: c.ThrowError) -> Rejection | None:
    if (command.job_id is None) == (command.task_id is None):
        return Rejection(
            RejectionCode.INVALID_ARGUMENT,
            "Expected either a job_id or a task_id, found "
            + ("none" if command.job_id is None else "both"),
        )
    variables = parse_variables(command.variables or "{}")
    if isinstance(variables, Rejection):
        return variables
    error = BpmnError(command.code, command.message, variables)
    if command.job_id is not None:
        return jobs.throw_from_job(advance, command, error)
    return _throw_from_task(advance, command.task_id or "", error)


def _throw_from_task(advance: Advance, task_id: str, error: BpmnError) -> Rejection | None:
    """Nothing catches it: an incident, and the task stays open."""
    task = find_wait(advance, task_id, s.TaskWait, "task")
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


def _complete_task(advance: Advance, command: c.CompleteTask) -> Rejection | None:
    task = find_wait(advance, command.task_id, s.TaskWait, "task")
    if isinstance(task, Rejection):
        return task
    variables = parse_variables(command.variables)
    if isinstance(variables, Rejection):
        return variables
    rejection = check_size(advance, targets_of(advance, task.owner, variables))
    if rejection is None:
        advance.emit(e.TaskChanged(key=task.key, owner=task.owner, state="completed"))
        advance.due.append(DueStep(task.owner, Step.COMPLETE, variables))
    return rejection


# --- timers and messages ---


def _fire_timer(advance: Advance, command: c.FireTimer) -> None:
    """Early by the log's time, or another occurrence: nothing. No such timer: forget the entry."""
    if command.due_ms > advance.context.now:
        return
    wait = advance.state.waits.get(command.timer)
    if isinstance(wait, s.TimerWait):
        if wait.due_ms != command.due_ms:
            return
        advance.emit(e.TimerClosed(key=wait.key, fired=True))
        again = timer.arm_again(advance, wait)
        if again is not None:
            advance.emit(again)
        occur(advance, wait.owner, wait.element_id, None)
    elif isinstance(wait, s.JobWait) and wait.retry_at is not None:
        if wait.retry_at == command.due_ms:
            jobs.open_again(advance, wait, wait.retries_left)
    else:
        advance.consequences.set_timer(command.timer, None)


def _deliver_message(advance: Advance, command: c.DeliverMessage) -> None:
    wait = advance.state.waits.get(command.subscription)
    variables = parse_variables(command.variables)
    if isinstance(wait, s.SubscriptionWait) and not isinstance(variables, Rejection):
        if wait.interrupting:
            advance.emit(e.SubscriptionClosed(key=wait.key, message=command.message))
        occur(advance, wait.owner, wait.element_id, variables)


# --- called instances ---


def _child_ended(advance: Advance, command: c.ChildEnded) -> None:
    call = _find_call(advance, command)
    if call is None:
        return  # the call was given up before its instance could end
    advance.emit(e.CallClosed(key=call.key, child_state=command.state))
    if command.state == InstanceState.COMPLETED:
        activity = advance.element(call.owner)
        variables = parse_variables(command.variables)
        if isinstance(variables, Rejection) or not _takes_variables(activity):
            variables = {}
        advance.due.append(DueStep(call.owner, Step.COMPLETE, variables))
        return
    try:
        if command.error_code is None:
            raise _call_failed(command)
        error = BpmnError(command.error_code, command.error_message)
        catcher = find_catcher(advance, call.owner, error)
        if catcher is None:
            raise unhandled(error)
    except StuckError as stuck:
        raise_incident(advance, call.owner, Step.RUN, stuck)
        return
    throw_error(advance, catcher, error)


def _find_call(advance: Advance, command: c.ChildEnded) -> s.CallWait | None:
    owner = advance.state.elements.get(command.parent_element)
    for key in owner.waits if owner is not None else ():
        wait = advance.state.waits[key]
        if isinstance(wait, s.CallWait) and wait.child_id == command.child_id:
            return wait
    return None


def _takes_variables(activity: object) -> bool:
    """With output mappings these alone choose; the variables are then only theirs to see."""
    return isinstance(activity, CallActivity) and bool(
        activity.outputs or activity.propagate_all_child_variables
    )


def _call_failed(command: c.ChildEnded) -> StuckError:
    reason = f": {command.error_message}" if command.error_message else ""
    return StuckError(
        IncidentKind.CALLED_PROCESS_FAILED,
        f"Expected {command.child_id} to complete, found it {command.state}{reason}",
    )


def _terminate_child(advance: Advance, command: c.TerminateChild) -> None:
    if advance.state.start.parent_element == command.parent_element:
        end_instance(advance, InstanceState.TERMINATED, reason="the call was given up")


# --- carrying on ---


def _continue(advance: Advance, command: c.Continue) -> None:
    if not any(incident.step == Step.CONTINUE for incident in _root_incidents(advance)):
        rebuild_agenda(advance)


def _root_incidents(advance: Advance) -> list[s.IncidentWait]:
    waits = advance.state.waits
    owned = (waits[key] for key in advance.instance(advance.state.root).waits)
    return [wait for wait in owned if isinstance(wait, s.IncidentWait)]


def _resolve_incident(advance: Advance, command: c.ResolveIncident) -> Rejection | None:
    incident = find_wait(advance, command.incident_id, s.IncidentWait, "incident")
    if isinstance(incident, Rejection):
        return incident
    variables = parse_variables(command.variables or "{}")
    if isinstance(variables, Rejection):
        return variables
    if command.retries is not None and command.retries < 1:
        return Rejection(
            RejectionCode.INVALID_ARGUMENT, f"Expected at least 1 retry, found {command.retries}"
        )
    rejection = check_size(advance, v.propagate(advance.state, incident.owner, variables))
    if rejection is not None:
        return rejection
    advance.emit(e.IncidentResolved(key=incident.key))
    advance.propagate(incident.owner, variables)
    _take_again(advance, incident, command.retries)
    return None


def _take_again(advance: Advance, incident: s.IncidentWait, retries: int | None) -> None:
    """The very step that failed; nothing before it is done a second time."""
    match Step(incident.step):
        case Step.CONTINUE:
            rebuild_agenda(advance)
        case Step.JOB:
            jobs.open_stopped(advance, incident.owner, retries)
        case Step.NOTHING:
            pass
        case step:
            advance.due.append(DueStep(incident.owner, step, None))


def _raise_incident(advance: Advance, command: c.RaiseIncident) -> None:
    root = advance.state.root
    advance.emit(
        e.IncidentRaised(
            key=advance.new_key(),
            owner=root,
            kind=command.kind,
            message=command.message,
            step=Step.NOTHING,
            element_id=advance.instance(root).element_id,
        )
    )


# Any: each row takes its own kind of command, which the key names.
COMMANDS: Mapping[type[c.AnyCommand], Callable[[Advance, Any], Rejection | None]] = {
    c.TerminateInstance: _terminate,
    c.SetVariables: _set_variables,
    c.CompleteJob: jobs.complete,
    c.FailJob: jobs.fail,
    c.ThrowError: _throw_error,
    c.CompleteTask: _complete_task,
    c.ResolveIncident: _resolve_incident,
    c.FireTimer: _fire_timer,
    c.DeliverMessage: _deliver_message,
    c.ChildEnded: _child_ended,
    c.TerminateChild: _terminate_child,
    c.Continue: _continue,
    c.RaiseIncident: _raise_incident,
}
