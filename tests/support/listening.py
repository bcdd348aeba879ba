"""What scenarios with listeners share: listeners as drawn, and their jobs one after the other."""

from engine import commands as c
from engine.model.elements import ProcessModel
from engine.records import Job
from tests.support.models import (
    chain,
    compiled,
    end,
    extension,
    extensions,
    listener,
    message,
    start,
)
from tests.support.runner import Runner

MINUTE = 60_000


def own(**listeners: str) -> str:
    """Listeners of the process."""
    each = [listener(event, to) for event, types in listeners.items() for to in types.split()]
    return extensions(extension("executionListeners", *each))


def line(activity: str, *beside: str) -> ProcessModel:
    """The activity `t` between a start and an end event."""
    return compiled(start("s"), activity, *beside, end("e"), chain("s", "t", "e"))


def open_types(run: Runner) -> list[str]:
    return [job.type for job in run.jobs()]


def only(run: Runner, job_type: str) -> Job:
    """The one job that is open, which is of this type."""
    assert open_types(run) == [job_type]
    return run.job(job_type)


def one_by_one(run: Runner, *job_types: str) -> None:
    """These jobs are open one after the other, each alone."""
    for job_type in job_types:
        only(run, job_type)
        run.complete(job_type)


def throw_error(run: Runner, job: Job, code: str = "NO") -> None:
    run.accept(c.ThrowError(code=code, job_id=job.job_id, attempt=job.attempt))


def fail(run: Runner, job: Job) -> None:
    run.accept(c.FailJob(job_id=job.job_id, attempt=job.attempt, retries=0))


def message_comes(run: Runner, variables: str = "{}", name: str = "m") -> None:
    run.accept(c.PublishMessage(name=name, correlation_key="k", variables=variables))


MESSAGE = message("M", "m", key='="k"')
