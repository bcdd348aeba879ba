"""What is expected of one instance: its state, where it sleeps, its path, its variables."""

from collections.abc import Sequence
from typing import Any

from engine.expressions import (
    EvaluationError,
    compile_feel,
    evaluate_condition,
)
from scenarios import looking, matching, telling
from scenarios.errors import Mismatch
from scenarios.expecting.patterns import equal
from scenarios.instances import Instance
from scenarios.matching import Item
from scenarios.names import Names
from scenarios.world import World


def state(world: World, instance: Instance, expected: str) -> None:
    found = world.instances.state(instance)
    if found != expected.casefold():
        raise Mismatch(
            "The state is not as expected.",
            expected=[expected.casefold()],
            found=[found]
            if world.instances.living(instance) is None
            else [found, *telling.where(world, instance)],
        )


def waiting_at(world: World, instance: Instance, expected: Sequence[str]) -> None:
    names = world.names(instance)
    wanted = [names.find(name) for name in expected]
    sleeping = [
        Item(names.label(each), {"id": equal(each)}) for each in world.instances.sleeps_at(instance)
    ]
    try:
        matching.check_all("elements at which it waits", wanted, sleeping, _has_id, names.label)
    except Mismatch as mismatch:
        mismatch.what = "It does not wait where expected."
        mismatch.expected = tuple(names.label(each) for each in wanted) or ("nowhere",)
        mismatch.found = tuple(telling.where(world, instance))
        raise


def _has_id(element_id: str, item: Item) -> bool:
    return bool(item.facts["id"](element_id))


def active(world: World, instance: Instance, expected: Sequence[str]) -> None:
    names, state = world.names(instance), world.instances.living(instance)
    active = [] if state is None else looking.active(state)
    missing = [name for name in expected if names.find(name) not in active]
    if missing:
        raise Mismatch(
            "Not everything is active that should be.",
            expected=missing,
            found=[names.label(each) for each in active] or [telling.describe(world, instance)],
        )


def path(world: World, instance: Instance, expected: Sequence[str]) -> None:
    names, found = world.names(instance), world.path(instance)
    wanted = [names.find(name) for name in expected]
    if wanted == found:
        return
    same = 0
    while same < min(len(wanted), len(found)) and wanted[same] == found[same]:
        same += 1
    here = names.label(wanted[same]) if same < len(wanted) else "its end"
    there = names.label(found[same]) if same < len(found) else "came to its end"
    raise Mismatch(
        "The path is not as expected.",
        expected=[path_text(names, wanted)],
        found=[path_text(names, found)],
        hint=f"They part at position {same + 1}: expected {here}, it {_went(there)}.",
    )


def _went(there: str) -> str:
    return there if there == "came to its end" else f"went to {there}"


def path_text(names: Names, element_ids: Sequence[str]) -> str:
    """A path for people."""
    return " → ".join(names.label(each) for each in element_ids) or "nothing"


def path_contains(world: World, instance: Instance, expected: Sequence[str]) -> None:
    names = world.names(instance)
    items = [Item(names.label(each), {"id": equal(each)}) for each in world.path(instance)]
    wanted = [names.find(name) for name in expected]
    try:
        matching.check_order("path", wanted, items, _has_id, names.label)
    except Mismatch as mismatch:
        mismatch.what = "The path does not go as expected."
        mismatch.expected = (path_text(names, wanted),)
        mismatch.found = (path_text(names, world.path(instance)),)
        raise


def completed(world: World, instance: Instance, expected: Sequence[str]) -> None:
    names, found = world.names(instance), world.path(instance)
    missing = [name for name in expected if names.find(name) not in found]
    if missing:
        raise Mismatch(
            "Not everything has completed that should have.",
            expected=missing,
            found=[path_text(names, found)],
        )


def not_completed(world: World, instance: Instance, expected: Sequence[str]) -> None:
    names, found = world.names(instance), world.path(instance)
    wrong = [name for name in expected if names.find(name) in found]
    if wrong:
        raise Mismatch(
            "Something has completed that should not have.",
            expected=[f"not {name}" for name in wrong],
            found=[path_text(names, found)],
        )


def variables(world: World, instance: Instance, expected: dict[str, Any]) -> None:
    matching.check_variables(expected, world.variables(instance))


def no_variables(world: World, instance: Instance, expected: Sequence[str]) -> None:
    found = world.variables(instance)
    wrong = [name for name in expected if name in found]
    if wrong:
        raise Mismatch(
            "There are variables that should not be there.",
            expected=[f"no {name}" for name in wrong],
            found=[f"{name}: {matching.shown(found[name])}" for name in wrong],
        )


def holds(world: World, instance: Instance, expected: Sequence[str]) -> None:
    variables = world.variables(instance)
    environment = world.environment(variables)
    for text in expected:
        try:
            if evaluate_condition(compile_feel(text.removeprefix("=")), environment):
                continue
            found = "it is false"
        except EvaluationError as error:
            found = str(error)
        raise Mismatch(
            "A condition does not hold.",
            expected=[text],
            found=[found, *(f"{name}: {matching.shown(variables[name])}" for name in variables)],
        )
