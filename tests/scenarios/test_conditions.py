"""Conditional events: when they become true, once for each time."""

import json

import pytest

from engine import commands as c
from engine import events as e
from engine.lifecycle import InstanceState
from engine.model.elements import ProcessModel
from engine.settings import Settings
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    boundary,
    catch,
    chain,
    compiled,
    conditional_event,
    end,
    event_gateway,
    event_sub_process,
    flow,
    looped,
    multi_instance,
    parallel,
    script_task,
    service_task,
    start,
    sub_process,
    task,
    timer,
    user_task,
)
from tests.support.runner import Runner

BIG = conditional_event("=amount > 100")


def assign(run: Runner, variables: str) -> None:
    run.accept(c.SetVariables(instance_id="a", variables=variables))


def waiting(scenario: Scenario, variables: str = "{}") -> Runner:
    run = scenario(compiled(start("s"), catch("wait", BIG), end("e"), chain("s", "wait", "e")))
    run.start("p", variables=variables)
    return run


def test_a_condition_that_holds_already_is_not_waited_for(scenario: Scenario) -> None:
    run = waiting(scenario, '{"amount": 101}')
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_a_catch_event_waits_until_its_condition_holds(scenario: Scenario) -> None:
    run = waiting(scenario)
    assert run.waiting() == [("wait", "condition")]
    assign(run, '{"amount": 100}')
    assign(run, '{"other": 1}')
    assert run.active() == ["wait"]
    assign(run, '{"amount": 101}')
    assert run.path() == ["s", "wait", "e", "p"]
    run.assert_nothing_left()


def test_variables_that_a_worker_brings_make_it_true(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            parallel("fork"),
            service_task("work"),
            catch("wait", BIG),
            end("e"),
            chain("s", "fork", "work"),
            chain("fork", "wait", "e"),
        )
    )
    run.start("p")
    run.complete("work", '{"amount": 500}')
    assert run.path() == ["s", "fork", "work", "wait", "e", "p"]


def attached(scenario: Scenario, *, interrupting: bool, variables: str = "{}") -> Runner:
    run = scenario(
        compiled(
            start("s"),
            service_task("work"),
            boundary("edge", "work", BIG, interrupting=interrupting),
            service_task("check"),
            end("e"),
            chain("s", "work", "e"),
            chain("edge", "check"),
        )
    )
    run.start("p", variables=variables)
    return run


def test_an_interrupting_boundary_event_ends_its_activity(scenario: Scenario) -> None:
    run = attached(scenario, interrupting=True)
    assign(run, '{"amount": 200}')
    assert run.active() == ["check"]
    assert run.jobs("work") == []
    run.complete("check")
    run.assert_nothing_left()


def test_it_does_so_at_once_where_it_holds_from_the_start(scenario: Scenario) -> None:
    run = attached(scenario, interrupting=True, variables='{"amount": 200}')
    assert run.active() == ["check"]


def test_another_one_occurs_each_time_that_it_becomes_true(scenario: Scenario) -> None:
    run = attached(scenario, interrupting=False)
    for amount in (200, 300, 50, 400, 10):
        assign(run, f'{{"amount": {amount}}}')
    assert len(run.jobs("check")) == 2
    run.complete("work")
    assign(run, '{"amount": 900}')
    assert len(run.jobs("check")) == 2
    run.complete("check")
    run.complete("check")
    run.assert_nothing_left()


@pytest.mark.parametrize("interrupting", [True, False])
def test_an_event_sub_process_begins_when_its_condition_holds(
    scenario: Scenario, *, interrupting: bool
) -> None:
    run = scenario(
        compiled(
            start("s"),
            service_task("work"),
            chain("s", "work"),
            event_sub_process(
                "on",
                start("began", BIG, interrupting=interrupting),
                service_task("handle"),
                chain("began", "handle"),
            ),
        )
    )
    run.start("p")
    assign(run, '{"amount": 200}')
    assert len(run.jobs("handle")) == 1
    assert len(run.jobs("work")) == (0 if interrupting else 1)
    assign(run, '{"amount": 20}')
    assign(run, '{"amount": 200}')
    assert len(run.jobs("handle")) == (1 if interrupting else 2)
    for job in run.jobs():
        run.accept(c.CompleteJob(job_id=job.job_id, attempt=job.attempt))
    run.assert_nothing_left()


