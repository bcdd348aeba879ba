"""Steps that let time pass on the virtual clock."""

from engine import state as s
from engine.expressions import schedule
from scenarios import telling
from scenarios.errors import Mismatch, did_you_mean
from scenarios.format import steps as f
from scenarios.verbs.actor import Actor
from scenarios.world import World


def milliseconds(world: World, duration: str) -> int:
    now, zone = world.simulation.now, world.simulation.settings.zone
    return schedule.add_duration(now, schedule.parse_duration(duration), zone) - now


def elapse(actor: Actor, step: f.Elapse) -> None:
    length = milliseconds(actor.world, step.duration)
    if length < 0:
        raise Mismatch("Time does not go backwards.")
    _pass_until(actor, actor.world.simulation.now + length)


def advance_to(actor: Actor, step: f.AdvanceTo) -> None:
    world = actor.world
    until = schedule.parse_date_time(step.instant, world.simulation.settings.zone)
    if until < world.simulation.now:
        raise Mismatch(
            f"It is later than {step.instant} already.",
            found=[telling.instant(actor.world.simulation.now)],
        )
    _pass_until(actor, until)


def _pass_until(actor: Actor, until: int) -> None:
    for _ in actor.world.pass_until(until):
        actor.mocking.answer()


def fire_timer(actor: Actor, step: f.FireTimer) -> None:
    world = actor.world
    instances = [world.instances.find(step.instance)] if step.instance else world.instances.all()
    timers = [
        (held.wait.due_ms, held.names.is_named(held.element_id, step.element), held.label)
        for held in world.waits(instances)
        if isinstance(held.wait, s.TimerWait)
    ]
    timers += [
        (at.due_ms, names.is_named(at.element_id, step.element), names.label(at.element_id))
        for names, at in world.deployed.timer_starts()
    ]
    timers.sort()
    due = [at for at, right, _ in timers if right]
    if not due:
        known = [label for _, _, label in timers]
        raise Mismatch(
            f"No timer {step.element!r} runs.{did_you_mean(step.element, known)}",
            found=[f"timer {label}, due {telling.instant(at)}" for at, _, label in timers]
            or telling.where_all_are(world),
        )
    _pass_until(actor, due[0])
