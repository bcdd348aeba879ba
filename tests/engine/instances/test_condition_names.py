"""Which waits are asked after a change: those inside the scope that ask for what was set."""

import pytest

from engine import state as s
from engine.instances.condition_names import ConditionNames, names_of
from engine.model.elements import ProcessModel
from engine.pages import WIDE, paged
from engine.state import ConditionWait, ElementInstance, GateWait, ProcessInstance
from tests.support.models import (
    boundary,
    chain,
    compiled,
    complex_gateway,
    conditional_event,
    parallel,
    start,
    user_task,
)
from tests.support.runner import Runner

MODEL = compiled(
    start("s"),
    parallel("fork"),
    user_task("work"),
    boundary("of-x", "work", conditional_event("=x > limit")),
    boundary("of-y", "work", conditional_event("=y.z = 1")),
    boundary("of-time", "work", conditional_event("=x > 1 and now() > until")),
    boundary("of-count", "work", conditional_event("=nrOfCompletedInstances > 1")),
    complex_gateway("gate", "=activationCount > x"),
    chain("s", "fork", "work", "gate"),
    chain("fork", "gate"),
)
CONDITIONS = {
    "of-x": "=x > limit",
    "of-y": "=y.z = 1",
    "of-time": "=x > 1 and now() > until",
    "of-count": "=nrOfCompletedInstances > 1",
}
ALWAYS = {"of-time", "of-count"}


def started() -> ProcessInstance:
    run = Runner(MODEL)
    run.start("p", variables='{"x": 100}')
    return run.living()


def asked(state: ProcessInstance, scope: int, *names: str) -> set[str]:
    touched = names_of(MODEL).touched(state, scope, names)
    assert len(set(touched)) == len(touched)
    return {event_of(state, key) for key in touched}


def event_of(state: ProcessInstance, key: int) -> str:
    wait = state.waits[key]
    if isinstance(wait, ConditionWait):
        return wait.element_id
    assert isinstance(wait, GateWait)
    return state.elements[wait.owner].element_id


@pytest.mark.parametrize(
    ("name", "expected"),
    [("x", {"of-x", "gate"}), ("limit", {"of-x"}), ("y", {"of-y"}), ("z", set()), ("o", set())],
)
def test_those_are_asked_that_ask_for_the_name_and_those_that_change_without(
    name: str, expected: set[str]
) -> None:
    state = started()
    assert asked(state, state.root, name) == expected | ALWAYS


def test_variables_of_another_scope_touch_nothing() -> None:
    state = started()
    work = next(key for key, each in state.elements.items() if each.element_id == "work")
    assert asked(state, work, "x") == {"of-x"} | ALWAYS
    gate = next(key for key, each in state.elements.items() if each.element_id == "gate")
    assert asked(state, gate, "x") == {"gate"}


def test_all_are_told_once_each() -> None:
    state = started()
    found = dict.fromkeys(names_of(MODEL).all(state))
    assert {event_of(state, key) for key in found} == {*CONDITIONS, "gate"}


def wide_state(model: ProcessModel, *, owners: int) -> tuple[ProcessInstance, ConditionNames]:
    """As many tasks that each wait for `of-x`, each in a sub-process of its own."""
    state = started()
    first = 1_000_000
    for number in range(owners):
        scope, key = first + 3 * number, first + 3 * number + 1
        state.elements[scope] = ElementInstance(
            key=scope, element_id="sub", scope=state.root, since_ms=0, open=1
        )
        state.elements[key] = ElementInstance(
            key=key, element_id="work", scope=scope, since_ms=0, waits=(key + 1,)
        )
        state.waits[key + 1] = ConditionWait(
            key=key + 1, owner=key, element_id="of-x", condition="=x > limit"
        )
    root = state.elements[state.root]
    state.elements[state.root] = s.ElementInstance(
        key=root.key, element_id=root.element_id, scope=None, since_ms=0, open=root.open + owners
    )
    state.elements, state.waits = paged(state.elements), paged(state.waits)
    return state, names_of(model)


@pytest.mark.parametrize("owners", [WIDE // 4, WIDE, 3 * WIDE])
def test_of_many_that_ask_for_a_name_those_inside_of_the_scope_are_found(owners: int) -> None:
    state, names = wide_state(MODEL, owners=owners)
    last = max(state.waits)
    assert names.touched(state, last - 2, ["x"]) == [last]
    assert len(names.touched(state, state.root, ["limit"])) == owners + 1 + len(ALWAYS)
