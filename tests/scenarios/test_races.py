"""Things that happen at once: whichever comes first in the log wins, the other changes nothing.

Both commands are on the log before either is applied, in either order.
"""

from collections.abc import Callable

import pytest

from engine import commands as c
from engine.lifecycle import InstanceState
from engine.records import Topic
from engine.state import IncidentWait, TimerWait
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    boundary,
    call_activity,
    catch,
    chain,
    compiled,
    end,
    event_gateway,
    exclusive,
    flow,
    message,
    message_event,
    parallel,
    receive_task,
    service_task,
    signal,
    signal_event,
    start,
    sub_process,
    task,
    timer,
    user_task,
)
from tests.support.runner import Runner

HOUR = 3_600_000
ROOTS = (message("m", "news", key="=order"), message("o", "other", key="=order"), signal("g", "go"))
Act = Callable[[Runner], None]
both_orders = pytest.mark.parametrize("turned", [False, True])


def together(run: Runner, first: Act, second: Act, *, turned: bool) -> None:
    """Put both on the log, then apply what is there."""
    run.posting = True
    for act in (second, first) if turned else (first, second):
        act(run)
    run.posting = False
    run.settle()


def guarded(scenario: Scenario) -> Runner:
    run = scenario(
        compiled(
            *ROOTS,
            start("s"),
            user_task("work"),
            boundary("late", "work", timer(duration="PT1H")),
            boundary("told", "work", message_event("m")),
            end("done"),
            end("stopped"),
            chain("s", "work", "done"),
            chain("late", "stopped"),
            chain("told", "stopped"),
        )
    )
    run.start("p", variables='{"order": 7}')
    return run


def complete_work(run: Runner) -> None:
    run.complete_task("work")


def an_hour_passes(run: Runner) -> None:
    run.elapse(HOUR)


def publish(run: Runner) -> None:
    run.accept(c.PublishMessage(name="news", correlation_key="7"))


def terminate(run: Runner) -> None:
    run.accept(c.TerminateInstance(instance_id="a"))


WAYS: dict[Act, str] = {complete_work: "done", an_hour_passes: "stopped", publish: "stopped"}


@both_orders
@pytest.mark.parametrize(
    ("first", "second"),
    [
        (complete_work, an_hour_passes),
        (complete_work, publish),
        (an_hour_passes, publish),
        (complete_work, complete_work),
    ],
)
def test_of_two_that_end_one_activity_one_does(
    scenario: Scenario, first: Act, second: Act, *, turned: bool
) -> None:
    run = guarded(scenario)
    together(run, first, second, turned=turned)
    path = run.path()
    assert len(path) in {3, 4}
    assert [path[0], path[-1]] == ["s", "p"]
    assert path[-2] in {WAYS[first], WAYS[second]}
    assert len(run.effects("InstanceCompleted")) == 1
    run.assert_nothing_left()


@both_orders
@pytest.mark.parametrize("other", WAYS)
def test_an_instance_that_was_terminated_never_completes(
    scenario: Scenario, other: Act, *, turned: bool
) -> None:
    run = guarded(scenario)
    together(run, terminate, other, turned=turned)
    ended = [each.type for each in run.effects() if each.type.startswith("Instance")][1:]
    state = run.state()
    assert state in {InstanceState.COMPLETED, InstanceState.TERMINATED}
    assert ended == [f"Instance{state.value.capitalize()}"]
    if not turned and other is complete_work:
        assert state is InstanceState.TERMINATED
    run.elapse(2 * HOUR)
    run.assert_nothing_left()


def resolve(run: Runner) -> None:
    for wait in run.waits(IncidentWait):
        run.accept(c.ResolveIncident(incident_id=f"a:{wait.key}"))


@both_orders
def test_an_incident_that_is_resolved_as_its_activity_ends_runs_one_way_only(
    scenario: Scenario, *, turned: bool
) -> None:
    run = scenario(
        compiled(
            start("s"),
            service_task("work", retries="1"),
            boundary("late", "work", timer(duration="PT1H")),
            end("stopped"),
            chain("s", "work"),
            chain("late", "stopped"),
        )
    )
    run.start("p")
    job = run.job("work")
    run.accept(c.FailJob(job_id=job.job_id, attempt=job.attempt, retries=0))
    assert ("work", "incident") in run.waiting()
    together(run, resolve, an_hour_passes, turned=turned)
    assert run.path() == ["s", "late", "stopped", "p"]
    assert run.jobs() == []
    run.assert_nothing_left()


