"""How things end: what an element instance owns, element instances with all inside them, instances.

Everything that waits is closed in the transition that leaves its owner, so nothing can wake it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from engine import events as e
from engine import state as s
from engine.instances.advance import Advance, DueStep
from engine.instances.scans import (
    by_scope_from_the_last,
    inside,
    stopped_loops,
    terminating,
    with_inner,
)
from engine.lifecycle import InstanceState, Step

# Any: each row takes its own kind of wait, which the key names.
CLOSED: Mapping[type[s.Wait], Callable[[Any], e.AnyEvent]] = {
    s.JobWait: lambda job: e.JobClosed(key=job.key, reason="canceled"),
    s.TaskWait: lambda task: e.TaskChanged(key=task.key, owner=task.owner, state="canceled"),
    s.TimerWait: lambda timer: e.TimerClosed(key=timer.key),
    s.SubscriptionWait: lambda subscription: e.SubscriptionClosed(key=subscription.key),
    s.SignalWait: lambda signal: e.SubscriptionClosed(key=signal.key),
    s.ConditionWait: lambda condition: e.SubscriptionClosed(key=condition.key),
    s.GateWait: lambda gate: e.GateClosed(key=gate.key),
    s.AdHocWait: lambda offer: e.AdHocClosed(key=offer.key),
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
    """End an element instance with all that lives inside it, the innermost first.

    Of one with very much inside, only its own waits go in this transition: from now on nothing
    inside it wakes, and later transitions end it part by part (`end_more`).
    """
    inner = with_inner(advance.state, key)
    if len(inner) <= advance.context.settings.terminations_per_command_max:
        _end(advance, reversed(inner))
    else:
        _end_later(advance, key)


def terminate_inside(advance: Advance, scope: int) -> None:
    """End all element instances inside a scope; the scope itself lives on."""
    inner = with_inner(advance.state, scope)[1:]
    if len(inner) <= advance.context.settings.terminations_per_command_max:
        _end(advance, reversed(inner))
        return
    for key in inside(advance.state, scope):
        if not advance.is_ending(key):
            _end_later(advance, key)


def stop_loop(advance: Advance, loop: int) -> None:
    """End the iterations of a loop; it completes when all are gone."""
    advance.emit(e.LoopStopped(key=loop))
    inner = with_inner(advance.state, loop)[1:]
    if len(inner) <= advance.context.settings.terminations_per_command_max:
        _end(advance, reversed(inner))
    else:
        advance.ending[loop] = None


def end_more(advance: Advance) -> None:
    """End a part of what is over, as much as one transition may, the last to begin first.

    What lives inside an element instance has begun after it, so it is innermost first, too.
    """
    limit = advance.context.settings.terminations_per_command_max
    _end(advance, list(islice(_over(advance), limit)))
    advance.ending = {key: None for key in advance.ending if _has_more(advance, key)}
    root = advance.state.root
    if root in advance.ending and len(advance.state.elements) == 1:
        # Listeners are told of a termination, not of a failure.
        is_told = advance.state.ending is None or advance.state.ending.state is _TERMINATED
        advance.due.append(DueStep(root, Step.CANCEL if is_told else Step.CANCEL_ON, None))
        del advance.ending[root]


_TERMINATED: Final = InstanceState.TERMINATED


def end_process(advance: Advance) -> None:
    """All that a process held when it was ended before its time is gone: now it ends itself."""
    _end(advance, (advance.state.root,))
    ending = advance.state.ending
    if ending is not None:
        advance.emit(
            e.InstanceChanged(
                state=ending.state,
                reason=ending.reason,
                error_code=ending.error_code,
                error_variables=ending.error_variables,
            )
        )


def _over(advance: Advance) -> Iterator[int]:
    """The element instances that are over, but the process's own, by descending keys."""
    known: dict[int, bool] = {}
    for by_scope in by_scope_from_the_last(advance.state):
        found: list[int] = []
        for scope, keys in by_scope.items():
            if scope not in known:
                known[scope] = _is_over_inside(advance, scope)
            found.extend(keys if known[scope] else filter(advance.is_ending, keys))
        yield from sorted(found, reverse=True)


def _is_over_inside(advance: Advance, scope: int) -> bool:
    loop = advance.state.loops.get(scope)
    return (loop is not None and loop.stopped) or advance.is_ending(scope)


def _has_more(advance: Advance, key: int) -> bool:
    element = advance.state.elements.get(key)
    if element is None:
        return False
    if element.scope is None:
        return not _waits_for_listeners(advance, element)
    return element.open > 0 or advance.is_ending(key)


def _waits_for_listeners(advance: Advance, process: s.ElementInstance) -> bool:
    """A process that is over has closed all that it waited for before."""
    waits = (advance.state.waits[key] for key in process.waits)
    return any(
        isinstance(wait, s.JobWait)
        or (isinstance(wait, s.IncidentWait) and wait.step == Step.CANCEL)
        for wait in waits
    )


def find_endings(advance: Advance) -> None:
    """Read off the document what is over and still to be ended."""
    state = advance.state
    for key in terminating(state):
        advance.ending[key] = None
    for key in stopped_loops(state):
        if state.elements[key].open:
            advance.ending[key] = None


def _end_later(advance: Advance, key: int, instance: e.InstanceChanged | None = None) -> None:
    close_waits(advance, key)
    event = e.ElementTerminating(key=key)
    if instance is not None:
        event = e.ElementTerminating(
            key=key,
            state=instance.state,
            reason=instance.reason,
            error_code=instance.error_code,
            error_variables=instance.error_variables,
        )
    advance.emit(event)
    advance.ending[key] = None


def _end(advance: Advance, keys: Iterable[int]) -> None:
    for key in keys:
        close_waits(advance, key)
        advance.emit(e.ElementTerminated(key=key))


def end_instance(
    advance: Advance,
    state: InstanceState,
    *,
    reason: str | None = None,
    error_code: str | None = None,
    error_variables: str = "{}",
) -> None:
    """End the process instance before its time, with all that lives in it."""
    root = advance.state.root
    if advance.is_ending(root):
        return
    changed = e.InstanceChanged(
        state=state, reason=reason, error_code=error_code, error_variables=error_variables
    )
    limit = advance.context.settings.terminations_per_command_max
    is_told = state is _TERMINATED and "cancel" in advance.model.listeners
    if is_told or len(advance.state.elements) > limit:
        _end_later(advance, root, changed)
        return
    terminate(advance, root)
    advance.emit(changed)


def complete_instance(advance: Advance) -> None:
    """The process has nothing left to do."""
    root = advance.state.root
    close_waits(advance, root)
    advance.emit(e.ElementCompleted(key=root))
    advance.emit(e.InstanceChanged(state=InstanceState.COMPLETED))
