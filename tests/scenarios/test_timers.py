"""Timers: catch events, boundary events, cycles; due once, at the instant computed when armed."""

import pytest

from engine import commands as c
from engine.lifecycle import InstanceState
from engine.model.elements import ProcessModel
from engine.settings import Settings
from engine.state import TimerWait
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    boundary,
    catch,
    chain,
    compiled,
    end,
    flow,
    service_task,
    start,
    sub_process,
    task,
    timer,
    user_task,
)
from tests.support.runner import START_MS, Runner

MINUTE = 60_000
HOUR = 3_600_000
DAY = 24 * HOUR


def sleeping(scenario: Scenario, trigger: str) -> Runner:
    return scenario(compiled(start("s"), catch("nap", trigger), end("e"), chain("s", "nap", "e")))


def test_a_timer_catch_event_sleeps_for_its_duration(scenario: Scenario) -> None:
    run = sleeping(scenario, timer(duration="PT1H"))
    run.start("p")
    assert run.waiting() == [("nap", "timer")]
    run.elapse(HOUR - 1)
    assert run.state() is InstanceState.RUNNING
    run.elapse(1)
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_a_timer_waits_for_a_date(scenario: Scenario) -> None:
    run = sleeping(scenario, timer(date='=date and time("2023-11-15T00:00:00Z")'))
    run.start("p")
    (wait,) = run.waits(TimerWait)
    assert wait.due_ms == 1_700_006_400_000
    run.elapse(wait.due_ms - START_MS)
    assert run.state() is InstanceState.COMPLETED


@pytest.mark.parametrize(
    "trigger",
    [
        timer(date="2023-11-15T00:00:00"),
        timer(date='=date and time("2023-11-15T00:00:00")'),
        timer(date='=date and time(date(now()) + duration("P1D"), time("00:00:00"))'),
        timer(cycle="0 0 0 * * *"),
    ],
)
def test_what_names_no_zone_is_in_that_of_the_namespace(scenario: Scenario, trigger: str) -> None:
    reminder = boundary("remind", "wait", trigger, interrupting=False)
    model = compiled(
        start("s"), user_task("wait"), reminder, end("e"), end("f"),
        chain("s", "wait", "e"), flow("remind", "f"),
    )  # fmt: skip
    for zone, due_ms in ("Europe/Berlin", 1_700_002_800_000), ("UTC", 1_700_006_400_000):
        run = scenario(model, settings=Settings(zone=zone))
        run.start("p")
        assert [wait.due_ms for wait in run.waits(TimerWait)] == [due_ms]


def test_a_zone_in_the_model_wins_over_that_of_the_namespace(scenario: Scenario) -> None:
    trigger = timer(date="2023-11-15T00:00:00@Asia/Tokyo")
    model = compiled(start("s"), catch("nap", trigger), end("e"), chain("s", "nap", "e"))
    run = scenario(model, settings=Settings(zone="Europe/Berlin"))
    run.start("p")
    assert [wait.due_ms for wait in run.waits(TimerWait)] == [1_699_974_000_000]


@pytest.mark.parametrize(
    "trigger",
    [
        timer(date="2001-01-01T00:00:00Z"),
        timer(duration="PT0S"),
        timer(duration="-PT5M"),
    ],
)
def test_a_timer_in_the_past_fires_at_once(scenario: Scenario, trigger: str) -> None:
    run = sleeping(scenario, trigger)
    run.start("p")
    run.elapse(0)
    assert run.state() is InstanceState.COMPLETED


def test_months_are_added_on_the_calendar(scenario: Scenario) -> None:
    run = sleeping(scenario, timer(duration="P1M"))
    run.start("p")  # on 14 November
    (wait,) = run.waits(TimerWait)
    assert wait.due_ms - START_MS == 30 * DAY


