"""The variable by which an ad-hoc sub-process of Camunda 8 tells what can be activated in it."""

from collections.abc import Iterable
from typing import Final

from lxml import etree

from engine.model.elements import DataObject
from engine.model.source import SourceElement, children
from engine.model.xml import BPMN
from engine.values import Value, encode

VARIABLE: Final = "adHocSubProcessElements"
_ZEEBE: Final = "{http://camunda.org/schema/zeebe/1.0}"


def choices(offered: Iterable[SourceElement]) -> DataObject:
    """A list of one object for each element; as in Zeebe, what is empty is left out.

    `elementId`, `elementName`, `documentation`, and `properties`, those of Camunda's modeler, by
    name. `parameters` are not there: they are what calls of fromAi() ask a model of language for.
    """
    return DataObject(name=VARIABLE, value=encode([_told(element) for element in offered]))


def _told(element: SourceElement) -> Value:
    told: dict[str, Value] = {
        "elementId": element.id,
        "elementName": element.name,
        "documentation": _documentation(element),
        "properties": _properties(element.xml),
    }
    return {name: value for name, value in told.items() if value}


def _documentation(element: SourceElement) -> str:
    texts = ["".join(each.xml.itertext()) for each in children(element.xml)
             if each.tag == "documentation"]  # fmt: skip
    return texts[0] if texts else ""


def _properties(xml: etree._Element) -> dict[str, Value]:
    path = f"{{{BPMN}}}extensionElements/{_ZEEBE}properties/{_ZEEBE}property"
    return {each.get("name") or "": each.get("value") or "" for each in xml.iterfind(path)}
