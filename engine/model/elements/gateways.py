"""Gateways."""

from engine.expressions import Expression
from engine.model.elements.element import Element


class ExclusiveGateway(Element, frozen=True, kw_only=True, tag="exclusiveGateway"):
    default: int | None = None


class ParallelGateway(Element, frozen=True, kw_only=True, tag="parallelGateway"):
    pass


class InclusiveGateway(Element, frozen=True, kw_only=True, tag="inclusiveGateway"):
    default: int | None = None


class ComplexGateway(Element, frozen=True, kw_only=True, tag="complexGateway"):
    """`activation` None: only with a single incoming flow, which it passes on.

    `asks_data`: its activation asks for more than what has arrived.
    """

    default: int | None = None
    activation: Expression | None = None
    asks_data: bool = False


class EventBasedGateway(Element, frozen=True, kw_only=True, tag="eventBasedGateway"):
    """`instantiate`: each event behind it starts an instance; with `parallel` it needs them all."""

    instantiate: bool = False
    parallel: bool = False
