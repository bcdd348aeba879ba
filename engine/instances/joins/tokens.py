"""Where the tokens of a scope are, as a join asks for it: at a cost that hardly grows with them.

What of it depends on a part of the document alone is read off that part, and of a page it is known
from then on (`engine/pages.py`). For all joins of a model together that is which of them something
on the page can reach, a set; on the pages that have to do with a join, by which of its flows.

    page 0: a b b b    reaches J, K     J asks here: a on flow 0, b on flow 1
    page 1: c c c c    reaches K        J passes over it
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from engine.model.elements import ComplexGateway, ProcessModel
from engine.model.reachability import joins_of, reach_of
from engine.ordered import Ordered
from engine.pages import Page, look, parts
from engine.state import ElementInstance

Elements = Mapping[int, ElementInstance]
Flows = Mapping[str, int]


class JoinTokens:
    """One join: by which of its flows can it be reached? Bit n of a mask is its n-th flow."""

    def __init__(self, model: ProcessModel, join: int) -> None:
        self.join = model.elements[join]
        self.bits = {model.flows[flow].id: 1 << bit for bit, flow in enumerate(self.join.incoming)}
        reach = reach_of(model, join).from_element
        masks = {model.elements[index].id: mask for index, mask in reach.items()}
        gates = _gates(model)
        self._from_element = {name: mask for name, mask in masks.items() if name not in gates}
        self._from_gate = {
            name: mask for name, mask in masks.items() if name in gates and name != self.join.id
        }
        self._from_flow = {
            model.flows[flow].id: mask
            for index, mask in reach.items()
            for flow in model.elements[index].incoming
            if index != join
        }

    def arrived(self, page: Mapping[Any, Any]) -> int:
        """The flows of a part that lead to the join."""
        return _union(map(self.bits.get, _flow_ids(page)))

    def from_elements(self, page: Elements) -> dict[int, int]:
        """By scope: what the element instances can reach, but for complex gateways."""
        return _by_scope(page, self._from_element)

    def from_gates(self, page: Elements) -> dict[int, int]:
        """By scope: what other complex gateways can reach, which may wait for the join."""
        return _by_scope(page, self._from_gate) if self._from_gate else {}

    def from_flows(self, page: Mapping[Any, Any]) -> int:
        """What arrivals at other elements can reach."""
        return _union(map(self._from_flow.get, _flow_ids(page)))


class TokenMap:
    """All joins of a model: which of them does a part concern? Bit n of a mask is the n-th join."""

    def __init__(self, model: ProcessModel) -> None:
        joins = joins_of(model)
        self.indexes = joins.indexes
        self._from_element = joins.from_element
        self._at_flow = joins.at_flow
        gates = _gates(model)
        self._gates = {
            model.elements[index].id: 1 << number
            for number, index in enumerate(joins.indexes)
            if model.elements[index].id in gates
        }
        self._from_flow = {
            flow.id: mask
            for flow in model.flows
            if (mask := joins.from_element.get(model.elements[flow.target].id))
        }

    def waiting_at(self, flows: Flows) -> int:
        """Where something has arrived."""
        return _union(look(part, self._waiting_at) for part in flow_parts(flows))

    def begun(self, elements: Elements, scope: int) -> int:
        """The complex gateways that have begun in a scope."""
        if not self._gates:
            return 0
        return _union(look(part, self._begun).get(scope) for part in parts(elements, scope))

    def near(self, elements: Elements, scope: int, number: int) -> Iterator[Elements]:
        """The parts with element instances of the scope that can reach the join, or are there."""
        return (
            part
            for part in parts(elements, scope)
            if look(part, self._reached).get(scope, 0) >> number & 1
        )

    def flows_at(self, flows: Flows, number: int) -> Iterator[Mapping[Any, Any]]:
        """The parts with arrivals at the join."""
        return (part for part in flow_parts(flows) if look(part, self._waiting_at) >> number & 1)

    def flows_near(self, flows: Flows, number: int) -> Iterator[Mapping[Any, Any]]:
        """The parts with arrivals that can go on to the join, or wait at it."""
        return (part for part in flow_parts(flows) if look(part, self._reached_by) >> number & 1)

    def _waiting_at(self, part: Mapping[Any, Any]) -> int:
        return _union(map(self._at_flow.get, _flow_ids(part)))

    def _reached_by(self, part: Mapping[Any, Any]) -> int:
        return _union(map(self._from_flow.get, _flow_ids(part)))

    def _begun(self, part: Elements) -> dict[int, int]:
        return _by_scope(part, self._gates)

    def _reached(self, part: Elements) -> dict[int, int]:
        return _by_scope(part, self._from_element)


def tokens_of(model: ProcessModel, join: int) -> JoinTokens:
    """What is to be known of a join, by its index."""
    known = model.computed.get((JoinTokens, join))
    if known is None:
        known = model.computed[JoinTokens, join] = JoinTokens(model, join)
    return cast(JoinTokens, known)


def map_of(model: ProcessModel) -> TokenMap:
    """What is to be known of all joins of a model."""
    known = model.computed.get(TokenMap)
    if known is None:
        known = model.computed[TokenMap] = TokenMap(model)
    return cast(TokenMap, known)


def flow_parts(flows: Flows) -> Iterator[Mapping[Any, Any]]:
    """The pages of the arrivals of a scope, or all of them at once."""
    return iter(flows.pages.values() if isinstance(flows, Ordered) else (flows,))


def _flow_ids(part: Mapping[Any, Any]) -> Iterator[str]:
    """Pages hold them by ordinals, with the numbers of arrivals; else they are the keys."""
    return (flow for flow, _ in part.values()) if isinstance(part, Page) else iter(part)


def _gates(model: ProcessModel) -> dict[str, None]:
    """The complex gateways with a cycle: while one lasts it waits like a join."""
    if not model.has_complex_joins:
        return {}
    return {
        element.id: None
        for element in model.elements
        if isinstance(element, ComplexGateway) and len(element.incoming) > 1
    }


def _union(masks: Iterable[int | None]) -> int:
    union = 0
    for mask in masks:
        if mask:
            union |= mask
    return union


def _by_scope(part: Elements, masks: Mapping[str, int]) -> dict[int, int]:
    """The union of the masks of the element instances directly inside each scope."""
    found: dict[int, int] = {}
    for element in part.values():
        mask = masks.get(element.element_id)
        if mask:
            scope = element.scope or 0
            found[scope] = found.get(scope, 0) | mask
    return found
