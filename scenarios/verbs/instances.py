"""Steps about instances: start, set variables, resolve, terminate."""

import re
from typing import Final

from engine import commands as c
from engine import state as s
from engine.instances.starts.beginnings import beginnings
from scenarios import looking, telling
from scenarios.errors import Mismatch, did_you_mean
from scenarios.format import steps as f
from scenarios.instances import Instance
from scenarios.names import Names
from scenarios.verbs.actor import Actor, optional_text_of, text_of
from scenarios.world import World

_INSTANCE_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,90}", re.ASCII)


def start(actor: Actor, step: f.Start) -> None:
    world = actor.world
    known = world.deployed.processes()
    if step.start not in known:
        raise Mismatch(
            f"No process {step.start!r} is deployed.{did_you_mean(step.start, known)}",
            found=known,
        )
    at = None
    if step.at is not None:
        at = world.deployed.names_of(step.start, step.version).find(step.at)
    if at is None and step.rejected is None:
        _check_begins(world.deployed.names_of(step.start, step.version))
    command = c.StartInstance(
        process_id=step.start,
        version=step.version,
        instance_id=step.id or _new_id(world, step.start),
        business_key=step.key,
        variables=text_of(step.variables),
        start_element=at,
    )
    actor.send(step, command)


def _check_begins(names: Names) -> None:
    """Raises Mismatch: the process begins only where one of its start events is named."""
    if names.model.starts:
        return
    where = [names.label(element.id) for element in beginnings(names.model)]
    raise Mismatch(
        f"{names.model.process_id!r} has no start event without a trigger: name one by `at:`.",
        found=[f"start event {label}" for label in where] or ["none that can be named"],
        hint="Or let its message, signal or timer begin it.",
    )


def _new_id(world: World, process_id: str) -> str:
    """The process id as far as it can be an instance's, with a number from the second on."""
    name = process_id if _INSTANCE_ID.fullmatch(process_id) else "instance"
    known = {each.id for each in world.instances.all()}
    number = 1
    while (instance_id := name if number == 1 else f"{name}-{number}") in known:
        number += 1
    return instance_id


def set_variables(actor: Actor, step: f.SetVariables) -> None:
    instance = actor.world.instances.find(step.instance)
    scope = None
    if step.element is not None:
        element_id = actor.world.names(instance).find(step.element)
        scope = _living_element(actor.world, instance, element_id)
    command = c.SetVariables(
        instance_id=instance.id,
        element_instance_id=scope,
        variables=text_of(step.variables),
        local=step.local,
    )
    actor.send(step, command)


def _living_element(world: World, instance: Instance, element_id: str) -> str:
    state = world.instances.living(instance)
    for item in () if state is None else state.elements.values():
        if item.element_id == element_id:
            return f"{instance.id}:{item.key}"
    active = [] if state is None else looking.active(state)
    names = world.names(instance)
    raise Mismatch(
        f"{names.label(element_id)!r} is not active.",
        found=[names.label(each) for each in active] or [telling.describe(world, instance)],
    )


def terminate(actor: Actor, step: f.Terminate) -> None:
    instance = actor.world.instances.find(step.instance)
    actor.send(step, c.TerminateInstance(instance_id=instance.id, reason=step.reason))


def resolve(actor: Actor, step: f.ResolveIncident) -> None:
    world = actor.world
    instance = world.instances.find(step.instance)
    open_ones = [
        held
        for held in world.waits(world.instances.family(instance))
        if isinstance(held.wait, s.IncidentWait)
    ]
    fitting = [
        held
        for held in open_ones
        if step.element is None or held.names.is_named(held.element_id, step.element)
    ]
    if len(fitting) != 1:
        number = "No incident" if not fitting else "More than one incident"
        where = "" if step.element is None else f" at {step.element!r}"
        raise Mismatch(
            f"{number} is open{where}.",
            found=[f"an incident at {held.label}" for held in open_ones]
            or telling.where(world, instance),
        )
    command = c.ResolveIncident(
        incident_id=fitting[0].handle,
        retries=step.retries,
        variables=optional_text_of(step.variables),
    )
    actor.send(step, command)
