"""Steps about ad-hoc sub-processes: choose activities, complete."""

from engine import commands as c
from engine.model.elements import AdHocSubProcess
from scenarios.errors import Mismatch
from scenarios.format import steps as f
from scenarios.verbs.actor import Actor
from scenarios.world import Instance, World


def activate(actor: Actor, step: f.Activate) -> None:
    instance = actor.world.instance(step.instance)
    names = actor.world.names(instance)
    command = c.ActivateActivities(
        element_instance_id=_sub_process(actor.world, instance, step.inside),
        element_ids=tuple(names.find(element) for element in step.elements),
    )
    actor.send(step, command)


def complete(actor: Actor, step: f.CompleteAdHoc) -> None:
    instance = actor.world.instance(step.instance)
    handle = _sub_process(actor.world, instance, step.element)
    actor.send(step, c.ActivateActivities(element_instance_id=handle, complete=True))


def _sub_process(world: World, instance: Instance, name: str | None) -> str:
    """The id of the element instance of an active ad-hoc sub-process."""
    state, names = world.living(instance), world.names(instance)
    active = [
        item
        for item in (() if state is None else state.elements.values())
        if item.scope is not None
        and item.key not in (() if state is None else state.loops)
        and isinstance(names.model.element(item.element_id), AdHocSubProcess)
    ]
    fitting = [item for item in active if name is None or names.is_named(item.element_id, name)]
    if len(fitting) != 1:
        number = "No ad-hoc sub-process" if not fitting else "More than one ad-hoc sub-process"
        which = "" if name is None else f" {name!r}"
        raise Mismatch(
            f"{number}{which} is active.",
            found=[names.label(item.element_id) for item in active] or world.where(instance),
        )
    return f"{instance.id}:{fitting[0].key}"
