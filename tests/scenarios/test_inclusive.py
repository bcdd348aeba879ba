"""BPMN 13.4.3: inclusive gateways, which wait for what may still come and for nothing else."""

import pytest

from engine import commands as c
from engine.instances.stuck import IncidentKind
from engine.lifecycle import InstanceState
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    boundary,
    chain,
    compiled,
    end,
    error,
    error_event,
    exclusive,
    flow,
    inclusive,
    looped,
    multi_instance,
    parallel,
    script_task,
    service_task,
    start,
    sub_process,
    task,
    terminate_event,
    timer,
    user_task,
)

HOUR = 3_600_000
SPLIT = (
    start("s"),
    inclusive("split", default="split-c"),
    service_task("a"),
    service_task("b"),
    service_task("c"),
    inclusive("join"),
    task("after"),
    end("e"),
    chain("s", "split"),
    flow("split", "a", condition="=n > 1"),
    flow("split", "b", condition="=n > 2"),
    flow("split", "c"),
    chain("a", "join"),
    chain("b", "join"),
    chain("c", "join", "after", "e"),
)
SPLIT_AND_JOIN = compiled(*SPLIT)


def test_a_split_takes_every_true_flow_and_the_join_waits_for_these(scenario: Scenario) -> None:
    run = scenario(SPLIT_AND_JOIN)
    run.start("p", variables='{"n": 3}')
    assert run.active() == ["a", "b"]
    run.complete("b")
    assert run.path()[-1] == "b"
    run.complete("a")
    assert run.state() is InstanceState.COMPLETED
    assert run.path().count("after") == 1


def test_a_join_with_one_branch_taken_waits_for_no_other(scenario: Scenario) -> None:
    run = scenario(SPLIT_AND_JOIN)
    run.start("p", variables='{"n": 2}')
    run.complete("a")
    assert run.path() == ["s", "split", "a", "join", "after", "e", "p"]


def test_a_split_takes_its_default_when_nothing_is_true(scenario: Scenario) -> None:
    run = scenario(SPLIT_AND_JOIN)
    run.start("p", variables='{"n": 0}')
    run.complete("c")
    assert run.path() == ["s", "split", "c", "join", "after", "e", "p"]


def test_a_split_with_nothing_true_and_no_default_is_stuck_until_resolved(
    scenario: Scenario,
) -> None:
    model = compiled(
        start("s"),
        inclusive("split"),
        end("e"),
        chain("s", "split"),
        flow("split", "e", condition="=n > 1"),
    )
    run = scenario(model)
    run.start("p", variables='{"n": 0}')
    assert run.incident().kind == IncidentKind.NO_FLOW_CHOSEN
    run.resolve(variables='{"n": 2}')
    assert run.state() is InstanceState.COMPLETED


def test_a_join_of_branches_without_a_wait_fires_once(scenario: Scenario) -> None:
    model = compiled(
        start("s"),
        inclusive("split"),
        *(task(name) for name in ("a", "b", "c")),
        inclusive("join"),
        end("e"),
        chain("s", "split"),
        *(chain("split", name, "join") for name in ("a", "b", "c")),
        chain("join", "e"),
    )
    run = scenario(model)
    run.start("p")
    assert run.path().count("e") == 1
    assert run.state() is InstanceState.COMPLETED


def test_an_interrupted_branch_is_no_longer_waited_for(scenario: Scenario) -> None:
    model = compiled(
        *SPLIT,
        boundary("late", "b", timer(duration="PT1H")),
        end("gone"),
        chain("late", "gone"),
    )
    run = scenario(model)
    run.start("p", variables='{"n": 3}')
    run.complete("a")
    assert "after" not in run.path()
    run.elapse(HOUR)
    assert run.path().count("after") == 1
    assert run.state() is InstanceState.COMPLETED


def test_a_boundary_event_that_may_still_lead_to_the_join_is_waited_for(
    scenario: Scenario,
) -> None:
    model = compiled(
        start("s"),
        parallel("fork"),
        service_task("a"),
        service_task("b"),
        boundary("late", "b", timer(duration="PT1H")),
        inclusive("join"),
        end("e"),
        end("other"),
        chain("s", "fork", "a", "join", "e"),
        chain("fork", "b", "other"),
        chain("late", "join"),
    )
    run = scenario(model)
    run.start("p")
    run.complete("a")
    assert "e" not in run.path()
    run.elapse(HOUR)
    assert run.path().count("e") == 1
    assert run.state() is InstanceState.COMPLETED


def test_a_branch_that_ends_elsewhere_lets_the_join_fire(scenario: Scenario) -> None:
    model = compiled(
        start("s"),
        parallel("fork"),
        task("a"),
        service_task("b"),
        exclusive("way", default="way-out"),
        inclusive("join"),
        end("e"),
        end("out"),
        chain("s", "fork", "a", "join", "e"),
        chain("fork", "b", "way"),
        flow("way", "join", condition="=n > 1"),
        flow("way", "out"),
    )
    run = scenario(model)
    run.start("p")
    assert run.path()[-1] == "a"
    run.complete("b", '{"n": 0}')
    assert run.path()[-3:] == ["join", "e", "p"]
    assert run.state() is InstanceState.COMPLETED


