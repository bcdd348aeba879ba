"""From an XML tree to what was drawn: the executable processes of a file and what they refer to.

Finds what does not run and what does not resolve. Whether the drawing makes sense is `validate`'s.
"""

from collections.abc import Iterable
from typing import Final

import msgspec
from lxml import etree

from engine.model import vocabulary
from engine.model.elements import PROCESS
from engine.model.lexical import check_boolean
from engine.model.report import Report, quote
from engine.model.source import (
    Flow,
    Node,
    PlacedData,
    ProcessSource,
    SourceElement,
    children,
    is_true,
)

ID_MAX: Final = 255
NAME_MAX: Final = 4_096
"""In characters. Ids and names travel in records and documents, again and again."""


class Catalogue(msgspec.Struct, frozen=True, kw_only=True):
    """The root elements that others refer to, by id; `operations` are those of interfaces."""

    messages: dict[str, SourceElement] = {}
    errors: dict[str, SourceElement] = {}
    escalations: dict[str, SourceElement] = {}
    signals: dict[str, SourceElement] = {}
    operations: dict[str, SourceElement] = {}
    global_tasks: dict[str, SourceElement] = {}
    data_stores: dict[str, SourceElement] = {}
    resources: dict[str, SourceElement] = {}
    correlation_properties: dict[str, SourceElement] = {}
    correlation_keys: dict[str, SourceElement] = {}

    def roots(self) -> tuple[SourceElement, ...]:
        """All that may carry extensions."""
        tables = (self.messages, self.errors, self.escalations, self.signals)
        return tuple(element for table in tables for element in table.values())


class Definitions(msgspec.Struct, frozen=True, kw_only=True):
    processes: tuple[ProcessSource, ...]
    catalogue: Catalogue


def read_definitions(
    root: etree._Element,
    report: Report,
    kinds: frozenset[str],
    *,
    executable_by_default: bool = False,
) -> Definitions:
    """Read a file whose root is `definitions`. `kinds` are the tags of the flow nodes that run.

    `executable_by_default`: what becomes of a process that does not say whether it is executable.
    """
    catalogue = Catalogue()
    ids = _Ids(report)
    drawn: list[SourceElement] = []
    for child in children(root):
        if child.tag == "process":
            drawn.append(child)
        else:
            _read_root_element(child, catalogue, ids, report)
    processes = tuple(
        _ProcessReader(child, kinds, ids, report).read()
        for child in _executable(drawn, report, default=executable_by_default)
    )
    if not processes:
        report.error(
            "no-executable-process",
            'There is no process to run. Set isExecutable="true" on the process that should.'
            if drawn
            else "There is no process in the file. Draw one, or deploy another file.",
            drawn[0] if drawn else None,
        )
    return Definitions(processes=processes, catalogue=catalogue)


def resolve(table: dict[str, SourceElement], reference: str) -> SourceElement | None:
    """The element a QName refers to; its prefix, if any, only repeats the target namespace."""
    found = table.get(reference)
    return found or table.get(reference.rpartition(":")[2])


def _executable(
    drawn: list[SourceElement], report: Report, *, default: bool
) -> Iterable[SourceElement]:
    for process in drawn:
        if is_true(process.xml.get("isExecutable"), default=default):
            yield process
        elif check_boolean(process.xml, "isExecutable", report):
            report.warning(
                "not-executable",
                f"The process {quote(process.id)} is not marked executable and is left out."
                ' Set isExecutable="true" to run it.',
                process,
            )


def _read_root_element(
    child: SourceElement, catalogue: Catalogue, ids: "_Ids", report: Report
) -> None:
    tables = {
        "message": catalogue.messages,
        "error": catalogue.errors,
        "escalation": catalogue.escalations,
        "signal": catalogue.signals,
    }
    referred = {
        "dataStore": catalogue.data_stores,
        "resource": catalogue.resources,
        "correlationProperty": catalogue.correlation_properties,
    }
    if child.tag in tables:
        if child.id and ids.add(child):
            tables[child.tag][child.id] = child
    elif child.tag == "interface":
        for operation in children(child.xml):
            if operation.tag == "operation":
                catalogue.operations[operation.id] = operation
    elif child.tag in referred:
        referred[child.tag][child.id] = child
    elif child.tag in vocabulary.COLLABORATIONS:
        _read_correlation_keys(child, catalogue)
    elif child.tag not in vocabulary.SILENT_IN_DEFINITIONS:
        if child.tag in vocabulary.GLOBAL_TASKS:
            catalogue.global_tasks[child.id] = child
        report.warning(
            "no-effect",
            f"The {child.tag} has no effect: only processes are executed. Draw one that does this.",
            child,
        )


