"""What elements of a kind have in common, read off the drawing: by it the readers begin."""

from typing import TypedDict

from engine.model import elements as e
from engine.model.associations import data_inputs, data_outputs
from engine.model.extensions import Extensions
from engine.model.listeners import read_listeners
from engine.model.loops import read_loop
from engine.model.reading import Reading
from engine.model.source import Node


class _ElementFields(TypedDict):
    index: int
    id: str
    name: str | None
    scope: int
    incoming: tuple[int, ...]
    outgoing: tuple[int, ...]
    line: int
    listeners: dict[str, tuple[e.JobDefinition, ...]]


class _ActivityFields(_ElementFields):
    boundary: tuple[int, ...]
    default: int | None
    inputs: tuple[e.Mapping, ...]
    outputs: tuple[e.Mapping, ...]
    loop: e.Loop | None
    compensation: int | None


def element_fields(reading: Reading, node: Node, extensions: Extensions) -> _ElementFields:
    """Those of every flow element; what is wrong with its listeners is reported."""
    return _ElementFields(
        index=node.index,
        id=node.id,
        name=node.name,
        scope=node.scope,
        incoming=tuple(node.incoming),
        outgoing=tuple(node.outgoing),
        line=node.line,
        listeners=read_listeners(reading, node, extensions),
    )


def activity_fields(reading: Reading, node: Node, extensions: Extensions) -> _ActivityFields:
    """Those of every activity; what is wrong with its mappings and its loop is reported."""
    return _ActivityFields(
        **element_fields(reading, node, extensions),
        boundary=tuple(node.boundary),
        default=node.default,
        inputs=input_mappings(reading, node, extensions),
        outputs=output_mappings(reading, node, extensions),
        loop=read_loop(reading, node),
        compensation=node.compensation,
    )


def input_mappings(reading: Reading, node: Node, extensions: Extensions) -> tuple[e.Mapping, ...]:
    """Data associations, then the mappings of the dialect, each seeing what is before it."""
    return data_inputs(reading, node) + reading.formulas.mappings(extensions.inputs, node, "input")


def output_mappings(reading: Reading, node: Node, extensions: Extensions) -> tuple[e.Mapping, ...]:
    """The mappings of the dialect, then data associations."""
    mappings = reading.formulas.mappings(extensions.outputs, node, "output")
    return mappings + data_outputs(reading, node)


def refuse_mappings(reading: Reading, node: Node, extensions: Extensions, kind: str) -> None:
    """Report mappings, `input` or `output`, where the element has no scope for them."""
    mappings = extensions.inputs if kind == "input" else extensions.outputs
    if mappings:
        reading.report.error(
            "mapping-not-executed",
            f"The {kind} mappings of a {node.tag} are not executed. Put them on the element"
            f" {'after' if kind == 'input' else 'before'} it.",
            node,
            mappings[0].line,
        )
