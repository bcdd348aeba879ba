"""The same model as another vendor's modeler would have saved it: extensions and expressions.

What Camunda 8 says in `zeebe:` is said in `camunda:` or `flowable:`, FEEL becomes JUEL. Only what
the random processes use is known; anything else fails.
"""

import re
from collections.abc import Callable
from typing import Final

from lxml import etree

from tests.support.vendor_models import NAMESPACES

VENDORS: Final = ("camunda", "flowable")
_BPMN: Final = "{http://www.omg.org/spec/BPMN/20100524/MODEL}"
_ZEEBE: Final = "{http://camunda.org/schema/zeebe/1.0}"
_PLATFORM: Final = "{http://camunda.org/schema/modeler/1.0}executionPlatform"
_ACCEPTED: Final = {"camunda": "versionTag", "flowable": "diagramRelationId"}
_EXTERNAL: Final = {"camunda": "external", "flowable": "external-worker"}


def rendered(content: bytes, vendor: str) -> bytes:
    """The file in the dialect of a vendor, camunda or flowable."""
    rendering = _Rendering(vendor)
    root = rendering.with_namespaces(etree.fromstring(content))
    for part in list(root.iter(f"{_ZEEBE}taskListeners")):  # which other vendors do not wait for
        rendering.parent(part).remove(part)
    for part in list(root.iter(f"{_ZEEBE}*")):
        rendering.replace(part)
    for container in list(root.iter(f"{_BPMN}extensionElements")):
        if len(container) == 0:
            rendering.parent(container).remove(container)
    for tag in ("conditionExpression", "condition", "loopCondition", "completionCondition",
                "activationCondition"):  # fmt: skip
        for part in root.iter(f"{_BPMN}{tag}"):
            part.text = juel(part.text or "")
    if vendor == "camunda":
        rendering.give_throws_to_workers(root)
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8")


def juel(text: str) -> str:
    """A FEEL expression of the random processes in JUEL; a text stays one."""
    if not text.startswith("="):
        return text
    text = re.sub(r"(?<![<>!])=", "==", text[1:])
    text = text.replace("numberOf", "nrOf")
    assert re.fullmatch(r"[\w .<>=+]*", text), text
    return f"${{{text}}}"