def test_a_branch_that_an_incident_holds_is_waited_for(scenario: Scenario) -> None:
    run = scenario(SPLIT_AND_JOIN)
    run.start("p", variables='{"n": 3}')
    run.complete("a")
    job = run.job("b")
    run.accept(c.FailJob(job_id=job.job_id, attempt=job.attempt, retries=0))
    assert "after" not in run.path()
    run.resolve(retries=1)
    run.complete("b")
    assert run.path().count("after") == 1


def test_an_error_that_leaves_a_branch_lets_the_join_fire(scenario: Scenario) -> None:
    model = compiled(
        *SPLIT,
        error("bad", "BAD"),
        boundary("failed", "b", error_event("bad")),
        end("gone"),
        chain("failed", "gone"),
    )
    run = scenario(model)
    run.start("p", variables='{"n": 3}')
    run.complete("a")
    job = run.job("b")
    run.accept(c.ThrowError(job_id=job.job_id, attempt=job.attempt, code="BAD"))
    assert run.path().count("after") == 1
    assert run.state() is InstanceState.COMPLETED


def test_two_arrivals_on_one_flow_make_the_join_fire_twice(scenario: Scenario) -> None:
    model = compiled(
        start("s"),
        parallel("fork"),
        exclusive("merge"),
        user_task("slow"),
        inclusive("join"),
        task("after"),
        end("e"),
        chain("s", "fork"),
        flow("fork", "merge", flow_id="one"),
        flow("fork", "merge", flow_id="two"),
        chain("fork", "slow", "join"),
        chain("merge", "join", "after", "e"),
    )
    run = scenario(model)
    run.start("p")
    assert "after" not in run.path()
    run.complete_task("slow")
    assert run.path().count("after") == 2
    assert run.state() is InstanceState.COMPLETED


def test_a_join_in_a_loop_works_again_in_each_wave(scenario: Scenario) -> None:
    model = compiled(
        start("s"),
        exclusive("again"),
        inclusive("split"),
        service_task("a"),
        task("b"),
        inclusive("join"),
        script_task("count", "=rounds + 1", result="rounds"),
        exclusive("check", default="back"),
        end("e"),
        chain("s", "again", "split"),
        chain("split", "a", "join"),
        chain("split", "b", "join", "count", "check"),
        flow("check", "again", flow_id="back"),
        flow("check", "e", condition="=rounds > 2"),
    )
    run = scenario(model)
    run.start("p", variables='{"rounds": 0}')
    for round_ in range(3):
        assert run.path().count("count") == round_
        run.complete("a")
    assert run.state() is InstanceState.COMPLETED
    assert run.path().count("join") == 3


def test_a_join_that_is_the_head_of_a_loop_does_not_wait_for_itself(scenario: Scenario) -> None:
    model = compiled(
        start("s"),
        inclusive("head"),
        service_task("work"),
        exclusive("check", default="back"),
        end("e"),
        chain("s", "head", "work", "check"),
        flow("check", "head", flow_id="back"),
        flow("check", "e", condition="=done"),
    )
    run = scenario(model)
    run.start("p")
    run.complete("work", '{"done": false}')
    run.complete("work", '{"done": true}')
    assert run.path().count("head") == 2
    assert run.state() is InstanceState.COMPLETED


CIRCLE = (
    start("s"),
    parallel("fork"),
    inclusive("one"),
    inclusive("two"),
    service_task("a"),
    service_task("b"),
    exclusive("after-a", default="end-a"),
    exclusive("after-b", default="end-b"),
    end("e"),
    chain("s", "fork", "one", "a", "after-a"),
    chain("fork", "two", "b", "after-b"),
    flow("after-a", "two", condition="=on"),
    flow("after-b", "one", condition="=on"),
    flow("after-a", "e", flow_id="end-a"),
    flow("after-b", "e", flow_id="end-b"),
)


def test_of_joins_that_wait_only_for_each_other_the_first_one_fires(scenario: Scenario) -> None:
    run = scenario(compiled(*CIRCLE))
    run.start("p", variables='{"on": true}')
    assert run.active() == ["a"]
    run.complete("a")  # reaches the second join, where the other arrival still waits
    assert run.active() == ["b"]
    run.complete("b", '{"on": false}')
    assert run.path().count("one") == 1
    assert run.path().count("two") == 1
    assert run.state() is InstanceState.COMPLETED


def test_joins_that_wait_for_each_other_both_fire_when_no_way_leads_across(
    scenario: Scenario,
) -> None:
    run = scenario(compiled(*CIRCLE))
    run.start("p", variables='{"on": false}')
    run.complete("a")
    run.complete("b")
    assert run.path().count("e") == 2
    assert run.state() is InstanceState.COMPLETED


