"""Event definitions become triggers: one reader for each kind, whatever the event's position."""

from collections.abc import Callable
from typing import Final

from engine.model.compensation import read_cancel, read_compensate
from engine.model.elements import (
    ENDINGS,
    PROCESS,
    CompensateTrigger,
    ErrorTrigger,
    MultipleTrigger,
    NoneTrigger,
    TerminateTrigger,
    Text,
    TimerTrigger,
    Trigger,
)
from engine.model.messages import read_message
from engine.model.named_triggers import (
    read_condition,
    read_escalation,
    read_link,
    read_signal,
    report_reference,
)
from engine.model.parse import resolve
from engine.model.reading import Reading
from engine.model.report import quote
from engine.model.source import Node, SourceElement, children
from engine.model.vocabulary import EVENT_DEFINITIONS

_TriggerReader = Callable[[Reading, Node, SourceElement], Trigger | None]

TRIGGERS: Final[dict[str, frozenset[str]]] = {
    "startEvent": frozenset({"none", "message", "timer", "signal", "conditional"}),
    "intermediateCatchEvent": frozenset({"message", "timer", "signal", "conditional", "link"}),
    "intermediateThrowEvent": frozenset(
        {"none", "message", "signal", "escalation", "link", "compensate"}
    ),
    "boundaryEvent": frozenset(
        {"message", "timer", "error", "escalation", "signal", "conditional", "compensate", "cancel"}
    ),
    "endEvent": frozenset(
        {
            "none",
            "error",
            "terminate",
            "message",
            "signal",
            "escalation",
            "compensate",
            "cancel",
        }
    ),
}
"""Position -> the triggers that run there."""

_THROWN: Final = frozenset({"intermediateThrowEvent", "endEvent"})

IN_EVENT_SUB_PROCESS: Final = frozenset(
    {"message", "timer", "error", "escalation", "signal", "conditional", "compensate"}
)
"""Those of the start event of an event sub-process."""

BEHIND_START: Final = frozenset({"message", "timer", "signal", "conditional"})
"""Those of the events behind an event-based gateway that begins a process."""

BEHIND_PARALLEL_START: Final = frozenset({"message"})
"""10.6.6: "If used at the Process start as a Parallel Event Gateway, only message-based triggers
are allowed"."""


def read_trigger(reading: Reading, node: Node) -> Trigger | None:
    """What the event waits for or does. None, and a finding, where it does not run."""
    definitions = [part for part in node.children if part.tag in EVENT_DEFINITIONS]
    if len(definitions) > 1:
        return _read_multiple(reading, node, definitions)
    definition = definitions[0] if definitions else None
    kind = definition.tag.removesuffix("EventDefinition") if definition else "none"
    if kind not in _runs_there(reading, node):
        _report_position(reading, node, definition)
        return None
    return _READERS[kind](reading, node, definition or node)


def _read_multiple(
    reading: Reading, node: Node, definitions: list[SourceElement]
) -> Trigger | None:
    """Several definitions of one event: it waits for any or for all of them, or throws each."""
    parallel = node.is_parallel
    together = TOGETHER_THROWN if node.tag in _THROWN else TOGETHER
    together = TOGETHER_PARALLEL if parallel else together
    if parallel and not _may_be_parallel(reading, node):
        reading.report.error(
            "unsupported-element",
            f"A {node.tag} cannot wait for several events together here: only start and boundary"
            " events can, and catch events that do not begin a process. Draw one event each.",
            node,
        )
        return None
    triggers: list[Trigger] = []
    for definition in definitions:
        kind = definition.tag.removesuffix("EventDefinition")
        if kind not in together & _runs_there(reading, node):
            reading.report.error(
                "unsupported-element",
                f"A {node.tag} with a {definition.tag} beside others is not executed:"
                f" {_WHY_ALONE.get(kind, 'it cannot stand there')}. Draw an event of its own for"
                " it.",
                node,
                definition.line,
            )
        elif (trigger := _READERS[kind](reading, node, definition)) is not None:
            triggers.append(trigger)
    if len(triggers) < len(definitions) or _ends_twice(reading, node, triggers):
        return None
    if node.tag in _THROWN:
        triggers.sort(key=lambda trigger: _LATE.get(type(trigger), 0))
    return MultipleTrigger(triggers=tuple(triggers), parallel=parallel)


def _ends_twice(reading: Reading, node: Node, triggers: list[Trigger]) -> bool:
    """Whether an end event would have to end its scope in several ways."""
    if node.tag != "endEvent" or sum(isinstance(each, ENDINGS) for each in triggers) <= 1:
        return False
    reading.report.error(
        "several-endings",
        "The end event throws several of error, cancel and terminate, but its scope can end in"
        " one way only. Keep one of them.",
        node,
    )
    return True


TOGETHER: Final = frozenset({"message", "timer", "signal", "conditional", "escalation", "error",
                             "cancel", "terminate"})  # fmt: skip
"""What may stand together in one event, where it may stand at all."""

TOGETHER_THROWN: Final = TOGETHER | {"compensate"}
"""The same of events that throw."""

TOGETHER_PARALLEL: Final = frozenset({"message", "timer", "signal", "conditional"})
"""What may have to occur together before the one event does."""

