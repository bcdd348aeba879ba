"""What holds of every kind of activity: loops, boundary events and compensation go with each.

How each kind does its work is in scenarios of its own; here it only begins, waits or not, and is
over.
"""

import pytest

from engine import commands as c
from engine.lifecycle import InstanceState
from engine.state import SubscriptionWait
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    boundary,
    call_activity,
    chain,
    compensate_event,
    compensation,
    compiled,
    end,
    for_compensation,
    looped,
    message,
    multi_instance,
    receive_task,
    script_task,
    service_task,
    standard_loop,
    start,
    sub_process,
    task,
    throw,
    timer,
    transaction,
    user_task,
)
from tests.support.runner import Runner, subscriptions

HOUR = 3_600_000
INSIDE = (start("i"), user_task("inner"), chain("i", "inner"))
CALLED = compiled(start("cs"), user_task("inner"), chain("cs", "inner"), process_id="called")
NEWS = message("m", "news", key="=order")
PASSING = {
    "task": task("x"),
    "manualTask": task("x", kind="manualTask"),
    "scriptTask": script_task("x", "=1"),
}
WAITING = {
    "serviceTask": service_task("x"),
    "sendTask": service_task("x", kind="sendTask"),
    "businessRuleTask": service_task("x", kind="businessRuleTask"),
    "scriptTask-as-job": service_task("x", kind="scriptTask"),
    "userTask": user_task("x"),
    "receiveTask": receive_task("x", "m"),
    "callActivity": call_activity("x", "called"),
    "subProcess": sub_process("x", *INSIDE),
    "transaction": transaction("x", *INSIDE),
}
ACTIVITIES = PASSING | WAITING


def begun(scenario: Scenario, *parts: str) -> Runner:
    run = scenario(CALLED, compiled(NEWS, start("s"), *parts))
    run.start("p", variables='{"order": 7}')
    return run


def work_off(run: Runner) -> None:
    """Do whatever somebody waits for, one thing after the other, until nobody does."""
    for _ in range(20):
        if jobs := run.jobs():
            run.accept(c.CompleteJob(job_id=jobs[0].job_id, attempt=jobs[0].attempt))
        elif tasks := run.tasks():
            run.accept(c.CompleteTask(task_id=tasks[0].task_id))
        elif run.state() is InstanceState.RUNNING and run.waits(SubscriptionWait):
            run.accept(c.PublishMessage(name="news", correlation_key="7"))
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


@pytest.mark.parametrize("kind", ACTIVITIES)
def test_an_activity_runs_once_and_the_process_goes_on(scenario: Scenario, kind: str) -> None:
    run = begun(scenario, ACTIVITIES[kind], end("e"), chain("s", "x", "e"))
    assert (run.state() is InstanceState.COMPLETED) == (kind in PASSING)
    work_off(run)
    path = run.path()
    assert (path[0], path[-3:], path.count("x")) == ("s", ["x", "e", "p"], 1)


@pytest.mark.parametrize("sequential", [False, True])
@pytest.mark.parametrize("kind", ACTIVITIES)
def test_every_activity_runs_for_each_item(
    scenario: Scenario, kind: str, *, sequential: bool
) -> None:
    loop = multi_instance(
        over="=[5, 7, 9]", item="n", output="=n + loopCounter", into="all", sequential=sequential
    )
    run = begun(scenario, looped(ACTIVITIES[kind], loop), end("e"), chain("s", "x", "e"))
    work_off(run)
    assert '"all":[6,9,12]' in (run.result() or "")
    assert run.path().count("x") == 4  # the iterations, and the loop around them


@pytest.mark.parametrize("kind", ACTIVITIES)
def test_every_activity_may_be_repeated(scenario: Scenario, kind: str) -> None:
    again = standard_loop(condition="=loopCounter < 3")
    run = begun(scenario, looped(ACTIVITIES[kind], again), end("e"), chain("s", "x", "e"))
    work_off(run)
    assert run.path().count("x") == 4


@pytest.mark.parametrize("repeated", [False, True])
@pytest.mark.parametrize("kind", WAITING)
def test_a_boundary_event_ends_every_activity_with_all_that_it_waits_for(
    scenario: Scenario, kind: str, *, repeated: bool
) -> None:
    activity = WAITING[kind]
    if repeated:
        activity = looped(activity, multi_instance(times="3"))
    run = begun(
        scenario,
        activity,
        boundary("late", "x", timer(duration="PT1H")),
        end("stopped"),
        chain("s", "x"),
        chain("late", "stopped"),
    )
    run.elapse(HOUR)
    assert [each for each in run.path() if each != "i"] == ["s", "late", "stopped", "p"]
    assert (run.jobs(), run.tasks(), subscriptions(run)) == ([], [], [])
    run.assert_nothing_left()


@pytest.mark.parametrize("repeated", [False, True])
@pytest.mark.parametrize("kind", ACTIVITIES)
def test_every_activity_that_completed_can_be_undone(
    scenario: Scenario, kind: str, *, repeated: bool
) -> None:
    activity = ACTIVITIES[kind]
    if repeated:
        activity = looped(activity, standard_loop(maximum="2"))
    run = begun(
        scenario,
        activity,
        for_compensation(service_task("undo")),
        compensation("x", "undo"),
        throw("back", compensate_event()),
        end("e"),
        chain("s", "x", "back", "e"),
    )
    work_off(run)
    assert run.path().count("undo") == (2 if repeated else 1)
    assert run.path()[-3:] == ["back", "e", "p"]


@pytest.mark.parametrize("kind", ACTIVITIES)
def test_every_activity_may_undo_another(scenario: Scenario, kind: str) -> None:
    run = begun(
        scenario,
        user_task("done"),
        for_compensation(ACTIVITIES[kind]),
        compensation("done", "x"),
        throw("back", compensate_event()),
        end("e"),
        chain("s", "done", "back", "e"),
    )
    run.complete_task("done")
    work_off(run)
    path = run.path()
    assert (path.count("x"), path[-3:]) == (1, ["back", "e", "p"])