def test_a_duration_is_computed_once_whatever_happens_to_its_variable(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled(
            start("s"),
            user_task("t"),
            boundary("late", "t", timer(duration="=limit")),
            end("e"),
            chain("s", "t"),
            flow("late", "e"),
        )
    )
    run.start("p", variables='{"limit": "PT1H"}')
    run.elapse(HOUR // 2)
    run.accept(c.SetVariables(instance_id="a", variables='{"limit": "P9D"}'))
    for _ in range(10):  # every command rebuilds the instance from its document
        run.accept(c.SetVariables(instance_id="a", variables='{"touched": true}'))
    run.elapse(HOUR // 2 - 1)
    assert run.active() == ["t"]
    run.elapse(1)
    assert run.state() is InstanceState.COMPLETED


def test_a_timer_due_while_nobody_runs_fires_once_and_at_once(scenario: Scenario) -> None:
    run = sleeping(scenario, timer(duration="PT1H"))
    run.start("p")
    run.sleep(9 * DAY)
    assert run.state() is InstanceState.COMPLETED
    assert run.path().count("nap") == 1


def test_a_timer_that_comes_early_neither_fires_nor_goes(scenario: Scenario) -> None:
    run = sleeping(scenario, timer(duration="PT1H"))
    run.start("p")
    (wait,) = run.waits(TimerWait)
    run.send(c.FireTimer(address="a", timer=wait.key, due_ms=wait.due_ms))
    assert run.state() is InstanceState.RUNNING
    assert [len(partition.timers) for partition in run.partitions].count(1) == 1
    run.elapse(HOUR)
    assert run.state() is InstanceState.COMPLETED


def test_another_occurrence_and_an_unknown_timer_change_nothing(scenario: Scenario) -> None:
    run = sleeping(scenario, timer(duration="PT1H"))
    run.start("p")
    before = run.living()
    (wait,) = run.waits(TimerWait)
    run.send(c.FireTimer(address="a", timer=wait.key, due_ms=run.now - 1))
    run.send(c.FireTimer(address="a", timer=wait.key + 1, due_ms=run.now))
    run.send(c.FireTimer(address="nobody", timer=1, due_ms=run.now))
    assert run.living() == before
    removed = [timer for outcome in run.outcomes for timer in outcome.timers if not timer.due_ms]
    assert {(timer.address, timer.timer) for timer in removed} == {
        ("a", wait.key + 1),
        ("nobody", 1),
    }


def test_an_interrupting_boundary_timer_withdraws_its_task(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            user_task("approve"),
            boundary("late", "approve", timer(duration="PT24H")),
            service_task("escalate"),
            end("e"),
            chain("s", "approve", "e"),
            chain("late", "escalate"),
        )
    )
    run.start("p")
    run.elapse(DAY)
    assert run.active() == ["escalate"]
    assert run.tasks() == []
    run.complete("escalate")
    assert run.path() == ["s", "late", "escalate", "p"]
    run.assert_nothing_left()


def test_a_boundary_timer_goes_with_the_activity_that_it_guards(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            user_task("approve"),
            boundary("late", "approve", timer(duration="PT24H")),
            user_task("after"),
            end("e"),
            chain("s", "approve", "after"),
            chain("late", "e"),
        )
    )
    run.start("p")
    run.complete_task("approve")
    run.elapse(2 * DAY)
    assert run.active() == ["after"]
    assert "late" not in run.path()


def test_a_non_interrupting_boundary_timer_leaves_its_activity_alone(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled(
            start("s"),
            user_task("approve"),
            boundary("late", "approve", timer(duration="PT1H"), interrupting=False),
            service_task("remind"),
            end("e"),
            chain("s", "approve", "e"),
            chain("late", "remind"),
        )
    )
    run.start("p")
    run.elapse(HOUR)
    assert sorted(run.active()) == ["approve", "remind"]
    run.elapse(DAY)
    assert len(run.jobs("remind")) == 1
    run.complete_task("approve")
    assert run.active() == ["remind"]
    run.complete("remind")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def reminding(scenario: Scenario, cycle: str) -> Runner:
    run = scenario(
        compiled(
            start("s"),
            user_task("approve"),
            boundary("often", "approve", timer(cycle=cycle), interrupting=False),
            task("remind"),
            chain("s", "approve"),
            chain("often", "remind"),
        )
    )
    run.start("p")
    return run


def test_a_cycle_of_three_fires_three_times(scenario: Scenario) -> None:
    run = reminding(scenario, "R3/PT10M")
    run.elapse(10 * MINUTE)
    assert run.path().count("remind") == 1
    run.elapse(20 * MINUTE)
    assert run.path().count("remind") == 3
    run.elapse(DAY)
    assert run.path().count("remind") == 3
    assert run.waits(TimerWait) == []


def test_an_endless_cycle_fires_until_its_activity_is_left(scenario: Scenario) -> None:
    run = reminding(scenario, "R/PT1H")
    run.elapse(DAY)
    assert run.path().count("remind") == 24
    run.complete_task("approve")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_missed_repetitions_collapse_into_one_and_the_schedule_stays(
    scenario: Scenario,
) -> None:
    run = reminding(scenario, "R/PT10M")
    run.sleep(DAY + 3 * MINUTE)
    assert run.path().count("remind") == 1
    (wait,) = run.waits(TimerWait)
    assert wait.due_ms == START_MS + DAY + 10 * MINUTE


def test_a_cycle_whose_period_leads_nowhere_fires_once(scenario: Scenario) -> None:
    run = reminding(scenario, "R5/PT0S")
    run.elapse(DAY)
    assert run.path().count("remind") == 1


def test_a_cron_cycle_fires_by_the_clock(scenario: Scenario) -> None:
    run = reminding(scenario, "0 0 * * * *")
    run.elapse(3 * HOUR)  # 22:13 to 01:13
    assert run.path().count("remind") == 3


def test_boundary_timers_of_a_sub_process_end_all_inside_it(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            sub_process(
                "sub",
                start("s2"),
                service_task("one"),
                user_task("two"),
                catch("nap", timer(duration="P9D")),
                chain("s2", "one"),
                chain("s2", "two"),
                chain("s2", "nap"),
            ),
            boundary("late", "sub", timer(duration="PT1H")),
            end("e"),
            chain("s", "sub"),
            chain("late", "e"),
        )
    )
    run.start("p")
    run.elapse(HOUR)
    assert run.state() is InstanceState.COMPLETED
    assert run.path() == ["s", "s2", "late", "e", "p"]
    assert [len(run.effects(kind)) for kind in ("JobCanceled", "TaskCanceled")] == [1, 1]
    run.assert_nothing_left()


