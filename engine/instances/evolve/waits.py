"""What element instances wait for, as events change it: part of `evolve`."""

from typing import TypeAlias, TypeVar

from msgspec.structs import replace

from engine import events as e
from engine import state as s
from engine import variables as v
from engine.errors import InvariantError

W = TypeVar("W", bound=s.Waiting)


def arm_timer(state: s.ProcessInstance, event: e.TimerArmed, at_ms: int) -> None:
    timer = s.TimerWait(
        key=event.key,
        owner=event.owner,
        element_id=event.element_id,
        due_ms=event.due_ms,
        cycle=event.cycle,
        repetitions=event.repetitions,
        ahead=event.ahead,
    )
    add(state, timer)


def open_subscription(state: s.ProcessInstance, event: e.SubscriptionOpened, at_ms: int) -> None:
    """For a message, a signal or a condition."""
    add(state, _subscription(event))


def _subscription(event: e.SubscriptionOpened) -> s.Wait:
    match event.kind:
        case "signal":
            return s.SignalWait(
                key=event.key,
                owner=event.owner,
                element_id=event.element_id,
                name=event.name,
                interrupting=event.interrupting,
                since=event.since,
            )
        case "condition":
            return s.ConditionWait(
                key=event.key,
                owner=event.owner,
                element_id=event.element_id,
                interrupting=event.interrupting,
                condition=event.name,
            )
        case _:
            return s.SubscriptionWait(
                key=event.key,
                owner=event.owner,
                element_id=event.element_id,
                name=event.name,
                correlation_key=event.correlation_key,
                interrupting=event.interrupting,
            )


def open_job(state: s.ProcessInstance, event: e.JobOpened, at_ms: int) -> None:
    """A new job, or the next attempt of one that failed."""
    known = state.waits.get(event.key)
    job = s.JobWait.opened(event)
    if known is None:
        add(state, job)
    else:
        state.waits[event.key] = job


def close_job(state: s.ProcessInstance, event: e.JobClosed, at_ms: int) -> None:
    """One that failed stays: for its next attempt, or for its incident."""
    if event.reason != "failed":
        remove(state, event.key)
        return
    job = find(state, event.key, s.JobWait)
    retries_left = job.retries_left if event.retries_left is None else event.retries_left
    state.waits[event.key] = replace(
        job, retries_left=retries_left, retry_at=event.retry_at, stopped=event.retry_at is None
    )


def change_task(state: s.ProcessInstance, event: e.TaskChanged, at_ms: int) -> None:
    """Created, changed, or over. What is only asked for yet counts with the variables."""
    known = state.waits.get(event.key)
    if isinstance(known, s.TaskWait) and known.change is not None:
        state.variables_bytes -= v.size(known.change.variables)
    if event.state in {"completed", "canceled"}:
        remove(state, event.key)
        return
    given = event.details or e.TaskDetails()
    change = None
    if event.state in s.TASK_CHANGES:
        change = s.TaskChange(
            state=event.state, details=given, variables=event.variables, local=event.local
        )
        state.variables_bytes += v.size(event.variables)
    offered = event.state != "creating"
    if known is None:
        task = s.TaskWait(
            key=event.key, owner=event.owner, details=given, change=change, offered=offered
        )
        add(state, task)
        return
    task = find(state, event.key, s.TaskWait)
    details = task.details if change or event.details is None else event.details
    state.waits[event.key] = replace(
        task,
        details=details,
        revision=task.revision + 1,
        change=change,
        offered=task.offered or event.state == "created",
    )


def raise_incident(state: s.ProcessInstance, event: e.IncidentRaised, at_ms: int) -> None:
    add(
        state,
        s.IncidentWait(
            key=event.key,
            owner=event.owner,
            kind=event.kind,
            message=event.message,
            step=event.step,
            element_id=event.element_id,
            since_ms=at_ms,
            variables=event.variables,
        ),
    )


def open_call(state: s.ProcessInstance, event: e.CallOpened, at_ms: int) -> None:
    add(state, s.CallWait(key=event.key, owner=event.owner, child_id=event.child_id))


def open_hold(state: s.ProcessInstance, event: e.HoldOpened, at_ms: int) -> None:
    hold = s.HoldWait(
        key=event.key,
        owner=event.owner,
        until=event.until,
        start=event.start,
        variables=event.variables,
    )
    add(state, hold)
    state.variables_bytes += v.size(event.variables)


def close_hold(state: s.ProcessInstance, event: e.HoldClosed, at_ms: int) -> None:
    state.variables_bytes -= v.size(find(state, event.key, s.HoldWait).variables)
    remove(state, event.key)


def open_gate(state: s.ProcessInstance, event: e.GateOpened, at_ms: int) -> None:
    add(state, s.GateWait(key=event.key, owner=event.owner))


def open_offer(state: s.ProcessInstance, event: e.AdHocOpened, at_ms: int) -> None:
    add(state, s.AdHocWait(key=event.key, owner=event.owner))


def evaluate_condition(state: s.ProcessInstance, event: e.ConditionEvaluated, at_ms: int) -> None:
    """A flow's condition has no number: nobody waits for it."""
    if event.key:
        condition = find(state, event.key, s.ConditionWait)
        state.waits[event.key] = replace(condition, holds=event.result)


Closing: TypeAlias = (
    e.TimerClosed
    | e.SubscriptionClosed
    | e.CallClosed
    | e.IncidentResolved
    | e.CompensationEnded
    | e.GateClosed
    | e.AdHocClosed
)


def close(state: s.ProcessInstance, event: Closing, at_ms: int) -> None:
    """Nobody waits for it any more."""
    remove(state, event.key)


def add(state: s.ProcessInstance, wait: s.Wait) -> None:
    """The owner waits for one more. Raises InvariantError when its number is taken."""
    if wait.key in state.waits:
        raise InvariantError(f"the number {wait.key} is used twice")
    state.waits[wait.key] = wait
    owner = state.elements[wait.owner]
    state.elements[wait.owner] = replace(owner, waits=(*owner.waits, wait.key))
    count(state, wait.key)


def remove(state: s.ProcessInstance, key: int) -> None:
    """The owner waits for it no longer. Raises KeyError when nobody does: a bug."""
    wait = state.waits.pop(key)
    owner = state.elements[wait.owner]
    waits = tuple(other for other in owner.waits if other != key)
    state.elements[wait.owner] = replace(owner, waits=waits)


def find(state: s.ProcessInstance, key: int, kind: type[W]) -> W:
    """The wait with this number. Raises InvariantError when it is one of another kind."""
    wait = state.waits[key]
    if not isinstance(wait, kind):
        raise InvariantError(f"expected a {kind.__name__} {key}, found a {type(wait).__name__}")
    return wait


def count(state: s.ProcessInstance, key: int) -> None:
    """A number that was given is never given again."""
    state.counter = max(state.counter, key)