class _Rendering:
    def __init__(self, vendor: str) -> None:
        self.vendor = vendor
        self.namespace = f"{{{NAMESPACES[vendor]}}}"

    def with_namespaces(self, root: etree._Element) -> etree._Element:
        """The root element again, with the namespace of the vendor."""
        names = {key: name for key, name in root.nsmap.items() if key not in {"zeebe", "modeler"}}
        names |= {self.vendor: NAMESPACES[self.vendor], "modeler": NAMESPACES["modeler"]}
        made = etree.Element(root.tag, dict(root.attrib), nsmap=names)
        made.extend(list(root))
        if self.vendor == "camunda":
            made.set(_PLATFORM, "Camunda Platform")
        for process in made.iter(f"{_BPMN}process"):  # so that the file is known for this vendor's
            process.set(f"{self.namespace}{_ACCEPTED[self.vendor]}", "1")
            if self.vendor == "flowable":
                self.allow_skipping(process)
        return made

    def allow_skipping(self, process: etree._Element) -> None:
        """A variable of the process, there from its beginning, without which nothing is skipped."""
        drawn = etree.SubElement(process, f"{_BPMN}dataObject", id=f"{process.get('id')}-skips")
        drawn.set("name", "_FLOWABLE_SKIP_EXPRESSION_ENABLED")
        drawn.set("itemSubjectRef", "xsd:boolean")
        container = etree.SubElement(drawn, f"{_BPMN}extensionElements")
        etree.SubElement(container, f"{self.namespace}value").text = "true"

    def give_throws_to_workers(self, root: etree._Element) -> None:
        for event in root.iter(f"{_BPMN}intermediateThrowEvent", f"{_BPMN}endEvent"):
            for definition in event.iter(f"{_BPMN}messageEventDefinition"):
                self.work(definition, str(event.get("id")))

    def parent(self, part: etree._Element) -> etree._Element:
        found = part.getparent()
        assert found is not None
        return found

    def replace(self, part: etree._Element) -> None:
        """Say on the element around it what an extension of Camunda 8 says; it goes."""
        container = part.getparent()
        if container is None or container.tag != f"{_BPMN}extensionElements":
            return  # a part of another, which reads it
        name = str(part.tag).removeprefix(_ZEEBE)
        _SAID[name](self, self.parent(container), part)
        container.remove(part)

    def work(self, element: etree._Element, topic: str) -> None:
        element.set(f"{self.namespace}type", _EXTERNAL[self.vendor])
        element.set(f"{self.namespace}topic", topic)

    def add(self, element: etree._Element, name: str, text: str = "", /, **said: str) -> None:
        """An extension element of the vendor."""
        container = element.find(f"{_BPMN}extensionElements")
        assert container is not None
        etree.SubElement(container, f"{self.namespace}{name}", said).text = text

    # --- what each extension says ---

    def task_definition(self, element: etree._Element, part: etree._Element) -> None:
        if str(element.tag).endswith("adHocSubProcess"):
            return  # nobody else has a worker direct it
        topic = str(part.get("type"))
        if self.vendor == "camunda" and len(topic) % 3 == 0:
            self.connect(element, topic)
        else:
            self.work(element, topic)
        if self.vendor == "flowable" and len(topic) % 3 == 0:
            self.skip(element, part)
        if retries := part.get("retries"):
            self.add(element, "failedJobRetryTimeCycle", f"R{retries}/PT1M")

    def connect(self, element: etree._Element, topic: str) -> None:
        self.add(element, "connector")
        connector = element.findall(f".//{self.namespace}connector")[-1]
        etree.SubElement(connector, f"{self.namespace}connectorId").text = topic

    def skip(self, element: etree._Element, _part: etree._Element) -> None:
        """Flowable may pass over a task."""
        if self.vendor == "flowable":
            element.set(f"{self.namespace}skipExpression", "${not empty n and n == 2}")

    def script(self, element: etree._Element, part: etree._Element) -> None:
        element.set("scriptFormat", "juel")
        element.set(f"{self.namespace}resultVariable", str(part.get("resultVariable")))
        text = etree.SubElement(element, f"{_BPMN}script")
        text.text = juel(str(part.get("expression")))

    def called_decision(self, element: etree._Element, part: etree._Element) -> None:
        """Flowable names the variable by the decision's output."""
        if self.vendor == "camunda":
            element.set(f"{self.namespace}decisionRef", str(part.get("decisionId")))
            element.set(f"{self.namespace}mapDecisionResult", "singleEntry")
            element.set(f"{self.namespace}resultVariable", str(part.get("resultVariable")))
            return
        element.set(f"{self.namespace}type", "dmn")
        decision = str(part.get("decisionId"))
        self.add(element, "field", name="decisionTableReferenceKey", stringValue=decision)

    def io_mapping(self, element: etree._Element, part: etree._Element) -> None:
        if self.vendor != "camunda":
            return  # Flowable has none on these activities
        container = self.parent(part)
        mapping = etree.SubElement(container, f"{self.namespace}inputOutput")
        for each in part:
            kind = f"{str(each.tag).removeprefix(_ZEEBE)}Parameter"
            made = etree.SubElement(mapping, f"{self.namespace}{kind}")
            made.set("name", str(each.get("target")))
            made.text = juel(str(each.get("source")))

    def called_element(self, element: etree._Element, part: etree._Element) -> None:
        element.set("calledElement", str(part.get("processId")))
        if self.vendor == "camunda":
            self.add(element, "in", variables="all")
            self.add(element, "out", variables="all")
        else:
            self.add(element, "in", source="n", target="n")
            self.add(element, "out", sourceExpression="${n}", target="n")

    def loop(self, element: etree._Element, part: etree._Element) -> None:
        element.set(f"{self.namespace}collection", str(part.get("inputCollection"))[1:])
        element.set(f"{self.namespace}elementVariable", str(part.get("inputElement")))
        if self.vendor == "flowable" and part.get("outputCollection"):
            target = str(part.get("outputCollection"))
            self.add(element, "variableAggregation", target=target)
            made = self.parent(part)[-1]
            source = str(part.get("outputElement"))[1:]
            etree.SubElement(made, "variable", source=source)

    def nothing(self, element: etree._Element, part: etree._Element) -> None:
        """The others name no such thing: a message goes by the business key."""


_SAID: Final[dict[str, Callable[[_Rendering, etree._Element, etree._Element], None]]] = {
    "taskDefinition": _Rendering.task_definition,
    "script": _Rendering.script,
    "calledDecision": _Rendering.called_decision,
    "ioMapping": _Rendering.io_mapping,
    "calledElement": _Rendering.called_element,
    "loopCharacteristics": _Rendering.loop,
    "adHoc": _Rendering.nothing,
    "subscription": _Rendering.nothing,
    "userTask": _Rendering.skip,
    "assignmentDefinition": _Rendering.nothing,
    "taskSchedule": _Rendering.nothing,
}
