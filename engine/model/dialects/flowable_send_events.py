"""Tasks of Flowable that send an event and wait for another: sub-processes before anything is read.

A task `ask` of the type `send-event` that is `triggerable` becomes a sub-process `ask` in which two
tasks begin together: `ask-send` is the work, and `ask-wait` receives the answer. It can come as
soon as the work is there to be done; what is attached to the task, and repeats it, is about both.
"""

from collections.abc import Iterator
from typing import Final

from lxml import etree

from engine.model.dialects.flowable_events import SENDING
from engine.model.xml import BPMN

_BPMN: Final = f"{{{BPMN}}}"
_EXTENSIONS: Final = f"{_BPMN}extensionElements"
_TASKS: Final = (f"{_BPMN}serviceTask", f"{_BPMN}sendTask")
_WAITS: Final = frozenset({"true", "sync"})

_ANSWER: Final = {
    "triggerEventType": "eventType",
    "triggerEventName": "eventName",
    "triggerEventCorrelationParameter": "eventCorrelationParameter",
    "eventOutParameter": "eventOutParameter",
    "triggerChannelKey": "channelKey",
    "triggerChannelName": "channelName",
    "triggerChannelType": "channelType",
    "triggerChannelDestination": "channelDestination",
}
"""What concerns the answer, and what it is called of an event that is waited for."""
_SENT: Final = frozenset(
    {
        "eventType", "eventName", "eventInParameter", "sendSynchronously", "systemChannel", "field",
        "channelKey", "channelName", "channelType", "channelDestination",
    }
)  # fmt: skip
"""What concerns the event that is sent."""


def expand(root: etree._Element, namespaces: tuple[str, ...]) -> None:
    """Make a sub-process of each task that waits for an answer."""
    for task in list(root.iter(*_TASKS)):
        for namespace in namespaces:
            types, waits = f"{{{namespace}}}type", f"{{{namespace}}}triggerable"
            if task.get(types) == SENDING and task.get(waits) in _WAITS:
                _expand(task, namespace)
                break


def _expand(task: etree._Element, namespace: str) -> None:
    task_id = task.get("id")
    sending = etree.SubElement(task, task.tag, {"id": f"{task_id}-send"})
    waiting = etree.SubElement(task, f"{_BPMN}receiveTask", {"id": f"{task_id}-wait"})
    for made in (sending, waiting):
        made.sourceline = task.sourceline  # type: ignore[misc]  # it can be set, stubs or not
        if task.get("name") is not None:
            made.set("name", task.get("name") or "")
    sending.set(f"{{{namespace}}}type", SENDING)
    for name in ("type", "triggerable"):
        del task.attrib[f"{{{namespace}}}{name}"]
    task.tag = f"{_BPMN}subProcess"
    parts = list(_parts(task, namespace))
    sent = [part for name, part in parts if name in _SENT]
    answers = [part for name, part in parts if name in _ANSWER]
    if not any(name == "triggerEventType" for name, _ in parts):
        # Flowable waits for an event of the type that was sent.
        answers += [_copy(part) for name, part in parts if name == "eventType"]
    _move(sent, sending)
    _move(answers, waiting)
    for part in answers:
        name = etree.QName(part).localname
        part.tag = f"{{{namespace}}}{_ANSWER.get(name, name)}"


def _parts(task: etree._Element, namespace: str) -> Iterator[tuple[str, etree._Element]]:
    container = task.find(_EXTENSIONS)
    for part in () if container is None else container.iterchildren(f"{{{namespace}}}*"):
        yield etree.QName(part).localname, part


def _copy(part: etree._Element) -> etree._Element:
    made = etree.Element(part.tag)
    made.text = part.text
    made.sourceline = part.sourceline  # type: ignore[misc]  # it can be set, stubs or not
    return made


def _move(parts: list[etree._Element], owner: etree._Element) -> None:
    container = etree.SubElement(owner, _EXTENSIONS)
    for part in parts:
        container.append(part)
