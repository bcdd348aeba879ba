"""Timers: an absolute instant, computed once when armed; cycles go on from their own schedule."""

from engine import events as e
from engine.expressions import EvaluationError, schedule
from engine.instances.advance import Advance
from engine.instances.stuck import IncidentKind, StuckError
from engine.instances.triggers.waiting import Waiter
from engine.model.elements import NoneTrigger, Text, TimerTrigger, needs_all
from engine.state import TimerWait
from engine.values import Value


def arm(advance: Advance, waiter: Waiter, trigger: TimerTrigger) -> e.AnyEvent:
    """The armed timer. Past, zero and negative are due at once. Raises StuckError.

    Only a non-interrupting event can fire again: elsewhere a cycle gives its first instant.
    """
    zone, now = advance.context.settings.zone, advance.context.now
    cycle: str | None = None
    repetitions: int | None = None
    try:
        if trigger.date is not None:
            due = schedule.parse_date_time(_value(advance, waiter, trigger.date), zone)
        elif trigger.duration is not None:
            length = schedule.parse_duration(_value(advance, waiter, trigger.duration))
            due = schedule.add_duration(now, length, zone)
        else:
            text = _value(advance, waiter, trigger.cycle or "")
            recurrence = schedule.parse_cycle(text, zone, quartz=advance.model.quartz)
            due = _first_due(recurrence, now, zone)
            if not waiter.interrupting and isinstance(text, str):
                cycle = text
                if isinstance(recurrence, schedule.Cycle):
                    repetitions = recurrence.repetitions
    except EvaluationError as error:
        raise StuckError(
            IncidentKind.EXPRESSION_FAILED,
            f"The timer of {waiter.element_id} cannot be set: {error.message}"
            + advance.evaluator.origin(trigger.date or trigger.duration or trigger.cycle),
        ) from None
    return e.TimerArmed(
        key=advance.new_key(),
        owner=waiter.owner,
        element_id=waiter.element_id,
        due_ms=due,
        cycle=cycle,
        repetitions=repetitions,
    )


def _value(advance: Advance, waiter: Waiter, source: Text) -> Value:
    if isinstance(source, str):
        return source
    return advance.evaluator.evaluate(source, waiter.owner, waiter.locals)


def _first_due(recurrence: schedule.Recurrence, now: int, zone: str) -> int:
    due = schedule.first_due(recurrence, now, zone)
    if due is None:
        raise schedule.ScheduleError("the cycle has no instant from now on")
    return due


def arm_again(advance: Advance, timer: TimerWait) -> e.TimerArmed | None:
    """The next occurrence of a timer that has just fired, if its cycle has one.

    `R3` fires three times: `repetitions` counts the firings that are left, this one included.
    Instants that passed while nobody could fire them are one firing. What fires for an event that
    needs other things, too, has fired for it once, however often it does until they have occurred.
    """
    if timer.cycle is None or timer.repetitions == 1:
        return None
    zone, now = advance.context.settings.zone, advance.context.now
    try:
        recurrence = schedule.parse_cycle(timer.cycle, zone, quartz=advance.model.quartz)
        due = schedule.next_due(recurrence, timer.due_ms, now, zone)
    except EvaluationError:
        return None  # beyond the calendar: the cycle has come to its end
    if due is None:
        return None
    return e.TimerArmed(
        key=advance.new_key(),
        owner=timer.owner,
        element_id=timer.element_id,
        due_ms=due,
        cycle=timer.cycle,
        repetitions=None if timer.repetitions is None else timer.repetitions - 1,
        ahead=needs_all(getattr(advance.model.element(timer.element_id), "trigger", NoneTrigger())),
    )
