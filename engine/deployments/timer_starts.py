"""Timer start events: armed for the latest version of a process, replaced with it.

Due times are computed when a start is armed and when it fires, from the schedule and not from the
moment at which it fired; occurrences that were missed collapse into one.
"""

from typing import Final

from msgspec.structs import replace

from engine import commands as c
from engine.aggregates import DeploymentsState, TimerStart
from engine.expressions import Environment, EvaluationError, schedule
from engine.ids import id_for_position
from engine.model.elements import ProcessModel, Text, TimerTrigger, parts_of, trigger_of
from engine.outcome import Context, Outcome, Send, TimerChange
from engine.routing import DEPLOYMENTS
from engine.values import Value


def replace_starts(
    context: Context, state: DeploymentsState, models: list[ProcessModel]
) -> tuple[DeploymentsState, tuple[TimerChange, ...]]:
    """Arm the timer starts of new versions, and take those of the older ones away."""
    replaced = {model.process_id: model for model in models}
    kept = [start for start in state.timer_starts if start.process_id not in replaced]
    ended = [start for start in state.timer_starts if start.process_id in replaced]
    armed = _armed(context, state, models)
    timers = [
        TimerChange(address=DEPLOYMENTS, timer=start.timer, due_ms=None) for start in ended
    ] + [
        TimerChange(address=DEPLOYMENTS, timer=start.timer, due_ms=start.due_ms) for start in armed
    ]
    return replace(state, timer_starts=(*kept, *armed)), tuple(timers)


def _armed(
    context: Context, state: DeploymentsState, models: list[ProcessModel]
) -> list[TimerStart]:
    """Numbers begin behind the deployment's own, which is that of its wait for the partitions."""
    armed: list[TimerStart] = []
    number = context.offset << 16
    for model in models:
        version = state.versions[model.process_id][-1].version
        for index in model.timer_starts:
            element = model.elements[index]
            joint = index in model.joint_starts
            for part, trigger in enumerate(parts_of(trigger_of(element))):
                start = None
                if isinstance(trigger, TimerTrigger):
                    start = _arm(context, model, (element.id, trigger), version)
                if start is not None:
                    number += 1
                    armed.append(replace(start, timer=number, part=part, joint=joint))
    return armed


def _arm(
    context: Context, model: ProcessModel, event: tuple[str, TimerTrigger], version: int
) -> TimerStart | None:
    """The start with its first occurrence. None: its schedule has none from now on."""
    element_id, trigger = event
    zone, now = context.settings.zone, context.now
    cycle: str | None = None
    repetitions: int | None = None
    due: int | None
    try:
        if trigger.date is not None:
            due = schedule.parse_date_time(_value(context, trigger.date), zone)
        elif trigger.duration is not None:
            length = schedule.parse_duration(_value(context, trigger.duration))
            due = schedule.add_duration(now, length, zone)
        else:
            text = _value(context, trigger.cycle or "")
            recurrence = schedule.parse_cycle(text, zone, quartz=model.quartz)
            due = schedule.first_due(recurrence, now, zone)
            cycle = _with_year(text, quartz=model.quartz) if isinstance(text, str) else None
            if isinstance(recurrence, schedule.Cycle):
                repetitions = recurrence.repetitions
    except EvaluationError:
        return None  # checked at compilation: what is left is an instant beyond the calendar
    if due is None:
        return None
    return TimerStart(
        timer=0,
        process_id=model.process_id,
        version=version,
        element_id=element_id,
        due_ms=due,
        cycle=cycle,
        repetitions=repetitions,
    )


def _with_year(text: str, *, quartz: bool) -> str:
    """A cron expression of Quartz with its seventh field: by that it is known later."""
    return f"{text} *" if quartz and len(text.split()) == _FIELDS_WITHOUT_YEAR else text


_FIELDS_WITHOUT_YEAR: Final = 6


def _value(context: Context, source: Text) -> Value:
    """Nothing has a variable yet: only the time is known."""
    if isinstance(source, str):
        return source
    settings = context.settings
    return source.evaluate(
        Environment(now_ms=context.now, zone=settings.zone, steps_max=settings.expression_steps_max)
    )


def fire_start(context: Context, state: DeploymentsState, start: TimerStart) -> Outcome:
    """Start an instance, named by this position, and arm the next occurrence if there is one."""
    version = next(
        known for known in state.versions[start.process_id] if known.version == start.version
    )
    command = c.StartByTimer(
        instance_id=id_for_position(
            context.namespace, context.partition, context.offset, context.step, 0
        ),
        process_id=start.process_id,
        version=start.version,
        start_element=start.element_id,
        checksum=version.checksum,
        semantics=version.semantics,
        part=start.part,
        due_ms=start.due_ms,
        conversation="" if start.joint else None,
    )
    again = _following(context, start)
    kept = [
        again if known is start else known
        for known in state.timer_starts
        if known is not start or again is not None
    ]
    timer = TimerChange(
        address=DEPLOYMENTS, timer=start.timer, due_ms=None if again is None else again.due_ms
    )
    return Outcome(
        state=replace(state, timer_starts=tuple(known for known in kept if known is not None)),
        sends=(Send(command=command),),
        timers=(timer,),
    )


def _following(context: Context, start: TimerStart) -> TimerStart | None:
    """The start as it is armed next. `R3` fires three times: `repetitions` counts this one, too."""
    if start.cycle is None or start.repetitions == 1:
        return None
    zone = context.settings.zone
    try:
        quartz = len(start.cycle.split()) > _FIELDS_WITHOUT_YEAR
        recurrence = schedule.parse_cycle(start.cycle, zone, quartz=quartz)
        due = schedule.next_due(recurrence, start.due_ms, context.now, zone)
    except EvaluationError:
        return None  # beyond the calendar: the cycle has come to its end
    if due is None:
        return None
    left = None if start.repetitions is None else start.repetitions - 1
    return replace(start, due_ms=due, repetitions=left)
