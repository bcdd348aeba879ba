"""Ad-hoc sub-processes as scopes: variables, events at and in them, compensation, loops."""

from engine import commands as c
from engine.lifecycle import InstanceState
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    ad_hoc,
    boundary,
    chain,
    compensate_event,
    compensation,
    compiled_plain,
    end,
    error,
    error_event,
    escalation,
    escalation_event,
    event_sub_process,
    flow,
    for_compensation,
    looped,
    message,
    message_event,
    multi_instance,
    service_task,
    start,
    task,
    throw,
    timer,
    user_task,
)


def test_its_variables_are_its_own(scenario: Scenario) -> None:
    run = scenario(
        compiled_plain(
            start("s"),
            ad_hoc(
                "pool",
                service_task("one"),
                active='=["one"]',
                until="=mine > 1",
                inputs={"mine": "=1"},
                outputs={"result": "=mine"},
            ),
            chain("s", "pool"),
        )
    )
    run.start("p")
    run.complete("one", '{"mine": 2}')
    assert run.result() == '{"result":2}'


def test_an_interrupting_boundary_event_ends_it_with_all_inside(scenario: Scenario) -> None:
    run = scenario(
        compiled_plain(
            start("s"),
            ad_hoc("pool", user_task("one"), user_task("two"), sequential=True),
            boundary("late", "pool", timer(duration="PT1H")),
            task("instead"),
            chain("s", "pool"),
            chain("late", "instead"),
        )
    )
    run.start("p")
    run.activate("pool", "one", "two")
    run.elapse(3_600_000)
    assert run.path() == ["s", "late", "instead", "p"]
    run.assert_nothing_left()


def test_errors_and_escalations_leave_it_through_its_boundary_events(scenario: Scenario) -> None:
    run = scenario(
        compiled_plain(
            error("bad", "BAD"),
            escalation("high", "HIGH"),
            start("s"),
            ad_hoc(
                "pool",
                service_task("one"),
                throw("tell", escalation_event("high")),
                user_task("two"),
                chain("one", "tell"),
                active='=["one", "two"]',
            ),
            boundary("told", "pool", escalation_event("high"), interrupting=False),
            boundary("failed", "pool", error_event("bad")),
            task("listen"),
            task("repair"),
            chain("s", "pool"),
            chain("told", "listen"),
            chain("failed", "repair"),
        )
    )
    run.start("p")
    run.complete("one")
    assert run.path() == ["s", "one", "tell", "told", "listen"]
    run.accept(c.ThrowError(code="BAD", task_id=run.task("two").task_id))
    assert run.path()[-3:] == ["failed", "repair", "p"]
    run.assert_nothing_left()


def test_an_event_sub_process_inside_runs_beside_what_was_chosen(scenario: Scenario) -> None:
    run = scenario(
        compiled_plain(
            message("m", "news", key='="k"'),
            start("s"),
            ad_hoc(
                "pool",
                service_task("one"),
                event_sub_process(
                    "on",
                    start("heard", message_event("m"), interrupting=False),
                    service_task("note"),
                    chain("heard", "note"),
                ),
            ),
            chain("s", "pool"),
        )
    )
    run.start("p")
    run.accept(c.PublishMessage(name="news", correlation_key="k"))
    run.complete("note")
    assert run.active() == ["pool"]  # nothing was chosen yet
    run.activate("pool", "one")
    run.accept(c.PublishMessage(name="news", correlation_key="k"))
    run.complete("one")
    assert run.state() is InstanceState.RUNNING
    run.complete("note")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_an_interrupting_event_sub_process_takes_its_place(scenario: Scenario) -> None:
    run = scenario(
        compiled_plain(
            message("m", "news", key='="k"'),
            start("s"),
            ad_hoc(
                "pool",
                user_task("one"),
                user_task("two"),
                event_sub_process(
                    "on",
                    start("heard", message_event("m")),
                    user_task("note"),
                    chain("heard", "note"),
                ),
                active='=["one", "two"]',
                until="=false",
                sequential=True,
            ),
            chain("s", "pool"),
        )
    )
    run.start("p")
    pool = run.offer("pool")
    run.accept(c.PublishMessage(name="news", correlation_key="k"))
    assert run.active() == ["pool", "on", "note"]
    code, detail = run.reject(c.ActivateActivities(element_instance_id=pool, element_ids=("one",)))
    assert code == "INVALID_STATE"
    assert "interrupted" in detail
    run.complete_task("note")
    assert run.path() == ["s", "heard", "note", "on", "pool", "p"]
    run.assert_nothing_left()


