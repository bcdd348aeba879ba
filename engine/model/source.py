"""A BPMN file as it was drawn: its elements in document order, references resolved, nothing judged
but what cannot be resolved. The readers compile this, the validation walks it.
"""

from typing import Final, Literal, TypeAlias

import msgspec
from lxml import etree

from engine.model.elements import PROCESS
from engine.model.vocabulary import EVENT_DEFINITIONS, INSTANTIATING
from engine.model.xml import BPMN

_BPMN_PREFIX: Final = f"{{{BPMN}}}"


BareExits: TypeAlias = Literal["error", "default", "true"]
"""What a flow without a condition is that leaves an exclusive gateway beside others."""


class SourceElement(msgspec.Struct, kw_only=True):
    """Anything in the file that a finding can point at."""

    tag: str
    id: str
    name: str | None
    line: int
    xml: etree._Element


class Node(SourceElement, kw_only=True):
    """A flow node. `incoming`, `outgoing` and `default` are flow indexes, `boundary` node indexes.

    `compensation` is the node that undoes it. `scope` is the index of the sub-process around it.
    `runnable` is false for a kind that does not run: the finding is made, and the node stays so
    that what refers to it is not a second one.
    """

    index: int
    scope: int
    children: list[SourceElement]
    incoming: list[int] = []
    outgoing: list[int] = []
    boundary: list[int] = []
    attached_to: int | None = None
    default: int | None = None
    compensation: int | None = None
    runnable: bool = True

    @property
    def has_definition(self) -> bool:
        """Whether an event says what triggers it, or what it does."""
        return any(part.tag in EVENT_DEFINITIONS for part in self.children)

    @property
    def link(self) -> str | None:
        """The name of the link that an event is an end of; None: it is no link event."""
        for part in self.children:
            if part.tag == "linkEventDefinition":
                return (part.xml.get("name") or self.name or "").strip()
        return None

    @property
    def by_event(self) -> bool:
        """Whether it is an event sub-process."""
        return self.tag == "subProcess" and is_true(self.xml.get("triggeredByEvent"))

    @property
    def for_compensation(self) -> bool:
        """Whether only compensation begins it."""
        return is_true(self.xml.get("isForCompensation"))

    @property
    def instantiates(self) -> bool:
        """Whether it is a receive task or an event-based gateway at which a process begins."""
        return self.says_instantiate and self.tag in INSTANTIATING

    @property
    def says_instantiate(self) -> bool:
        return is_true(self.xml.get("instantiate"))

    @property
    def is_parallel(self) -> bool:
        """Whether an event waits for all of its definitions, or a gateway for all events behind."""
        if self.tag == "eventBasedGateway":
            return (self.xml.get("eventGatewayType") or "").strip() == "Parallel"
        definitions = [part for part in self.children if part.tag in EVENT_DEFINITIONS]
        return len(definitions) > 1 and is_true(self.xml.get("parallelMultiple"))


class Flow(SourceElement, kw_only=True):
    """A sequence flow. `source` and `target` are node indexes; None: there is no such node."""

    index: int
    scope: int
    source: int | None = None
    target: int | None = None
    condition: SourceElement | None = None


class PlacedData(msgspec.Struct, frozen=True):
    """Something that holds data, and the scope that it lies in."""

    element: SourceElement
    scope: int


