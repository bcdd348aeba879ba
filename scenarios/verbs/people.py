"""Steps about who does a user task, and what describes it: claim, assign, update."""

from engine import commands as c
from engine.expressions import schedule
from scenarios.format import steps as f
from scenarios.verbs.actor import Actor
from scenarios.verbs.work import find_task
from scenarios.world import World

_DATES = {"due": "due_at", "follow up": "follow_up_at"}


def claim_task(actor: Actor, step: f.ClaimTask) -> None:
    task = find_task(actor.world, step.task, step)
    actor.send(step, c.ClaimTask(task_id=task.task_id, user=step.user))


def assign_task(actor: Actor, step: f.AssignTask) -> None:
    task = find_task(actor.world, step.task, step)
    actor.send(step, c.AssignTask(task_id=task.task_id, assignee=step.assignee))


def update_task(actor: Actor, step: f.UpdateTask) -> None:
    task = find_task(actor.world, step.task, step)
    command = c.UpdateTask(
        task_id=task.task_id,
        due_at=_instant(actor.world, step.due),
        follow_up_at=_instant(actor.world, step.follow_up),
        priority=step.priority,
        candidate_users=step.users,
        candidate_groups=step.groups,
        clear=tuple(_DATES[name] for name in step.clear),
    )
    actor.send(step, command)


def _instant(world: World, text: str | None) -> int | None:
    zone = world.simulation.settings.zone
    return None if text is None else schedule.parse_date_time(text, zone)