def test_a_condition_sees_the_scope_in_which_it_waits(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            sub_process(
                "sub",
                start("i"),
                catch("wait", BIG),
                chain("i", "wait"),
                inputs={"amount": "=0"},
            ),
            chain("s", "sub"),
        )
    )
    run.start("p")
    root = run.living().root
    run.accept(
        c.SetVariables(
            instance_id="a",
            element_instance_id=f"a:{root}",
            variables='{"amount": 500}',
            local=True,
        )
    )
    assert run.active() == ["sub", "wait"]
    inner = next(e.key for e in run.living().elements.values() if e.element_id == "sub")
    run.accept(
        c.SetVariables(
            instance_id="a", element_instance_id=f"a:{inner}", variables='{"amount": 500}'
        )
    )
    assert run.state() is InstanceState.COMPLETED


def test_a_condition_may_be_an_arm_of_an_event_gateway(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            event_gateway("first"),
            catch("big", BIG),
            catch("late", timer(duration="PT1H")),
            flow("s", "first"),
            chain("first", "big"),
            chain("first", "late"),
        )
    )
    run.start("p")
    assign(run, '{"amount": 200}')
    assert run.path() == ["s", "first", "big", "p"]
    run.assert_nothing_left()


def test_of_two_that_become_true_together_the_first_to_interrupt_wins(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled(
            start("s"),
            user_task("work"),
            boundary("one", "work", conditional_event("=n > 1")),
            boundary("two", "work", conditional_event("=n > 0")),
            chain("s", "work"),
        )
    )
    run.start("p", variables='{"n": 0}')
    assign(run, '{"n": 5}')
    assert run.path() == ["s", "one", "p"]
    run.assert_nothing_left()


def test_a_condition_that_gives_neither_true_nor_false_is_an_incident(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled(start("s"), catch("wait", conditional_event("=n + 1")), chain("s", "wait"))
    )
    run.start("p", variables='{"n": 0}')
    incident = run.incident()
    assert incident.kind == "EXPRESSION_FAILED"
    assert "true or false" in incident.message


def test_a_condition_that_fails_later_is_told_of_once_and_asked_again(
    scenario: Scenario,
) -> None:
    condition = conditional_event("=if n < 3 then false else (if n < 10 then n else true)")
    run = scenario(compiled(start("s"), catch("wait", condition), chain("s", "wait")))
    run.start("p", variables='{"n": 0}')
    for n in (4, 5, 6):
        assign(run, f'{{"n": {n}}}')
    assert (run.incident().element_id, run.incident().step) == ("wait", "nothing")
    run.resolve(variables='{"n": 20}')
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_events_that_make_each_other_true_are_an_endless_loop(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            user_task("work"),
            boundary(
                "one", "work", conditional_event("=n = 1"), interrupting=False, outputs={"n": "=2"}
            ),
            boundary(
                "two", "work", conditional_event("=n = 2"), interrupting=False, outputs={"n": "=1"}
            ),
            chain("s", "work"),
        ),
        settings=Settings(steps_max=50),
    )
    run.start("p", variables='{"n": 0}')
    assign(run, '{"n": 1}')
    assert run.incident().kind == "STEP_LIMIT"
    run.accept(c.TerminateInstance(instance_id="a"))
    run.assert_nothing_left()


def test_a_change_inside_of_one_transition_is_seen(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            parallel("fork"),
            catch("wait", BIG),
            script_task("up", "=200", result="amount"),
            script_task("down", "=0", result="amount"),
            task("last"),
            chain("s", "fork", "wait", "last"),
            chain("fork", "up", "down"),
        )
    )
    run.start("p")
    assert run.state() is InstanceState.COMPLETED
    assert "last" in run.path()
    run.assert_nothing_left()


