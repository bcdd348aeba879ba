"""Events of Flowable's event registry: they become messages of BPMN before anything else is read.

A start, boundary or catch event, or a receive task, with an `eventType` waits for a message of that
name; its one correlation parameter is the key. Everything else about messages then holds for them,
too: what may stand where, event gateways, how they are published.
"""

from typing import Final

from lxml import etree
from msgspec.structs import replace

from engine.model.dialects import activiti, juel
from engine.model.dialects.activiti import Site
from engine.model.extensions import Extensions, Formula, KeySource, MappingSource
from engine.model.xml import BPMN

WAITING: Final = frozenset({"startEvent", "boundaryEvent", "intermediateCatchEvent", "receiveTask"})
SENDING: Final = "send-event"
"""The type of the task that sends one: work for whoever knows the channel."""

_BPMN: Final = f"{{{BPMN}}}"
_EXTENSIONS: Final = f"{_BPMN}extensionElements"


def prepare(root: etree._Element, namespaces: tuple[str, ...]) -> None:
    """Give each element that waits for a registry's event the message that it stands for."""
    for number, xml in enumerate(list(root.iter(*(f"{_BPMN}{tag}" for tag in sorted(WAITING))))):
        container = xml.find(_EXTENSIONS)
        parts = [] if container is None else _parts(container, namespaces)
        names = [activiti.text_of(part).strip() for part in parts if _name(part) == "eventType"]
        if names and names[0] and xml.find(f"{_BPMN}messageEventDefinition") is None:
            _refer(root, xml, f"event-{number}-{xml.get('id')}", names[0], parts)


def end_cycles(root: etree._Element, namespaces: tuple[str, ...]) -> None:
    """An end date is part of the cycle, as ISO 8601 writes it; cron has none."""
    for xml in root.iter(f"{_BPMN}timeCycle"):
        text = activiti.text_of(xml).strip()
        for name in (f"{{{namespace}}}endDate" for namespace in namespaces):
            end = (xml.get(name) or "").strip()
            if end and text.startswith("R"):
                xml.text = f"{text}/{end}"
                del xml.attrib[name]


def _parts(container: etree._Element, namespaces: tuple[str, ...]) -> list[etree._Element]:
    return list(container.iterchildren(*(f"{{{namespace}}}*" for namespace in namespaces)))


def _name(xml: etree._Element) -> str:
    return etree.QName(xml).localname


def _refer(
    root: etree._Element,
    xml: etree._Element,
    message_id: str,
    name: str,
    parts: list[etree._Element],
) -> None:
    if xml.tag == f"{_BPMN}receiveTask":
        xml.set("messageRef", message_id)
    else:
        _add(xml, "messageEventDefinition", xml, messageRef=message_id)
    message = _add(root, "message", xml, id=message_id, name=name)
    keys = [part for part in parts if _name(part) == "eventCorrelationParameter"]
    if keys:
        container = _add(message, "extensionElements", xml)
        for key in keys:
            copied = etree.SubElement(container, key.tag, dict(key.attrib))
            _place(copied, key)


def _add(
    parent: etree._Element, tag: str, drawn: etree._Element, **attributes: str
) -> etree._Element:
    """A new element, which findings place at the line of the one that it is made for."""
    made = etree.SubElement(parent, f"{_BPMN}{tag}", attributes)
    _place(made, drawn)
    return made


def _place(made: etree._Element, drawn: etree._Element) -> None:
    made.sourceline = drawn.sourceline  # type: ignore[misc]  # it can be set, stubs or not


def read_key(site: Site) -> Extensions:
    """The correlation key of a message: its parameters by their names, else the instance's."""
    extensions = activiti.message_key(site.element)
    parameters = site.parts("eventCorrelationParameter")
    if not parameters:
        return extensions
    parts = [
        juel.value(part.get("value") or "", part.sourceline or site.line)
        for part in sorted(parameters, key=lambda part: part.get("name") or "")
    ]
    return replace(extensions, correlation_key=KeySource(tuple(parts)))


def read_waiting(extensions: Extensions, site: Site) -> Extensions:
    """What the event brings goes into the variables that it names, and nowhere else."""
    outputs = tuple(_output(part, site) for part in site.parts("eventOutParameter"))
    if _begins(site) and site.parts("eventCorrelationParameter"):
        site.refuse("What starts a process is not told apart by a parameter. Use another type.")
    return replace(extensions, outputs=outputs, keeps_content=bool(outputs))


def _begins(site: Site) -> bool:
    """Whether the event starts a process, and not an event sub-process."""
    around = site.element.xml.getparent()
    is_outermost = around is not None and around.tag == f"{_BPMN}process"
    return site.element.tag == "startEvent" and is_outermost


def _output(part: etree._Element, site: Site) -> MappingSource:
    line = part.sourceline or site.line
    source, expression = part.get("source") or "", part.get("sourceExpression")
    return MappingSource(
        source=juel.value(expression, line) if expression else juel.variable(source, line),
        target=part.get("target") or source,
        line=line,
    )


def read_sending(extensions: Extensions, site: Site) -> Extensions:
    """The worker is told the type, and what it sends are variables of the job."""
    types = site.parts("eventType")
    headers = {"eventType": activiti.text_of(types[0]).strip()} if types else {}
    inputs = tuple(
        _input(part, part.sourceline or site.line) for part in site.parts("eventInParameter")
    )
    return replace(extensions, headers={**extensions.headers, **headers}, inputs=inputs)


def _input(part: etree._Element, line: int) -> MappingSource:
    text = part.get("sourceExpression") or part.get("source") or ""
    formula: Formula = juel.formula(text, line)
    source = juel.variable(text, line) if formula.language == "static" else formula
    return MappingSource(source=source, target=part.get("target") or text, line=line)