def test_its_completed_activities_are_compensated(scenario: Scenario) -> None:
    run = scenario(
        compiled_plain(
            start("s"),
            ad_hoc(
                "pool",
                service_task("one"),
                compensation("one", "undo_one"),
                for_compensation(service_task("undo_one")),
                service_task("two"),
                compensation("two", "undo_two"),
                for_compensation(service_task("undo_two")),
                service_task("three"),
                active='=["one", "two"]',
            ),
            throw("undo", compensate_event()),
            chain("s", "pool", "undo"),
        )
    )
    run.start("p")
    run.complete("two")
    run.complete("one")
    run.complete("undo_one")
    run.complete("undo_two")
    assert run.path()[-4:] == ["undo_one", "undo_two", "undo", "p"]
    run.assert_nothing_left()


def test_it_can_be_repeated_and_each_iteration_offers_on_its_own(scenario: Scenario) -> None:
    run = scenario(
        compiled_plain(
            start("s"),
            looped(
                ad_hoc("pool", service_task("one"), service_task("two"), active="=[name]"),
                multi_instance(over='=["two", "one"]', item="name"),
            ),
            chain("s", "pool"),
        )
    )
    run.start("p")
    assert [job.type for job in run.jobs()] == ["two", "one"]
    first = run.offer("pool")
    run.accept(c.ActivateActivities(element_instance_id=first, element_ids=("one",)))
    run.complete("two")
    run.complete("one")
    run.complete("one")
    assert run.path().count("pool") == 3  # two iterations and the loop
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_its_activities_can_be_repeated_and_count_once(scenario: Scenario) -> None:
    run = scenario(
        compiled_plain(
            start("s"),
            ad_hoc(
                "pool",
                looped(service_task("each"), multi_instance(times="3")),
                service_task("other"),
                active='=["each"]',
                until="=numberOfCompletedInstances = 1",
                sequential=True,
            ),
            chain("s", "pool"),
        )
    )
    run.start("p")
    assert len(run.jobs("each")) == 3
    run.complete("each")
    run.complete("each")
    assert run.state() is InstanceState.RUNNING
    run.complete("each")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_one_lies_in_another(scenario: Scenario) -> None:
    run = scenario(
        compiled_plain(
            start("s"),
            ad_hoc(
                "outer",
                ad_hoc("inner", service_task("one"), service_task("two")),
                service_task("three"),
                active='=["inner"]',
            ),
            chain("s", "outer"),
        )
    )
    run.start("p")
    run.activate("inner", "two")
    run.activate("outer", "three")
    run.complete("two")
    run.complete("three")
    assert run.path() == ["s", "two", "inner", "three", "outer", "p"]
    run.assert_nothing_left()


def test_one_that_is_stuck_at_its_end_offers_nothing_any_more(scenario: Scenario) -> None:
    run = scenario(
        compiled_plain(
            start("s"),
            ad_hoc("pool", service_task("one")),
            task("after"),
            flow("s", "pool"),
            flow("pool", "after", condition="=go"),
        )
    )
    run.start("p")
    pool = run.offer("pool")
    run.activate("pool", "one")
    run.complete("one")
    assert run.incident().element_id == "pool"
    code, _ = run.reject(c.ActivateActivities(element_instance_id=pool, element_ids=("one",)))
    assert code == "INVALID_STATE"
    run.resolve(variables='{"go": true}')
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_many_are_chosen_at_once_and_all_begin(scenario: Scenario) -> None:
    run = scenario(
        compiled_plain(
            start("s"),
            ad_hoc("pool", service_task("one"), active='=for n in 1..300 return "one"'),
            chain("s", "pool"),
        )
    )
    run.start("p")
    assert len(run.jobs("one")) == 300
    run.activate("pool")
    assert run.path() == ["s", "pool", "p"]
    run.assert_nothing_left()


def test_an_instance_is_terminated_with_it(scenario: Scenario) -> None:
    run = scenario(
        compiled_plain(
            start("s"),
            ad_hoc("pool", user_task("one"), user_task("two"), active='=["one"]'),
            end("e"),
            chain("s", "pool", "e"),
        )
    )
    run.start("p")
    run.accept(c.TerminateInstance(instance_id="a"))
    assert run.state() is InstanceState.TERMINATED
    run.assert_nothing_left()
