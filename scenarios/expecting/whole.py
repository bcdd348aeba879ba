"""What concerns the whole scenario: its instances, and what happened in the last step."""

from collections.abc import Sequence

from engine import records as r
from scenarios import matching
from scenarios.expecting import patterns as p
from scenarios.format import expectations as f
from scenarios.instances import Instance
from scenarios.matching import Item
from scenarios.world import World


def instances(world: World, _: Instance | None, expected: Sequence[f.InstancePattern]) -> None:
    items = []
    for each in world.instances.all():
        facts = {
            "process": p.equal(each.process_id),
            "id": p.equal(each.id),
            "state": p.same_word(world.instances.state(each)),
            "business key": p.equal(each.business_key),
        }
        shown = {"id": each.id, "business key": each.business_key}
        line = f"{each.process_id}, state: {world.instances.state(each)}{p.asked(expected, shown)}"
        items.append(Item(line, facts))
    p.check_list(world, "instances", expected, items)


def effects(world: World, _: Instance | None, expected: Sequence[f.EffectPattern]) -> None:
    p.check_elements(world, expected)
    items = [
        _effect_item(world, expected, publication.record)
        for publication in world.simulation.publications[world.mark :]
        if isinstance(publication.record, r.Effect)
        and publication.record.instance_id in world.simulation.history
    ]
    matching.check_order("effects", expected, items, p.fits, p.line_of)


def _effect_item(world: World, expected: Sequence[f.EffectPattern], effect: r.Effect) -> Item:
    names = world.names_in(effect.instance_id)
    shown = {
        "message": None if effect.message is None else effect.message.name,
        "key": None if effect.message is None else effect.message.correlation_key,
        "signal": effect.signal,
        "error": None if effect.error is None else effect.error.code,
    }
    variables = None if effect.variables is None else p.object_of(effect.variables)
    facts = {
        **{key: p.equal(value) for key, value in shown.items()},
        "type": p.equal(effect.type),
        "element": p.element(names, effect.element_id),
        "variables": p.some(variables),
    }
    given = {key: value for key, value in shown.items() if value is not None}
    if variables is not None:
        given["variables"] = matching.shown(variables)
    at = "" if effect.element_id is None else f", element: {names.label(effect.element_id)}"
    return Item(f"{effect.type}{at}{p.asked(expected, given)}", facts)
