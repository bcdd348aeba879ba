"""Keeping what came with an event while the event itself has to wait for something else."""

from engine import variables as v
from engine.instances.advance import Advance
from engine.instances.incidents import raise_incident
from engine.instances.mappings import targets_of
from engine.instances.stuck import StuckError
from engine.lifecycle import Step
from engine.model.elements import AnyElement, BoundaryEvent, IntermediateCatchEvent, StartEvent


def keep(advance: Advance, owner: int, event: AnyElement, payload: v.Texts | None) -> None:
    """Where the event would write it: there it is seen meanwhile."""
    instance = advance.instance(owner)
    try:
        is_own = instance.element_id == event.id  # else it is an arm of a gateway, which waits
        if isinstance(event, IntermediateCatchEvent | StartEvent) and is_own:
            advance.set_each(targets_of(advance, owner, payload or {}))
        elif isinstance(event, BoundaryEvent) and instance.scope is not None:
            advance.propagate(instance.scope, payload or {})
        else:
            advance.propagate(owner, payload or {})
    except StuckError as stuck:
        raise_incident(advance, owner, Step.NOTHING, stuck)