_WHY_ALONE: Final = {
    "compensate": "its handler is no way that others could lead to",
    "error": "it ends what throws it, whether or not the others have occurred",
    "cancel": "it ends its transaction, whether or not the others have occurred",
    "escalation": "it is caught where it is thrown, whether or not the others have occurred",
    "link": "a link is a flow",
}

_LATE: Final[dict[type[Trigger], int]] = {
    CompensateTrigger: 1,
    **dict.fromkeys(ENDINGS, 2),
}
"""What is thrown after the others: compensation, and last what ends the scope."""


def _may_be_parallel(reading: Reading, node: Node) -> bool:
    if node.tag == "intermediateCatchEvent":
        return reading.process.gateway_before(node) is None
    return node.tag in ("startEvent", "boundaryEvent")


def _runs_there(reading: Reading, node: Node) -> frozenset[str]:
    """The triggers that run where the event stands."""
    nodes = reading.process.nodes
    if node.tag == "startEvent" and node.scope != PROCESS and nodes[node.scope].by_event:
        return IN_EVENT_SUB_PROCESS
    gateway = reading.process.gateway_before(node)
    if gateway is not None:
        return BEHIND_PARALLEL_START if gateway.is_parallel else BEHIND_START
    return TRIGGERS[node.tag]


def _report_position(reading: Reading, node: Node, definition: SourceElement | None) -> None:
    if definition is None:
        reading.report.error(
            "event-definition-missing",
            f"The {node.tag} says nothing about what it waits for. Give it a timer or a message.",
            node,
        )
        return
    reading.report.error(
        "unsupported-element",
        f"A {node.tag} with a {definition.tag} is not executed by this engine. Draw it with"
        f" one of: {', '.join(sorted(_runs_there(reading, node)))}.",
        node,
        definition.line,
    )


def _read_none(_reading: Reading, _node: Node, _definition: SourceElement) -> Trigger:
    return NoneTrigger()


def _read_terminate(_reading: Reading, _node: Node, _definition: SourceElement) -> Trigger:
    return TerminateTrigger()


def _read_error(reading: Reading, node: Node, definition: SourceElement) -> Trigger | None:
    extensions = reading.dialect.extensions(definition, reading.report)
    names = {
        "code_variable": extensions.code_variable,
        "message_variable": extensions.message_variable,
    }
    reference = (definition.xml.get("errorRef") or "").strip()
    if not reference and node.tag != "endEvent":
        return ErrorTrigger(**names)  # catches every error
    error = resolve(reading.catalogue.errors, reference) if reference else None
    if error is None and reference and reading.dialect.loose_references:
        reading.report.warning(
            "error-implied",
            f"There is no error with the id {quote(reference)}: it is taken for the code itself."
            " Define the error, so that what throws and what catches it cannot differ.",
            node,
            definition.line,
        )
        return ErrorTrigger(code=reference, **names)
    if error is None:
        report_reference(reading, node, definition, reference, "error")
        return None
    code = _error_code(reading, error)
    if code is None:
        return None
    said = reading.dialect.extensions(error, reading.report).error_message
    message = reading.formulas.text(said, error, "error message")
    return ErrorTrigger(code=code, **names, message=message)


def _error_code(reading: Reading, error: SourceElement) -> Text | None:
    codes = reading.shared.error_codes
    if error.id in codes:
        return codes[error.id]
    formula = reading.dialect.formula(error.xml.get("errorCode") or "", error.line)
    codes[error.id] = reading.formulas.text(formula, error, "error code")
    if not formula.text:
        reading.report.error(
            "error-code-missing",
            f"The error {quote(error.name or error.id)} has no errorCode. Give it one; a boundary"
            " event that shall catch every error refers to none.",
            error,
        )
    return codes[error.id]


_TIMER_FIELDS: Final = {"timeDate": "date", "timeDuration": "duration", "timeCycle": "cycle"}


def _read_timer(reading: Reading, node: Node, definition: SourceElement) -> Trigger | None:
    parts = [part for part in children(definition.xml) if part.tag in _TIMER_FIELDS]
    if len(parts) != 1:
        said = f"has {len(parts)} definitions" if parts else "does not say when"
        reading.report.error(
            "timer-definition",
            f"The timer {said}. Give it exactly one definition: a date, a duration or a cycle.",
            node,
            definition.line,
        )
        return None
    part = parts[0]
    field = _TIMER_FIELDS[part.tag]
    formula = reading.dialect.formula("".join(part.xml.itertext()), part.line)
    if not formula.text:
        reading.report.error(
            "timer-definition", f"The timer's {field} is empty. Fill it in.", node, part.line
        )
        return None
    text = reading.formulas.text(formula, node, f"timer {field}")
    return None if text is None else TimerTrigger(**{field: text})


_READERS: Final[dict[str, _TriggerReader]] = {
    "compensate": read_compensate,
    "cancel": read_cancel,
    "none": _read_none,
    "message": read_message,
    "timer": _read_timer,
    "error": _read_error,
    "escalation": read_escalation,
    "signal": read_signal,
    "conditional": read_condition,
    "link": read_link,
    "terminate": _read_terminate,
}
