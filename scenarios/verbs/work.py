"""Steps about jobs and user tasks: complete, fail, throw."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from engine import commands as c
from engine import records as r
from scenarios import looking, telling
from scenarios.errors import Mismatch, did_you_mean
from scenarios.expecting import open_work
from scenarios.expecting.patterns import fits
from scenarios.format import steps as f
from scenarios.matching import Item
from scenarios.verbs.actor import Actor, optional_text_of, text_of
from scenarios.verbs.time import milliseconds
from scenarios.world import World


def _find_job(world: World, name: str, step: f.OnWork) -> r.Job:
    """The oldest open job of a type, or at an element, that is as `where` says."""
    jobs = list(_among(world, looking.open_jobs(world.simulation), step.instance))
    named = [
        job
        for job in jobs
        if job.type == name or world.names_in(job.instance_id).is_named(job.element_id, name)
    ]
    if named:
        return _as_asked(world, named, step)
    known = [text for job in jobs for text in (job.type, _label(world, job))]
    raise Mismatch(
        f"No job {name!r} is open.{did_you_mean(name, known)}",
        found=[
            *(_line(world, job) for job in jobs),
            *telling.failed_jobs(world, world.instances.all()),
        ]
        or telling.where_all_are(world),
    )


def find_task(world: World, name: str, step: f.OnWork) -> r.Task:
    """The oldest open user task at an element that is as `where` says. Raises Mismatch."""
    tasks = list(_among(world, [*world.simulation.published_tasks.values()], step.instance))
    named = [
        task for task in tasks if world.names_in(task.instance_id).is_named(task.element_id, name)
    ]
    if named:
        return _as_asked(world, named, step)
    known = [text for task in tasks for text in (task.element_id, _label(world, task))]
    raise Mismatch(
        f"No user task {name!r} is open.{did_you_mean(name, known)}",
        found=[_line(world, task) for task in tasks] or telling.where_all_are(world),
    )


Work = TypeVar("Work", bound=r.Job | r.Task)


def _among(world: World, work: list[Work], instance_name: str | None) -> Iterator[Work]:
    """The work of one instance and of what it called; None: of all."""
    wanted = None
    if instance_name is not None:
        wanted = {each.id for each in world.instances.family(world.instances.find(instance_name))}
    return (each for each in work if wanted is None or each.instance_id in wanted)


def _label(world: World, work: r.Job | r.Task) -> str:
    return world.names_in(work.instance_id).label(work.element_id)


def _line(world: World, work: r.Job | r.Task) -> str:
    label = _label(world, work)
    return f"job {work.type} at {label}" if isinstance(work, r.Job) else f"user task {label}"


def _as_asked(world: World, work: Sequence[Work], step: f.OnWork) -> Work:
    """The first that is as `where` says. Raises Mismatch: there is none."""
    found = _fitting(world, work, step)
    if found:
        return found[0]
    assert step.where is not None
    raise Mismatch(
        "None is open that is as `where` says.",
        found=[_item(world, each, step.where).line for each in work],
        line=step.line("where"),
    )


def _fitting(world: World, work: Sequence[Work], step: f.OnWork) -> list[Work]:
    where = step.where
    return [each for each in work if where is None or fits(where, _item(world, each, where))]


def _item(world: World, work: r.Job | r.Task, where: f.Where) -> Item:
    item = open_work.job_item if isinstance(work, r.Job) else open_work.task_item
    return item(world, (where,), work)  # type: ignore[arg-type]  # the one for its kind


def complete_job(actor: Actor, step: f.CompleteJob) -> None:
    job = _find_job(actor.world, step.job, step)
    command = c.CompleteJob(
        job_id=job.job_id,
        attempt=job.attempt,
        variables=text_of(step.variables),
        result=optional_text_of(step.result),
    )
    actor.send(step, command)


def fail_job(actor: Actor, step: f.FailJob) -> None:
    job = _find_job(actor.world, step.job, step)
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
    task = find_task(actor.world, step.task, step)
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
        return _find_job(world, step.job, step)
    if step.task is not None:
        return find_task(world, step.task, step)
    found: list[r.Job | r.Task] = [
        *_among(world, looking.open_jobs(world.simulation), step.instance),
        *_among(world, [*world.simulation.published_tasks.values()], step.instance),
    ]
    found = _fitting(world, found, step)
    if len(found) != 1:
        number = "Nothing is open" if not found else f"{len(found)} jobs and tasks are open"
        raise Mismatch(
            f"{number}: name the one that throws, by `job:` or `task:` and `where:`.",
            found=[_label(world, each) for each in found] or telling.where_all_are(world),
        )
    return found[0]
