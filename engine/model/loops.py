"""Activities that run several times: multi-instance and standard loop characteristics.

A loop in error is reported and left out; the resource is then not deployable.
"""

import re
from typing import Final

from engine.expressions import Expression
from engine.model.associations import loop_source, loop_target
from engine.model.elements import Loop, MultiInstance, StandardLoop
from engine.model.extensions import Formula, LoopSource
from engine.model.reading import Reading
from engine.model.report import quote
from engine.model.source import Node, SourceElement, children, is_true
from engine.model.vocabulary import LOOPS

_NAME: Final = re.compile(r"[^\W\d]\w*")
_VARIABLE: Final = re.compile(r"([^\W\d]\w*)(?:\s*\.\s*[^\W\d]\w*)*")
_LITERALS: Final = frozenset({"true", "false", "null"})
_MAXIMUM_DIGITS: Final = 9
_NUMBER: Final = re.compile(r"\d{1,9}", re.ASCII)
_BEHAVIORS: Final = frozenset({"complexBehaviorDefinition"})


def read_loop(reading: Reading, node: Node) -> Loop | None:
    """How an activity is repeated; None: it is not, or what is drawn is in error."""
    drawn = [part for part in node.children if part.tag in LOOPS]
    if len(drawn) > 1:
        reading.report.error(
            "several-loops",
            f"The {node.tag} has {len(drawn)} loop markers. Keep one of them.",
            node,
        )
    if len(drawn) != 1:
        return None
    if drawn[0].tag == "standardLoopCharacteristics":
        return _read_standard(reading, node, drawn[0])
    return _read_multi_instance(reading, node, drawn[0])


# --- standard loops ---


def _read_standard(reading: Reading, node: Node, drawn: SourceElement) -> StandardLoop | None:
    condition = _inner(reading, node, drawn, "loopCondition")
    text = (drawn.xml.get("loopMaximum") or "").strip()
    maximum = int(text) if _is_maximum(text) else None
    if text and not maximum:
        reading.report.error(
            "bad-loop",
            f"The loop's maximum {quote(text)} is no whole number from 1 on. Write one.",
            node,
            drawn.line,
        )
        return None
    if condition is None and maximum is None:
        reading.report.error(
            "bad-loop",
            "Nothing ends the loop. Give it a condition to go on, or a maximum.",
            node,
            drawn.line,
        )
        return None
    return StandardLoop(
        condition=condition, maximum=maximum, test_before=is_true(drawn.xml.get("testBefore"))
    )


def _is_maximum(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _MAXIMUM_DIGITS


# --- multi-instance ---


def _read_multi_instance(
    reading: Reading, node: Node, drawn: SourceElement
) -> MultiInstance | None:
    source = reading.dialect.extensions(drawn, reading.report).loop
    cardinality = _inner(reading, node, drawn, "loopCardinality")
    collection = _collection(reading, node, drawn, source)
    _check_behavior(reading, node, drawn)
    if (cardinality is None) == (collection is None):
        found = "neither" if cardinality is None else "both"
        reading.report.error(
            "bad-loop",
            f"The multi-instance says by {found} of collection and cardinality how often it runs."
            " Give it one of the two.",
            node,
            drawn.line,
        )
        return None
    output = _output(reading, node, drawn, source)
    target = source.output_collection
    if target is None and (reference := _reference(drawn, "loopDataOutputRef")) is not None:
        target = loop_target(reading, node, reference)
    if (output is None) != (target is None):
        reading.report.error(
            "bad-loop",
            "An output collection and an output element go together. Give both, or none.",
            node,
            drawn.line,
        )
    return MultiInstance(
        sequential=is_true(drawn.xml.get("isSequential")),
        cardinality=cardinality,
        collection=collection,
        item=_name(reading, node, source.item or _item_name(drawn, "inputDataItem"), drawn),
        output=output,
        output_collection=_name(reading, node, target, drawn),
        output_variable=variable_of(output),
        completion=_inner(reading, node, drawn, "completionCondition"),
        counter_first=source.counter_first,
        skips_missing=source.skips_missing,
        undone_whole=reading.dialect.undoes_loops_whole,
        gathered=tuple(_name(reading, node, name, drawn) or "" for name in source.gathered),
    )


def _collection(
    reading: Reading, node: Node, drawn: SourceElement, source: LoopSource
) -> Expression | None:
    if source.collection is not None:
        return reading.formulas.expression(source.collection, node, "collection")
    reference = _reference(drawn, "loopDataInputRef")
    return None if reference is None else loop_source(reading, node, reference, drawn.line)


def _output(
    reading: Reading, node: Node, drawn: SourceElement, source: LoopSource
) -> Expression | None:
    formula = source.output
    if formula is None and (name := _item_name(drawn, "outputDataItem")) is not None:
        formula = Formula(name, "feel", drawn.line)
    return None if formula is None else reading.formulas.composite(formula, node, "output element")


def variable_of(output: Expression | None) -> str | None:
    """The variable that the output element is, or is a property of."""
    found = _VARIABLE.fullmatch(output.text.strip()) if output is not None else None
    return found[1] if found is not None and found[1] not in _LITERALS else None


def _inner(reading: Reading, node: Node, drawn: SourceElement, tag: str) -> Expression | None:
    """The expression in a child of the loop; None: there is none, or it is in error."""
    for part in children(drawn.xml):
        text = "".join(part.xml.itertext()).strip()
        if part.tag == tag and text:
            formula = reading.dialect.condition(text, part.line)
            if formula.language == "static" and _NUMBER.fullmatch(text):
                formula = Formula(text, "feel", part.line)  # a number means itself in any language
            return reading.formulas.expression(formula, node, tag)
    return None


def _reference(drawn: SourceElement, tag: str) -> str | None:
    """The id of a data element, or the name of a variable."""
    for part in children(drawn.xml):
        if part.tag == tag:
            return "".join(part.xml.itertext()).strip() or None
    return None


def _item_name(drawn: SourceElement, tag: str) -> str | None:
    for part in children(drawn.xml):
        if part.tag == tag:
            return part.name or part.id or None
    return None


def _name(reading: Reading, node: Node, name: str | None, drawn: SourceElement) -> str | None:
    is_data = name is not None and name in reading.data.names.values()
    if name is not None and not is_data and not _NAME.fullmatch(name):
        reading.report.error(
            "bad-loop",
            f"The loop's variable {quote(name)} is no variable name. Use letters, digits and"
            " underscores.",
            node,
            drawn.line,
        )
    return name


def _check_behavior(reading: Reading, node: Node, drawn: SourceElement) -> None:
    # Table 10.28: with "None" and "One" an event is thrown as instances complete; without such an
    # event there is nothing to throw, and all the same is done as with "All".
    behavior = drawn.xml.get("behavior") or "All"
    thrown = drawn.xml.get(f"{behavior.lower()}BehaviorEventRef")
    complex_ones = [part for part in children(drawn.xml) if part.tag in _BEHAVIORS]
    if (thrown and behavior in ("None", "One")) or (complex_ones and behavior == "Complex"):
        reading.report.error(
            "unsupported-element",
            f'A multi-instance that throws events as its instances complete (behavior="{behavior}")'
            " is not executed by this engine. Draw a throw event inside a sub-process that is"
            " repeated.",
            node,
            drawn.line,
        )
