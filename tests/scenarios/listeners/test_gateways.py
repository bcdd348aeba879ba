"""Listeners at the start of gateways: before they decide, join or wait."""

import pytest

from engine.lifecycle import InstanceState
from engine.model.elements import ProcessModel
from engine.state import TimerWait
from tests.scenarios.conftest import Scenario
from tests.support.listening import (
    MESSAGE,
    MINUTE,
    message_comes,
    one_by_one,
    only,
)
from tests.support.models import (
    ad_hoc,
    catch,
    chain,
    compiled,
    complex_gateway,
    event_gateway,
    exclusive,
    flow,
    heard,
    inclusive,
    message,
    message_event,
    parallel,
    receive_task,
    start,
    task,
    timer,
    user_task,
)


def test_the_listeners_of_a_gateway_choose_its_way(scenario: Scenario) -> None:
    model = compiled(
        start("s"), heard(exclusive("x", default="other"), start="choose"), task("t"), task("u"),
        chain("s", "x"), flow("x", "t", condition="=way = 1"), flow("x", "u", flow_id="other"),
    )  # fmt: skip
    run = scenario(model)
    run.start("p")
    run.complete("choose", '{"way": 1}')
    assert run.path() == ["s", "x", "t", "p"]
    assert run.result() == "{}"


def test_a_gateway_that_is_stuck_does_not_call_its_listeners_again(scenario: Scenario) -> None:
    model = compiled(
        start("s"), heard(exclusive("x"), start="a"), task("t"), chain("s", "x"),
        flow("x", "t", condition="=way = 1"),
    )  # fmt: skip
    run = scenario(model)
    run.start("p", variables='{"way": 2}')
    run.complete("a")
    run.resolve(variables='{"way": 1}')
    assert run.state() is InstanceState.COMPLETED


def joined(split: str, join: str) -> ProcessModel:
    return compiled(
        start("s"), split, user_task("t"), user_task("u"), join, task("after"), chain("s", "f"),
        chain("f", "t", "j", "after"), chain("f", "u", "j"),
    )  # fmt: skip


@pytest.mark.parametrize("kind", [parallel, inclusive])
def test_a_join_is_complete_before_its_listeners(scenario: Scenario, kind: object) -> None:
    gateway = parallel if kind is parallel else inclusive
    run = scenario(joined(heard(gateway("f"), start="fork"), heard(gateway("j"), start="join")))
    run.start("p")
    one_by_one(run, "fork")
    run.complete_task("t")
    assert run.jobs() == []
    run.complete_task("u")
    one_by_one(run, "join")
    assert run.path().count("after") == 1
    run.assert_nothing_left()


def test_an_inclusive_join_waits_for_a_gateway_with_a_listener(scenario: Scenario) -> None:
    model = compiled(
        start("s"), inclusive("f"), heard(exclusive("x"), start="slow"), inclusive("j"),
        task("after"), chain("s", "f", "x", "j", "after"), flow("f", "j", flow_id="straight"),
    )  # fmt: skip
    run = scenario(model)
    run.start("p")
    assert "after" not in run.path()
    one_by_one(run, "slow")
    assert run.path().count("after") == 1


def test_an_event_gateway_opens_its_arms_after_its_listeners(scenario: Scenario) -> None:
    model = compiled(
        message("M", "m", key="=key"), start("s"), heard(event_gateway("g"), start="a"),
        heard(catch("w", message_event("M")), end="z"), catch("late", timer(duration="PT1M")),
        chain("s", "g", "w"), flow("g", "late"),
    )  # fmt: skip
    run = scenario(model)
    run.start("p")
    assert run.waits(TimerWait) == []
    run.complete("a", '{"key": "k"}')
    message_comes(run)
    run.elapse(5 * MINUTE)
    one_by_one(run, "z")
    assert run.path() == ["s", "g", "w", "p"]
    run.assert_nothing_left()


def test_what_follows_an_event_gateway_has_only_the_listeners_at_its_end(
    scenario: Scenario,
) -> None:
    model = compiled(
        MESSAGE, start("s"), event_gateway("g"),
        heard(receive_task("r", "M"), start="never", end="z"), catch("l", timer(duration="PT1M")),
        chain("s", "g", "r"), flow("g", "l"),
    )  # fmt: skip
    run = scenario(model)
    run.start("p")
    message_comes(run)
    one_by_one(run, "z")
    assert run.path() == ["s", "g", "r", "p"]


def test_each_cycle_of_a_complex_gateway_has_its_listeners(scenario: Scenario) -> None:
    gate = heard(complex_gateway("j", "=activationCount >= needed"), start="ask")
    run = scenario(joined(parallel("f"), gate))
    run.start("p")
    run.complete_task("t")
    only(run, "ask")
    run.complete_task("u")
    assert run.active() == ["j"]
    run.complete("ask", '{"needed": 1}')
    assert run.jobs() == []
    assert run.path().count("after") == 1
    run.assert_nothing_left()


def test_a_complex_gateway_calls_its_listeners_once_a_cycle(scenario: Scenario) -> None:
    gate = heard(complex_gateway("j", "=activationCount >= 2"), start="ask")
    run = scenario(joined(parallel("f"), gate))
    run.start("p")
    run.complete_task("t")
    one_by_one(run, "ask")
    run.complete_task("u")
    assert run.jobs() == []
    assert run.path().count("after") == 1
    run.assert_nothing_left()


def test_a_complex_gateway_with_a_listener_ends_with_its_ad_hoc_sub_process(
    scenario: Scenario,
) -> None:
    gate = heard(complex_gateway("j", "=activationCount >= 2"), start="ask")
    model = compiled(
        start("s"),
        ad_hoc("pool", user_task("t"), task("u"), parallel("f"), gate, chain("u", "f", "j"),
               flow("f", "j", flow_id="again"), active='=["u", "t"]',
               until="=numberOfCompletedInstances = 2", cancels=False),
        chain("s", "pool"),
    )  # fmt: skip
    run = scenario(model)
    run.start("p")
    run.complete_task("t")
    while run.jobs():
        run.complete(run.jobs()[0].type)
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()
