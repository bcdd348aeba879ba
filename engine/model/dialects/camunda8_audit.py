"""The names of Camunda 8's extensions, so that none is passed over because it is misspelt.

What a known one means, and on which elements, is camunda8.py's. Reference: the moddle descriptor of
zeebe-bpmn-moddle.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from lxml import etree

from engine.model.report import Report, quote
from engine.model.source import SourceElement, enclosing, local_name
from engine.model.spelling import did_you_mean
from engine.model.xml import BPMN

NAMESPACE: Final = "http://camunda.org/schema/zeebe/1.0"
_PREFIX: Final = f"{{{NAMESPACE}}}"
_NAMES: Final = {"bpmn": BPMN, "zeebe": NAMESPACE}
_ATTRIBUTED: Final = etree.XPath("descendant-or-self::*[@zeebe:*]", namespaces=_NAMES)
_EXTENSIONS: Final = etree.XPath(".//bpmn:extensionElements/zeebe:*", namespaces=_NAMES)


class Shape(NamedTuple):
    """What an extension element may hold. `warned` attributes mean nothing to this engine."""

    attributes: tuple[str, ...] = ()
    children: tuple[str, ...] = ()
    warned: tuple[str, ...] = ()


_LISTENER: Final = Shape(("eventType", "type", "retries"))
_PARAMETER: Final = Shape(("source", "target"))
_BINDING: Final = ("bindingType", "versionTag")
_CONFIGURED: Final = tuple(
    f"{prefix}{name}"
    for prefix in ("", _PREFIX)
    for name in ("modelerConfigurationTemplate", "modelerConfigurationName")
)
"""Notes of the modeler to itself, with and without the prefix."""

ELEMENTS: Final = {
    "agentDefinition": Shape(("agentType",)),
    "adHoc": Shape(("activeElementsCollection", "outputCollection", "outputElement")),
    "assignmentDefinition": Shape(("assignee", "candidateGroups", "candidateUsers")),
    "calledDecision": Shape(("decisionId", "resultVariable", *_BINDING)),
    "calledElement": Shape(
        (
            "processId",
            "businessId",
            "propagateAllChildVariables",
            "propagateAllParentVariables",
            *_BINDING,
        )
    ),
    "conditionalFilter": Shape(("variableNames", "variableEvents")),
    "executionListeners": Shape((), ("executionListener",)),
    "formDefinition": Shape(("formId", "formKey", "externalReference"), (), _BINDING),
    "ioMapping": Shape((), ("input", "output")),
    "jobPriorityDefinition": Shape(("priority",)),
    "linkedResources": Shape((), ("linkedResource",)),
    "loopCharacteristics": Shape(
        ("inputCollection", "inputElement", "outputCollection", "outputElement")
    ),
    "priorityDefinition": Shape(("priority",)),
    "properties": Shape((), ("property",)),
    "publishMessage": Shape(("correlationKey", "messageId", "timeToLive")),
    "script": Shape(("expression", "resultVariable")),
    "subscription": Shape(("correlationKey",)),
    "taskDefinition": Shape(("type", "retries")),
    "taskHeaders": Shape((), ("header",)),
    "taskListeners": Shape((), ("taskListener",)),
    "taskSchedule": Shape(("dueDate", "followUpDate")),
    "userTask": Shape(),
    "userTaskForm": Shape(("id",)),
    "versionTag": Shape(("value",)),
}
"""What may stand in extensionElements."""

_PARTS: Final = {
    "executionListener": _LISTENER,
    "header": Shape(("id", "key", "value")),
    "input": Shape((*_PARAMETER.attributes, *_CONFIGURED)),
    "linkedResource": Shape(("resourceId", "resourceType", "linkName", *_BINDING)),
    "output": _PARAMETER,
    "property": Shape(("id", "name", "value", *_CONFIGURED)),
    "taskListener": _LISTENER,
}
"""What stands inside of those."""

_ON_ELEMENTS: Final = (
    "modelerTemplate", "modelerTemplateIcon", "modelerTemplateVersion", "retryCounter",
)  # fmt: skip
"""Attributes of BPMN elements: notes of the modeler to itself, and one that Zeebe passes over."""


def audit(roots: Iterable[SourceElement], report: Report) -> None:
    """Report every extension, and every part of one, whose name nobody knows."""
    for root in roots:
        for xml in _ATTRIBUTED(root.xml):
            if local_name(xml) is not None:
                _audit_element(xml, report)
        for extension in _EXTENSIONS(root.xml):
            _audit_part(extension, ELEMENTS, report)


def _audit_element(xml: etree._Element, report: Report) -> None:
    for key in xml.attrib:
        namespace, _, name = str(key)[1:].partition("}")
        if namespace == NAMESPACE and name not in _ON_ELEMENTS:
            hint = did_you_mean(name, _ON_ELEMENTS, "zeebe:")
            _report_unknown(f"zeebe:{name}", hint, xml, report)


def _audit_part(xml: etree._Element, known: dict[str, Shape], report: Report) -> None:
    """An extension element of any depth; there are two levels of known ones."""
    tag = str(xml.tag)
    name = tag[tag.find("}") + 1 :]
    shape = known.get(name)
    if shape is None:
        _report_unknown(f"zeebe:{name}", did_you_mean(name, known, "zeebe:"), xml, report)
        return
    for key in xml.keys():  # noqa: SIM118  # an element is no mapping
        attribute = str(key)
        if attribute.startswith("{") and not attribute.startswith(_PREFIX):
            continue
        if attribute in shape.warned:
            report.warning(
                "no-effect",
                f"{attribute} of zeebe:{name} has no effect: what shows the form finds it."
                " Remove it.",
                enclosing(xml),
                xml.sourceline or 0,
            )
        elif attribute not in shape.attributes:
            local = attribute.removeprefix(_PREFIX)
            what = f"The attribute {quote(local)} of zeebe:{name}"
            _report_unknown(what, did_you_mean(local, shape.attributes), xml, report)
    if len(xml):
        parts = {child: _PARTS[child] for child in shape.children}
        for child in xml.iterchildren(etree.Element):
            _audit_part(child, parts, report)


def _report_unknown(what: str, hint: str, xml: etree._Element, report: Report) -> None:
    report.error(
        "unsupported-extension",
        f"{what} is not known to this engine.{hint or ' Remove it.'}",
        enclosing(xml),
        xml.sourceline or 0,
    )
