"""Tasks without a worker: user tasks, receive tasks, and those that pass through."""

import re

from engine import events as e
from engine.expressions import EvaluationError, schedule
from engine.instances import task_changes
from engine.instances.activities import activate, is_skipped
from engine.instances.advance import Advance
from engine.instances.elements.handler import Handler
from engine.instances.evaluator import text_of
from engine.instances.limits import PRIORITY_MAX
from engine.instances.mappings import write_id
from engine.instances.stuck import IncidentKind, StuckError
from engine.instances.triggers import arm
from engine.instances.triggers.waiting import Waiter
from engine.lifecycle import Step
from engine.model.elements import AbstractTask, ManualTask, ReceiveTask, Text, UserTask


def _run_user_task(advance: Advance, task: UserTask, key: int) -> Step | None:
    """Offer the task to people, after its listeners. All of it is evaluated once, here."""
    if is_skipped(advance, task, key):
        return Step.LEAVE
    details = e.TaskDetails(
        name=task.name,
        assignee=_optional_text(advance, task.assignee, key),
        candidate_users=_texts(advance, task.candidate_users, key),
        candidate_groups=_texts(advance, task.candidate_groups, key),
        due_at=_instant(advance, task.due_date, key),
        follow_up_at=_instant(advance, task.follow_up_date, key),
        priority=_priority(advance, task.priority, key),
        form_key=_optional_text(advance, task.form_key, key),
        created_at=advance.context.now,
    )
    number = advance.new_key()
    write_id(advance, key, task.id_variable, advance.consequences.handle(number))
    task_changes.create(advance, task, key, number, details)
    return None


def _optional_text(advance: Advance, source: Text | None, key: int) -> str | None:
    """A text; none when there is no source, or its expression yields null or an empty text."""
    if source is None:
        return None
    if isinstance(source, str):
        return source or None
    value = advance.evaluator.evaluate(source, key)
    if isinstance(value, bool | list | dict):
        raise advance.evaluator.unusable(source, "a text", value)
    return None if value is None else text_of(value) or None


def _texts(advance: Advance, source: Text | None, key: int) -> tuple[str, ...]:
    """A list of texts, or one text with commas between them."""
    if source is None:
        return ()
    value = source if isinstance(source, str) else advance.evaluator.evaluate(source, key)
    if isinstance(value, str):
        return tuple(part for part in (part.strip() for part in value.split(",")) if part)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _unusable(advance, source, "a list of texts", text_of(value))
    return tuple(text_of(item) for item in value)


def _instant(advance: Advance, source: Text | None, key: int) -> int | None:
    if source is None:
        return None
    value = source if isinstance(source, str) else advance.evaluator.evaluate(source, key)
    if value is None or value == "":
        return None
    try:
        return schedule.parse_due(value, advance.context.now, advance.context.settings.zone)
    except EvaluationError as error:
        raise _unusable(advance, source, "a date and time", error.message) from None


def _priority(advance: Advance, source: Text | None, key: int) -> int:
    default = e.TaskDetails().priority
    if source is None:
        return default
    value = source if isinstance(source, str) else advance.evaluator.evaluate(source, key)
    if value is None:
        return default
    text = text_of(value)
    priority = int(text) if _WHOLE_NUMBER.fullmatch(text) else PRIORITY_MAX + 1
    if abs(priority) > PRIORITY_MAX:
        raise _unusable(advance, source, f"a whole number up to {PRIORITY_MAX}", text)
    return priority


_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,10}")


def _unusable(advance: Advance, source: Text, expected: str, found: str) -> StuckError:
    text = source if isinstance(source, str) else source.text
    return StuckError(
        IncidentKind.EXPRESSION_FAILED, f"Expected {expected} from {text!r}, found {found[:200]}"
    )


def _run_receive_task(advance: Advance, task: ReceiveTask, key: int) -> None:
    for event in arm(advance, Waiter(key, task.id), task.trigger):
        advance.emit(event)


USER_TASK = Handler[UserTask](first=Step.ACTIVATE, activate=activate, run=_run_user_task)
RECEIVE_TASK = Handler[ReceiveTask](first=Step.ACTIVATE, activate=activate, run=_run_receive_task)
MANUAL_TASK = Handler[ManualTask](first=Step.ACTIVATE, activate=activate)
ABSTRACT_TASK = Handler[AbstractTask](first=Step.ACTIVATE, activate=activate)
