"""Inputs, decisions, knowledge and services of the file: their requirements, then their logic."""

from collections.abc import Mapping
from typing import Final

import msgspec

from engine.decisions.boxed import compile_function, compile_logic, logic_of
from engine.decisions.errors import DecisionError
from engine.decisions.graph import (
    AnyNode,
    Decision,
    InputData,
    Knowledge,
    Requirement,
    Service,
)
from engine.decisions.place import Gauge, Place, Shared
from engine.decisions.source import Source
from engine.decisions.tables import collects, output_names
from engine.expressions import Environment
from engine.expressions.environment import Code, Frame
from engine.expressions.surroundings import Surroundings
from engine.model.parse import ID_MAX
from engine.model.report import quote
from engine.values import Value

KINDS: Final = ("inputData", "decision", "businessKnowledgeModel", "decisionService")
_REQUIREMENTS: Final = ("informationRequirement", "knowledgeRequirement")
_REQUIRED: Final = ("requiredInput", "requiredDecision", "requiredKnowledge")
CHAIN_MAX: Final = 50
"""How many decisions may require each other in a row."""


class NodeSource(msgspec.Struct, frozen=True, kw_only=True):
    """A node as it is drawn; findings point at it."""

    tag: str
    id: str
    name: str
    line: int
    xml: Source

    @property
    def variable(self) -> Source | None:
        return self.xml.child("variable")

    @property
    def result(self) -> str:
        """What its value is called: the name of its variable, else its own."""
        variable = self.variable
        return (None if variable is None else variable.get("name")) or self.name

    @property
    def type(self) -> str | None:
        """The name of its value's type."""
        return None if self.variable is None else self.variable.type_ref()


class Import(msgspec.Struct, frozen=True):
    """An imported file: its prefix here, its namespace, and its nodes."""

    prefix: str
    namespace: str
    nodes: Mapping[str, AnyNode]


