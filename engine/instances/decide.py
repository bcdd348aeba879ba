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
from engine.instances import task_changes
from engine.instances.advance import Advance, DueStep
from engine.instances.commands import assignment, calls, choices, jobs, tasks
from engine.instances.conversations import comes_as_start, is_joint
from engine.instances.endings import CLOSED, end_instance
from engine.instances.errors import BpmnError
from engine.instances.guards import (
    check_number,
    check_size,
    find_scope,
    find_wait,
    parse_variables,
)
from engine.instances.limits import NAME_LENGTH_MAX, RETRIES_MAX, clip, clip_optional
from engine.instances.occurrences import occur
from engine.instances.run import rebuild_agenda
from engine.instances.triggers import signal, timer
from engine.lifecycle import InstanceState, Step
from engine.rejections import Rejection, RejectionCode


def _terminate(advance: Advance, command: c.TerminateInstance) -> None:
    end_instance(advance, InstanceState.TERMINATED, reason=clip_optional(command.reason))


def _set_variables(advance: Advance, command: c.SetVariables) -> Rejection | None:
    scope = find_scope(advance, command.element_instance_id)
    if isinstance(scope, Rejection):
        return scope
    variables = parse_variables(command.variables)
    if isinstance(variables, Rejection):
        return variables
    if command.local:
        targets = {scope: variables} if variables else {}
    else:
        targets = v.propagate(advance.state, scope, variables)
    rejection = check_size(advance, targets)
    task = None
    if targets and not advance.is_ending(scope):
        task = task_changes.listened(advance, scope, "updating")
    if rejection is not None:
        return rejection
    if task is not None:
        return _update_by_variables(advance, task, command, variables)
    advance.set_each(targets)
    return None


def _update_by_variables(
    advance: Advance, task: s.TaskWait, command: c.SetVariables, variables: dict[str, str]
) -> Rejection | None:
    """Variables of a user task are a change of it, as in Camunda 8, where that has listeners."""
    rejection = task_changes.check_free(advance, task, f"{advance.state.instance_id}:{task.key}")
    if rejection is None:
        change = s.TaskChange(
            state="updating", details=task.details, variables=variables, local=command.local
        )
        task_changes.ask(advance, task, change)
    return rejection


def _throw_error(advance: Advance, command: c.ThrowError) -> Rejection | None:
    variables = _check_throw(command)
    if isinstance(variables, Rejection):
        return variables
    error = BpmnError(command.code, clip_optional(command.message), variables)
    if command.job_id is not None:
        return jobs.throw_from_job(advance, command, error)
    return tasks.throw_from_task(advance, command.task_id or "", error)


def _throw_escalation(advance: Advance, command: c.ThrowEscalation) -> Rejection | None:
    variables = _check_throw(command)
    if isinstance(variables, Rejection):
        return variables
    if command.job_id is not None:
        return jobs.escalate_from_job(advance, command, variables)
    return tasks.escalate_from_task(advance, command.task_id or "", command.code, variables)


def _check_throw(command: c.ThrowError | c.ThrowEscalation) -> dict[str, str] | Rejection:
    """The variables that come along, of a throw that names one thrower and a usable code."""
    if (command.job_id is None) == (command.task_id is None):
        return Rejection(
            RejectionCode.INVALID_ARGUMENT,
            "Expected either a job_id or a task_id, found "
            + ("none" if command.job_id is None else "both"),
        )
    length = check_number("the length of code", len(command.code), 0, NAME_LENGTH_MAX)
    return length or parse_variables(command.variables or "{}")


# --- timers and messages ---


