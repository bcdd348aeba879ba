"""The answers of workers: a job is completed, has failed, or throws a BPMN error."""

from engine import commands as c
from engine import events as e
from engine import state as s
from engine.expressions import schedule
from engine.instances import escalations, listeners, task_changes
from engine.instances.advance import Advance, DueStep
from engine.instances.commands import directing, task_answers
from engine.instances.errors import BpmnError, find_catcher, throw_error, unhandled
from engine.instances.guards import (
    check_number,
    check_size,
    find_attempt,
    parse_variables,
)
from engine.instances.incidents import raise_incident
from engine.instances.limits import RETRIES_MAX, clip_optional
from engine.instances.mappings import targets_of
from engine.instances.stuck import IncidentKind, StuckError
from engine.lifecycle import Step
from engine.model.elements import JobDefinition
from engine.model.vocabulary import LISTENER
from engine.rejections import Rejection, RejectionCode


def complete(advance: Advance, command: c.CompleteJob) -> Rejection | None:
    job = find_attempt(advance, command.job_id, command.attempt)
    if isinstance(job, Rejection):
        return job
    variables = parse_variables(command.variables)
    if isinstance(variables, Rejection):
        return variables
    change = task_changes.change_of(advance, job)
    if change is not None:
        return task_answers.answer(advance, job, change, variables, command.result)
    if directing.is_asked(advance, job):
        return directing.complete(advance, job, variables, command.result)
    if command.result is not None:
        return Rejection(
            RejectionCode.INVALID_ARGUMENT,
            f"Expected no result: nothing is to be decided by job {command.job_id}",
        )
    complete_it = _complete_listener if listeners.is_listener(job) else _complete_work
    return complete_it(advance, job, variables)


def _complete_work(advance: Advance, job: s.JobWait, variables: dict[str, str]) -> Rejection | None:
    rejection = check_size(advance, targets_of(advance, job.owner, variables))
    if rejection is None:
        advance.emit(e.JobClosed(key=job.key, reason="completed"))
        advance.due.append(DueStep(job.owner, Step.COMPLETE, variables))
    return rejection


def _complete_listener(
    advance: Advance, job: s.JobWait, variables: dict[str, str]
) -> Rejection | None:
    targets = listeners.targets_of(advance, job, variables)
    rejection = check_size(advance, targets)
    if rejection is None:
        advance.emit(e.JobClosed(key=job.key, reason="completed"))
        advance.set_each(targets)
        try:
            listeners.go_on(advance, job)
        except StuckError as stuck:
            # The step as a whole: with the listeners before this one, for nothing remembers them.
            step = Step(job.headers[LISTENER].partition(":")[0])
            raise_incident(advance, job.owner, step, stuck)
    return rejection


def fail(advance: Advance, command: c.FailJob) -> Rejection | None:
    """Retries left: another attempt, after the back-off if there is one; none left: incident.

    Variables that come along are local to the activity: the next attempt sees them.
    """
    job = find_attempt(advance, command.job_id, command.attempt)
    if isinstance(job, Rejection):
        return job
    variables = parse_variables(command.variables or "{}")
    if isinstance(variables, Rejection):
        return variables
    retries = job.retries_left - 1 if command.retries is None else command.retries
    backoff_ms = _backoff(advance, job) if command.backoff_ms is None else command.backoff_ms
    latest = schedule.INSTANT_MAX_MS - advance.context.now
    rejection = (
        check_number("retries", command.retries, 0, RETRIES_MAX)
        or check_number("backoff_ms", command.backoff_ms, 0, latest)
        or check_size(advance, {job.owner: variables})
    )
    if rejection is not None:
        return rejection
    advance.set_variables(job.owner, variables)
    if retries > 0 and backoff_ms > 0:
        retry_at = advance.context.now + backoff_ms
        _close_failed(advance, job, command.message, retries, retry_at)
        return None
    _close_failed(advance, job, command.message, max(0, retries), None)
    if retries > 0:
        open_again(advance, job, retries)
    else:
        message = f"Expected job {command.job_id} to succeed, found no retries left"
        detail = f": {command.message}" if command.message else ""
        exhausted = StuckError(IncidentKind.JOB_RETRIES_EXHAUSTED, message + detail)
        raise_incident(advance, job.owner, Step.JOB, exhausted)
    return None


