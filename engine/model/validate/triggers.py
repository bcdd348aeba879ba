"""Whether what events wait for makes sense where they are: readable times, no ambiguity."""

import re
from collections.abc import Callable, Iterable
from typing import Final

from engine.expressions import Environment, EvaluationError, Expression, schedule
from engine.expressions.schedule import ScheduleError
from engine.model.elements import (
    PROCESS,
    AnyElement,
    BoundaryEvent,
    ErrorTrigger,
    EscalationTrigger,
    IntermediateCatchEvent,
    MessageTrigger,
    NoneTrigger,
    ReceiveTask,
    StartEvent,
    TimerTrigger,
    Trigger,
    UserTask,
    parts_of,
)
from engine.model.report import Report, quote
from engine.model.source import Node, ProcessSource
from engine.values import Value

Elements = dict[int, AnyElement]


def check_triggers(process: ProcessSource, elements: Elements, report: Report) -> None:
    """Report timers, dates and catches that could not do what is drawn."""
    for node in process.nodes:
        element = elements.get(node.index)
        for trigger in parts_of(_trigger(element) or NoneTrigger()):
            if element is not None and isinstance(trigger, TimerTrigger):
                _check_timer(process, element, trigger, report)
        if isinstance(element, UserTask):
            _check_task(element, node, report)
    for where, nodes in _alternatives(process):
        _check_alternatives(where, nodes, elements, report)


def _check_timer(
    process: ProcessSource, element: AnyElement, timer: TimerTrigger, report: Report
) -> None:
    node, quartz = process.nodes[element.index], process.quartz
    begins = process.begins_at(node)
    repeats = begins or (
        isinstance(element, BoundaryEvent | StartEvent) and not element.interrupting
    )
    if timer.cycle is not None and not repeats:
        report.warning(
            "timer-cycle",
            "A cycle repeats, but this event happens once, at the first time of its cycle. Give the"
            " timer a date or a duration, or let the event not interrupt.",
            node,
        )
    for kind, text in (("date", timer.date), ("duration", timer.duration), ("cycle", timer.cycle)):
        if isinstance(text, str):
            _check_schedule(kind, text, node, report, quartz=quartz)
        elif text is not None and begins:
            _check_constant(kind, text, node, report, quartz=quartz)


def _check_task(task: UserTask, node: Node, report: Report) -> None:
    for what, text in (("due date", task.due_date), ("follow-up date", task.follow_up_date)):
        if isinstance(text, str):
            try:
                schedule.parse_due(text, 0, _ANY_ZONE)
            except ScheduleError as error:
                report.error("bad-task-date", f"{error} Put right the task's {what}.", node)
    if isinstance(task.priority, str) and not _INTEGER.fullmatch(task.priority):
        report.error(
            "bad-task-priority",
            f"The priority {quote(task.priority)} is no whole number. Write one, or an expression"
            " that begins with '='.",
            node,
        )


def _check_schedule(kind: str, value: Value, node: Node, report: Report, *, quartz: bool) -> None:
    """Only whether it can be read: when it is due depends on when it is armed."""
    try:
        _SCHEDULES[kind](value, quartz)
    except ScheduleError as error:
        report.error(
            f"bad-timer-{kind}", f"{error} Put right the timer's {kind} in the model.", node
        )


def _check_constant(
    kind: str, expression: Expression, node: Node, report: Report, *, quartz: bool
) -> None:
    """Nothing has a variable when a deployment arms the timer that starts a process."""
    if expression.names:
        report.error(
            "start-needs-constant",
            f"The timer that starts the process uses {quote(', '.join(expression.names))}, but"
            " nothing has a variable yet. Write it without variables.",
            node,
        )
        return
    try:
        value = expression.evaluate(Environment())
    except EvaluationError as error:
        report.error(f"bad-timer-{kind}", f"{error} Put right the timer's {kind}.", node)
    else:
        _check_schedule(kind, value, node, report, quartz=quartz)


_INTEGER: Final = re.compile(r"-?\d{1,9}", re.ASCII)
_ANY_ZONE: Final = "UTC"
_SCHEDULES: Final[dict[str, Callable[[Value, bool], object]]] = {
    "date": lambda value, _quartz: schedule.parse_date_time(value, _ANY_ZONE),
    "duration": lambda value, _quartz: schedule.parse_duration(value),
    "cycle": lambda value, quartz: schedule.parse_cycle(value, _ANY_ZONE, quartz=quartz),
}


def _alternatives(process: ProcessSource) -> Iterable[tuple[str, list[Node]]]:
    """The groups of nodes of which one message or error must choose one, and what they share."""
    yield "beginnings of the process", process.beginnings()
    for scope, where in [(PROCESS, process.id), *((n.index, n.id) for n in process.nodes)]:
        starts = [process.nodes[index] for index in process.event_starts(scope)]
        if len(starts) > 1:
            yield f"event sub-processes of {quote(where)}", starts
    for node in process.nodes:
        if node.boundary:
            yield (
                f"boundary events of {quote(node.id)}",
                [process.nodes[index] for index in node.boundary],
            )
        if node.tag == "eventBasedGateway" and not node.instantiates:
            targets = [process.flows[index].target for index in node.outgoing]
            yield (
                f"elements behind {quote(node.id)}",
                [process.nodes[index] for index in targets if index is not None],
            )


def _check_alternatives(where: str, nodes: list[Node], elements: Elements, report: Report) -> None:
    first: dict[tuple[str, str | None], Node] = {}
    for node in nodes:
        trigger = _trigger(elements.get(node.index))
        for part in () if trigger is None else parts_of(trigger):
            wanted = _wanted(part)
            if wanted is None or (other := first.setdefault(wanted, node)) is node:
                continue
            kind, name = wanted
            report.error(
                f"duplicate-{kind}",
                f"Two {where} wait for the same {kind}"
                f"{'' if name is None else ' ' + quote(name)}, {quote(other.id)} and"
                f" {quote(node.id)}. Keep one of them.",
                node,
            )


def _wanted(trigger: Trigger) -> tuple[str, str | None] | None:
    """What would have to choose, where that is known before run time."""
    if isinstance(trigger, MessageTrigger) and isinstance(trigger.name, str):
        return "message", trigger.name
    if isinstance(trigger, ErrorTrigger) and not isinstance(trigger.code, Expression):
        return "error", trigger.code
    if isinstance(trigger, EscalationTrigger) and not isinstance(trigger.code, Expression):
        return "escalation", trigger.code
    return None


_WAITING: Final = (StartEvent, IntermediateCatchEvent, BoundaryEvent, ReceiveTask)


def _trigger(element: AnyElement | None) -> Trigger | None:
    return element.trigger if isinstance(element, _WAITING) else None
