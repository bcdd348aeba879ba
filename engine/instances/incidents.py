"""Raising an incident: an element instance is stuck until somebody resolves it."""

from engine import events as e
from engine.instances.advance import Advance
from engine.instances.limits import clip
from engine.instances.stuck import StuckError
from engine.lifecycle import Step


def raise_incident(advance: Advance, key: int, step: Step, stuck: StuckError) -> None:
    """The element instance stays where it is until the incident is resolved."""
    advance.emit(
        e.IncidentRaised(
            key=advance.new_key(),
            owner=key,
            kind=stuck.kind,
            message=clip(stuck.message),
            step=step,
            element_id=advance.instance(key).element_id,
        )
    )
