"""Leaving an element: which sequence flows are taken, and that everything it owned is closed."""

from collections.abc import Iterable

from engine import events as e
from engine.instances import ad_hoc
from engine.instances.advance import Advance
from engine.instances.compensation import record
from engine.instances.endings import close_waits
from engine.instances.stuck import IncidentKind, StuckError
from engine.model.elements import Element, SequenceFlow


def leave(advance: Advance, element: Element, key: int, flows: Iterable[int]) -> None:
    """The element instance completes and takes these flows."""
    instance = advance.instance(key)
    scope = instance.scope
    over = ad_hoc.completes(advance, instance)
    record(advance, element, key)
    close_waits(advance, key)
    advance.emit(e.ElementCompleted(key=key))
    if over is not None:
        ad_hoc.stop(advance, over.key)
    elif advance.model.has_directed_ad_hocs:
        ad_hoc.ask_again(advance, instance, element)
    if scope is not None:
        for flow in flows:
            advance.take(flow, scope)


def leave_by_all(advance: Advance, element: Element, key: int) -> None:
    """Take every outgoing flow, conditions or not."""
    leave(advance, element, key, element.outgoing)


def leave_by_true(advance: Advance, element: Element, key: int) -> None:
    """Take every flow that is unconditional or true; none: the default; no default: incident.

    BPMN 13.3.1: "Multiple outgoing Sequence Flows behaves as a parallel split. Multiple outgoing
    Sequence Flows with conditions behaves as an inclusive split."
    """
    default: int | None = getattr(element, "default", None)
    flows = advance.model.flows
    chosen = [
        index
        for index in element.outgoing
        if index != default
        and (flows[index].condition is None or _is_true(advance, flows[index], key))
    ]
    if not chosen and element.outgoing:
        chosen = [_default_of(element, default)]
    leave(advance, element, key, chosen)


def leave_by_first_true(advance: Advance, element: Element, key: int) -> None:
    """Take the first true flow in document order, else the default.

    BPMN 13.4.2: "the conditions are evaluated in order. The first condition that evaluates to true
    determines the Sequence Flow the token is sent to."
    """
    default: int | None = getattr(element, "default", None)
    for index in element.outgoing:
        if index != default and _is_true(advance, advance.model.flows[index], key):
            leave(advance, element, key, (index,))
            return
    leave(advance, element, key, (_default_of(element, default),) if element.outgoing else ())


def _is_true(advance: Advance, flow: SequenceFlow, key: int) -> bool:
    if flow.condition is None:
        return True
    scope = advance.instance(key).scope
    result = advance.evaluator.condition(flow.condition, key, whose=f"Flow {flow.id!r}")
    advance.emit(
        e.ConditionEvaluated(
            scope=scope or 0, flow_id=flow.id, expression=flow.condition.text, result=result
        )
    )
    return result


def _default_of(element: Element, default: int | None) -> int:
    if default is None:
        raise StuckError(
            IncidentKind.NO_FLOW_CHOSEN,
            f"Expected a true condition or a default flow at {element.id}, found neither",
        )
    return default
