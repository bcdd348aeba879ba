"""Data associations become mappings: into the locals of an element, or out to data objects.

10.4.1: "The core concepts of a DataAssociation are that they have sources, a target, and an
optional transformation"; "Assignments ... are executed sequentially". An arrow that ends at nothing
that holds data is only drawn.
"""

import re
from typing import Final

import msgspec

from engine.expressions import Expression
from engine.model.data import Data, check_stores
from engine.model.dialects import juel, languages
from engine.model.elements import Mapping
from engine.model.extensions import Formula
from engine.model.reading import Reading
from engine.model.report import quote
from engine.model.source import Node, SourceElement, children
from engine.model.vocabulary import LOOPS
from engine.model.xml import parse_fragment

_PATH: Final = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")


class _Association(msgspec.Struct, frozen=True, kw_only=True):
    """One association as drawn, its ends as ids."""

    drawn: SourceElement
    sources: tuple[str, ...]
    target: str
    transformation: SourceElement | None
    assignments: tuple[SourceElement, ...]

    @property
    def moves(self) -> bool:
        """Whether it says more than from where to where."""
        return self.transformation is not None or bool(self.assignments)


def data_inputs(reading: Reading, node: Node) -> tuple[Mapping, ...]:
    """What data associations put into an element's inputs and properties."""
    return _mappings(reading, node, "dataInputAssociation")


def data_outputs(reading: Reading, node: Node) -> tuple[Mapping, ...]:
    """What data associations take out of an element."""
    return _mappings(reading, node, "dataOutputAssociation")


def _mappings(reading: Reading, node: Node, tag: str) -> tuple[Mapping, ...]:
    drawn = _drawn(node, tag)
    looped = _ends_of_loop(node) if drawn else set[str]()
    return tuple(
        mapping
        for each in drawn
        if not looped.intersection((*each.sources, each.target))
        for mapping in _compile(reading, node, each)
    )


def _drawn(node: Node, tag: str) -> list[_Association]:
    found = []
    for part in node.children:
        if part.tag != tag:
            continue
        parts = children(part.xml)
        texts = {
            name: [_text(each) for each in parts if each.tag == name]
            for name in ("sourceRef", "targetRef")
        }
        found.append(
            _Association(
                drawn=part,
                sources=tuple(texts["sourceRef"]),
                target=next(iter(texts["targetRef"]), ""),
                transformation=next((p for p in parts if p.tag == "transformation"), None),
                assignments=tuple(p for p in parts if p.tag == "assignment"),
            )
        )
    return found


def _text(part: SourceElement) -> str:
    return "".join(part.xml.itertext()).strip()


def _compile(reading: Reading, node: Node, association: _Association) -> list[Mapping]:
    line = association.drawn.line
    if not reading.dialect.data_flows:
        if association.moves:
            reading.report.warning(
                "no-effect",
                f"The {association.drawn.tag} has no effect in models of {reading.dialect.name}."
                " Use input and output mappings.",
                node,
                line,
            )
        return []
    data = reading.data
    ends = (*association.sources, association.target)
    if node.id in ends:
        return []  # as some tools draw it: the element sees the data, or gives it, as it is
    unknown = [each for each in ends if each and each not in data.names]
    if unknown:
        reading.report.warning(
            "no-effect",
            f"The {association.drawn.tag} ends at {quote(unknown[0])}, which holds no data here, so"
            " it moves nothing. Draw it between a data object and the element.",
            node,
            line,
        )
        return []
    check_stores(node, ends, data, reading.report)
    if association.assignments:
        made = [_assign(reading, node, association, each) for each in association.assignments]
        return [mapping for mapping in made if mapping is not None]
    target = data.names.get(association.target)
    if target is None:
        return []
    source = _source(reading, node, association, target)
    return [] if source is None else [_mapping(association, data, source, (target,))]


def _mapping(
    association: _Association, data: Data, source: Expression, target: tuple[str, ...]
) -> Mapping:
    is_output = association.drawn.tag == "dataOutputAssociation"
    names = [data.names[each] for each in association.sources if each in data.outputs]
    takes = tuple(name for name in names if name is not None)
    return Mapping(
        source=source, target=target, outward=is_output, takes=takes if is_output else ()
    )


