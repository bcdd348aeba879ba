"""The variable by which an ad-hoc sub-process of Camunda 8 tells what can be activated in it."""

from collections.abc import Iterable
from typing import Final

from lxml import etree

from engine.expressions.tagging import TagError, tagged_parameters
from engine.model.dialects import feel
from engine.model.elements import DataObject
from engine.model.report import Report
from engine.model.source import SourceElement, children
from engine.model.xml import BPMN
from engine.values import Value, encode

VARIABLE: Final = "adHocSubProcessElements"
_ZEEBE: Final = "{http://camunda.org/schema/zeebe/1.0}"


def choices(offered: Iterable[SourceElement], report: Report) -> DataObject:
    """A list of one object for each element; as in Zeebe, what is empty is left out.

    `elementId`, `elementName`, `documentation`, `properties`, those of Camunda's modeler, by name,
    and `parameters`: what calls of fromAi() in its input mappings ask a model of language for.
    """
    told = [_told(element, report) for element in offered]
    return DataObject(name=VARIABLE, value=encode(told))


def _told(element: SourceElement, report: Report) -> Value:
    told: dict[str, Value] = {
        "elementId": element.id,
        "elementName": element.name,
        "documentation": _documentation(element),
        "properties": _properties(element.xml),
        "parameters": _parameters(element, report),
    }
    return {name: value for name, value in told.items() if value}


def _documentation(element: SourceElement) -> str:
    texts = ["".join(each.xml.itertext()) for each in children(element.xml)
             if each.tag == "documentation"]  # fmt: skip
    return texts[0] if texts else ""


def _properties(xml: etree._Element) -> dict[str, Value]:
    path = f"{{{BPMN}}}extensionElements/{_ZEEBE}properties/{_ZEEBE}property"
    return {each.get("name") or "": each.get("value") or "" for each in xml.iterfind(path)}


def _parameters(element: SourceElement, report: Report) -> list[Value]:
    path = f"{{{BPMN}}}extensionElements/{_ZEEBE}ioMapping/{_ZEEBE}input"
    parameters: list[Value] = []
    for each in element.xml.iterfind(path):
        source = feel.formula(each.get("source") or "")
        try:
            if source.language == "feel":
                parameters.extend(tagged_parameters(source.text))
        except TagError as error:
            report.error("bad-from-ai", str(error), element, each.sourceline or 0)
    return parameters
