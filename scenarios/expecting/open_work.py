"""What is open: jobs, user tasks, incidents, timers, waits for messages and signals."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from engine import records as r
from engine import state as s
from scenarios import looking, telling
from scenarios.errors import Mismatch
from scenarios.expecting import patterns as p
from scenarios.format import expectations as f
from scenarios.format.parts import Part
from scenarios.instances import Instance
from scenarios.matching import Item
from scenarios.world import Held, World

WaitType = TypeVar("WaitType", bound=s.Waiting)


def jobs(world: World, instance: Instance, expected: Sequence[f.JobPattern]) -> None:
    family = {each.id for each in world.instances.family(instance)}
    items = [
        job_item(world, expected, job)
        for job in looking.open_jobs(world.simulation)
        if job.instance_id in family
    ]
    try:
        p.check_list(world, "open jobs", expected, items)
    except Mismatch as mismatch:
        mismatch.found += tuple(telling.failed_jobs(world, world.instances.family(instance)))
        raise


def job_item(world: World, expected: Sequence[Part], job: r.Job) -> Item:
    """An open job, its line with what is asked about."""
    names = world.names_in(job.instance_id)
    variables = p.object_of(job.variables)
    facts = {
        "type": p.equal(job.type),
        "element": p.element(names, job.element_id),
        "headers": p.some(job.headers),
        "variables": p.some(variables),
        "retries": p.equal(job.retries_left),
        "attempt": p.equal(job.attempt),
    }
    shown = {
        "headers": job.headers,
        "variables": variables,
        "retries": job.retries_left,
        "attempt": job.attempt,
    }
    asked = p.asked(expected, shown)
    return Item(f"{job.type}, element: {names.label(job.element_id)}{asked}", facts)


def retrying(world: World, instance: Instance, expected: Sequence[f.RetryPattern]) -> None:
    items = []
    for held, wait in _waits(world, instance, s.JobWait):
        if wait.retry_at is None:
            continue
        facts = {
            "type": p.equal(wait.type),
            "element": p.element(held.names, held.element_id),
            "next try": p.at(world, wait.retry_at),
            "retries": p.equal(wait.retries_left),
        }
        at = telling.instant(wait.retry_at)
        line = f"{wait.type}, element: {held.label}, next try: {at}, retries: {wait.retries_left}"
        items.append(Item(line, facts))
    p.check_list(world, "failed jobs that are tried again", expected, items)


def tasks(world: World, instance: Instance, expected: Sequence[f.TaskPattern]) -> None:
    family = {each.id for each in world.instances.family(instance)}
    items = [
        task_item(world, expected, task)
        for task in world.simulation.published_tasks.values()
        if task.instance_id in family
    ]
    p.check_list(world, "open user tasks", expected, items)


def task_item(world: World, expected: Sequence[Part], task: r.Task) -> Item:
    """An open user task, its line with what is asked about."""
    names = world.names_in(task.instance_id)
    variables = p.object_of(task.variables)
    facts = {
        "element": p.element(names, task.element_id),
        "assignee": p.equal(task.assignee),
        "candidate users": p.in_any_order(task.candidate_users),
        "candidate groups": p.in_any_order(task.candidate_groups),
        "due": p.at(world, task.due_at),
        "follow up": p.at(world, task.follow_up_at),
        "priority": p.equal(task.priority),
        "form": p.equal(task.form_key),
        "variables": p.some(variables),
    }
    shown = {
        "assignee": task.assignee,
        "candidate users": task.candidate_users,
        "candidate groups": task.candidate_groups,
        "due": None if task.due_at is None else telling.instant(task.due_at),
        "follow up": None if task.follow_up_at is None else telling.instant(task.follow_up_at),
        "priority": task.priority,
        "form": task.form_key,
        "variables": variables,
    }
    return Item(f"{names.label(task.element_id)}{p.asked(expected, shown)}", facts)


def incidents(world: World, instance: Instance, expected: Sequence[f.IncidentPattern]) -> None:
    items = []
    for held, wait in _waits(world, instance, s.IncidentWait):
        facts = {
            "element": p.element(held.names, held.element_id),
            "kind": p.equal(wait.kind),
            "message": p.part_of(wait.message),
        }
        items.append(Item(f"{held.label}, kind: {wait.kind}, message: {wait.message}", facts))
    p.check_list(world, "open incidents", expected, items)
    # The list is complete: it has named each of them.
    for held, _ in _waits(world, instance, s.IncidentWait):
        world.expected_incidents[held.handle] = None


def timers(world: World, instance: Instance, expected: Sequence[f.TimerPattern]) -> None:
    items = []
    for held, wait in _waits(world, instance, s.TimerWait):
        facts = {
            "element": p.element(held.names, held.element_id),
            "due": p.at(world, wait.due_ms),
        }
        items.append(Item(f"{held.label}, due: {telling.instant(wait.due_ms)}", facts))
    p.check_list(world, "timers", expected, items)


def messages(world: World, instance: Instance, expected: Sequence[f.MessagePattern]) -> None:
    items = []
    for held, wait in _waits(world, instance, s.SubscriptionWait):
        facts = {
            "name": p.equal(wait.name),
            "key": p.equal(wait.correlation_key),
            "element": p.element(held.names, held.element_id),
        }
        line = f"{wait.name}, key: {wait.correlation_key}, element: {held.label}"
        items.append(Item(line, facts))
    p.check_list(world, "messages waited for", expected, items)


def signals(world: World, instance: Instance, expected: Sequence[f.SignalPattern]) -> None:
    items = []
    for held, wait in _waits(world, instance, s.SignalWait):
        facts = {
            "name": p.equal(wait.name),
            "element": p.element(held.names, held.element_id),
        }
        items.append(Item(f"{wait.name}, element: {held.label}", facts))
    p.check_list(world, "signals waited for", expected, items)


def _waits(
    world: World, instance: Instance, kind: type[WaitType]
) -> Iterator[tuple[Held, WaitType]]:
    for held in world.waits(world.instances.family(instance)):
        if isinstance(held.wait, kind):
            yield held, held.wait
