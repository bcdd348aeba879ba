"""What there is to say of each thing that an instance waits for, as JSON: pure functions.

Which fields there are depends on the kind. Instants are epoch milliseconds.
"""

from typing import Any

from engine.model.vocabulary import LISTENER_EVENT
from engine.state import (
    CallWait,
    ConditionWait,
    JobWait,
    ProcessInstance,
    SignalWait,
    SubscriptionWait,
    TaskWait,
    TimerWait,
    Wait,
)

Json = dict[str, Any]


def detail(state: ProcessInstance, wait: Wait) -> Json:
    """What its kind is told besides; `iteration`: of which one of a multi-instance, from 1."""
    iteration = _iteration(state, wait.owner)
    return {**_own(wait), **({"iteration": iteration} if iteration else {})}


def _own(wait: Wait) -> Json:
    """Of an incident there is more beside, and of a join nothing."""
    found: Json = {}
    match wait:
        case JobWait():
            found = _job(wait)
        case TaskWait(details=details, change=change):
            under_way = None if change is None else change.state
            found = {"assignee": details.assignee, "change": under_way}
        case TimerWait(due_ms=due_ms, cycle=cycle, repetitions=repetitions):
            repeats = {} if cycle is None else {"repetitions": repetitions}
            found = {"due_at": due_ms, **repeats}
        case SubscriptionWait(name=name, correlation_key=key):
            found = {"name": name, "correlation_key": key}
        case SignalWait(name=name):
            found = {"name": name}
        case ConditionWait(condition=condition):
            found = {"condition": condition}
        case CallWait(child_id=child_id):
            found = {"called": child_id}
        case _:
            pass
    return found


def _job(wait: JobWait) -> Json:
    """What its worker was told, and a command on it must name; for a listener, its event."""
    found: Json = {"type": wait.type, "attempt": wait.attempt, "retries_left": wait.retries_left}
    if LISTENER_EVENT in wait.headers:
        found["listens_to"] = wait.headers[LISTENER_EVENT]
    if wait.retry_at is not None:
        found["retry_at"] = wait.retry_at
    return found


def _iteration(state: ProcessInstance, key: int | None) -> int:
    """The number of the innermost iteration around an element instance; 0: it is in none."""
    while key is not None and (found := state.elements.get(key)) is not None:
        if found.ordinal and found.scope in state.loops:
            return found.ordinal
        key = found.scope
    return 0
