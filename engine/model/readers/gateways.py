"""Readers of gateways."""

from engine.expressions import Expression
from engine.model import elements as e
from engine.model.extensions import Extensions
from engine.model.readers.fields import element_fields
from engine.model.reading import Reading
from engine.model.source import Node


def exclusive_gateway(reading: Reading, node: Node, extensions: Extensions) -> e.ExclusiveGateway:
    default = reading.process.default_of(node)
    return e.ExclusiveGateway(**element_fields(reading, node, extensions), default=default)


def parallel_gateway(reading: Reading, node: Node, extensions: Extensions) -> e.ParallelGateway:
    return e.ParallelGateway(**element_fields(reading, node, extensions))


def inclusive_gateway(reading: Reading, node: Node, extensions: Extensions) -> e.InclusiveGateway:
    return e.InclusiveGateway(**element_fields(reading, node, extensions), default=node.default)


def complex_gateway(
    reading: Reading, node: Node, extensions: Extensions
) -> e.ComplexGateway | None:
    drawn = next((part for part in node.children if part.tag == "activationCondition"), None)
    activation = None
    if drawn is not None:
        formula = reading.dialect.condition("".join(drawn.xml.itertext()), drawn.line)
        activation = reading.formulas.expression(formula, node, "activation condition")
    elif len(node.incoming) > 1:
        reading.report.error(
            "activation-condition-missing",
            "The complex gateway says nothing about when it fires. Give it an activation condition,"
            " for example '=activationCount >= 2', or make it an inclusive gateway.",
            node,
        )
    if activation is None and len(node.incoming) > 1:
        return None
    return e.ComplexGateway(
        **element_fields(reading, node, extensions),
        default=node.default,
        activation=activation,
        asks_data=activation is not None and _asks_data(reading, node, activation),
    )


def _asks_data(reading: Reading, node: Node, activation: Expression) -> bool:
    """Whether it reads variables beside the counts of its incoming flows."""
    counts = {reading.process.flows[index].id for index in node.incoming}
    return any(
        name not in counts and name not in ("activationCount", "activationCounts")
        for name in activation.names
    )


def event_based_gateway(
    reading: Reading, node: Node, extensions: Extensions
) -> e.EventBasedGateway:
    return e.EventBasedGateway(
        **element_fields(reading, node, extensions),
        instantiate=node.instantiates,
        parallel=node.is_parallel,
    )
