"""Steps about ad-hoc sub-processes: choose activities, complete."""

from engine import commands as c
from engine.state import AdHocWait
from scenarios import telling
from scenarios.errors import Mismatch
from scenarios.format import steps as f
from scenarios.instances import Instance
from scenarios.verbs.actor import Actor
from scenarios.world import World


def activate(actor: Actor, step: f.Activate) -> None:
    instance = actor.world.instances.find(step.instance)
    names = actor.world.names(instance)
    command = c.ActivateActivities(
        element_instance_id=_sub_process(actor.world, instance, step.inside),
        element_ids=tuple(names.find(element) for element in step.elements),
    )
    actor.send(step, command)


def complete(actor: Actor, step: f.CompleteAdHoc) -> None:
    instance = actor.world.instances.find(step.instance)
    handle = _sub_process(actor.world, instance, step.element)
    actor.send(step, c.ActivateActivities(element_instance_id=handle, complete=True))


def _sub_process(world: World, instance: Instance, name: str | None) -> str:
    """The id of the element instance of an active ad-hoc sub-process."""
    active = [held for held in world.waits([instance]) if isinstance(held.wait, AdHocWait)]
    fitting = [
        held for held in active if name is None or held.names.is_named(held.element_id, name)
    ]
    if len(fitting) != 1:
        number = "No ad-hoc sub-process" if not fitting else "More than one ad-hoc sub-process"
        which = "" if name is None else f" {name!r}"
        raise Mismatch(
            f"{number}{which} is active.",
            found=[held.label for held in active] or telling.where(world, instance),
        )
    return f"{instance.id}:{fitting[0].wait.owner}"
