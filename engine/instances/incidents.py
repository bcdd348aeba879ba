"""Raising an incident: an element instance is stuck until somebody resolves it."""

from engine import events as e
from engine.instances.advance import Advance
from engine.instances.limits import clip
from engine.instances.stuck import StuckError
from engine.lifecycle import Step
from engine.variables import Texts


def raise_incident(
    advance: Advance, key: int, step: Step, stuck: StuckError, payload: Texts | None = None
) -> None:
    """The element instance stays where it is until the incident is resolved.

    `payload`: variables that come with the step, and are kept for it.
    """
    advance.emit(
        e.IncidentRaised(
            key=advance.new_key(),
            owner=key,
            kind=stuck.kind,
            message=clip(stuck.message),
            step=step,
            element_id=advance.instance(key).element_id,
            variables=dict(payload or {}),
        )
    )
