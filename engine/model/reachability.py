"""From where in its scope a join can be reached: computed once, for each join without passing it.

    a --> J <-- x        J: incoming a-J (bit 0), x-J (bit 1)
          J --> x        from_element: a -> 01, x -> 10; what lies only behind J reaches nothing,
                         unless it leads back: x does, by its own flow, without passing J

One walk finds the elements that lie on a circle together (Tarjan), those furthest on first. All of
a circle reach the same, so each is dealt with once, with all flows into the join in one mask: the
cost is that of the scope's flows, however many of them come together.
"""

from collections.abc import Iterator
from typing import Final

from engine.model.elements import (
    Activity,
    AnyElement,
    ComplexGateway,
    InclusiveGateway,
    IntermediateThrowEvent,
    Joins,
    LinkTrigger,
    ProcessModel,
    Reach,
)

_JOINS: Final = "joins"


def joins_of(model: ProcessModel) -> Joins:
    """The joins of a model that wait for what may still come, and what can reach each."""
    known: Joins | None = model.computed.get(_JOINS)
    if known is None:
        known = model.computed[_JOINS] = _find_joins(model)
    return known


def _find_joins(model: ProcessModel) -> Joins:
    waiting = [
        element
        for element in model.elements
        if isinstance(element, InclusiveGateway | ComplexGateway) and len(element.incoming) > 1
    ]
    bits = {join.index: 1 << number for number, join in enumerate(waiting)}
    scopes = dict.fromkeys(join.scope for join in waiting)
    graph = {
        element.index: tuple(followers(model, element))
        for element in model.elements
        if element.scope in scopes
    }
    reached: dict[int, int] = {}
    for circle in _circles(graph):
        mask = 0
        for index in circle:
            mask |= bits.get(index, 0)
            for next_ in graph[index]:
                mask |= reached.get(next_, 0)
        if mask:
            reached.update(dict.fromkeys(circle, mask))
    return Joins(
        indexes=tuple(bits),
        from_element={model.elements[index].id: mask for index, mask in reached.items()},
        at_flow={
            model.flows[flow].id: bits[join.index] for join in waiting for flow in join.incoming
        },
    )


def reach_of(model: ProcessModel, join: int) -> Reach:
    """From which elements a join (its index) can be reached, and on which of its flows."""
    known = model.reaches.get(join)
    if known is None:
        known = model.reaches[join] = _compute(model, model.elements[join])
    return known


def _compute(model: ProcessModel, join: AnyElement) -> Reach:
    bits = {flow: 1 << position for position, flow in enumerate(join.incoming)}
    reached: dict[int, int] = {}
    # No path crosses the border of a sub-process (13.4.3), so its own elements are all that count.
    upstream = _upstream(model, join)
    graph = {
        index: tuple(
            next_ for next_ in followers(model, model.elements[index]) if next_ in upstream
        )
        for index in upstream
    }
    for circle in _circles(graph):
        mask = 0
        for index in circle:
            for flow in model.elements[index].outgoing:
                mask |= bits.get(flow, 0)
            for next_ in graph[index]:
                mask |= reached.get(next_, 0)
        if mask:
            reached.update(dict.fromkeys(circle, mask))
    # One that fires just now, or is stuck at that, has passed itself and may come around.
    around = 0
    for flow in join.outgoing:
        around |= bits.get(flow, 0) | reached.get(model.flows[flow].target, 0)
    if around:
        reached[join.index] = around
    return Reach(reached)


def _upstream(model: ProcessModel, join: AnyElement) -> dict[int, None]:
    """The elements from which any path leads to the join, but for itself."""
    leaders = _leaders(model)
    found = {index: None for index in leaders.get(join.index, ()) if index != join.index}
    pending = list(found)
    while pending:
        for index in leaders.get(pending.pop(), ()):
            if index != join.index and index not in found:
                found[index] = None
                pending.append(index)
    return found


_LEADERS: Final = "leaders"


def _leaders(model: ProcessModel) -> dict[int, list[int]]:
    """By element: those that it follows on."""
    known: dict[int, list[int]] | None = model.computed.get(_LEADERS)
    if known is None:
        known = model.computed[_LEADERS] = {}
        for element in model.elements:
            for next_ in followers(model, element):
                known.setdefault(next_, []).append(element.index)
    return known


def followers(model: ProcessModel, element: AnyElement) -> Iterator[int]:
    """The elements of its scope at which something may begin when this one goes on."""
    for flow in element.outgoing:
        yield model.flows[flow].target
    if isinstance(element, Activity):
        yield from element.boundary
    if isinstance(element, IntermediateThrowEvent) and isinstance(element.trigger, LinkTrigger):
        assert element.trigger.target is not None, "the reader has found the other end"
        yield element.trigger.target


def _circles(graph: dict[int, tuple[int, ...]]) -> Iterator[list[int]]:
    """The strongly connected components, each after all that can be reached from it."""
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    done: set[int] = set()
    for root, beyond in graph.items():
        if root in number:
            continue
        path = [(root, iter(beyond))]
        number[root] = low[root] = len(number)
        stack.append(root)
        while path:
            here, rest = path[-1]
            for next_ in rest:
                if next_ not in number:
                    number[next_] = low[next_] = len(number)
                    stack.append(next_)
                    path.append((next_, iter(graph[next_])))
                    break
                if next_ not in done:
                    low[here] = min(low[here], number[next_])
            else:
                path.pop()
                if path:
                    before = path[-1][0]
                    low[before] = min(low[before], low[here])
                if low[here] == number[here]:
                    circle = [stack.pop()]
                    while circle[-1] != here:
                        circle.append(stack.pop())
                    done.update(circle)
                    yield circle