def _fire_timer(advance: Advance, command: c.FireTimer) -> None:
    """Early by the log's time, or another occurrence: nothing. No such timer: forget the entry."""
    if command.due_ms > advance.context.now:
        return
    wait = advance.state.waits.get(command.timer)
    if isinstance(wait, s.TimerWait | s.JobWait) and not advance.is_answered(wait.owner):
        due_ms = wait.due_ms if isinstance(wait, s.TimerWait) else wait.retry_at
        if due_ms == command.due_ms:
            advance.emit(CLOSED[type(wait)](wait))
    elif isinstance(wait, s.TimerWait):
        if wait.due_ms != command.due_ms:
            return
        advance.emit(e.TimerClosed(key=wait.key, fired=True))
        again = timer.arm_again(advance, wait)
        if again is not None:
            advance.emit(again)
        if not wait.ahead:
            occur(advance, wait.owner, wait.element_id, None)
    elif isinstance(wait, s.JobWait) and wait.retry_at is not None:
        if wait.retry_at == command.due_ms:
            jobs.open_again(advance, wait, wait.retries_left)
    else:
        advance.consequences.set_timer(command.timer, None)


def _living_wait(advance: Advance, number: int) -> s.Wait | None:
    """What is waited for with this number, unless who waits is over and only not yet gone."""
    wait = advance.state.waits.get(number)
    return None if wait is None or advance.is_ending(wait.owner) else wait


def _deliver_message(advance: Advance, command: c.DeliverMessage) -> None:
    wait = _living_wait(advance, command.subscription)
    variables = parse_variables(command.variables)
    if isinstance(wait, s.SubscriptionWait) and not isinstance(variables, Rejection):
        if wait.interrupting:
            advance.emit(e.SubscriptionClosed(key=wait.key, message=command.message))
        occur(advance, wait.owner, wait.element_id, variables)


def _take_signal(advance: Advance, command: c.TakeSignal) -> None:
    wait = _living_wait(advance, command.subscription)
    variables = parse_variables(command.variables)
    if not isinstance(wait, s.SignalWait) or isinstance(variables, Rejection):
        return
    if command.thrown and not is_joint(advance, wait):
        return
    if not comes_as_start(advance, wait, command.joint):
        signal.take(advance, wait, variables)


# --- carrying on ---


def _continue(advance: Advance, command: c.Continue) -> None:
    if not any(incident.step == Step.CONTINUE for incident in _root_incidents(advance)):
        rebuild_agenda(advance)
        if command.unasked is not None:
            advance.changes.ask_behind(command.unasked)


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
    rejection = check_number("retries", command.retries, 1, RETRIES_MAX)
    rejection = rejection or check_size(
        advance, v.propagate(advance.state, incident.owner, variables)
    )
    if rejection is not None:
        return rejection
    advance.emit(e.IncidentResolved(key=incident.key))
    advance.propagate(incident.owner, variables)
    kept = {name: text for name, text in incident.variables.items() if name not in variables}
    _take_again(advance, incident, command.retries, kept)
    return None


def _take_again(
    advance: Advance, incident: s.IncidentWait, retries: int | None, kept: v.Texts
) -> None:
    """The very step that failed; nothing before it is done a second time.

    `kept` comes with it: what came the first time, but for what whoever resolves it says instead.
    """
    if advance.model.conditional:
        advance.changes.ask_behind(0)
    match Step(incident.step):
        case Step.CONTINUE:
            rebuild_agenda(advance)
        case Step.JOB:
            jobs.open_stopped(advance, incident.owner, retries)
        case Step.TASK:
            task_changes.call(advance, incident.owner, 0)
        case Step.NOTHING:
            pass
        case step:
            advance.due.append(DueStep(incident.owner, step, kept))


def _raise_incident(advance: Advance, command: c.RaiseIncident) -> None:
    root = advance.state.root
    advance.emit(
        e.IncidentRaised(
            key=advance.new_key(),
            owner=root,
            kind=command.kind,
            message=clip(command.message),
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
    c.ThrowEscalation: _throw_escalation,
    c.CompleteTask: tasks.complete,
    c.ClaimTask: assignment.claim,
    c.AssignTask: assignment.assign,
    c.UpdateTask: assignment.update,
    c.ResolveIncident: _resolve_incident,
    c.ActivateActivities: choices.activate_activities,
    c.FireTimer: _fire_timer,
    c.DeliverMessage: _deliver_message,
    c.TakeSignal: _take_signal,
    c.ChildEnded: calls.child_ended,
    c.ChildEscalated: calls.child_escalated,
    c.TerminateChild: calls.terminate_child,
    c.Continue: _continue,
    c.RaiseIncident: _raise_incident,
}
