"""Whether what events wait for makes sense where they are: timers that can be due, no ambiguity."""

from collections.abc import Iterable
from typing import Final

from engine.expressions import Expression
from engine.model.elements import (
    PROCESS,
    AnyElement,
    BoundaryEvent,
    ErrorTrigger,
    IntermediateCatchEvent,
    MessageTrigger,
    ReceiveTask,
    StartEvent,
    TimerTrigger,
    Trigger,
)
from engine.model.report import Report, quote
from engine.model.source import Node, ProcessSource

Elements = dict[int, AnyElement]


def check_triggers(process: ProcessSource, elements: Elements, report: Report) -> None:
    """Report timers and catches that could not do what is drawn."""
    for node in process.nodes:
        element = elements.get(node.index)
        trigger = _trigger(element)
        if element is not None and isinstance(trigger, TimerTrigger):
            _check_timer(element, trigger, node, report)
    for where, nodes in _alternatives(process):
        _check_alternatives(where, nodes, elements, report)


def _check_timer(element: AnyElement, timer: TimerTrigger, node: Node, report: Report) -> None:
    repeats = isinstance(element, StartEvent) or (
        isinstance(element, BoundaryEvent) and not element.interrupting
    )
    if timer.cycle is not None and not repeats:
        report.error(
            "timer-cycle",
            "A cycle repeats, but this event happens once. Give the timer a date or a duration.",
            node,
        )
    expression = timer.date or timer.duration or timer.cycle
    if (
        isinstance(expression, Expression)
        and isinstance(element, StartEvent)
        and element.scope == PROCESS
        and expression.names
    ):
        report.error(
            "start-needs-constant",
            f"The timer that starts the process uses {quote(', '.join(expression.names))}, but"
            " nothing has a variable yet. Write it without variables.",
            node,
        )


def _alternatives(process: ProcessSource) -> Iterable[tuple[str, list[Node]]]:
    """The groups of nodes of which one message or error must choose one, and what they share."""
    yield "start events of the process", process.start_events(PROCESS)
    for node in process.nodes:
        if node.boundary:
            yield (
                f"boundary events of {quote(node.id)}",
                [process.nodes[index] for index in node.boundary],
            )
        if node.tag == "eventBasedGateway":
            targets = [process.flows[index].target for index in node.outgoing]
            yield (
                f"elements behind {quote(node.id)}",
                [process.nodes[index] for index in targets if index is not None],
            )


def _check_alternatives(where: str, nodes: list[Node], elements: Elements, report: Report) -> None:
    first: dict[tuple[str, str | None], Node] = {}
    for node in nodes:
        wanted = _wanted(_trigger(elements.get(node.index)))
        if wanted is None:
            continue
        kind, name = wanted
        other = first.setdefault(wanted, node)
        if other is not node:
            report.error(
                f"duplicate-{kind}",
                f"Two {where} wait for the same {kind}"
                f"{'' if name is None else ' ' + quote(name)}, {quote(other.id)} and"
                f" {quote(node.id)}. Keep one of them.",
                node,
            )


def _wanted(trigger: Trigger | None) -> tuple[str, str | None] | None:
    """What would have to choose, where that is known before run time."""
    if isinstance(trigger, MessageTrigger) and isinstance(trigger.name, str):
        return "message", trigger.name
    if isinstance(trigger, ErrorTrigger) and not isinstance(trigger.code, Expression):
        return "error", trigger.code
    return None


_WAITING: Final = (StartEvent, IntermediateCatchEvent, BoundaryEvent, ReceiveTask)


def _trigger(element: AnyElement | None) -> Trigger | None:
    return element.trigger if isinstance(element, _WAITING) else None
