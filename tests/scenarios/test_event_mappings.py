"""Mappings of events, and of tasks that events begin."""

import pytest

from engine import commands as c
from engine.lifecycle import InstanceState
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    catch,
    chain,
    compiled,
    end,
    event_gateway,
    flow,
    message,
    message_event,
    receive_task,
    start,
    task,
    throw,
    timer,
)
from tests.support.runner import subscriptions

NEWS = message("m", "news", key="=mine")
INPUTS = {"mine": "=order", "seen": "=n"}


def test_a_throw_and_an_end_event_map_in_and_out(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            throw("t", inputs={"x": "=n"}, outputs={"y": "=x + 1"}),
            end("e", inputs={"q": "=y"}, outputs={"z": "=q + 1"}),
            chain("s", "t", "e"),
        )
    )
    run.start("p", variables='{"n":1}')
    assert run.result() == '{"n":1,"y":2,"z":3}'


def test_a_catch_event_waits_and_maps_out_with_its_inputs(scenario: Scenario) -> None:
    """What comes with the message covers an input of its name, as in a receive task."""
    run = scenario(
        compiled(
            NEWS,
            start("s"),
            catch("wait", message_event("m"), inputs=INPUTS, outputs={"r": "=[seen, mine]"}),
            catch("later", timer(duration="=delay"), inputs={"delay": '="PT" + string(n) + "H"'}),
            chain("s", "wait", "later"),
        )
    )
    run.start("p", variables='{"order": "k", "n": 1}')
    run.accept(c.PublishMessage(name="news", correlation_key="k", variables='{"mine": 2, "no": 1}'))
    run.elapse(3_600_000)
    assert run.result() == '{"order":"k","n":1,"r":[1,2]}'
    run.assert_nothing_left()


def behind(*arms: str, names: tuple[str, ...] = ("wait", "late")) -> tuple[str, ...]:
    """A gateway `g` with these arms."""
    parts = (NEWS, start("s"), event_gateway("g"), *arms, task("after"), chain("s", "g"))
    return (*parts, *(flow("g", name) for name in names), flow("wait", "after"))


@pytest.mark.parametrize("make", [receive_task, catch])
def test_arms_of_an_event_gateway_have_inputs(scenario: Scenario, make: object) -> None:
    """The key is theirs to give; the values are those of the moment at which the arm begins."""
    outputs = {"r": "=[seen, extra]"}
    arm = (
        receive_task("wait", "m", inputs=INPUTS, outputs=outputs)
        if make is receive_task
        else catch("wait", message_event("m"), inputs=INPUTS, outputs=outputs)
    )
    run = scenario(compiled(*behind(arm, catch("late", timer(duration="PT1H")))))
    run.start("p", variables='{"order": "k", "n": 1}')
    assert subscriptions(run) == [("news", "k")]
    run.accept(c.SetVariables(instance_id="a", variables='{"n": 2}'))
    run.accept(c.PublishMessage(name="news", correlation_key="k", variables='{"extra": 3}'))
    assert run.path() == ["s", "g", "wait", "after", "p"]
    assert run.result() == '{"order":"k","n":2,"r":[2,3]}'
    run.assert_nothing_left()


def test_inputs_that_fail_hold_the_gateway_and_then_the_arm(scenario: Scenario) -> None:
    """What the message brought is kept meanwhile."""
    inputs = {"mine": '=assert("k", not(broken))'}
    arm = receive_task("wait", "m", inputs=inputs, outputs={"r": "=[mine, extra]"})
    run = scenario(compiled(*behind(arm, catch("late", timer(duration="PT1H")))))
    run.start("p", variables='{"broken": true}')
    assert (run.active(), run.incident().step) == (["g"], "run")
    run.resolve(variables='{"broken": false}')
    run.accept(c.SetVariables(instance_id="a", variables='{"broken": true}'))
    run.accept(c.PublishMessage(name="news", correlation_key="k", variables='{"extra": 3}'))
    assert (run.active(), run.incident().step) == (["wait"], "take")
    run.resolve(variables='{"broken": false}')
    assert run.result() == '{"broken":false,"r":["k",3]}'
    run.assert_nothing_left()


def test_what_a_message_brings_covers_the_input_of_its_name(scenario: Scenario) -> None:
    """So that it does not go outward: the arm has a variable of its own."""
    arm = receive_task("wait", "m", inputs=INPUTS)
    run = scenario(compiled(*behind(arm, catch("late", timer(duration="PT1H")))))
    run.start("p", variables='{"order": "k", "n": 1}')
    run.accept(c.PublishMessage(name="news", correlation_key="k", variables='{"seen": 9, "x": 1}'))
    assert run.result() == '{"order":"k","n":1,"x":1}'


def test_a_receive_task_that_begins_a_process_has_inputs(scenario: Scenario) -> None:
    first = receive_task(
        "wait", "m", inputs={"twice": "=n * 2"}, outputs={"r": "=twice"}, instantiate=True
    )
    run = scenario(compiled(message("m", "news", key="=k"), first))
    run.accept(c.PublishMessage(name="news", variables='{"n": 4}'))
    (started,) = run.effects("InstanceStarted")
    assert run.state(started.instance_id) is InstanceState.COMPLETED