def filtered(scenario: Scenario, *, heeds: str | None = None, on: str | None = None) -> Runner:
    """A task; beside it the condition `a + b > 5` has an instance of `note` each time it holds."""
    event = conditional_event("=a + b > 5", heeds=heeds, on=on)
    run = scenario(
        compiled(
            start("s"),
            user_task("t", inputs={"own": "=1"}),
            boundary("c", "t", event, interrupting=False),
            task("note"),
            chain("s", "t"),
            chain("c", "note"),
        )
    )
    run.start("p", variables='{"a": 1}')
    return run


def test_a_condition_is_asked_only_after_changes_that_it_heeds(scenario: Scenario) -> None:
    run = filtered(scenario, heeds="b, c")
    assign(run, '{"b": 1}')
    assign(run, '{"a": 9}')
    assert "note" not in run.path()
    assign(run, '{"b": 1}')  # the same value: nothing changes
    assert "note" not in run.path()
    assign(run, '{"c": 0}')
    assert run.path().count("note") == 1
    run.accept(c.CompleteTask(task_id=run.task("t").task_id))
    run.assert_nothing_left()


def test_a_condition_may_heed_variables_only_as_they_are_created(scenario: Scenario) -> None:
    run = filtered(scenario, on="create")
    assign(run, '{"b": 1}')
    assign(run, '{"b": 9}')
    assert "note" not in run.path()
    assign(run, '{"c": 0}')
    assert run.path().count("note") == 1


def test_a_condition_may_heed_variables_only_as_they_are_updated(scenario: Scenario) -> None:
    run = filtered(scenario, on="update")
    assign(run, '{"b": 9}')
    assert "note" not in run.path()
    assign(run, '{"b": 8}')
    assert run.path().count("note") == 1


def test_only_variables_that_the_event_sees_are_heeded(scenario: Scenario) -> None:
    event = conditional_event("=a > 5", heeds="x")
    run = scenario(
        compiled(
            start("s"),
            parallel("fork"),
            catch("wait", event),
            user_task("t", inputs={"x": "=1"}),
            chain("s", "fork", "wait"),
            flow("fork", "t"),
        )
    )
    run.start("p", variables='{"a": 1}')
    assign(run, '{"a": 6}')
    task_key = next(key for key, each in run.living().elements.items() if each.element_id == "t")
    inside = c.SetVariables(
        instance_id="a", element_instance_id=f"a:{task_key}", variables='{"x": 2}', local=True
    )
    run.accept(inside)
    assert run.active() == ["wait", "t"]
    assign(run, '{"x": 0}')
    assert run.active() == ["t"]


def test_a_condition_that_holds_as_it_begins_to_wait_is_asked_whatever_it_heeds(
    scenario: Scenario,
) -> None:
    event = conditional_event("=a > 5", heeds="x")
    run = scenario(compiled(start("s"), catch("wait", event), chain("s", "wait")))
    run.start("p", variables='{"a": 6}')
    assert run.state() is InstanceState.COMPLETED


def test_resolving_an_incident_asks_conditions_whatever_they_heed(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            parallel("fork"),
            catch("wait", conditional_event("=a > 5", heeds="x")),
            script_task("broken", "=assert(1, ready)", result="done"),
            chain("s", "fork", "wait"),
            flow("fork", "broken"),
        )
    )
    run.start("p", variables='{"a": 1, "ready": false}')
    assign(run, '{"a": 6}')
    assert run.active() == ["wait", "broken"]
    run.resolve(variables='{"ready": true}')
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def each_with_a_condition(condition: str, *more: str) -> ProcessModel:
    many = multi_instance(over="=items", item="item")
    event = boundary("on", "work", conditional_event(condition), interrupting=False)
    inside = (start("i"), user_task("work"), event, chain("i", "work"))
    each = looped(sub_process("each", *inside), many)
    return compiled(start("s"), parallel("fork"), each, chain("s", "fork", "each"), *more)


