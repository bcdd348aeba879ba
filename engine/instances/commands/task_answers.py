"""What a task listener answers: it lets a change be, corrects what the task is to be, or denies it.

The result of its job is a JSON object, with the names of Camunda 8:

    {"corrections": {"assignee": "ann", "dueDate": "2026-02-01T08:00Z", "candidateGroups": []}}
    {"denied": true, "deniedReason": "the amount is missing"}

Null, or a name left out, corrects nothing; an empty text is nobody, or takes a date away.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from engine import events as e
from engine import state as s
from engine.expressions import EvaluationError, schedule
from engine.instances import task_changes
from engine.instances.advance import Advance
from engine.instances.commands.assignment import check_candidates
from engine.instances.guards import check_number, check_size
from engine.instances.limits import NAME_LENGTH_MAX, PRIORITY_MAX, clip
from engine.model.vocabulary import LISTENER
from engine.rejections import Rejection, RejectionCode
from engine.values import Value, ValueDecodeError, decode

DENIABLE: Final = frozenset({"assigning", "updating", "completing"})


class Verdict(NamedTuple):
    """`corrections` are fields of `TaskDetails`."""

    denied: bool = False
    reason: str | None = None
    corrections: dict[str, Any] = {}  # noqa: RUF012 - never changed


def answer(
    advance: Advance,
    job: s.JobWait,
    change: s.TaskChange,
    variables: dict[str, str],
    result: str | None,
) -> Rejection | None:
    """A listener of a task is done: the next one is called, or the change is made or denied."""
    verdict = _read(advance, result)
    if isinstance(verdict, Rejection):
        return verdict
    rejection = _check(change, verdict, variables)
    rejection = rejection or check_size(advance, {job.owner: variables})
    if rejection is not None:
        return rejection
    advance.emit(e.JobClosed(key=job.key, reason="completed"))
    if verdict.denied:
        task_changes.deny(advance, job.owner, verdict.reason)
        return None
    corrected = replace(change, details=replace(change.details, **verdict.corrections))
    if change.state == "completing":
        corrected = replace(corrected, variables={**change.variables, **variables})
    else:
        advance.set_variables(job.owner, variables)
    task_changes.correct(advance, job.owner, corrected)
    task_changes.call(advance, job.owner, int(job.headers[LISTENER].partition(":")[2]) + 1)
    return None


def _check(
    change: s.TaskChange, verdict: Verdict, variables: Mapping[str, str]
) -> Rejection | None:
    if verdict.denied and change.state not in DENIABLE:
        return _invalid(f"no denial: {change.state} a task cannot be denied")
    if verdict.denied and (verdict.corrections or variables):
        return _invalid("a denial alone, found corrections or variables with it")
    named = change.details.assignee is not None and "assignee" in verdict.corrections
    if named and change.state == "creating":
        return _invalid("no other assignee than the model names: correct it at assigning")
    return None


def _read(advance: Advance, result: str | None) -> Verdict | Rejection:
    try:
        members = {} if result is None else decode(result)
    except ValueDecodeError as error:
        return _invalid(f"a result as a JSON object: {error}")
    if not isinstance(members, dict):
        return _invalid("a result that is a JSON object")
    unknown = [name for name in members if name not in _MEMBERS]
    if unknown:
        return _invalid(f"a result of {', '.join(_MEMBERS)}, found {unknown[0][:100]!r}")
    denied, reason = members.get("denied"), members.get("deniedReason")
    if not isinstance(denied, bool | None) or not isinstance(reason, str | None):
        return _invalid("denied to be true or false, and deniedReason a text")
    corrections = _corrections(advance, members.get("corrections"))
    if isinstance(corrections, Rejection):
        return corrections
    return Verdict(bool(denied), None if reason is None else clip(reason), corrections)


_MEMBERS: Final = ("denied", "deniedReason", "corrections", "type")


def _corrections(advance: Advance, given: Value) -> dict[str, Any] | Rejection:
    if given is None:
        return {}
    if not isinstance(given, dict):
        return _invalid("corrections that are a JSON object")
    corrections: dict[str, Any] = {}
    for name, value in given.items():
        if name not in _CORRECTIONS:
            return _invalid(f"corrections of {', '.join(_CORRECTIONS)}, found {name[:100]!r}")
        if value is not None:
            field, read = _CORRECTIONS[name]
            corrections[field] = read(advance, name, value)
            if isinstance(corrections[field], Rejection):
                rejection: Rejection = corrections[field]
                return rejection
    return corrections


def _person(advance: Advance, name: str, value: Value) -> str | Rejection | None:
    if not isinstance(value, str):
        return _invalid(f"{name} as a text")
    return check_number(f"the length of {name}", len(value), 0, NAME_LENGTH_MAX) or value or None


def _instant(advance: Advance, name: str, value: Value) -> int | Rejection | None:
    if value == "":
        return None
    try:
        return schedule.parse_date_time(value, advance.context.settings.zone)
    except EvaluationError as error:
        return _invalid(f"{name} as a date and time: {error.message}")


def _people(advance: Advance, name: str, value: Value) -> tuple[str, ...] | Rejection:
    if not isinstance(value, list):
        return _invalid(f"{name} as a list of texts")
    texts = tuple(each for each in value if isinstance(each, str))
    if len(texts) < len(value):
        return _invalid(f"{name} as a list of texts")
    return check_candidates(name, texts) or texts


def _priority(advance: Advance, name: str, value: Value) -> int | Rejection:
    if isinstance(value, bool) or not isinstance(value, int):
        return _invalid(f"{name} as a whole number")
    return check_number(name, value, -PRIORITY_MAX, PRIORITY_MAX) or value


_Read = Callable[[Advance, str, Value], Any]
_CORRECTIONS: Final[Mapping[str, tuple[str, _Read]]] = {
    "assignee": ("assignee", _person),
    "dueDate": ("due_at", _instant),
    "followUpDate": ("follow_up_at", _instant),
    "candidateUsers": ("candidate_users", _people),
    "candidateGroups": ("candidate_groups", _people),
    "priority": ("priority", _priority),
}
"""A name in the result -> the field of `TaskDetails`, and what reads it."""


def _invalid(expected: str) -> Rejection:
    return Rejection(RejectionCode.INVALID_ARGUMENT, f"Expected {expected}")
