"""Event definitions become triggers: one reader for each kind, whatever the event's position."""

from collections.abc import Callable
from typing import Final

from engine.expressions import Environment, EvaluationError, Expression
from engine.model.elements import (
    ErrorTrigger,
    MessageTrigger,
    NoneTrigger,
    TerminateTrigger,
    Text,
    TimerTrigger,
    Trigger,
)
from engine.model.parse import resolve
from engine.model.reading import Reading
from engine.model.report import quote
from engine.model.source import Node, SourceElement, children
from engine.model.vocabulary import EVENT_DEFINITIONS
from engine.values import Value

_TriggerReader = Callable[[Reading, Node, SourceElement], Trigger | None]

TRIGGERS: Final[dict[str, frozenset[str]]] = {
    "startEvent": frozenset({"none", "message", "timer"}),
    "intermediateCatchEvent": frozenset({"message", "timer"}),
    "intermediateThrowEvent": frozenset({"none"}),
    "boundaryEvent": frozenset({"message", "timer", "error"}),
    "endEvent": frozenset({"none", "error", "terminate"}),
}
"""Position -> the triggers that run there."""


def read_trigger(reading: Reading, node: Node) -> Trigger | None:
    """What the event waits for or does. None, and a finding, where it does not run."""
    definitions = [part for part in node.children if part.tag in EVENT_DEFINITIONS]
    if len(definitions) > 1:
        reading.report.error(
            "unsupported-element",
            f"A {node.tag} with several event definitions is not executed. Draw one event for"
            " each of them.",
            node,
        )
        return None
    definition = definitions[0] if definitions else None
    kind = definition.tag.removesuffix("EventDefinition") if definition else "none"
    if kind not in TRIGGERS[node.tag]:
        _report_position(reading, node, definition)
        return None
    return _READERS[kind](reading, node, definition or node)


def read_message(reading: Reading, node: Node, owner: SourceElement) -> MessageTrigger | None:
    """The message that `owner` (an event definition or a receive task) refers to."""
    reference = (owner.xml.get("messageRef") or "").strip()
    message = resolve(reading.catalogue.messages, reference) if reference else None
    if message is None:
        reading.report.error(
            "dangling-reference" if reference else "message-missing",
            f"The {node.tag} refers to no message"
            + (f": there is none with the id {quote(reference)}" if reference else "")
            + ". Choose a message for it.",
            node,
            owner.line,
        )
        return None
    name = _message_name(reading, message)
    if node.tag == "startEvent":
        constant = _start_name(reading, name, message)
        return None if constant is None else MessageTrigger(name=constant)
    key = _correlation_key(reading, message)
    if name is None or key is None:
        return None
    return MessageTrigger(name=name, correlation_key=key)


def _message_name(reading: Reading, message: SourceElement) -> Text | None:
    names = reading.shared.message_names
    if message.id in names:
        return names[message.id]
    implied = message.id if reading.dialect.implied_names else ""
    formula = reading.dialect.formula(message.name or implied, message.line)
    names[message.id] = reading.formulas.text(formula, message, "message name")
    if not formula.text:
        reading.report.error(
            "message-name-missing", "The message has no name. Give it one.", message
        )
    return names[message.id]


def _correlation_key(reading: Reading, message: SourceElement) -> Expression | None:
    keys = reading.shared.correlation_keys
    if message.id in keys:
        return keys[message.id]
    formula = reading.dialect.extensions(message, reading.report).correlation_key
    if formula is None:
        reading.report.error(
            "correlation-key-missing",
            f"The message {quote(message.name or message.id)} is waited for, but has no"
            " correlation key. Give it one, for example '=orderId'.",
            message,
        )
        keys[message.id] = None
    else:
        keys[message.id] = reading.formulas.expression(formula, message, "correlation key")
    return keys[message.id]


def _start_name(reading: Reading, name: Text | None, message: SourceElement) -> str | None:
    """Nothing has a variable yet when a start event subscribes: its name must stand alone."""
    if name is None or isinstance(name, str):
        return name
    value = None if name.names else _constant(name)
    if isinstance(value, str) and value:
        return value
    reading.report.error(
        "start-needs-constant",
        f"The name {quote('=' + name.text)} of a message that starts a process must give a text"
        " without any variable. Write the name as it is.",
        message,
    )
    return None


def _constant(expression: Expression) -> Value:
    try:
        return expression.evaluate(Environment())
    except EvaluationError:
        return None


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
        f" one of: {', '.join(sorted(TRIGGERS[node.tag]))}.",
        node,
        definition.line,
    )


def _read_none(_reading: Reading, _node: Node, _definition: SourceElement) -> Trigger:
    return NoneTrigger()


def _read_terminate(_reading: Reading, _node: Node, _definition: SourceElement) -> Trigger:
    return TerminateTrigger()


def _read_error(reading: Reading, node: Node, definition: SourceElement) -> Trigger | None:
    reference = (definition.xml.get("errorRef") or "").strip()
    if not reference and node.tag == "boundaryEvent":
        return ErrorTrigger()  # catches every error
    error = resolve(reading.catalogue.errors, reference) if reference else None
    if error is None:
        reading.report.error(
            "dangling-reference" if reference else "error-missing",
            f"The {node.tag} refers to no error"
            + (f": there is none with the id {quote(reference)}" if reference else "")
            + ". Choose an error for it.",
            node,
            definition.line,
        )
        return None
    code = _error_code(reading, error)
    return ErrorTrigger(code=code) if code is not None else None


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
        reading.report.error(
            "timer-definition",
            f"The timer has {len(parts)} definitions. Give it exactly one: a date, a duration or"
            " a cycle.",
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
    "none": _read_none,
    "message": read_message,
    "timer": _read_timer,
    "error": _read_error,
    "terminate": _read_terminate,
}
