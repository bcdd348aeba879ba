"""Messages that are waited for or thrown: by which name and key, with which id, for how long."""

from engine.expressions import EvaluationError, Expression, schedule
from engine.model.correlation import awaited_key, is_correlated, thrown_key
from engine.model.elements import MessageTrigger, Text
from engine.model.extensions import Formula, PublishSource
from engine.model.named_triggers import constant_name, report_reference
from engine.model.parse import resolve
from engine.model.reading import Reading
from engine.model.report import quote
from engine.model.source import Node, SourceElement


def read_message(reading: Reading, node: Node, owner: SourceElement) -> MessageTrigger | None:
    """The message that `owner` (an event definition or a receive task) refers to."""
    reference = (owner.xml.get("messageRef") or "").strip()
    message = resolve(reading.catalogue.messages, reference) if reference else None
    if message is None and not reference and node.tag == "receiveTask":
        message = _implied_message(reading, node)
    if message is None:
        report_reference(reading, node, owner, reference, "message")
        return None
    name = _message_name(reading, message)
    if reading.process.begins_at(node):
        constant = constant_name(reading, name, message)
        if constant is None:
            return None
        return MessageTrigger(name=constant, begins=True, keeps_content=_keeps(reading, node))
    if node.tag in ("intermediateThrowEvent", "endEvent"):
        return _thrown_message(reading, node, name, message)
    key = _correlation_key(reading, message)
    if name is None or key is None:
        return None
    keeps = _keeps(reading, node)
    return MessageTrigger(name=name, correlation_key=key, keeps_content=keeps)


def _keeps(reading: Reading, node: Node) -> bool:
    return reading.dialect.extensions(node, reading.report).keeps_content


def _implied_message(reading: Reading, node: Node) -> SourceElement | None:
    """What a receive task waits for that refers to no message: it can still be told."""
    if not (reading.dialect.loose_references or reading.dialect.implied_names):
        return None
    reading.report.warning(
        "message-implied",
        f"The receive task refers to no message: it waits for one that is called {quote(node.id)}."
        " Publish that, or choose a message for it.",
        node,
    )
    return SourceElement(tag="message", id=node.id, name=node.id, line=node.line, xml=node.xml)


def _thrown_message(
    reading: Reading, node: Node, name: Text | None, message: SourceElement
) -> MessageTrigger | None:
    """Published by the engine itself, under the key that the event, else the message names."""
    source = reading.dialect.extensions(node, reading.report).publish or PublishSource()
    own = source.correlation_key
    said = own or reading.dialect.extensions(message, reading.report).correlation_key
    if own is None and is_correlated(reading, message):
        key = thrown_key(reading, message)
    else:
        key = None if said is None else reading.formulas.key(said, node)
    if name is None or (said is not None and key is None):
        return None
    ttl = reading.formulas.text(source.ttl, node, "time to live")
    return MessageTrigger(
        name=name,
        correlation_key=key,
        ttl_ms=_milliseconds(reading, node, source.ttl) if isinstance(ttl, str) else 0,
        ttl=None if isinstance(ttl, str) else ttl,
        message_id=reading.formulas.text(source.message_id, node, "message id"),
    )


def _milliseconds(reading: Reading, node: Node, formula: Formula | None) -> int:
    """The length of a duration that is written out."""
    if formula is None:
        return 0
    try:
        return max(0, schedule.add_duration(0, schedule.parse_duration(formula.text), "UTC"))
    except EvaluationError as error:
        reading.report.error(
            "bad-time-to-live",
            f"{error.message} Write the time to live as a duration, such as PT1H.",
            node,
            formula.line,
        )
        return 0


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
    # By BPMN's own keys it is correlated in each process otherwise.
    place = (reading.process.id if reading.dialect.correlates else "", message.id)
    if place not in keys:
        keys[place] = _read_correlation_key(reading, message)
    return keys[place]


def _read_correlation_key(reading: Reading, message: SourceElement) -> Expression | None:
    if is_correlated(reading, message):
        return awaited_key(reading, message)
    formula = reading.dialect.extensions(message, reading.report).correlation_key
    if formula is None:
        reading.report.error(
            "correlation-key-missing",
            f"The message {quote(message.name or message.id)} is waited for, but has no"
            " correlation key. Give it one, for example '=orderId'.",
            message,
        )
        return None
    return reading.formulas.key(formula, message)