def _read_correlation_keys(child: SourceElement, catalogue: Catalogue) -> None:
    """Those of a collaboration, and of the conversations in it."""
    for part in children(child.xml):
        if part.tag == "correlationKey":
            keys = catalogue.correlation_keys
            keys.setdefault(part.id or f"#{len(keys)}", part)
        elif part.tag in vocabulary.CONVERSATIONS:
            _read_correlation_keys(part, catalogue)


class _Ids:
    """The ids seen in a file: each may be given once, and everything that runs needs one."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._lines: dict[str, int] = {}

    def add(self, element: SourceElement) -> bool:
        """Whether the element has an id of its own."""
        if not element.id:
            self._report.error(
                "missing-id",
                f"The {element.tag} has no id. Give it one that no other element has.",
                element,
            )
            return False
        for what, text, length_max in (
            ("id", element.id, ID_MAX),
            ("name", element.name or "", NAME_MAX),
        ):
            if len(text) > length_max:
                self._report.error(
                    f"{what}-too-long",
                    f"The {what} of the {element.tag} has more than {length_max} characters."
                    " Shorten it.",
                    element,
                )
        if element.id in self._lines:
            self._report.error(
                "duplicate-id",
                f"The id {quote(element.id)} is already that of the element in line"
                f" {self._lines[element.id]}. Give this {element.tag} another.",
                element,
            )
            return False
        self._lines[element.id] = element.line
        return True


class _ProcessReader:
    """Reads one process: first all nodes and flows, then what refers to them."""

    def __init__(
        self, process: SourceElement, kinds: frozenset[str], ids: _Ids, report: Report
    ) -> None:
        self._kinds = kinds
        self._ids = ids
        self._report = report
        self._alike: dict[str, int] = {}
        ids.add(process)
        self._process = ProcessSource(
            tag=process.tag, id=process.id, name=process.name, line=process.line, xml=process.xml
        )

    def read(self) -> ProcessSource:
        self._read_scope(children(self._process.xml), PROCESS)
        for flow in self._process.flows:
            self._connect(flow)
        for node in self._process.nodes:
            self._attach(node)
            self._find_default(node)
        return self._process

    def _read_scope(self, drawn: list[SourceElement], scope: int) -> None:
        for child in drawn:
            if child.tag == "sequenceFlow":
                self._read_flow(child, scope)
            elif child.tag == "association":
                source, target = child.xml.get("sourceRef"), child.xml.get("targetRef")
                self._process.associate((source or "").strip(), (target or "").strip())
            elif child.tag == "correlationSubscription" and scope == PROCESS:
                reference = (child.xml.get("correlationKeyRef") or "").strip()
                self._process.subscriptions[reference.rpartition(":")[2]] = child
            elif child.tag in vocabulary.WARNED_IN_PROCESS:
                _warn_no_effect(child, self._report)
            elif child.tag in vocabulary.DATA:
                self._process.data.append(PlacedData(child, scope))
            elif child.tag not in vocabulary.SILENT_IN_PROCESS:
                self._read_node(child, scope)

    def _read_flow(self, child: SourceElement, scope: int) -> None:
        child.id = child.id or self._derived_id(child)
        flow = Flow(
            tag=child.tag, id=child.id, name=child.name, line=child.line, xml=child.xml,
            index=len(self._process.flows), scope=scope,
        )  # fmt: skip
        self._process.flows.append(flow)
        if self._ids.add(child):
            self._process.flow_index[child.id] = flow.index
        for part in children(child.xml):
            if part.tag == "conditionExpression":
                flow.condition = part

    def _derived_id(self, child: SourceElement) -> str:
        """The id of a flow that has none, as many written by hand: `a->b`, the next one `a->b#2`.

        It is the same whenever the file is read, and no id in a file can look like it.
        """
        ends = ((child.xml.get(end) or "").strip() for end in ("sourceRef", "targetRef"))
        first = "->".join(ends)
        self._alike[first] = self._alike.get(first, 0) + 1
        return first if self._alike[first] == 1 else f"{first}#{self._alike[first]}"

    def _read_node(self, child: SourceElement, scope: int) -> None:
        node = Node(
            tag=child.tag, id=child.id, name=child.name, line=child.line, xml=child.xml,
            index=len(self._process.nodes), scope=scope, children=children(child.xml),
        )  # fmt: skip
        self._process.nodes.append(node)
        self._process.scopes.setdefault(scope, []).append(node)
        if self._ids.add(child):
            self._process.node_index[child.id] = node.index
        # What lies inside of something that does not run is read, but not judged by itself.
        outer = self._process.nodes[scope].runnable if scope != PROCESS else True
        node.runnable = outer and self._check_kind(node)
        if node.tag in vocabulary.CONTAINERS:
            inner = [part for part in node.children if part.tag not in _IN_NODE_ONLY]
            self._read_scope(inner, node.index)
            node.children = [part for part in node.children if part.tag in _IN_NODE_ONLY]
        if node.runnable:
            self._check_children(node)

    def _check_kind(self, node: Node) -> bool:
        if node.tag not in self._kinds:
            self._unsupported(f"A {node.tag}", node)
            return False
        runnable = True
        for attribute, (harmless, meaning) in vocabulary.ATTRIBUTES_AT_DEFAULT.items():
            value = node.xml.get(attribute)
            if value is not None and value.strip() not in harmless:
                self._report.error(
                    "unsupported-element",
                    f'A {node.tag} with {attribute}="{value}" ({meaning}) is not executed by this'
                    f' engine. Remove the attribute, or set it to "{max(harmless)}".',
                    node,
                )
                runnable = False
        return runnable

    def _check_children(self, node: Node) -> None:
        for part in node.children:
            if part.tag in vocabulary.SILENT_IN_NODE or part.tag in vocabulary.EVENT_DEFINITIONS:
                continue
            if part.tag in vocabulary.LOOPS and node.tag in vocabulary.ACTIVITIES:
                continue  # read by loops.py
            if part.tag in vocabulary.AD_HOC_PARTS and node.tag == "adHocSubProcess":
                continue  # read by ad_hoc.py
            if part.tag in vocabulary.PEOPLE and node.tag == "userTask":
                continue  # read by people.py
            if part.tag in vocabulary.WARNED_IN_NODE:
                _warn_no_effect(part, self._report, node)
            elif part.tag in vocabulary.DATA_ASSOCIATIONS:
                continue  # read by associations.py
            else:
                self._unsupported(f"{part.tag} of a {node.tag}", node, part.line)

    def _unsupported(self, what: str, node: Node, line: int = 0) -> None:
        self._report.error(
            "unsupported-element",
            f"{what} is not executed by this engine. Draw it with elements that are.",
            node,
            line,
        )

    def _connect(self, flow: Flow) -> None:
        flow.source = self._end(flow, "sourceRef")
        flow.target = self._end(flow, "targetRef")
        if flow.source is not None:
            self._process.nodes[flow.source].outgoing.append(flow.index)
        if flow.target is not None:
            self._process.nodes[flow.target].incoming.append(flow.index)

    def _end(self, flow: Flow, attribute: str) -> int | None:
        reference = (flow.xml.get(attribute) or "").strip()
        index = self._process.node_index.get(reference)
        if index is None:
            self._report.error(
                "dangling-reference",
                f"The sequence flow's {attribute} {quote(reference)} is no flow node of this"
                " process. Draw the flow again, or delete it.",
                flow,
            )
        return index

    def _attach(self, node: Node) -> None:
        if node.tag != "boundaryEvent":
            return
        reference = (node.xml.get("attachedToRef") or "").strip()
        node.attached_to = self._process.node_index.get(reference)
        if node.attached_to is None:
            self._report.error(
                "dangling-reference",
                f"The boundary event's attachedToRef {quote(reference)} is no element of this"
                " process. Attach the event to an activity.",
                node,
            )
        else:
            self._process.nodes[node.attached_to].boundary.append(node.index)

    def _find_default(self, node: Node) -> None:
        reference = node.xml.get("default")
        if reference is None:
            return
        node.default = self._process.flow_index.get(reference.strip())
        if node.default is None:
            self._report.error(
                "dangling-reference",
                f"The default flow {quote(reference)} does not exist. Choose one of the"
                f" {node.tag}'s outgoing flows as default.",
                node,
            )


def _warn_no_effect(part: SourceElement, report: Report, node: Node | None = None) -> None:
    advice = vocabulary.ADVICE.get(part.tag, "Remove it.")
    report.warning(
        "no-effect", f"The {part.tag} has no effect at run time. {advice}", node or part, part.line
    )


_IN_NODE_ONLY: Final = (
    vocabulary.SILENT_IN_NODE | vocabulary.WARNED_IN_NODE | vocabulary.DATA_ASSOCIATIONS
    | vocabulary.LOOPS | vocabulary.AD_HOC_PARTS
)  # fmt: skip
