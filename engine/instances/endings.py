"""How things end: what an element instance owns, element instances with all inside them, instances.

Everything that waits is closed in the transition that leaves its owner, so nothing can wake it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from engine import events as e
from engine import state as s
from engine.instances import task_changes
from engine.instances.advance import Advance, DueStep
from engine.instances.scans import (
    by_scope_from_the_last,
    count_inside,
    inside,
    stopped_loops,
    terminating,
    with_inner,
)
from engine.lifecycle import ElementState, InstanceState, Step

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
    s.HoldWait: lambda hold: e.HoldClosed(key=hold.key),
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


def terminate_beside(advance: Advance, iteration: int) -> None:
    """End all other iterations of a loop."""
    state = advance.state
    loop = advance.instance(iteration).scope or state.root
    kept = dict.fromkeys(with_inner(state, iteration))
    inner = [key for key in with_inner(state, loop)[1:] if key not in kept]
    if len(inner) <= advance.context.settings.terminations_per_command_max:
        _end(advance, reversed(inner))
        return
    for key in inside(state, loop):
        if key != iteration and not advance.is_ending(key):
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
    hears = advance.model.hears_cancellations
    over = (key for key in _over(advance) if not (hears and _is_waiting(advance, key)))
    found = list(islice(over, limit))
    _end(advance, found)
    is_all = hears and len(found) < limit
    left = () if is_all else advance.ending
    advance.ending = {key: None for key in left if _has_more(advance, key)}
    _end_process_at_last(advance)


def _end_process_at_last(advance: Advance) -> None:
    """All inside a process that is over is gone: its listeners are told, but of no failure."""
    root, ending = advance.state.root, advance.state.ending
    if ending is None or len(advance.state.elements) != 1 or _waits_for_listeners(advance):
        return
    is_told = ending.state is InstanceState.TERMINATED
    advance.due.append(DueStep(root, Step.CANCEL if is_told else Step.CANCEL_ON, None))
    advance.ending.pop(root, None)


def end_process(advance: Advance) -> None:
    """Nothing keeps a process any more that is ended before its time."""
    root = advance.state.root
    close_waits(advance, root)
    advance.emit(e.ElementTerminated(key=root))
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
        return not _waits_for_listeners(advance)
    return element.open > 0 or advance.is_ending(key)


def _waits_for_listeners(advance: Advance) -> bool:
    """Whether a process that is over does: all that it waited for before is closed."""
    root = advance.instance(advance.state.root)
    waits = (advance.state.waits[key] for key in root.waits)
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
    if instance is None and advance.model.hears_cancellations and _stays(advance, key):
        advance.ending[key] = None
        return
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
    if advance.model.hears_cancellations:
        for key in keys:
            _end_unless_it_stays(advance, key)
        return
    for key in keys:
        close_waits(advance, key)
        advance.emit(e.ElementTerminated(key=key))


# --- what listeners at its end still hold ---


def _end_unless_it_stays(advance: Advance, key: int) -> None:
    """And with it what is around it, where that only waited for this; the process comes last."""
    here: int | None = key
    while here is not None and here in advance.state.elements and not _stays(advance, here):
        scope = advance.instance(here).scope
        close_waits(advance, here)
        advance.emit(e.ElementTerminated(key=here))
        around = None if scope is None else advance.instance(scope)
        is_next = around is not None and around.state is ElementState.TERMINATING
        here = scope if is_next and scope != advance.state.root else None


def _stays(advance: Advance, key: int) -> bool:
    """Whether an element instance that is over cannot go yet: a user task with listeners at that,
    which are asked now or were, or what is around one. It is only marked.
    """
    if _is_waiting(advance, key):
        return True
    task = task_changes.listened(advance, key, "canceling")
    if task is None and not count_inside(advance.state, key):
        return False
    if advance.instance(key).state is ElementState.TERMINATING:
        return False
    for number in advance.instance(key).waits:
        wait = advance.state.waits[number]
        if wait is not task:
            advance.emit(CLOSED[type(wait)](wait))
    advance.emit(e.ElementTerminating(key=key))
    if task is not None:
        task_changes.cancel(advance, task)
    return True


def _is_waiting(advance: Advance, key: int) -> bool:
    """Whether it is marked already, and what it waits for is still to come."""
    if advance.instance(key).state is not ElementState.TERMINATING:
        return False
    return count_inside(advance.state, key) > 0 or advance.is_canceling(key)


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
    is_told = advance.model.hears_cancellations or "cancel" in advance.model.listeners
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