def test_a_boundary_event_is_not_taken_for_what_its_activity_itself_waits_for(
    scenario: Scenario,
) -> None:
    """Each wait knows whose it is: neither by its kind, nor by its instant, are they mixed up."""
    run = scenario(
        compiled(
            *ROOTS,
            start("s"),
            receive_task("work", "o"),
            boundary("told", "work", message_event("m"), interrupting=False),
            boundary("late", "work", timer(duration="PT1H"), interrupting=False),
            user_task("note"),
            end("done"),
            chain("s", "work", "done"),
            chain("told", "note"),
            chain("late", "note"),
        )
    )
    run.start("p", variables='{"order": 7}')
    publish(run)
    run.elapse(HOUR)
    assert sorted(run.active()) == ["note", "note", "work"]
    run.accept(c.PublishMessage(name="other", correlation_key="7"))
    assert run.path() == ["s", "told", "late", "work", "done"]


def test_one_timer_wakes_nobody_else_who_sleeps_at_the_same_event(scenario: Scenario) -> None:
    run = scenario(compiled(start("s"), catch("nap", timer(duration="=long")), chain("s", "nap")))
    for hours in (1, 2, 3):
        run.start("p", f"i{hours}", f'{{"long": "PT{hours}H"}}')
    run.elapse(2 * HOUR)
    assert [run.state(f"i{hours}") for hours in (1, 2, 3)] == [
        InstanceState.COMPLETED,
        InstanceState.COMPLETED,
        InstanceState.RUNNING,
    ]


def test_a_message_for_another_key_wakes_nobody(scenario: Scenario) -> None:
    run = scenario(compiled(*ROOTS, start("s"), receive_task("t", "m"), chain("s", "t")))
    for order in range(5):
        run.start("p", f"i{order}", f'{{"order": {order}}}')
    before = {order: run.document(f"i{order}") for order in range(5)}
    run.accept(c.PublishMessage(name="news", correlation_key="3", ttl_ms=HOUR))
    run.accept(c.PublishMessage(name="news", correlation_key="none", ttl_ms=HOUR))
    assert run.state("i3") is InstanceState.COMPLETED
    for order in (0, 1, 2, 4):
        assert run.document(f"i{order}") == before[order]


@both_orders
def test_of_the_arms_of_an_event_gateway_that_occur_together_one_is_taken(
    scenario: Scenario, *, turned: bool
) -> None:
    arms = {
        "news": catch("news", message_event("m")),
        "go": catch("go", signal_event("g")),
        "late": catch("late", timer(duration="PT1H")),
    }
    run = scenario(
        compiled(
            *ROOTS,
            start("s"),
            event_gateway("first"),
            *arms.values(),
            chain("s", "first"),
            *(flow("first", arm) for arm in arms),
        )
    )
    run.start("p", variables='{"order": 7}')

    def both(run: Runner) -> None:
        run.accept(c.BroadcastSignal(name="go"))
        publish(run)

    together(run, both, an_hour_passes, turned=turned)
    assert len(run.path()) == 4
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


EVERYTHING = (
    start("i"),
    parallel("fork"),
    service_task("job"),
    user_task("person"),
    receive_task("news", "m"),
    catch("nap", timer(duration="P1D")),
    catch("sign", signal_event("g")),
    call_activity("call", "called"),
    exclusive("stuck"),
    task("never-taken"),
    flow("stuck", "never-taken", condition="=false"),
    sub_process("deeper", start("d"), user_task("deep"), chain("d", "deep")),
    boundary("never", "deeper", timer(duration="P2D")),
    chain("i", "fork"),
    *(
        flow("fork", each)
        for each in ("job", "person", "news", "nap", "sign", "call", "stuck", "deeper")
    ),
)
CALLED = compiled(start("cs"), user_task("far"), chain("cs", "far"), process_id="called")


@pytest.mark.parametrize("terminated", [False, True])
def test_an_interruption_withdraws_all_that_was_waited_for(
    scenario: Scenario, *, terminated: bool
) -> None:
    run = scenario(
        CALLED,
        compiled(
            *ROOTS,
            start("s"),
            sub_process("sub", *EVERYTHING),
            boundary("late", "sub", timer(duration="PT1H")),
            end("stopped"),
            chain("s", "sub"),
            chain("late", "stopped"),
        ),
    )
    run.start("p", variables='{"order": 7}')
    kinds = {kind for _, kind in run.waiting()}
    assert kinds == {"job", "task", "message", "timer", "signal", "call", "incident"}
    assert len(run.waits(TimerWait)) == 3
    if terminated:
        terminate(run)
    else:
        an_hour_passes(run)
    assert (run.jobs(), run.tasks()) == ([], [])
    canceled = [job.type for job in run.records(Topic.JOBS) if job.canceled]
    assert canceled == ["job"]
    run.accept(c.BroadcastSignal(name="go"))
    publish(run)
    run.elapse(72 * HOUR)
    run.assert_nothing_left()
