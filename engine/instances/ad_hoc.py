"""Ad-hoc sub-processes: what was chosen begins, in order; what completes may complete them.

Their offer (`AdHocWait`) lives beside whatever runs in their scope. With the ordering Sequential
one activity runs at a time: what else was chosen waits, and so does an arrival at an activity.

    chosen A B C, sequential, A -> D      A begins                          chosen B C
    A completes, takes A-D                D begins, before what was chosen  chosen B C
    D completes                           B begins                          chosen C
    the condition holds after B           stopped: C never begins, the scope completes

Where the model asks for it (`scoped`), what is chosen has a scope of its own, inside that of the
ad-hoc sub-process: an element instance of the same element. It is what is counted, and ordered; its
end is what the condition is asked after, and what it has begun goes on whatever the condition says.

Where a worker directs it, a job asks what begins: first when it begins, then whenever what began
with one choice is over. There is one such job at a time, and a newer one knows more. It has neither
a condition nor an end of its own: the worker says when it is done.

    worker chooses A, B           A and B begin                no job
    A completes                   its output is collected      job 2: what now?
    B completes                   job 2 is canceled            job 3, with both outputs
    worker answers job 3: done    stopped, it completes

BPMN 13.3.5: "If the ordering attribute is set to sequential, another enabled Activity can be
selected for execution only if the previous one has terminated. If the ordering attribute is set to
parallel, another enabled Activity can be selected for execution at any time."
"""

from typing import Final

from engine import events as e
from engine.instances.advance import SCOPE_START, Advance, DueStep
from engine.instances.endings import CLOSED, terminate, terminate_inside
from engine.instances.scans import places
from engine.lifecycle import Step
from engine.model.elements import (
    Activity,
    AdHocSubProcess,
    AnyElement,
    ComplexGateway,
    ProcessModel,
    SubProcess,
)
from engine.state import AdHocWait, ElementInstance, IncidentWait, JobWait
from engine.values import Value


def offered(model: ProcessModel, element: AdHocSubProcess) -> tuple[str, ...]:
    """The ids of what can be chosen, in document order."""
    return tuple(model.elements[index].id for index in element.offered)


def choose(advance: Advance, chosen: e.ActivitiesChosen) -> None:
    """Let these begin, one after the other, as soon as the ordering allows."""
    if chosen.element_ids:
        advance.emit(chosen)
        advance.agenda.append((advance.state.waits[chosen.key].owner, SCOPE_START))


def may_begin(advance: Advance, offer: AdHocWait) -> bool:
    """Whether the next that was chosen may begin now."""
    return bool(offer.chosen) and not (offer.active and is_sequential(advance, offer))


def is_sequential(advance: Advance, offer: AdHocWait) -> bool:
    """Whether one activity runs at a time."""
    return _element(advance, offer).sequential


def next_chosen(advance: Advance, offer: AdHocWait) -> AnyElement:
    """What of the chosen is to begin next."""
    return advance.model.element(offer.chosen[0])


def begin(advance: Advance, offer: AdHocWait, element: AnyElement, step: Step) -> None:
    """Begin the next of the chosen. Those of a parallel one follow step by step."""
    container = _element(advance, offer)
    own = dict(offer.variables[0]) if offer.variables else {}
    key = advance.new_key()
    counted = container if container.scoped else element
    advance.emit(
        e.ElementActivated(key=key, element_id=counted.id, scope=offer.owner, ad_hoc=offer.key)
    )
    if container.scoped:
        if container.output_variable is not None:
            own.setdefault(container.output_variable, "null")
        if own:
            advance.emit(e.VariablesSet(scope=key, variables=own))
        advance.begin(element, key, step=step)
    else:
        advance.due.append(DueStep(key, step, None))
    if len(offer.chosen) > 1 and not is_sequential(advance, offer):
        advance.agenda.append((offer.owner, SCOPE_START))


def is_held(advance: Advance, element: AnyElement, scope: int) -> bool:
    """Whether an arrival at an activity has to wait: another runs, and one at a time may."""
    offer = advance.offer_of(scope)
    if offer is None or not offer.active or not isinstance(element, Activity):
        return False
    return is_sequential(advance, offer)


def goes_on(advance: Advance, scope: int) -> bool:
    """Something in a scope has ended: whether an ad-hoc sub-process goes on in spite of it.

    Without a condition it completes when all that was chosen is over; before anything was chosen,
    and while a condition does not hold, it waits for more.
    """
    offer = advance.offer_of(scope)
    if offer is None or offer.stopped or advance.is_ending(scope):
        return False
    if not offer.active and is_sequential(advance, offer):
        for flow_id, count in advance.state.arrivals.get(scope, {}).items():
            advance.agenda.extend([(scope, advance.model.flow_index[flow_id])] * count)
    if may_begin(advance, offer):
        advance.agenda.append((scope, SCOPE_START))
    if offer.chosen or not offer.begun:
        return True
    element = _element(advance, offer)
    return element.completion is not None or element.job is not None