def occurred(run: Runner) -> int:
    return run.path().count("on")


def test_very_many_conditions_are_asked_part_by_part(scenario: Scenario) -> None:
    run = scenario(each_with_a_condition("=x > item"), settings=Settings(steps_per_command_max=20))
    run.start("p", variables=json.dumps({"items": list(range(120)), "x": -1}))
    before = len(run.history["a"])
    assign(run, '{"x": 119}')
    assert occurred(run) == 119
    parts = run.history["a"][before:]
    told = [sum(isinstance(each, e.ConditionEvaluated) for each in part.events) for part in parts]
    assert 0 < max(told) <= 20 * 4 + 1
    run.accept(c.TerminateInstance(instance_id="a"))
    run.assert_nothing_left()


def test_heavy_conditions_are_asked_part_by_part(scenario: Scenario) -> None:
    run = scenario(
        each_with_a_condition("=count(for i in 1..1500 return i) = 1500 and x > item"),
        settings=Settings(steps_per_command_max=20),
    )
    run.start("p", variables=json.dumps({"items": list(range(40)), "x": -1}))
    before = len(run.history["a"])
    assign(run, '{"x": 40}')
    assert occurred(run) == 40
    parts = run.history["a"][before:]
    told = [sum(isinstance(each, e.ConditionEvaluated) for each in part.events) for part in parts]
    assert max(told) <= 21
    run.accept(c.TerminateInstance(instance_id="a"))
    run.assert_nothing_left()


def test_what_one_of_many_changes_is_seen_by_those_asked_before_it(scenario: Scenario) -> None:
    """The last one raises what the first ones wait for, in whatever part it is asked."""
    last = conditional_event("=x = 0")
    run = scenario(
        each_with_a_condition(
            "=x > item",
            user_task("last"),
            boundary("up", "last", last, interrupting=False, outputs={"x": "=1000"}),
            chain("fork", "last"),
        ),
        settings=Settings(steps_per_command_max=20),
    )
    run.start("p", variables=json.dumps({"items": [500] * 150, "x": -1}))
    assign(run, '{"x": 0}')
    assert occurred(run) == 150
    run.accept(c.TerminateInstance(instance_id="a"))
    run.assert_nothing_left()


def test_a_variable_nearer_by_covers_what_changes_further_out(scenario: Scenario) -> None:
    run = scenario(each_with_a_condition("=x > 10"))
    run.start("p", variables='{"items": [1, 2]}')
    keys = [key for key, each in run.living().elements.items() if each.ordinal == 1]
    run.accept(
        c.SetVariables(
            instance_id="a", element_instance_id=f"a:{keys[0]}", variables='{"x": 1}', local=True
        )
    )
    run.accept(
        c.SetVariables(
            instance_id="a",
            element_instance_id=f"a:{run.living().root}",
            variables='{"x": 11}',
            local=True,
        )
    )
    assert occurred(run) == 1
    run.accept(
        c.SetVariables(
            instance_id="a", element_instance_id=f"a:{keys[0]}", variables='{"x": 11}', local=True
        )
    )
    assert occurred(run) == 2
    run.accept(c.TerminateInstance(instance_id="a"))
    run.assert_nothing_left()


def test_a_condition_that_asks_for_the_time_is_asked_at_any_change(scenario: Scenario) -> None:
    until = "=now() > date and time(until)"
    run = scenario(
        compiled(start("s"), catch("wait", conditional_event(until)), chain("s", "wait"))
    )
    run.start("p", variables='{"until": "2023-11-14T23:00:00Z"}')
    assert run.active() == ["wait"]
    run.elapse(3_600_000)
    assert run.active() == ["wait"]
    assign(run, '{"other": 1}')
    assert run.state() is InstanceState.COMPLETED
