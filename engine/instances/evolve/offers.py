"""What ad-hoc sub-processes offer and count, as events change it: part of `evolve`.

An offer outlives neither its ad-hoc sub-process nor an event that interrupts that; what it counted
and then ends is counted by nobody.
"""

from msgspec.structs import replace

from engine import events as e
from engine import state as s
from engine.errors import InvariantError
from engine.instances.evolve import waits
from engine.lifecycle import ElementState
from engine.variables import size


def choose(state: s.ProcessInstance, event: e.ActivitiesChosen, at_ms: int) -> None:
    """More are to begin, behind those that are still to begin, or instead of them."""
    if event.instead:
        _drop(state, event.key)
    offer = _offer(state, event.key)
    chosen = (*offer.chosen, *event.element_ids)
    variables = offer.variables
    if event.variables or variables:
        nothing: tuple[dict[str, str], ...] = ({},)
        variables = (
            *(variables or nothing * len(offer.chosen)),
            *(event.variables or nothing * len(event.element_ids)),
        )
        state.variables_bytes += sum(map(size, event.variables))
    state.waits[event.key] = replace(offer, chosen=chosen, variables=variables)


def begin(state: s.ProcessInstance, event: e.ElementActivated) -> None:
    """One has begun: the next that was chosen, or one that a flow has led to."""
    offer = _offer(state, event.ad_hoc)
    chosen, variables = offer.chosen, offer.variables
    if not event.consumed:
        chosen = chosen[1:]
        if variables:
            state.variables_bytes -= size(variables[0])
            variables = variables[1:]
    state.waits[event.ad_hoc] = replace(
        offer, chosen=chosen, variables=variables, begun=offer.begun + 1, active=offer.active + 1
    )


def end(state: s.ProcessInstance, element: s.ElementInstance, after: ElementState) -> None:
    """One has ended, and counts as completed if it has completed."""
    offer = state.waits.get(element.ad_hoc)
    if isinstance(offer, s.AdHocWait):
        completed = offer.completed + (after is ElementState.COMPLETED)
        state.waits[offer.key] = replace(offer, completed=completed, active=offer.active - 1)


def stop(state: s.ProcessInstance, key: int) -> None:
    """Nothing more begins."""
    _drop(state, key)
    state.waits[key] = replace(_offer(state, key), stopped=True)


def close(state: s.ProcessInstance, event: e.AdHocClosed, at_ms: int) -> None:
    """Nothing is offered any more."""
    _drop(state, event.key)
    waits.remove(state, event.key)


def _drop(state: s.ProcessInstance, key: int) -> None:
    """What was chosen and has not begun will not."""
    offer = _offer(state, key)
    state.variables_bytes -= sum(map(size, offer.variables))
    state.waits[key] = replace(offer, chosen=(), variables=())


def _offer(state: s.ProcessInstance, key: int) -> s.AdHocWait:
    offer = state.waits[key]
    if not isinstance(offer, s.AdHocWait):
        raise InvariantError(f"expected an AdHocWait {key}, found a {type(offer).__name__}")
    return offer