def completes(advance: Advance, instance: ElementInstance) -> AdHocWait | None:
    """The offer that an activity, about to complete, brings to its end. Raises StuckError.

    13.3.5: "After each completion of an inner Activity, a condition specified through the
    completionCondition attribute is evaluated". It sees the variables of the ad-hoc sub-process,
    and counts with this activity completed.
    """
    if not instance.ad_hoc or instance.scope is None:
        return None
    offer = advance.offer_of(instance.scope)
    if offer is None or offer.stopped:
        return None
    element = _element(advance, offer)
    if element.completion is None or not advance.evaluator.condition(
        element.completion,
        instance.scope,
        _counts(offer),
        whose=f"Completion condition of {element.id!r}",
    ):
        return None
    return offer


def _counts(offer: AdHocWait) -> dict[str, Value]:
    return {
        "numberOfInstances": offer.begun,
        "numberOfActiveInstances": offer.active - 1,
        "numberOfCompletedInstances": offer.completed + 1,
    }


def stop(advance: Advance, offer: int, *, cancels: bool | None = None) -> None:
    """Nothing more begins, and what still runs is ended or waited for: as the model says, or who
    stops it (`cancels`).

    13.3.5: "If true, the Ad-Hoc Sub-Process completes without executing further inner Activities.
    ... if the attribute cancelRemainingInstances is true, running instances of inner Activities are
    canceled. If cancelRemainingInstances is set to false, the Ad-Hoc Sub-Process completes after
    all remaining inner instances have completed or terminated." No flow is taken any more, so what
    has arrived at a join, or at a complex gateway, waits for nothing.
    """
    scope = advance.state.waits[offer].owner
    arrivals = advance.state.arrivals.get(scope, {})
    discarded = tuple(flow for flow, count in arrivals.items() for _ in range(count))
    advance.emit(e.AdHocStopped(key=offer, discarded=discarded))
    advance.touched[scope] = None
    recall(advance, scope)
    element = advance.element(scope)
    if cancels is None:
        cancels = isinstance(element, AdHocSubProcess) and element.cancels_remaining
    if cancels:
        terminate_inside(advance, scope)
        return
    if advance.model.has_complex_joins:
        _end_gateways(advance, scope)


def _end_gateways(advance: Advance, scope: int) -> None:
    """Those that wait for arrivals, or will when their listeners are done."""
    gateways = [
        key
        for (where, element_id), keys in places(advance.state)
        if where == scope and isinstance(advance.model.element(element_id), ComplexGateway)
        for key in keys
    ]
    for key in gateways:
        if len(advance.element(key).incoming) > 1:
            terminate(advance, key)


def withdraw(advance: Advance, scope: int) -> None:
    """An ad-hoc sub-process is over, or goes on as any other: it offers nothing any more."""
    offer = advance.offer_of(scope)
    if offer is not None:
        recall(advance, scope)
        advance.emit(e.AdHocClosed(key=offer.key))


def ask_again(advance: Advance, ended: ElementInstance, element: object) -> None:
    """Something has ended in a scope: a worker that directs it has to know, and to decide anew.

    That is all that began with a choice, or an event sub-process. What it was asked before is out
    of date.
    """
    scope = ended.scope
    offer = None if scope is None else advance.offer_of(scope)
    if scope is None or offer is None or offer.stopped or _element(advance, offer).job is None:
        return
    by_event = isinstance(element, SubProcess) and element.by_event
    if ended.ad_hoc or by_event:
        recall(advance, scope)
        advance.due.append(DueStep(scope, Step.DIRECT, None))


def recall(advance: Advance, scope: int) -> None:
    """Ask the worker that directs an ad-hoc sub-process nothing any more, if it was asked."""
    for key in advance.instance(scope).waits:
        wait = advance.state.waits[key]
        if isinstance(wait, JobWait) or (isinstance(wait, IncidentWait) and wait.step in _ASKING):
            advance.emit(CLOSED[type(wait)](wait))


_ASKING: Final = frozenset({Step.JOB, Step.DIRECT})
"""The steps of its incidents: a job that has failed for good, and one that could not be made."""


def asks(advance: Advance, scope: int) -> bool:
    """Whether the worker that directs an ad-hoc sub-process has been asked."""
    waits = advance.state.waits
    return any(isinstance(waits[key], JobWait) for key in advance.instance(scope).waits)


def _element(advance: Advance, offer: AdHocWait) -> AdHocSubProcess:
    element = advance.element(offer.owner)
    assert isinstance(element, AdHocSubProcess), "nothing else makes an offer"
    return element