class ProcessSource(SourceElement, kw_only=True):
    """An executable process: its nodes and flows in document order, inner scopes included.

    `quartz` and `bare_exits`: as in `Dialect`. `subscriptions` are by the ids of the correlation
    keys that they refer to.
    """

    nodes: list[Node] = []
    flows: list[Flow] = []
    node_index: dict[str, int] = {}
    flow_index: dict[str, int] = {}
    scopes: dict[int, list[Node]] = {}
    associations: dict[str, list[str]] = {}
    quartz: bool = False
    bare_exits: BareExits = "error"
    data: list[PlacedData] = []
    subscriptions: dict[str, SourceElement] = {}

    def bare_exits_of(self, gateway: Node) -> list[Flow]:
        """The flows without a condition, beside others and not the default, that leave it."""
        if len(gateway.outgoing) < 2:
            return []
        leaving = (self.flows[index] for index in gateway.outgoing)
        return [
            flow for flow in leaving if flow.condition is None and flow.index != gateway.default
        ]

    def default_of(self, gateway: Node) -> int | None:
        """The flow that is taken when no other of an exclusive gateway is."""
        bare = self.bare_exits_of(gateway)
        if self.bare_exits == "default" and gateway.default is None and len(bare) == 1:
            return bare[0].index
        return gateway.default

    def associate(self, source: str, target: str) -> None:
        """An association, whichever way it was drawn."""
        self.associations.setdefault(source, []).append(target)
        self.associations.setdefault(target, []).append(source)

    def associated(self, element_id: str) -> list[str]:
        """The ids that associations connect an element with."""
        return self.associations.get(element_id, [])

    def inside(self, scope: int) -> list[Node]:
        """The nodes that lie directly in a scope."""
        return self.scopes.get(scope, [])

    def start_events(self, scope: int) -> list[Node]:
        return [node for node in self.inside(scope) if node.tag == "startEvent"]

    def first(self, scope: int) -> list[int]:
        """Where a scope may begin: its start events or what no flow leads to, what instantiates."""
        starts = [node.index for node in self.start_events(scope)]
        instantiating = [node.index for node in self.inside(scope) if node.instantiates]
        return (starts or list(self.plain_starts(scope))) + instantiating

    def gateway_before(self, node: Node) -> Node | None:
        """The instantiating event-based gateway behind which a node is one of the events."""
        for index in node.incoming:
            source = self.flows[index].source
            if source is not None and self.nodes[source].tag == "eventBasedGateway":
                return self.nodes[source] if self.nodes[source].instantiates else None
        return None

    def follows_none_start(self, node: Node) -> bool:
        """Whether the process's none start event leads to a node, and nothing else does.

        An event that leads elsewhere, too, begins more than the node, and so does not count.
        """
        sources = [self.flows[index].source for index in node.incoming]
        if len(sources) != 1 or sources[0] is None:
            return False
        before = self.nodes[sources[0]]
        is_none_start = before.tag == "startEvent" and not before.has_definition
        return is_none_start and before.scope == PROCESS and len(before.outgoing) == 1

    def begins_at(self, node: Node) -> bool:
        """Whether what a node waits for starts an instance of the process.

        13.2: "A Process can also be started via an Event-Based Gateway or a Receive Task that has
        no incoming Sequence Flows and its instantiate flag set to true."
        """
        if node.scope != PROCESS:
            return False
        if node.tag == "startEvent" or (node.tag == "receiveTask" and node.instantiates):
            return True
        return self.gateway_before(node) is not None

    def waits_elsewhere(self, node: Node) -> bool:
        """Whether what a node waits for is waited for before it: by the process, or a gateway."""
        sources = [self.flows[index].source for index in node.incoming]
        return self.begins_at(node) or any(
            source is not None and self.nodes[source].tag == "eventBasedGateway"
            for source in sources
        )

    def beginnings(self) -> list[Node]:
        """The nodes at which an instance begins when something triggers them."""
        return [node for node in self.inside(PROCESS) if self.begins_at(node)]

    def event_starts(self, scope: int) -> tuple[int, ...]:
        """The start events of the event sub-processes directly inside a scope."""
        return tuple(
            start.index
            for node in self.inside(scope)
            if node.by_event and node.runnable
            for start in self.start_events(node.index)
        )

    def link_targets(self, node: Node) -> list[int]:
        """Where a link throw event leads: the catch events of its name in its scope."""
        if node.tag != "intermediateThrowEvent" or not node.link:
            return []
        return [
            other.index
            for other in self.inside(node.scope)
            if other.tag == "intermediateCatchEvent" and other.link == node.link
        ]

    def plain_starts(self, scope: int) -> tuple[int, ...]:
        """Where a scope begins when nothing triggers it.

        13.3.4: "The Sub-Process has either a unique empty Start Event, which gets a token upon
        instantiation, or it has no Start Event but Activities and Gateways without incoming
        Sequence Flows. In the latter case all such Activities and Gateways get a token." The same
        holds for a process, and here for any element but a boundary event, which its activity arms,
        and those that an event begins.
        """
        starts = self.start_events(scope)
        if starts:
            return tuple(node.index for node in starts if not node.has_definition)
        return tuple(
            node.index
            for node in self.inside(scope)
            if not node.incoming
            and node.tag != "boundaryEvent"
            and not node.by_event
            and not node.for_compensation
            and not node.instantiates
            and node.link is None
            and node.runnable
        )


def local_name(xml: etree._Element) -> str | None:
    """The BPMN name of an element; None if it belongs to another namespace."""
    tag = str(xml.tag)
    return tag[len(_BPMN_PREFIX) :] if tag.startswith(_BPMN_PREFIX) else None


def source_element(xml: etree._Element, tag: str) -> SourceElement:
    return SourceElement(
        tag=tag,
        id=xml.get("id") or "",
        name=xml.get("name"),
        line=xml.sourceline or 0,
        xml=xml,
    )


_PARTS = ("EventDefinition", "LoopCharacteristics", "Expression")


def enclosing(xml: etree._Element) -> SourceElement:
    """The element that a finding names: one that people see as such in the diagram."""
    tag = local_name(xml) or ""
    while not tag or tag.endswith(_PARTS) or not xml.get("id"):
        parent = xml.getparent()
        if parent is None or (tag and local_name(parent) is None):
            break
        xml, tag = parent, local_name(parent) or ""
    return source_element(xml, tag)


def children(xml: etree._Element) -> list[SourceElement]:
    """The BPMN children of an element; those of other namespaces are graphics or extensions."""
    return [source_element(child, tag) for child in xml if (tag := local_name(child))]


def is_true(value: str | None, *, default: bool = False) -> bool:
    """An xsd:boolean attribute."""
    return default if value is None else value.strip() in ("true", "1")
