"""The names of Camunda 8's extensions, so that none is passed over because it is misspelt.

What a known one means, and on which elements, is camunda8.py's. Reference: the moddle descriptor of
zeebe-bpmn-moddle.
"""

from collections.abc import Iterable
from typing import Final

from lxml import etree

from engine.model.dialects.shapes import Shape, Shapes, audit_extension
from engine.model.report import Report
from engine.model.source import SourceElement, enclosing, local_name
from engine.model.spelling import did_you_mean
from engine.model.xml import BPMN

NAMESPACE: Final = "http://camunda.org/schema/zeebe/1.0"
_NAMES: Final = {"bpmn": BPMN, "zeebe": NAMESPACE}
_ATTRIBUTED: Final = etree.XPath("descendant-or-self::*[@zeebe:*]", namespaces=_NAMES)
_EXTENSIONS: Final = etree.XPath(".//bpmn:extensionElements/zeebe:*", namespaces=_NAMES)

_OF_FLOWS: Final = etree.XPath(
    ".//bpmn:sequenceFlow/bpmn:extensionElements/zeebe:executionListeners[zeebe:*]",
    namespaces=_NAMES,
)


_LISTENER: Final = Shape(("eventType", "type", "retries"), ("taskHeaders",))
_PARAMETER: Final = Shape(("source", "target"))
_BINDING: Final = ("bindingType", "versionTag")
_CONFIGURED: Final = ("modelerConfigurationTemplate", "modelerConfigurationName")
"""Notes of the modeler to itself."""

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
    "formDefinition": Shape(
        ("formId", "formKey", "externalReference"),
        (),
        dict.fromkeys(_BINDING, "what shows the form finds it. Remove it."),
    ),
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
    "taskHeaders": Shape((), ("header",)),
    "taskListener": _LISTENER,
}
"""What stands inside of those."""

_SHAPES: Final = Shapes(prefixes={NAMESPACE: "zeebe"}, elements=ELEMENTS, parts=_PARTS)

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
            audit_extension(extension, _SHAPES, report)
        for listeners in _OF_FLOWS(root.xml):
            report.error(
                "unsupported-extension",
                "A sequence flow has no listeners. Put them at the start of what it leads to.",
                enclosing(listeners),
                listeners.sourceline or 0,
            )


def _audit_element(xml: etree._Element, report: Report) -> None:
    for key in xml.attrib:
        namespace, _, name = str(key)[1:].partition("}")
        if namespace == NAMESPACE and name not in _ON_ELEMENTS:
            hint = did_you_mean(name, _ON_ELEMENTS, "zeebe:")
            _report_unknown(f"zeebe:{name}", hint, xml, report)


def _report_unknown(what: str, hint: str, xml: etree._Element, report: Report) -> None:
    report.error(
        "unsupported-extension",
        f"{what} is not known to this engine.{hint or ' Remove it.'}",
        enclosing(xml),
        xml.sourceline or 0,
    )