class Nodes:
    """The nodes of one file on their way from the drawing to the model."""

    def __init__(
        self, definitions: Source, shared: Shared, around: Surroundings, imports: list[Import]
    ) -> None:
        self._shared = shared
        self._around = around
        self._imports = imports
        self._namespace = definitions.get("namespace") or ""
        self.sources = self._read(definitions)

    def _read(self, definitions: Source) -> dict[str, NodeSource]:
        sources: dict[str, NodeSource] = {}
        for xml in definitions.children:
            if xml.tag not in KINDS:
                continue
            name = xml.get("name") or ""
            source = NodeSource(
                tag=xml.tag, id=xml.get("id") or name, name=name, line=xml.line, xml=xml
            )
            if len(source.id) > ID_MAX:
                self._shared.report.error(
                    "id-too-long",
                    f"The id of the {xml.tag} has more than {ID_MAX} characters. Shorten it.",
                    source,
                )
            if not source.id or source.id in sources:
                self._shared.report.error(
                    "duplicate-id" if source.id else "missing-id",
                    f"The {xml.tag} {quote(name)} needs an id of its own.",
                    source,
                )
            else:
                sources[source.id] = source
        return sources

    def compile(self) -> dict[str, AnyNode]:
        """All nodes, by id. What has an error gives a decision that fails when it is evaluated."""
        nodes: dict[str, AnyNode] = {}
        for source in self.sources.values():
            match source.tag:
                case "inputData":
                    nodes[source.id] = self._input(source)
                case "decision":
                    nodes[source.id] = self._decision(source)
                case "businessKnowledgeModel":
                    nodes[source.id] = self._knowledge(source)
                case _:
                    nodes[source.id] = self._service(source)
        self._check_chains(nodes)
        return nodes

    # --- one node ---

    def _input(self, source: NodeSource) -> InputData:
        kind = source.type if self._shared.platform.checks_inputs else None
        return InputData(id=source.id, name=source.result, type=kind)

    def _decision(self, source: NodeSource) -> Decision:
        requirements = self._requirements(source)
        place = self._place(source, requirements)
        logic = logic_of(source.xml)
        table = logic if logic is not None and logic.tag == "decisionTable" else None
        return Decision(
            id=source.id,
            name=source.name,
            type=self._result_type(source),
            result=source.result,
            requirements=requirements,
            code=compile_logic(source.xml, place) or _broken(source),
            outputs=() if table is None else output_names(table),
            collects=table is not None and collects(table),
            version_tag=self._version_tag(source),
            line=source.line,
        )

    def _version_tag(self, source: NodeSource) -> str | None:
        """An attribute for Camunda 7, an extension element for Camunda 8."""
        extensions = source.xml.child("extensionElements")
        element = None if extensions is None else extensions.child("zeebe:versionTag")
        tag = source.xml.get("camunda:versionTag") if element is None else element.get("value")
        if tag is not None and len(tag) > ID_MAX:
            self._shared.report.error(
                "version-tag-too-long",
                f"The version tag has more than {ID_MAX} characters. Shorten it.",
                source,
            )
        return tag

    def _result_type(self, source: NodeSource) -> str | None:
        """Camunda 7 reads a decision's type for literal expressions only, and as documentation."""
        return None if self._shared.platform.converts else source.type

    def _knowledge(self, source: NodeSource) -> Knowledge:
        requirements = self._requirements(source)
        place = self._place(source, requirements).binding(source.result)
        logic = source.xml.child("encapsulatedLogic")
        function = None if logic is None else compile_function(logic, place)
        return Knowledge(
            id=source.id,
            name=source.result,
            type=source.type,
            requirements=requirements,
            function=function,
        )

    def _service(self, source: NodeSource) -> Service:
        inputs = [
            *self._references(source, "inputData"),
            *self._references(source, "inputDecision"),
        ]
        outputs = self._references(source, "outputDecision")
        if not any(source.xml.all("outputDecision")):
            self._shared.report.error(
                "missing-part",
                f"The decision service {quote(source.name)} has no output decision. Add one.",
                source,
            )
        return Service(
            id=source.id,
            name=source.result,
            type=source.type,
            inputs=tuple(inputs),
            outputs=tuple(outputs),
            version_tag=self._version_tag(source),
            line=source.line,
        )

    def _references(self, source: NodeSource, tag: str) -> list[str]:
        """The ids that a service's elements refer to; what is no such thing is reported."""
        ids = []
        for reference in source.xml.all(tag):
            target = (reference.get("href") or "").rpartition("#")[2]
            kind = "inputData" if tag == "inputData" else "decision"
            if target in self.sources and self.sources[target].tag == kind:
                ids.append(target)
            else:
                self._report_unknown(target, source, reference)
        return ids

    def _place(self, source: NodeSource, requirements: tuple[Requirement, ...]) -> Place:
        names = [name for requirement in requirements for name in requirement.names]
        prefixes = [requirement.prefix for requirement in requirements if requirement.prefix]
        return Place(source, self._shared, self._around.binding(*names, *prefixes), Gauge())

    # --- requirements ---

    def _requirements(self, source: NodeSource) -> tuple[Requirement, ...]:
        requirements = []
        for tag in _REQUIREMENTS:
            for element in source.xml.all(tag):
                for target in element.children:
                    if target.tag in _REQUIRED:
                        requirement = self._requirement(source, target)
                        requirements += [] if requirement is None else [requirement]
        return tuple(requirements)

    def _requirement(self, source: NodeSource, target: Source) -> Requirement | None:
        namespace, _, node_id = (target.get("href") or "").rpartition("#")
        if namespace and namespace != self._namespace:
            for imported in self._imports:
                if imported.namespace == namespace and node_id in imported.nodes:
                    node = imported.nodes[node_id]
                    return Requirement(node_id, (_name_of(node),), imported.prefix)
        elif node_id in self.sources:
            return Requirement(node_id, self._names_of(self.sources[node_id]))
        self._report_unknown(target.get("href") or "", source, target)
        return None

    def _names_of(self, source: NodeSource) -> tuple[str, ...]:
        """What a node's value is called by those that require it, the strongest name last.

        The standard says: the name of its variable. Camunda 8 takes the id of a decision that has
        none, and Camunda 7 the names of a decision table's outputs.
        """
        names = [source.id, source.name, source.result]
        if self._shared.platform.spreads_outputs and source.tag == "decision":
            logic = logic_of(source.xml)
            names = [*(() if logic is None else output_names(logic)), *names]
        return tuple(dict.fromkeys(name for name in names if name))

    def _report_unknown(self, reference: str, source: NodeSource, at: Source) -> None:
        self._shared.report.error(
            "unknown-reference",
            f"There is no {quote(reference)} to require. Correct the reference or remove it.",
            source,
            at.line,
        )

    def _check_chains(self, nodes: dict[str, AnyNode]) -> None:
        """Decisions may not require themselves, nor in a chain too long to be evaluated."""
        lengths: dict[str, int] = {}
        for source in self.sources.values():
            if source.tag == "decision":
                self._measure(source, nodes, lengths)

    def _measure(
        self, start: NodeSource, nodes: dict[str, AnyNode], lengths: dict[str, int]
    ) -> None:
        """Depth first, without recursion: a length of 0 means that the node is being looked at."""
        stack = [start.id]
        while stack:
            current = stack[-1]
            required = _decisions_required(nodes[current], nodes)
            if current not in lengths:
                lengths[current] = 0
                ahead = [each for each in required if each not in lengths]
                if any(lengths.get(each) == 0 for each in required):
                    self._report_chain(current, "requires itself, through others or directly")
                stack += ahead
                continue
            stack.pop()
            if not lengths[current]:
                lengths[current] = 1 + max((lengths.get(each, 0) for each in required), default=0)
                if lengths[current] == CHAIN_MAX + 1:
                    self._report_chain(current, f"requires more than {CHAIN_MAX} others in a row")

    def _report_chain(self, node_id: str, what: str) -> None:
        source = self.sources[node_id]
        self._shared.report.error(
            "requirement-chain",
            f"The decision {quote(source.name)} {what}. Remove a requirement.",
            source,
        )


def _decisions_required(node: AnyNode, nodes: dict[str, AnyNode]) -> list[str]:
    if not isinstance(node, Decision):
        return []
    return [
        requirement.id
        for requirement in node.requirements
        if not requirement.prefix and isinstance(nodes.get(requirement.id), Decision)
    ]


def _name_of(node: AnyNode) -> str:
    return node.result if isinstance(node, Decision) else node.name


def _broken(source: NodeSource) -> Code:
    def fail(_env: Environment, _frame: Frame | None) -> Value:
        raise DecisionError(f"The decision {quote(source.name)} has errors.")

    return fail
