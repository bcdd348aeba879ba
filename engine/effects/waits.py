"""What an instance waits for elsewhere: timers, messages; and what only a person can resolve."""

from engine import commands as c
from engine import events as e
from engine import records as r
from engine import state as s
from engine.effects.consequences import Consequences


def timer_armed(to: Consequences, event: e.TimerArmed) -> None:
    to.set_timer(event.key, event.due_ms)


def timer_closed(to: Consequences, event: e.TimerClosed) -> None:
    to.set_timer(event.key, None)


def subscription_opened(to: Consequences, event: e.SubscriptionOpened) -> None:
    """Signals are found by an index of the document, conditions by the transitions of variables."""
    if event.kind != "message":
        return
    to.send(
        c.OpenSubscription(
            name=event.name,
            correlation_key=event.correlation_key,
            instance_id=to.state.instance_id,
            process_id=to.state.start.process_id,
            subscription=event.key,
            interrupting=event.interrupting,
        )
    )


def subscription_closed(to: Consequences, event: e.SubscriptionClosed) -> None:
    """One that took a message is closed by the settling: `SettleMessage.still_open`."""
    subscription = to.state.waits[event.key]
    if event.message is None and isinstance(subscription, s.SubscriptionWait):
        to.send(
            c.CloseSubscription(
                name=subscription.name,
                correlation_key=subscription.correlation_key,
                instance_id=to.state.instance_id,
                subscription=event.key,
            )
        )


def incident_raised(to: Consequences, event: e.IncidentRaised) -> None:
    to.effect(
        "IncidentRaised",
        event.owner,
        incident=r.EffectIncident(
            incident_id=to.handle(event.key),
            kind=event.kind,
            message=event.message,
            element_id=event.element_id,
        ),
    )


def incident_resolved(to: Consequences, event: e.IncidentResolved) -> None:
    incident = to.state.waits[event.key]
    if not isinstance(incident, s.IncidentWait):
        return
    to.effect(
        "IncidentResolved",
        incident.owner,
        incident=r.EffectIncident(
            incident_id=to.handle(event.key),
            kind=incident.kind,
            message=incident.message,
            element_id=incident.element_id,
        ),
    )
