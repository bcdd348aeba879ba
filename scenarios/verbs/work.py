"""Steps about jobs and user tasks: complete, fail, throw."""

from collections.abc import Iterator
from typing import Any, TypeVar

from engine import commands as c
from engine import records as r
from scenarios import looking, telling
from scenarios.errors import Mismatch, did_you_mean
from scenarios.format import steps as f
from scenarios.verbs.actor import Actor, optional_text_of, text_of
from scenarios.verbs.time import milliseconds
from scenarios.world import World


def _find_job(world: World, name: str, instance_name: str | None) -> r.Job:
    """The oldest open job of a type, or at an element."""
    jobs = list(_among(world, looking.open_jobs(world.simulation), instance_name))
    for job in jobs:
        if job.type == name or world.names_in(job.instance_id).is_named(job.element_id, name):
            return job
    known = [text for job in jobs for text in (job.type, _label(world, job))]
    raise Mismatch(
        f"No job {name!r} is open.{did_you_mean(name, known)}",
        found=[
            *(_job_line(world, job) for job in jobs),
            *telling.failed_jobs(world, world.instances.all()),
        ]
        or telling.where_all_are(world),
    )


def _find_task(world: World, name: str, instance_name: str | None) -> r.Task:
    tasks = list(_among(world, [*world.simulation.published_tasks.values()], instance_name))
    for task in tasks:
        if world.names_in(task.instance_id).is_named(task.element_id, name):
            return task
    known = [text for task in tasks for text in (task.element_id, _label(world, task))]
    raise Mismatch(
        f"No user task {name!r} is open.{did_you_mean(name, known)}",
        found=[f"user task {_label(world, task)}" for task in tasks]
        or telling.where_all_are(world),
    )


Work = TypeVar("Work", r.Job, r.Task)


def _among(world: World, work: list[Work], instance_name: str | None) -> Iterator[Work]:
    """The work of one instance and of what it called; None: of all."""
    wanted = None
    if instance_name is not None:
        wanted = {each.id for each in world.instances.family(world.instances.find(instance_name))}
    return (each for each in work if wanted is None or each.instance_id in wanted)


def _label(world: World, work: r.Job | r.Task) -> str:
    return world.names_in(work.instance_id).label(work.element_id)


def _job_line(world: World, job: r.Job) -> str:
    return f"job {job.type} at {_label(world, job)}"


def complete_job(actor: Actor, step: f.CompleteJob) -> None:
    job = _find_job(actor.world, step.job, step.instance)
    command = c.CompleteJob(
        job_id=job.job_id, attempt=job.attempt, variables=text_of(step.variables)
    )
    actor.send(step, command)


def fail_job(actor: Actor, step: f.FailJob) -> None:
    job = _find_job(actor.world, step.job, step.instance)
    command = c.FailJob(
        job_id=job.job_id,
        attempt=job.attempt,
        message=step.message or "",
        retries=step.retries,
        backoff_ms=None if step.backoff is None else milliseconds(actor.world, step.backoff),
        variables=optional_text_of(step.variables),
    )
    actor.send(step, command)


def complete_task(actor: Actor, step: f.CompleteTask) -> None:
    task = _find_task(actor.world, step.task, step.instance)
    actor.send(step, c.CompleteTask(task_id=task.task_id, variables=text_of(step.variables)))


def throw(actor: Actor, step: f.ThrowError | f.ThrowEscalation) -> None:
    kind = c.ThrowError if isinstance(step, f.ThrowError) else c.ThrowEscalation
    fields: dict[str, Any] = {
        "code": step.code,
        "message": step.message,
        "variables": optional_text_of(step.variables),
    }
    if isinstance(thrower := _thrower(actor.world, step), r.Job):
        fields |= {"job_id": thrower.job_id, "attempt": thrower.attempt}
    else:
        fields |= {"task_id": thrower.task_id}
    actor.send(step, kind(**fields))


def _thrower(world: World, step: f.Throw) -> r.Job | r.Task:
    if step.job is not None:
        return _find_job(world, step.job, step.instance)
    if step.task is not None:
        return _find_task(world, step.task, step.instance)
    found: list[r.Job | r.Task] = [
        *_among(world, looking.open_jobs(world.simulation), step.instance),
        *_among(world, [*world.simulation.published_tasks.values()], step.instance),
    ]
    if len(found) != 1:
        number = "Nothing is open" if not found else f"{len(found)} jobs and tasks are open"
        raise Mismatch(
            f"{number}: name the one that throws, by `job:` or `task:`.",
            found=[_label(world, each) for each in found] or telling.where_all_are(world),
        )
    return found[0]
