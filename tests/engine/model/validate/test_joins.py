"""Joins that can never complete are warned of; those that may are not."""

import pytest

from tests.support.findings import codes
from tests.support.models import (
    ad_hoc,
    boundary,
    chain,
    event_gateway,
    exclusive,
    flow,
    inclusive,
    message,
    message_event,
    parallel,
    receive_task,
    resource,
    start,
    sub_process,
    task,
    timer,
    user_task,
)

NEVER = "join-never-completes"
MESSAGES = (message("A", "a", key="=k"), message("B", "b", key="=k"))


def never(*parts: str) -> list[str | None]:
    """The joins that a model is warned of."""
    made = resource(*parts, *MESSAGES)
    return [element for code, element in codes(made) if code == NEVER]


def test_one_of_several_flows_never_completes_a_join() -> None:
    parts = (start("s"), exclusive("x"), task("a"), task("b"), parallel("j"), task("t"))
    flows = (flow("s", "x"), flow("x", "a", condition="=n"), flow("x", "b", condition="=m"))
    made = resource(*parts, *flows, chain("a", "j", "t"), flow("b", "j"))
    assert [element for code, element in codes(made) if code == NEVER] == ["j"]
    assert made.deployable
    assert "Merge with an exclusive gateway" in made.findings[-1].message


def test_nor_does_the_event_that_came_first() -> None:
    arms = (receive_task("a", "A"), receive_task("b", "B"))
    waits = (start("s"), event_gateway("g"), *arms, parallel("j"))
    assert never(*waits, chain("s", "g", "a", "j"), chain("g", "b", "j")) == ["j"]


def test_a_join_does_not_wait_for_what_only_itself_begins() -> None:
    parts = (start("s"), parallel("f"), task("a"), parallel("j"), exclusive("x"), task("t"))
    ahead = (flow("s", "f"), flow("f", "a"), chain("a", "j"), flow("f", "t"))
    back = (flow("j", "x"), flow("x", "j"))
    assert never(*parts, *ahead, *back) == ["j"]


@pytest.mark.parametrize("split", [parallel("f"), inclusive("f"), task("f")])
def test_what_forks_may_complete_it(split: str) -> None:
    parts = (start("s"), split, task("a"), task("b"), parallel("j"))
    assert never(*parts, chain("s", "f", "a", "j"), chain("f", "b", "j")) == []


def test_a_boundary_event_that_does_not_interrupt_forks_too() -> None:
    def joined(*, interrupting: bool) -> list[str | None]:
        edge = boundary("e", "t", timer(duration="=d"), interrupting=interrupting)
        parts = (start("s"), user_task("t"), edge, parallel("j"))
        return never(*parts, chain("s", "t", "j"), flow("e", "j"))

    assert joined(interrupting=False) == []
    assert joined(interrupting=True) == ["j"]


def test_several_elements_without_a_flow_into_them_begin_together() -> None:
    assert never(task("a"), task("b"), parallel("j"), flow("a", "j"), flow("b", "j")) == []
    inner = (task("a"), task("b"), parallel("j"), flow("a", "j"), flow("b", "j"))
    assert never(start("s"), sub_process("sub", *inner), flow("s", "sub")) == []
    assert never(start("s"), ad_hoc("pool", *inner), flow("s", "pool")) == []


def test_of_several_start_events_one_begins() -> None:
    started = (start("s"), start("m", message_event("A")), parallel("j"), task("t"))
    assert never(*started, chain("s", "j", "t"), flow("m", "j")) == ["j"]


def test_each_scope_is_looked_at_by_itself() -> None:
    ways = [flow("x", "j", condition="=n", flow_id=way) for way in ("one", "other")]
    inner = (start("i"), exclusive("x", default="one"), parallel("j"), flow("i", "x"), *ways)
    parts = (start("s"), parallel("f"), sub_process("sub", *inner), task("t"))
    assert never(*parts, chain("s", "f", "sub"), flow("f", "t")) == ["j"]
