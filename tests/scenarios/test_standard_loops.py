"""Standard loops: an activity that runs again while a condition holds, up to a maximum."""

import json

from engine import commands as c
from engine.lifecycle import InstanceState
from engine.settings import Settings
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    boundary,
    chain,
    compiled,
    end,
    looped,
    script_task,
    service_task,
    standard_loop,
    start,
    sub_process,
    task,
    timer,
)

HOUR = 3_600_000


def loop(activity: str, *parts: str) -> tuple[str, ...]:
    return (start("s"), activity, end("e"), chain("s", "t", "e"), *parts)


def count_up(drawn: str) -> str:
    return looped(script_task("t", "=n + 1", result="n"), drawn)


def test_it_runs_again_while_the_condition_holds(scenario: Scenario) -> None:
    run = scenario(compiled(*loop(count_up(standard_loop(condition="=n < 5")))))
    run.start("p", variables='{"n": 2}')
    assert run.result() == '{"n":5}'
    assert run.path() == ["s", "t", "t", "t", "t", "e", "p"]
    run.assert_nothing_left()


def test_without_test_before_it_runs_at_least_once(scenario: Scenario) -> None:
    run = scenario(compiled(*loop(count_up(standard_loop(condition="=n < 5")))))
    run.start("p", variables='{"n": 9}')
    assert run.result() == '{"n":10}'


def test_with_test_before_it_may_run_not_at_all(scenario: Scenario) -> None:
    drawn = standard_loop(condition="=n < 5", test_before=True)
    run = scenario(compiled(*loop(count_up(drawn))))
    run.start("p", variables='{"n": 9}')
    assert run.result() == '{"n":9}'
    assert run.path() == ["s", "t", "e", "p"]
    run.assert_nothing_left()


def test_the_maximum_ends_it(scenario: Scenario) -> None:
    drawn = standard_loop(condition="=true", maximum="3", test_before=True)
    run = scenario(compiled(*loop(count_up(drawn))))
    run.start("p", variables='{"n": 0}')
    assert run.result() == '{"n":3}'
    run.assert_nothing_left()


def test_a_maximum_alone_is_how_often_it_runs(scenario: Scenario) -> None:
    run = scenario(compiled(*loop(count_up(standard_loop(maximum="2")))))
    run.start("p", variables='{"n": 0}')
    assert run.result() == '{"n":2}'


def test_it_goes_on_where_it_was_with_its_counter(scenario: Scenario) -> None:
    drawn = standard_loop(condition="=loopCounter < 3")
    run = scenario(compiled(*loop(looped(service_task("t"), drawn))))
    run.start("p")
    for counter in (1, 2, 3):
        assert json.loads(run.job("t").variables)["loopCounter"] == counter
        assert len(run.jobs()) == 1
        run.complete("t")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_a_condition_that_fails_is_asked_again_and_nothing_else_is_done_again(
    scenario: Scenario,
) -> None:
    run = scenario(compiled(*loop(count_up(standard_loop(condition="=again")))))
    run.start("p", variables='{"n": 0}')
    assert run.incident().step == "leave"
    run.resolve(variables='{"again": false}')
    assert json.loads(run.result() or "")["n"] == 1
    run.assert_nothing_left()


def test_a_sub_process_is_repeated_whole_and_interrupted_whole(scenario: Scenario) -> None:
    inside = sub_process("t", start("s2"), service_task("w"), chain("s2", "w"))
    run = scenario(
        compiled(
            *loop(
                looped(inside, standard_loop(condition="=true")),
                boundary("late", "t", timer(duration="PT1H")),
                task("after"),
                chain("late", "after"),
            )
        )
    )
    run.start("p")
    for _ in range(4):
        run.complete("w")
    run.elapse(HOUR)
    assert run.path()[-2:] == ["after", "p"]
    assert run.path().count("s2") == 5
    run.assert_nothing_left()


def test_an_endless_loop_is_stopped_and_may_go_on(scenario: Scenario) -> None:
    run = scenario(
        compiled(*loop(count_up(standard_loop(condition="=n < 100")))),
        settings=Settings(steps_max=60),
    )
    run.start("p", variables='{"n": 0}')
    assert run.incident().kind == "STEP_LIMIT"
    run.accept(c.SetVariables(instance_id="a", variables='{"n": 98}'))
    run.resolve()
    assert run.result() == '{"n":100}'
    run.assert_nothing_left()
