"""What there is in a world, in lines for people."""

from collections.abc import Iterable
from datetime import UTC, datetime

from engine import state as s
from scenarios import looking
from scenarios.instances import Instance
from scenarios.names import Names
from scenarios.world import Held, World


def describe(world: World, instance: Instance) -> str:
    """An instance in a line: its process, id, state."""
    shown = world.instances.state(instance)
    named = "" if instance.id == instance.process_id else f" {instance.id}"
    return f"{instance.process_id}{named}: {shown}"


def where(world: World, instance: Instance) -> list[str]:
    """Where an instance sleeps, and what for, a line an element; else its state."""
    state = world.instances.living(instance)
    if state is None:
        return [describe(world, instance)]
    names = world.names(instance)
    lines = []
    for item in state.elements.values():
        if not item.open:
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
            what = f"job {wait.type}{_next_try(wait)}"
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


def _next_try(wait: s.JobWait) -> str:
    """What more there is to say of a job that failed and is tried again later."""
    if wait.retry_at is None:
        return ""
    return f", failed, next try {instant(wait.retry_at)}, {wait.retries_left} left"


def failed_jobs(world: World, instances: Iterable[Instance]) -> list[str]:
    """The jobs that failed and are tried again later, a line each."""
    return [
        f"{held.label} (job {held.wait.type}{_next_try(held.wait)})"
        for held in world.waits(instances)
        if isinstance(held.wait, s.JobWait) and held.wait.retry_at is not None
    ]


def places(world: World, instance: Instance) -> list[str]:
    """Where an instance sleeps, in a few words: what keeps it from going on by itself is said."""
    state = world.instances.living(instance)
    if state is None:
        return []
    names = world.names(instance)
    lines = {
        item.key: names.label(item.element_id) for item in state.elements.values() if not item.open
    }
    for held in world.waits([instance]):
        wait = held.wait
        if isinstance(wait, s.IncidentWait):
            lines[wait.owner] = f"{held.label}: incident {wait.kind}"
        elif isinstance(wait, s.JobWait) and wait.retry_at is not None:
            lines[wait.owner] = f"{held.label}: failed, next try {instant(wait.retry_at)}"
    return list(lines.values())


def where_all_are(world: World) -> list[str]:
    """What all instances wait for, a line each."""
    lines = [line for each in world.instances.all() for line in where(world, each)]
    return lines or ["no instance has begun"]


def instant(epoch_ms: int) -> str:
    """An instant as it would be written in a scenario."""
    text = datetime.fromtimestamp(epoch_ms / 1000, UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z").replace(".000Z", "Z")
