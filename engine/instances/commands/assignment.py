"""Who does a user task and what describes it, changed while it is open: claim, assign, update."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from engine import commands as c
from engine import events as e
from engine import state as s
from engine.expressions import schedule
from engine.instances import task_changes
from engine.instances.advance import Advance
from engine.instances.guards import check_number
from engine.instances.limits import CANDIDATES_MAX, NAME_LENGTH_MAX, PRIORITY_MAX
from engine.instances.task_changes import find_task
from engine.rejections import Rejection, RejectionCode

_DATES: Final = ("due_at", "follow_up_at")
_CANDIDATES: Final = ("candidate_users", "candidate_groups")


def claim(advance: Advance, command: c.ClaimTask) -> Rejection | None:
    """Of two people who claim one task, the second is refused."""
    task = find_task(advance, command.task_id)
    if isinstance(task, Rejection):
        return task
    rejection = check_number("the length of user", len(command.user), 1, NAME_LENGTH_MAX)
    if rejection is not None:
        return rejection
    found = task.details.assignee
    if found not in (None, command.user):
        return Rejection(
            RejectionCode.INVALID_STATE,
            f"Expected task {command.task_id} free, or assigned to {command.user!r}, "
            f"found it assigned to {found!r}",
        )
    _change(advance, task, "assigning", replace(task.details, assignee=command.user))
    return None


def assign(advance: Advance, command: c.AssignTask) -> Rejection | None:
    task = find_task(advance, command.task_id)
    if isinstance(task, Rejection):
        return task
    assignee = command.assignee or None
    rejection = check_number("the length of assignee", len(assignee or ""), 0, NAME_LENGTH_MAX)
    if rejection is None:
        _change(advance, task, "assigning", replace(task.details, assignee=assignee))
    return rejection


def update(advance: Advance, command: c.UpdateTask) -> Rejection | None:
    task = find_task(advance, command.task_id)
    if isinstance(task, Rejection):
        return task
    rejection = _check_fields(command)
    if rejection is not None:
        return rejection
    named = ("priority", *_DATES, *_CANDIDATES)
    given = {name: getattr(command, name) for name in named}
    changed = {name: value for name, value in given.items() if value is not None}
    changed |= dict.fromkeys(command.clear)
    _change(advance, task, "updating", replace(task.details, **changed))
    return None


def _check_fields(command: c.UpdateTask) -> Rejection | None:
    for name in command.clear:
        if name not in _DATES:
            return _invalid(f"clear to name due_at or follow_up_at, found {name[:100]!r}")
        if getattr(command, name) is not None:
            return _invalid(f"{name} to be given or cleared, found both")
    low, high = schedule.INSTANT_MIN_MS, schedule.INSTANT_MAX_MS
    return (
        check_number("due_at", command.due_at, low, high)
        or check_number("follow_up_at", command.follow_up_at, low, high)
        or check_number("priority", command.priority, -PRIORITY_MAX, PRIORITY_MAX)
        or check_candidates("candidate_users", command.candidate_users)
        or check_candidates("candidate_groups", command.candidate_groups)
    )


def check_candidates(name: str, candidates: Sequence[str] | None) -> Rejection | None:
    """As many and as long as is allowed, and none of them empty."""
    if candidates is None:
        return None
    rejection = check_number(f"the number of {name}", len(candidates), 0, CANDIDATES_MAX)
    for candidate in candidates:
        length = check_number(f"the length of one of {name}", len(candidate), 1, NAME_LENGTH_MAX)
        rejection = rejection or length
    return rejection


def _invalid(expected: str) -> Rejection:
    return Rejection(RejectionCode.INVALID_ARGUMENT, f"Expected {expected}")


def _change(advance: Advance, task: s.TaskWait, state: str, details: e.TaskDetails) -> None:
    """What is as it was already changes nothing, and is told to nobody."""
    if details != task.details:
        task_changes.ask(advance, task, s.TaskChange(state=state, details=details))
