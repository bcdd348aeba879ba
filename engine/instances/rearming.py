"""Events that need several things and do not interrupt: after each time they wait for all anew.

    parts m (a message) and t (a cycle of an hour), from 12:00
    13:00 t fires     its next instant, 14:00, is armed ahead: it does not count yet
    13:20 m comes     all have occurred: the event does; m is armed anew, 14:00 counts now
    14:00 t fires, 15:00 t fires again: that is one and the same for this time
    15:10 m comes     the event occurs again

A date or a duration passes once, and a cycle may come to its end: what needs it is then over.
"""

from engine import events as e
from engine.events import AnyEvent
from engine.instances.advance import Advance
from engine.instances.event_subprocesses import start_events
from engine.instances.stuck import StuckError
from engine.instances.triggers import arm
from engine.instances.triggers.condition import holds
from engine.instances.triggers.waiting import Waiter
from engine.model.elements import (
    BoundaryEvent,
    ConditionTrigger,
    StartEvent,
    TimerTrigger,
    needs_all,
    parts_of,
)
from engine.state import IncidentWait, TimerWait, Wait


def rearm_events(advance: Advance, owner: int) -> None:
    """Let what has had all that it needs wait anew. Raises StuckError after doing what it can."""
    failed: StuckError | None = None
    for event in _repeating_events(advance, owner):
        waits = _waits_of(advance, owner, event)
        if any(not isinstance(wait, TimerWait) or not wait.ahead for wait in waits):
            continue  # it waits already
        try:
            armed = _armed_anew(advance, owner, event, waits)
        except StuckError as stuck:
            failed = failed or stuck
            continue
        for each in armed:
            advance.emit(each)
    if failed is not None:
        raise failed


def _repeating_events(advance: Advance, owner: int) -> list[BoundaryEvent | StartEvent]:
    attached = (advance.model.elements[index] for index in advance.attached(owner))
    return [
        event
        for event in (*attached, *start_events(advance, owner))
        if isinstance(event, BoundaryEvent | StartEvent)
        and needs_all(event.trigger)
        and not event.interrupting
    ]


def _waits_of(advance: Advance, owner: int, event: BoundaryEvent | StartEvent) -> list[Wait]:
    waits = (advance.state.waits[key] for key in advance.instance(owner).waits)
    return [
        wait
        for wait in waits
        if not isinstance(wait, IncidentWait) and getattr(wait, "element_id", None) == event.id
    ]


def _armed_anew(
    advance: Advance, owner: int, event: BoundaryEvent | StartEvent, waits: list[Wait]
) -> list[AnyEvent]:
    """What makes the event wait for all its parts; nothing more if one of them is over."""
    timers = [wait for wait in waits if isinstance(wait, TimerWait)]
    parts = parts_of(event.trigger)
    closed: list[AnyEvent] = [e.TimerClosed(key=timer.key) for timer in timers]
    if len(timers) < sum(isinstance(part, TimerTrigger) for part in parts):
        return closed
    armed: list[AnyEvent] = []
    waiter = Waiter(owner, event.id)
    for part in parts:
        if not isinstance(part, TimerTrigger):
            opened = arm(advance, waiter, part)
            armed.extend(opened)
            if isinstance(part, ConditionTrigger):
                armed.extend(_known(advance, part, opened))
    return [*closed, *(_counting(advance, timer) for timer in timers), *armed]


def _counting(advance: Advance, timer: TimerWait) -> e.TimerArmed:
    return e.TimerArmed(
        key=advance.new_key(),
        owner=timer.owner,
        element_id=timer.element_id,
        due_ms=timer.due_ms,
        cycle=timer.cycle,
        repetitions=timer.repetitions,
    )


def _known(
    advance: Advance, trigger: ConditionTrigger, opened: tuple[AnyEvent, ...]
) -> list[AnyEvent]:
    """A condition that holds already has not become true since: it must be false first."""
    return [
        e.ConditionEvaluated(
            scope=each.owner,
            flow_id="",
            expression=trigger.condition.text,
            result=True,
            key=each.key,
        )
        for each in opened
        if isinstance(each, e.SubscriptionOpened) and holds(advance, trigger.condition, each.owner)
    ]
