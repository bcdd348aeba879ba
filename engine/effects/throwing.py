"""What an instance throws: messages, signals, and escalations that nothing inside it catches."""

from engine import commands as c
from engine import events as e
from engine import records as r
from engine.effects.consequences import Consequences
from engine.routing import partition_of, signal_address


def event_thrown(to: Consequences, event: e.EventThrown) -> None:
    """What is caught in the instance itself has events of its own."""
    match event.kind:
        case "message":
            message = r.EffectMessage(name=event.name, correlation_key=event.correlation_key)
            to.effect("MessageThrown", event.owner, message=message, variables=event.variables)
            # Through the log: a process that starts itself by what it throws holds nobody up.
            to.send(
                c.PublishMessage(
                    name=event.name,
                    correlation_key=event.correlation_key,
                    message_id=event.message_id,
                    ttl_ms=event.ttl_ms,
                    variables=event.variables,
                ),
                through_log=True,
            )
        case "signal":
            to.effect("SignalThrown", event.owner, signal=event.name, variables=event.variables)
            _broadcast(to, event)
        case "escalation" if not event.caught:
            _escalate(to, event)


def _broadcast(to: Consequences, event: e.EventThrown) -> None:
    """Through the log of every partition, this one too; the thrower itself has taken it."""
    spread = c.DeliverSignal(
        partition=partition_of(signal_address(event.name), to.context.partitions),
        name=event.name,
        variables=event.variables,
        thrown_by=to.state.instance_id,
        spreads=True,
    )
    to.send(spread, through_log=True)


def _escalate(to: Consequences, event: e.EventThrown) -> None:
    """Nothing in this instance catches the escalation: its caller may, or it is only told of."""
    start = to.state.start
    if start.parent_id is not None and start.parent_element is not None:
        to.send(
            c.ChildEscalated(
                instance_id=start.parent_id,
                parent_element=start.parent_element,
                child_id=to.state.instance_id,
                code=event.name,
                variables=event.variables,
                steps=to.steps,
            )
        )
    else:
        error = r.EffectError(code=event.name)
        to.effect("EscalationRaised", event.owner, error=error, variables=event.variables)
