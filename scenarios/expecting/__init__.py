"""Expectations: what a scenario says must be so, compared with what is; one function a key."""

from collections.abc import Callable, Mapping
from typing import Any

from scenarios.errors import Mismatch
from scenarios.expecting import instance, open_work, whole
from scenarios.format import expectations as f
from scenarios.reading import keys_of
from scenarios.world import World


def check(world: World, expected: f.Expect) -> list[Mismatch]:
    """Everything that is not as expected, each with its line."""
    try:
        subject = None if _is_of_all(expected) else world.instances.find(expected.instance)
    except Mismatch as mismatch:
        mismatch.line = expected.line("instance")
        return [mismatch]
    found = []
    for key, field in keys_of(f.Expect).items():
        wanted = getattr(expected, field.name)
        if wanted is None or key not in CHECKS:
            continue
        try:
            CHECKS[key](world, subject, wanted)
        except Mismatch as mismatch:
            mismatch.line = expected.line(key)
            found.append(mismatch)
    return found


def _is_of_all(expected: f.Expect) -> bool:
    """Whether only things are asked that need no instance: there may be none yet."""
    given = [key for key in expected.lines if key]
    return set(given) <= {"instances", "effects"}


# Any: a row takes the value of its own key, and an instance unless it is about all of them.
CHECKS: Mapping[str, Callable[[World, Any, Any], None]] = {
    "state": instance.state,
    "waiting at": instance.waiting_at,
    "active": instance.active,
    "path": instance.path,
    "path contains": instance.path_contains,
    "completed": instance.completed,
    "not completed": instance.not_completed,
    "variables": instance.variables,
    "no variables": instance.no_variables,
    "holds": instance.holds,
    "jobs": open_work.jobs,
    "retrying": open_work.retrying,
    "tasks": open_work.tasks,
    "incidents": open_work.incidents,
    "timers": open_work.timers,
    "messages": open_work.messages,
    "signals": open_work.signals,
    "instances": whole.instances,
    "effects": whole.effects,
}
