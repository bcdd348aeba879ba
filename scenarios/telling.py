"""What there is in a world, in lines for people."""

from datetime import UTC, datetime

from engine import state as s
from scenarios import looking
from scenarios.names import Names
from scenarios.world import Held, Instance, World


def describe(world: World, instance: Instance) -> str:
    """An instance in a line: its process, id, state."""
    shown = world.state(instance)
    named = "" if instance.id == instance.process_id else f" {instance.id}"
    return f"{instance.process_id}{named}: {shown}"


def where(world: World, instance: Instance) -> list[str]:
    """Where an instance sleeps, and what for, a line an element; else its state."""
    state = world.living(instance)
    if state is None:
        return [describe(world, instance)]
    names = world.names(instance)
    lines = []
    for item in state.elements.values():
        if item.scope is not None and not item.open:
            own = item.element_id
            held = [
                Held(instance, names, looking.element_of(state, wait), wait)
                for wait in map(state.waits.__getitem__, item.waits)
            ]
            held.sort(key=lambda each: each.element_id != own)
            what = "; ".join(_what(names, own, each) for each in held)
            lines.append(f"{names.label(own)} ({what})")
    return lines or [describe(world, instance)]


def _what(names: Names, owner: str, held: Held) -> str:
    """What is waited for, with the event's name where it is another element's."""
    wait = held.wait
    match wait:
        case s.IncidentWait():
            return f"incident {wait.kind}: {wait.message}"
        case s.JobWait():
            what = f"job {wait.type}"
        case s.TimerWait():
            what = f"timer, due {instant(wait.due_ms)}"
        case s.SubscriptionWait():
            what = f"message {wait.name}, key {wait.correlation_key!r}"
        case s.SignalWait():
            what = f"signal {wait.name}"
        case s.CallWait():
            what = f"called instance {wait.child_id}"
        case _:
            what = looking.KINDS[type(wait)]
    return what if held.element_id == owner else f"{names.label(held.element_id)}: {what}"


def where_all_are(world: World) -> list[str]:
    """What all instances wait for, a line each."""
    lines = [line for each in world.instances() for line in where(world, each)]
    return lines or ["no instance has begun"]


def instant(epoch_ms: int) -> str:
    """An instant as it would be written in a scenario."""
    text = datetime.fromtimestamp(epoch_ms / 1000, UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z").replace(".000Z", "Z")