def test_a_timer_that_cannot_be_computed_arms_nothing(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            user_task("approve"),
            boundary("good", "approve", timer(duration="PT1H"), interrupting=False),
            boundary("bad", "approve", timer(duration="=limit")),
            end("e"),
            chain("s", "approve", "e"),
            chain("good", "e"),
            chain("bad", "e"),
        )
    )
    run.start("p")
    incident = run.incident()
    assert (incident.kind, incident.step) == ("EXPRESSION_FAILED", "activate")
    assert "bad" in incident.message
    assert incident.message.endswith("It comes from 'limit'; missing: limit")
    assert run.waiting() == [("approve", "incident")]
    assert run.tasks() == []
    run.resolve(variables='{"limit": "PT2H"}')
    assert sorted(run.waiting()) == [("approve", "task"), ("bad", "timer"), ("good", "timer")]
    run.elapse(2 * HOUR)
    assert run.state() is InstanceState.COMPLETED


def test_two_timers_due_together_interrupt_once(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            user_task("approve"),
            boundary("one", "approve", timer(duration="PT1H")),
            boundary("two", "approve", timer(duration="PT1H")),
            task("after"),
            chain("s", "approve"),
            chain("one", "after"),
            chain("two", "after"),
        )
    )
    run.start("p")
    run.sleep(HOUR)
    assert run.path() == ["s", "one", "after", "p"]
    run.assert_nothing_left()


def test_a_cycle_that_is_over_before_it_begins_is_an_incident(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            user_task("approve"),
            boundary("often", "approve", timer(cycle="=cycle"), interrupting=False),
            chain("s", "approve"),
        )
    )
    run.start("p", variables='{"cycle": "R/PT1H/2001-01-01T00:00:00Z"}')
    incident = run.incident()
    assert (incident.kind, incident.step) == ("EXPRESSION_FAILED", "activate")
    assert "often" in incident.message
    run.resolve(variables='{"cycle": "R/PT1H/2024-01-01T00:00:00Z"}')
    assert len(run.waits(TimerWait)) == 1


def test_a_cycle_ends_with_its_last_date(scenario: Scenario) -> None:
    run = reminding(scenario, "R/PT1H/2023-11-15T02:00:00Z")
    run.elapse(DAY)  # from 22:13: at 23:13, 00:13 and 01:13
    assert run.path().count("remind") == 3


def test_a_cycle_ends_where_the_calendar_does(scenario: Scenario) -> None:
    run = reminding(scenario, "R/P5000Y")
    run.sleep(5_100 * 366 * DAY)
    assert run.path().count("remind") == 1
    assert run.waits(TimerWait) == []


def test_an_armed_deadline_stays_though_another_build_would_compute_another(
    scenario: Scenario,
) -> None:
    """What a duration gave is kept: reading the model again, however it reads, moves nothing."""

    def guarded(duration: str) -> ProcessModel:
        return compiled(
            start("s"),
            user_task("t"),
            boundary("late", "t", timer(duration=duration)),
            chain("s", "t"),
        )

    run = scenario(guarded("PT1H"))
    run.start("p")
    run.contents.add_process("p-1", guarded("PT9H"))
    for _ in range(5):
        run.accept(c.SetVariables(instance_id="a", variables='{"touched": true}'))
    run.elapse(HOUR - 1)
    assert run.active() == ["t"]
    run.elapse(1)
    assert run.path() == ["s", "late", "p"]


def test_an_overdue_deadline_takes_its_way_at_once_and_withdraws_the_task(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled(
            start("s"),
            user_task("t"),
            boundary("late", "t", timer(duration="PT24H")),
            user_task("escalate"),
            chain("s", "t"),
            chain("late", "escalate"),
        )
    )
    run.start("p")
    run.sleep(30 * DAY)
    assert [task.element_id for task in run.tasks()] == ["escalate"]
    assert run.waits(TimerWait) == []
    run.sleep(30 * DAY)
    assert run.path() == ["s", "late"]


@pytest.mark.parametrize(
    "date",
    [
        "2023-11-15T00:00:00Z",
        "2023-11-15T01:00:00+01:00",
        "2023-11-15T01:00:00@Europe/Berlin",
        "2023-11-14T23:00:00-01:00",
    ],
)
def test_the_zone_of_a_date_is_heeded(scenario: Scenario, date: str) -> None:
    run = sleeping(scenario, timer(date=date))
    run.start("p")
    (wait,) = run.waits(TimerWait)
    assert wait.due_ms == 1_700_006_400_000
    run.elapse(2 * HOUR)
    assert run.state() is InstanceState.COMPLETED


def test_a_cycle_with_a_start_counts_from_there(scenario: Scenario) -> None:
    run = reminding(scenario, "R3/2023-11-15T01:00:00Z/PT1H")
    (wait,) = run.waits(TimerWait)
    assert wait.due_ms == 1_700_010_000_000
    run.elapse(DAY)
    assert run.path().count("remind") == 3
