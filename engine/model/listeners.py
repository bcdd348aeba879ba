"""Listeners: which events of its life an element has, and the jobs at them.

What Camunda 8 allows: the documentation of its execution listeners, under "Limitations".
"""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from msgspec.structs import replace

from engine.model.elements import JobDefinition
from engine.model.extensions import Extensions, JobSource
from engine.model.jobs import read_job
from engine.model.reading import Reading
from engine.model.report import quote
from engine.model.source import Node, ProcessSource
from engine.model.vocabulary import EXECUTION_EVENTS


def read_listeners(
    reading: Reading, node: Node | ProcessSource, extensions: Extensions
) -> dict[str, tuple[JobDefinition, ...]]:
    """The jobs at events of the life of an element or a process, by the event.

    They get the headers of the element and their own.
    """
    listeners: dict[str, tuple[JobDefinition, ...]] = {}
    if not extensions.listeners:
        return listeners
    for event, source in _allowed(reading, node, extensions):
        if source.type is None:
            _report_untyped(reading, node, event)
            continue
        with_headers = {**extensions.headers, **source.headers}
        job = read_job(reading, node, replace(extensions, job=source, headers=with_headers))
        if job is not None:
            listeners[event] = (*listeners.get(event, ()), job)
    return listeners


def _report_untyped(reading: Reading, node: Node | ProcessSource, event: str) -> None:
    kind = "execution" if event in EXECUTION_EVENTS else "task"
    reading.report.error(
        "job-type-missing",
        f"The {kind} listener at {quote(event)} of this {node.tag} has no type, so no worker can do"
        " it. Give it the attribute `type`.",
        node,
    )


def _allowed(
    reading: Reading, node: Node | ProcessSource, extensions: Extensions
) -> Iterator[tuple[str, JobSource]]:
    seen: dict[tuple[str, str], None] = {}
    for event, source in extensions.listeners:
        line = source.type.line if source.type is not None else node.line
        mark = event, source.type.text if source.type is not None else ""
        advice = _refusal(reading.process, node, event)
        if advice is not None:
            reading.report.error(
                "unsupported-extension",
                f"A listener at {quote(event)} of this {node.tag} is not executed. {advice}",
                node,
                line,
            )
        elif event in EXECUTION_EVENTS and mark[1] and mark in seen:
            reading.report.error(
                "duplicate-extension",
                f"There is more than one listener of the type {quote(mark[1])} at {quote(event)}."
                " Keep one of them.",
                node,
                line,
            )
        else:
            if event == "start" and _begins_by_an_event(reading.process, node):
                reading.report.warning(
                    "no-effect",
                    f"What the {node.tag} waits for has occurred when it begins, so a listener at"
                    " 'start' is never called. Put it on what comes before.",
                    node,
                    line,
                )
            yield event, source
        seen[mark] = None


def _refusal(process: ProcessSource, node: Node | ProcessSource, event: str) -> str | None:
    """What to do instead, where the element has no such event; None: it has."""
    if isinstance(node, ProcessSource):
        return _process_refusal(node, event)
    for row in _REFUSED:
        if event in row.events and row.applies(node):
            return row.advice
    return None


def _process_refusal(process: ProcessSource, event: str) -> str | None:
    """Listeners come before one event, which then goes on; not before several, or what waits."""
    if event == "beforeAll":
        return _ONLY_LOOPS
    by_more = (
        node for node in process.beginnings() if node.tag != "startEvent" or node.is_parallel
    )
    node = next(by_more, None)
    if node is None or event != "start":
        return None
    return (
        f"The process begins at {quote(node.id)} by more than one start event: draw a task there."
    )


class _Refused(NamedTuple):
    """Where there are no listeners at these events, and what to do instead."""

    events: tuple[str, ...]
    applies: Callable[[Node], bool]
    advice: str


def _has(node: Node, part: str) -> bool:
    return any(child.tag == part for child in node.children)


_GATEWAYS: Final = frozenset(
    {
        "exclusiveGateway", "inclusiveGateway", "parallelGateway", "complexGateway",
        "eventBasedGateway",
    }
)  # fmt: skip
_ONLY_LOOPS: Final = "Only a multi-instance activity has it: use 'start'."
_REFUSED: Final = (
    _Refused(
        ("start", "end"),
        lambda node: node.tag == "boundaryEvent" and _has(node, "compensateEventDefinition"),
        "Put it on the activity that compensates.",
    ),
    _Refused(
        ("start",),
        lambda node: node.tag == "boundaryEvent",
        "Put it at the start of the activity that the event is attached to.",
    ),
    _Refused(
        ("start",),
        lambda node: node.tag == "startEvent",
        "Put it at the start of the process or sub-process that the event begins.",
    ),
    _Refused(
        ("start",),
        lambda node: node.tag == "eventBasedGateway" and node.instantiates,
        "Instances begin behind the gateway: put it at the end of the events there.",
    ),
    _Refused(
        ("end",),
        lambda node: node.tag in _GATEWAYS,
        "Put it at the start of what follows.",
    ),
    _Refused(
        ("end",),
        lambda node: node.tag == "endEvent" and _has(node, "errorEventDefinition"),
        "Put it on the event that catches the error.",
    ),
    _Refused(
        ("cancel",),
        lambda _node: True,
        "Only a process has it: draw an event that interrupts the element.",
    ),
    _Refused(
        ("beforeAll",), lambda node: not _has(node, "multiInstanceLoopCharacteristics"), _ONLY_LOOPS
    ),
)


def _begins_by_an_event(process: ProcessSource, node: Node | ProcessSource) -> bool:
    return isinstance(node, Node) and process.waits_elsewhere(node)