def _source(
    reading: Reading, node: Node, association: _Association, target: str
) -> Expression | None:
    """What is moved: the one source as it is, or what the transformation makes of all of them."""
    if association.transformation is not None:
        return _expression(reading, node, association.transformation, "transformation")
    names = [name for each in association.sources if (name := reading.data.names.get(each))]
    if len(names) > 1:
        reading.report.error(
            "several-sources",
            f"The {association.drawn.tag} has {len(names)} sources and does not say what becomes of"
            " them. Give it a transformation, or draw one for each.",
            node,
            association.drawn.line,
        )
        return None
    if not names or (names[0] == target and association.drawn.tag == "dataInputAssociation"):
        return None  # the element sees the variable as it is
    return _variable(reading, node, names[0], association.drawn.line)


def _variable(reading: Reading, node: Node, name: str, line: int) -> Expression | None:
    return reading.formulas.expression(juel.variable(name, line), node, "source")


def _assign(
    reading: Reading, node: Node, association: _Association, assignment: SourceElement
) -> Mapping | None:
    parts = {part.tag: part for part in children(assignment.xml)}
    if "from" not in parts or "to" not in parts:
        reading.report.error(
            "bad-assignment",
            "The assignment says not both from where and to where. Give it both.",
            node,
            assignment.line,
        )
        return None
    source = _expression(reading, node, parts["from"], "assignment's source")
    target = _target(reading, node, parts["to"], association.target)
    if source is None or target is None:
        return None
    return _mapping(association, reading.data, source, target)


def _target(
    reading: Reading, node: Node, drawn: SourceElement, otherwise: str
) -> tuple[str, ...] | None:
    """Where an assignment writes: a data element by its id or name, or a path into a variable."""
    names = reading.data.names
    text = juel.inner(_text(drawn)).removeprefix("=").strip() or otherwise
    first, *rest = text.split(".")
    if text in names.values():
        return (text,)
    if _PATH.fullmatch(text) or first in names:
        return (names.get(first) or first, *rest)
    reading.report.error(
        "bad-mapping-target",
        f"The assignment's target {quote(text)} is no variable name or dotted path. Name the data"
        " that is assigned to.",
        node,
        drawn.line,
    )
    return None


def _expression(reading: Reading, node: Node, drawn: SourceElement, what: str) -> Expression | None:
    formula = _formula(reading, drawn)
    if formula is None:
        reading.report.error(
            "expression-language",
            f"The {what} is written in {quote(drawn.xml.get('language') or '')}, which is not"
            " executed. Rewrite it in FEEL or JUEL and remove the language.",
            node,
            drawn.line,
        )
        return None
    if formula.language == "static":
        formula = juel.value(formula.text, formula.line)
    return reading.formulas.expression(formula, node, what)


def _formula(reading: Reading, drawn: SourceElement) -> Formula | None:
    """A text in its language. One of these is DMN: a literal expression, as XML in a text."""
    if "/DMN/" not in (drawn.xml.get("language") or ""):
        return languages.condition(reading.dialect, drawn)
    literal = parse_fragment(_text(drawn))
    if literal is None or "FEEL" not in (literal.get("expressionLanguage") or "FEEL").upper():
        return None
    return Formula("".join(str(part) for part in literal.itertext()).strip(), "feel", drawn.line)


# --- loops ---


def _ends_of_loop(node: Node) -> set[str]:
    """The inputs and outputs that are whole collections: iterations have their items instead."""
    return {
        _text(part)
        for loop in node.children
        if loop.tag in LOOPS
        for part in children(loop.xml)
        if part.tag in ("loopDataInputRef", "loopDataOutputRef")
    }


def loop_source(reading: Reading, node: Node, reference: str, line: int) -> Expression | None:
    """The collection that a loop refers to: what is associated with it, else its variable."""
    for association in _drawn(node, "dataInputAssociation"):
        if association.target == reference and reading.dialect.data_flows:
            made = _compile(reading, node, association)
            if made:
                return made[-1].source
    name = reading.data.names.get(reference) if reading.dialect.data_flows else None
    if name is None:
        return reading.formulas.expression(Formula(reference, "feel", line), node, "collection")
    return _variable(reading, node, name, line)


def loop_target(reading: Reading, node: Node, reference: str) -> str:
    """The variable that a loop collects its outputs in."""
    if not reading.dialect.data_flows:
        return reference
    for association in _drawn(node, "dataOutputAssociation"):
        if reference in association.sources:
            return reading.data.names.get(association.target) or reference
    return reading.data.names.get(reference) or reference
