"""Signals, escalations, links and conditions: events that are told apart by a name or a text."""

from typing import Final

from engine.expressions import Environment, EvaluationError, Expression
from engine.model.dialects import languages
from engine.model.elements import (
    ChangeFilter,
    ConditionTrigger,
    EscalationTrigger,
    LinkTrigger,
    SignalTrigger,
    Text,
    Trigger,
)
from engine.model.parse import resolve
from engine.model.reading import Reading
from engine.model.report import quote
from engine.model.source import Node, SourceElement, children
from engine.values import Value

_THROWS = ("intermediateThrowEvent", "endEvent")


def read_escalation(reading: Reading, node: Node, definition: SourceElement) -> Trigger | None:
    """Without a reference it catches every escalation."""
    extensions = reading.dialect.extensions(definition, reading.report)
    reference = (definition.xml.get("escalationRef") or "").strip()
    if not reference and node.tag not in _THROWS:
        return EscalationTrigger(code_variable=extensions.code_variable)
    escalation = resolve(reading.catalogue.escalations, reference) if reference else None
    if escalation is None:
        report_reference(reading, node, definition, reference, "escalation")
        return None
    code = _text(reading, escalation, "escalationCode")
    if code is None:
        return None
    return EscalationTrigger(code=code, code_variable=extensions.code_variable)


def read_signal(reading: Reading, node: Node, definition: SourceElement) -> Trigger | None:
    reference = (definition.xml.get("signalRef") or "").strip()
    signal = resolve(reading.catalogue.signals, reference) if reference else None
    if signal is None:
        report_reference(reading, node, definition, reference, "signal")
        return None
    name = _text(reading, signal, "name")
    if reading.process.begins_at(node):
        name = constant_name(reading, name, signal)
    return None if name is None else SignalTrigger(name=name)


def report_reference(
    reading: Reading, node: Node, owner: SourceElement, reference: str, what: str
) -> None:
    """Report that `owner` refers to no root element, or to one that is not there."""
    reading.report.error(
        "dangling-reference" if reference else f"{what}-missing",
        f"The {node.tag} refers to no {what}"
        + (f": there is none with the id {quote(reference)}" if reference else "")
        + f". Choose {_ARTICLES[what]} {what} for it.",
        node,
        owner.line,
    )


_ARTICLES: Final = {"error": "an", "escalation": "an", "message": "a", "signal": "a"}


def _text(reading: Reading, root: SourceElement, attribute: str) -> Text | None:
    """The name or code of a root element, compiled once however many events refer to it."""
    known = reading.shared.names
    if root.id in known:
        return known[root.id]
    implied = root.id if attribute == "name" and reading.dialect.implied_names else ""
    formula = reading.dialect.formula(root.xml.get(attribute) or implied, root.line)
    known[root.id] = reading.formulas.text(formula, root, f"{root.tag} {attribute}")
    if not formula.text:
        reading.report.error(
            f"{root.tag}-{'name' if attribute == 'name' else 'code'}-missing",
            f"The {root.tag} {quote(root.name or root.id)} has no {attribute}. Give it one.",
            root,
        )
    return known[root.id]


def constant_name(reading: Reading, name: Text | None, root: SourceElement) -> str | None:
    """Nothing has a variable yet when a start event subscribes: its name must stand alone."""
    if name is None or isinstance(name, str):
        return name
    value = None if name.names else _constant(name)
    if isinstance(value, str) and value:
        return value
    reading.report.error(
        "start-needs-constant",
        f"The name {quote('=' + name.text)} of a {root.tag} that starts a process must give a text"
        " without any variable. Write the name as it is.",
        root,
    )
    return None


def _constant(expression: Expression) -> Value:
    try:
        return expression.evaluate(Environment())
    except EvaluationError:
        return None


def read_condition(reading: Reading, node: Node, definition: SourceElement) -> Trigger | None:
    drawn = next((part for part in children(definition.xml) if part.tag == "condition"), None)
    text = "" if drawn is None else "".join(drawn.xml.itertext()).strip()
    if drawn is None or not text:
        reading.report.error(
            "condition-missing",
            f"The {node.tag} has no condition. Write what must become true.",
            node,
            definition.line,
        )
        return None
    formula = languages.condition(reading.dialect, drawn)
    if formula is None:
        reading.report.error(
            "expression-language",
            f"The condition is written in {quote(drawn.xml.get('language') or '')}, which is not"
            " executed. Rewrite it in FEEL or JUEL and remove the language.",
            node,
            drawn.line,
        )
        return None
    expression = reading.formulas.expression(formula, node, "condition")
    if expression is None:
        return None
    changes = reading.dialect.extensions(definition, reading.report).condition_filter
    if changes is not None and reading.process.begins_at(node):
        changes = _of_start(reading, node, definition, changes)
    elif changes is not None and _admits_all(changes, expression):
        changes = None
    return ConditionTrigger(condition=expression, filter=changes)


def _of_start(
    reading: Reading, node: Node, definition: SourceElement, changes: ChangeFilter
) -> ChangeFilter | None:
    """No variable is there before a process begins: each that is given is created."""
    if not (changes.created and changes.updated):
        reading.report.warning(
            "no-effect",
            "Which changes of variables count has no effect where the condition starts a process:"
            " only their names have. Remove the events.",
            node,
            definition.line,
        )
    return ChangeFilter(names=changes.names) if changes.names else None


def _admits_all(changes: ChangeFilter, condition: Expression) -> bool:
    """Whether the condition can only be made true by changes that count: then all may be asked."""
    names_all = not changes.names or set(condition.names) <= set(changes.names)
    return names_all and changes.created and changes.updated


def read_link(reading: Reading, node: Node, definition: SourceElement) -> Trigger | None:
    """A throw event leads to the one catch event of its name in the same scope."""
    name = node.link
    if not name:
        reading.report.error(
            "link-name-missing", "The link event has no name. Give it one.", node, definition.line
        )
        return None
    if node.tag != "intermediateThrowEvent":
        return LinkTrigger(name=name)
    targets = reading.process.link_targets(node)
    if len(targets) != 1:
        reading.report.error(
            "link-target",
            f"The link {quote(name)} leads to {len(targets)} catch events of this scope. Draw"
            " exactly one link catch event of this name beside it.",
            node,
        )
        return None
    return LinkTrigger(name=name, target=targets[0])
