"""How things end: what an element instance owns, element instances with all inside them, instances.

Everything that waits is closed in the transition that leaves its owner, so nothing can wake it.
"""

from collections.abc import Callable, Mapping
from typing import Any

from engine import events as e
from engine import state as s
from engine.instances.advance import Advance
from engine.lifecycle import InstanceState

# Any: each row takes its own kind of wait, which the key names.
CLOSED: Mapping[type[s.Wait], Callable[[Any], e.AnyEvent]] = {
    s.JobWait: lambda job: e.JobClosed(key=job.key, reason="canceled"),
    s.TaskWait: lambda task: e.TaskChanged(key=task.key, owner=task.owner, state="canceled"),
    s.TimerWait: lambda timer: e.TimerClosed(key=timer.key),
    s.SubscriptionWait: lambda subscription: e.SubscriptionClosed(key=subscription.key),
    s.SignalWait: lambda signal: e.SubscriptionClosed(key=signal.key),
    s.ConditionWait: lambda condition: e.SubscriptionClosed(key=condition.key),
    s.SweepWait: lambda sweep: e.CompensationEnded(key=sweep.key),
    s.CallWait: lambda call: e.CallClosed(key=call.key),
    s.IncidentWait: lambda incident: e.IncidentResolved(key=incident.key, canceled=True),
}


def close_waits(advance: Advance, key: int) -> None:
    """Close all that an element instance still owns."""
    for number in advance.instance(key).waits:
        wait = advance.state.waits[number]
        advance.emit(CLOSED[type(wait)](wait))


def terminate(advance: Advance, key: int) -> None:
    """End an element instance with all that lives inside it, the innermost first."""
    for inner in reversed(_with_inner(advance.state, key)):
        close_waits(advance, inner)
        advance.emit(e.ElementTerminated(key=inner))


def terminate_inside(advance: Advance, scope: int) -> None:
    """End all element instances inside a scope; the scope itself lives on."""
    for inner in reversed(_with_inner(advance.state, scope)[1:]):
        close_waits(advance, inner)
        advance.emit(e.ElementTerminated(key=inner))


def _with_inner(state: s.ProcessInstance, key: int) -> list[int]:
    """The element instance and all inside it, outer before inner."""
    if not state.elements[key].open:
        return [key]
    inside: dict[int, list[int]] = {}
    for element in state.elements.values():
        if element.scope is not None:
            inside.setdefault(element.scope, []).append(element.key)
    found = [key]
    for outer in found:
        found.extend(inside.get(outer, ()))
    return found


def end_instance(
    advance: Advance,
    state: InstanceState,
    *,
    reason: str | None = None,
    error_code: str | None = None,
) -> None:
    """End the process instance before its time, with all that lives in it."""
    terminate(advance, advance.state.root)
    advance.emit(e.InstanceChanged(state=state, reason=reason, error_code=error_code))


def complete_instance(advance: Advance) -> None:
    """The process has nothing left to do."""
    root = advance.state.root
    close_waits(advance, root)
    advance.emit(e.ElementCompleted(key=root))
    advance.emit(e.InstanceChanged(state=InstanceState.COMPLETED))
