"""Jobs: the records that workers read, the effects of them, the timers of their next attempts."""

from collections.abc import Mapping

from engine import events as e
from engine import records as r
from engine import state as s
from engine import variables as v
from engine.effects.consequences import Consequences
from engine.model.elements import jobs_of
from engine.model.vocabulary import LISTENER
from engine.values import encode_object

_JOB_EFFECTS: Mapping[str, str] = {
    "completed": "JobCompleted",
    "failed": "JobFailed",
    "error": "JobFailed",
    "canceled": "JobCanceled",
}


def job_opened(to: Consequences, event: e.JobOpened) -> None:
    """Also the next attempt of a job that failed: the timer that it waited for is over."""
    known = to.state.waits.get(event.key)
    if isinstance(known, s.JobWait) and known.retry_at is not None:
        to.set_timer(event.key, None)
    job = s.JobWait.opened(event)
    to.effect("JobCreated", event.owner, job=_effect_job(to, job))
    variables = v.visible(to.state, event.owner)
    if LISTENER in event.headers:
        variables = {**variables, **_asked_for(to.state, event.owner)}
    _publish_job(to, job, encode_object(variables))


def _asked_for(state: s.ProcessInstance, owner: int) -> Mapping[str, str]:
    """The variables of a change of a user task, which its listeners see before they are set."""
    for key in state.elements[owner].waits:
        wait = state.waits[key]
        if isinstance(wait, s.TaskWait) and wait.change is not None:
            return wait.change.variables
    return {}


def job_closed(to: Consequences, event: e.JobClosed) -> None:
    """Workers are told only of a cancellation, and only where they may still have the job."""
    job = to.state.waits[event.key]
    if not isinstance(job, s.JobWait):
        return
    error = None
    if event.message is not None or event.error_code is not None:
        error = r.EffectError(code=event.error_code or "", message=event.message)
    to.effect(_JOB_EFFECTS[event.reason], job.owner, job=_effect_job(to, job), error=error)
    if event.retry_at is not None:
        to.set_timer(event.key, event.retry_at)
    elif job.retry_at is not None:
        to.set_timer(event.key, None)
    if event.reason == "canceled" and job.retry_at is None and not job.stopped:
        _publish_job(to, job, "{}", canceled=True)


def _effect_job(to: Consequences, job: s.JobWait) -> r.EffectJob:
    return r.EffectJob(job_id=to.handle(job.key), attempt=job.attempt, type=job.type)


def _publish_job(
    to: Consequences, job: s.JobWait, variables: str, *, canceled: bool = False
) -> None:
    """Types that are known only at run time have no topic of their own: their suffix is None."""
    state, start = to.state, to.state.start
    owner = state.elements[job.owner]
    listened = to.model if owner.scope is None else to.element(job.owner)
    is_known = any(definition.type == job.type for definition in jobs_of(listened))
    record = r.Job(
        job_id=to.handle(job.key),
        attempt=job.attempt,
        type=job.type,
        instance_id=state.instance_id,
        root_id=start.root_id,
        process_id=start.process_id,
        version=start.version,
        business_key=start.business_key,
        element_id=owner.element_id,
        headers=job.headers,
        variables=variables,
        retries_left=job.retries_left,
        created_at=to.context.now,
        canceled=canceled,
    )
    to.carried += len(variables)
    to.publish(r.Topic.JOBS, start.root_id, record, suffix=job.type if is_known else None)
