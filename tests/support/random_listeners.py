"""Listeners for random processes: some of those that a file of Camunda 8 may have."""

from random import Random
from typing import Final

from lxml import etree

_BPMN: Final = "{http://www.omg.org/spec/BPMN/20100524/MODEL}"
_ZEEBE: Final = "{http://camunda.org/schema/zeebe/1.0}"
_BOTH: Final = ("start", "end")
_EVENTS: Final = {
    **dict.fromkeys(
        (
            "serviceTask", "sendTask", "businessRuleTask", "scriptTask", "userTask", "receiveTask",
            "manualTask", "task", "subProcess", "transaction", "adHocSubProcess", "callActivity",
            "intermediateThrowEvent", "intermediateCatchEvent", "endEvent",
        ),
        _BOTH,
    ),
    **dict.fromkeys(("startEvent", "boundaryEvent"), ("end",)),
    **dict.fromkeys(
        (
            "exclusiveGateway", "inclusiveGateway", "parallelGateway", "complexGateway",
            "eventBasedGateway",
        ),
        ("start",),
    ),
}  # fmt: skip
"""Where there may be listeners, unless the parts of the element say otherwise."""


def listening(content: bytes, chance: Random) -> bytes:
    """The file with listeners of the types `listen-<event>` here and there."""
    root = etree.fromstring(content)
    for element in list(root.iter(f"{_BPMN}*")):
        events = [event for event in _events(element) if chance.randrange(6) == 0]
        if events:
            _add(element, events)
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8")


def _events(element: etree._Element) -> tuple[str, ...]:
    """The events of its life at which an element may have listeners that are called."""
    tag = etree.QName(element).localname
    parts = {etree.QName(part).localname for part in element.iterchildren(f"{_BPMN}*")}
    if "multiInstanceLoopCharacteristics" in parts:
        return (*_BOTH, "beforeAll")
    if tag == "boundaryEvent" and "compensateEventDefinition" in parts:
        return ()
    if tag == "endEvent" and "errorEventDefinition" in parts:
        return ("start",)
    if tag == "process":
        return (*_BOTH, "cancel") if _begins_plainly(element) else ("end", "cancel")
    return () if element.get("instantiate") else _EVENTS.get(tag, ())


def _begins_plainly(process: etree._Element) -> bool:
    starts = process.findall(f"{_BPMN}startEvent")
    return len(starts) == 1 and starts[0].find(f"{_BPMN}messageEventDefinition") is None


def _add(element: etree._Element, events: list[str]) -> None:
    container = element.find(f"{_BPMN}extensionElements")
    if container is None:
        container = etree.Element(f"{_BPMN}extensionElements")
        element.insert(0, container)
    listeners = etree.SubElement(container, f"{_ZEEBE}executionListeners")
    for event in events:
        etree.SubElement(
            listeners, f"{_ZEEBE}executionListener", eventType=event, type=f"listen-{event}"
        )