def test_joins_that_wait_for_each_other_wait_while_anything_else_may_come(
    scenario: Scenario,
) -> None:
    model = compiled(*CIRCLE, user_task("look"), chain("fork", "look", "one"))
    run = scenario(model)
    run.start("p", variables='{"on": false}')
    assert run.active() == ["look"]
    run.complete_task("look")
    assert run.active() == ["a"]


def test_of_joins_that_wait_for_each_other_the_one_fires_that_the_specification_releases(
    scenario: Scenario,
) -> None:
    """What waits at `first` could come to `second` on the flow that has an arrival already."""
    model = compiled(
        start("s"),
        parallel("fork"),
        inclusive("first"),
        service_task("a"),
        inclusive("second"),
        service_task("b"),
        end("e"),
        exclusive("before"),
        inclusive("spread"),
        chain("s", "fork", "first", "a", "spread", "before", "second", "b"),
        chain("fork", "before"),
        flow("spread", "second"),
        flow("b", "first", condition="=on"),
        flow("b", "e", condition="=not(on)"),
    )
    run = scenario(model)
    run.start("p", variables='{"on": false}')
    assert run.active() == ["b"]
    run.complete("b")
    run.complete("a")
    run.complete("b")
    assert run.state() is InstanceState.COMPLETED


def test_a_join_does_not_wait_for_a_parallel_join_that_nothing_completes(
    scenario: Scenario,
) -> None:
    model = compiled(
        start("s"),
        parallel("fork"),
        exclusive("way", default="way-e"),
        parallel("both"),
        inclusive("join"),
        task("after"),
        end("e"),
        chain("s", "fork", "join", "after"),
        chain("fork", "both", "join"),
        chain("fork", "way"),
        flow("way", "both", condition="=on"),
        flow("way", "e"),
    )
    run = scenario(model)
    run.start("p", variables='{"on": false}')
    assert "after" in run.path()
    assert run.state() is InstanceState.RUNNING  # a drawing in which a parallel join is stuck


def test_a_terminate_end_discards_what_waits_at_a_join(scenario: Scenario) -> None:
    model = compiled(
        start("s"),
        sub_process(
            "sub",
            start("is"),
            parallel("fork"),
            inclusive("join"),
            user_task("slow"),
            end("stop", terminate_event()),
            chain("is", "fork", "join", "stop"),
            chain("fork", "slow", "join"),
            user_task("other"),
            chain("fork", "other", "stop"),
        ),
        end("e"),
        chain("s", "sub", "e"),
    )
    run = scenario(model)
    run.start("p")
    run.complete_task("other")
    assert run.state() is InstanceState.COMPLETED
    assert "join" not in run.path()


def test_the_join_of_a_sub_process_asks_only_about_its_own_scope(scenario: Scenario) -> None:
    model = compiled(
        start("s"),
        parallel("fork"),
        sub_process(
            "sub",
            start("is"),
            parallel("fork2"),
            task("a"),
            user_task("b"),
            inclusive("join"),
            end("ie"),
            chain("is", "fork2", "a", "join", "ie"),
            chain("fork2", "b", "join"),
        ),
        service_task("beside"),
        end("e"),
        chain("s", "fork", "sub", "e"),
        chain("fork", "beside", "e"),
    )
    run = scenario(model)
    run.start("p")
    run.complete_task("b")
    assert run.path()[-3:] == ["ie", "sub", "e"]
    run.complete("beside")
    assert run.state() is InstanceState.COMPLETED


def test_a_late_branch_of_another_wave_is_consumed_by_a_firing_of_its_own(
    scenario: Scenario,
) -> None:
    """A boundary event that does not interrupt may come when the join has long fired."""
    model = compiled(
        start("s"),
        parallel("fork"),
        task("a"),
        user_task("b"),
        boundary("tick", "b", timer(cycle="R2/PT1H"), interrupting=False),
        inclusive("join"),
        task("after"),
        end("e"),
        end("over"),
        chain("s", "fork", "a", "join", "after", "e"),
        chain("fork", "b", "over"),
        chain("tick", "join"),
    )
    run = scenario(model)
    run.start("p")
    assert "after" not in run.path()
    run.elapse(HOUR)  # the tick has arrived, and b may still tick again: both flows have arrivals
    assert run.path().count("after") == 1
    run.elapse(HOUR)
    assert run.path().count("after") == 2
    run.complete_task("b")
    assert run.state() is InstanceState.COMPLETED


@pytest.mark.parametrize("sequential", [False, True])
def test_the_join_of_each_iteration_waits_for_its_own_branches_only(
    scenario: Scenario, *, sequential: bool
) -> None:
    loop = multi_instance(over="=[2, 3]", item="n", sequential=sequential)
    body = sub_process("sub", *SPLIT)
    run = scenario(compiled(start("begin"), looped(body, loop), chain("begin", "sub")))
    run.start("p")
    run.complete("a")  # of the first iteration, where nothing else was taken
    assert run.path().count("after") == 1
    if not sequential:
        assert sorted(job.type for job in run.jobs()) == ["a", "b"]
    run.complete("b")
    assert run.path().count("after") == 1
    run.complete("a")
    assert run.path().count("after") == 2
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()
