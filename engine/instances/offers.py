"""What ad-hoc sub-processes offer and count, as events change it: part of `evolve`.

An offer outlives neither its ad-hoc sub-process nor an event that interrupts that; what it counted
and then ends is counted by nobody.
"""

from msgspec.structs import replace

from engine import events as e
from engine import state as s
from engine.errors import InvariantError
from engine.lifecycle import ElementState


def choose(state: s.ProcessInstance, event: e.ActivitiesChosen, at_ms: int) -> None:
    """More are to begin, behind those that are still to begin."""
    offer = _offer(state, event.key)
    state.waits[event.key] = replace(offer, chosen=(*offer.chosen, *event.element_ids))


def begin(state: s.ProcessInstance, event: e.ElementActivated) -> None:
    """One has begun: the next that was chosen, or one that a flow has led to."""
    offer = _offer(state, event.ad_hoc)
    chosen = offer.chosen if event.consumed else offer.chosen[1:]
    state.waits[event.ad_hoc] = replace(
        offer, chosen=chosen, begun=offer.begun + 1, active=offer.active + 1
    )


def end(state: s.ProcessInstance, element: s.ElementInstance, after: ElementState) -> None:
    """One has ended, and counts as completed if it has completed."""
    offer = state.waits.get(element.ad_hoc)
    if isinstance(offer, s.AdHocWait):
        completed = offer.completed + (after is ElementState.COMPLETED)
        state.waits[offer.key] = replace(offer, completed=completed, active=offer.active - 1)


def _offer(state: s.ProcessInstance, key: int) -> s.AdHocWait:
    offer = state.waits[key]
    if not isinstance(offer, s.AdHocWait):
        raise InvariantError(f"expected an AdHocWait {key}, found a {type(offer).__name__}")
    return offer