def _backoff(advance: Advance, job: s.JobWait) -> int:
    """What the model says about the wait after this attempt; a worker may say otherwise."""
    if listeners.is_listener(job):
        return 0
    definition = getattr(advance.element(job.owner), "job", None)
    waits = definition.backoff_ms if isinstance(definition, JobDefinition) else ()
    return waits[min(job.attempt, len(waits)) - 1] if waits else 0


def _close_failed(
    advance: Advance, job: s.JobWait, message: str | None, retries: int, retry_at: int | None
) -> None:
    advance.emit(
        e.JobClosed(
            key=job.key,
            reason="failed",
            message=clip_optional(message),
            retries_left=retries,
            retry_at=retry_at,
        )
    )


def open_again(advance: Advance, job: s.JobWait, retries: int) -> None:
    """The next attempt at a job."""
    advance.emit(
        e.JobOpened(
            key=job.key,
            owner=job.owner,
            type=job.type,
            attempt=job.attempt + 1,
            retries_left=retries,
            headers=job.headers,
        )
    )


def open_stopped(advance: Advance, owner: int, retries: int | None) -> None:
    """An operator gives the stopped job of an element instance another try, or several."""
    for key in advance.instance(owner).waits:
        job = advance.state.waits[key]
        if isinstance(job, s.JobWait) and job.stopped:
            open_again(advance, job, retries or max(1, job.retries_left))
            return


def throw_from_job(advance: Advance, command: c.ThrowError, error: BpmnError) -> Rejection | None:
    """Nothing catches it: an incident, and resolving it gives the job another attempt."""
    job = _find_thrower(advance, command)
    if isinstance(job, Rejection):
        return job
    rejection = check_size(advance, {job.owner: error.variables or {}})
    if rejection is not None:
        return rejection
    try:
        catcher = find_catcher(advance, job.owner, error)
        if catcher is None:
            raise unhandled(error)
    except StuckError as stuck:
        _close_thrown(advance, job, error, reason="failed")
        raise_incident(advance, job.owner, Step.JOB, stuck)
        return None
    _close_thrown(advance, job, error, reason="error")
    throw_error(advance, catcher, error)
    return None


def _find_thrower(
    advance: Advance, command: c.ThrowError | c.ThrowEscalation
) -> s.JobWait | Rejection:
    """What is over throws nothing, though listeners hold it."""
    job = find_attempt(advance, command.job_id or "", command.attempt)
    if isinstance(job, Rejection) or not advance.is_ending(job.owner):
        return job
    return Rejection(
        RejectionCode.INVALID_STATE,
        f"Expected a job that may throw, found {command.job_id} at what is canceled",
    )


def escalate_from_job(
    advance: Advance, command: c.ThrowEscalation, variables: dict[str, str]
) -> Rejection | None:
    """The job stays as it is, unless what catches the escalation ends its activity."""
    job = _find_thrower(advance, command)
    if isinstance(job, Rejection):
        return job
    return escalate(advance, job.owner, command.code, variables)


def escalate(
    advance: Advance, owner: int, code: str, variables: dict[str, str]
) -> Rejection | None:
    """Throw from an activity at work. An event whose code cannot be told: an incident."""
    rejection = check_size(advance, {owner: variables})
    if rejection is None:
        try:
            escalations.throw(advance, owner, code, variables)
        except StuckError as stuck:
            raise_incident(advance, owner, Step.NOTHING, stuck)
    return rejection


def _close_thrown(advance: Advance, job: s.JobWait, error: BpmnError, *, reason: str) -> None:
    advance.emit(
        e.JobClosed(key=job.key, reason=reason, message=error.message, error_code=error.code)
    )
