"""Ad-hoc sub-processes: activities are chosen while they run, by the model or by commands.

All that runs in one shares its scope, as in plain BPMN and Flowable; what is chosen in Camunda 8
has a scope of its own: `test_ad_hoc_choices.py`. Events, compensation and loops around and inside
stand in `test_ad_hoc_scopes.py`.
"""

from engine import commands as c
from engine.lifecycle import InstanceState
from engine.state import AdHocWait
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    ad_hoc,
    boundary,
    catch,
    chain,
    compiled_plain,
    complex_gateway,
    exclusive,
    flow,
    message,
    message_event,
    parallel,
    service_task,
    start,
    task,
    timer,
    user_task,
)


def test_it_offers_its_activities_and_completes_when_the_chosen_are_over(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled_plain(
            start("s"),
            ad_hoc("pool", user_task("one"), user_task("two"), user_task("three")),
            task("after"),
            chain("s", "pool", "after"),
        )
    )
    run.start("p")
    assert run.waiting() == [("pool", "ad-hoc")]
    run.activate("pool", "two", "one")
    assert sorted(run.active()) == ["one", "pool", "two"]
    run.complete_task("two")
    run.activate("pool", "two")  # any number of times
    run.complete_task("one")
    assert run.state() is InstanceState.RUNNING
    run.complete_task("two")
    assert run.path() == ["s", "two", "one", "two", "pool", "after", "p"]
    run.assert_nothing_left()


def test_the_model_activates_what_its_expression_names(scenario: Scenario) -> None:
    run = scenario(
        compiled_plain(
            start("s"),
            ad_hoc(
                "pool",
                service_task("one"),
                service_task("two"),
                service_task("three"),
                active="=wanted",
                inputs={"wanted": "=chosen"},
            ),
            chain("s", "pool"),
        )
    )
    run.start("p", variables='{"chosen": ["three", "one", "one"]}')
    assert [job.type for job in run.jobs()] == ["three", "one", "one"]
    for kind in ("one", "three", "one"):
        run.complete(kind)
    assert run.path() == ["s", "one", "three", "one", "pool", "p"]
    run.assert_nothing_left()


def test_an_expression_that_names_others_is_an_incident_that_names_them(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled_plain(
            start("s"),
            ad_hoc(
                "pool",
                service_task("one"),
                service_task("two"),
                service_task("behind"),
                chain("one", "behind"),
                active="=wanted",
            ),
            chain("s", "pool"),
        )
    )
    run.start("p", variables='{"wanted": ["two", "behind", "nowhere"]}')
    incident = run.incident()
    assert incident.kind == "EXPRESSION_FAILED"
    assert '["behind","nowhere"]' in incident.message
    assert "ids of what pool offers: one, two" in incident.message
    assert run.jobs() == []
    run.resolve(variables='{"wanted": "two"}')
    assert "expected a list" in run.incident().message
    run.resolve(variables='{"wanted": ["two"]}')
    run.complete("two")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_an_empty_list_activates_nothing_and_the_choice_is_left_to_commands(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled_plain(
            start("s"),
            ad_hoc("pool", service_task("one"), service_task("two"), active="=[]"),
            chain("s", "pool"),
        )
    )
    run.start("p")
    assert run.active() == ["pool"]
    run.activate("pool", "one")
    run.complete("one")
    assert run.state() is InstanceState.COMPLETED


def test_the_condition_is_asked_after_each_activity_and_ends_the_rest(scenario: Scenario) -> None:
    run = scenario(
        compiled_plain(
            start("s"),
            ad_hoc(
                "pool",
                service_task("one"),
                service_task("two"),
                service_task("behind"),
                chain("one", "behind"),
                active='=["one", "two"]',
                until="=done",
            ),
            task("after"),
            chain("s", "pool", "after"),
        )
    )
    run.start("p", variables='{"done": false}')
    run.complete("two")
    assert run.active() == ["pool", "one"]
    run.complete("one", '{"done": true}')
    assert run.path() == ["s", "two", "one", "pool", "after", "p"]  # nothing behind it begins
    run.assert_nothing_left()


def test_what_still_runs_is_ended_when_the_condition_holds(scenario: Scenario) -> None:
    run = scenario(
        compiled_plain(
            start("s"),
            ad_hoc(
                "pool",
                user_task("slow"),
                service_task("quick"),
                active='=["slow", "quick"]',
                until="=true",
            ),
            chain("s", "pool"),
        )
    )
    run.start("p")
    run.complete("quick")
    assert run.path() == ["s", "quick", "pool", "p"]
    run.assert_nothing_left()


def test_without_canceling_it_waits_for_what_runs_and_begins_nothing_more(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled_plain(
            start("s"),
            ad_hoc(
                "pool",
                user_task("slow"),
                service_task("quick"),
                service_task("behind"),
                chain("slow", "behind"),
                active='=["slow", "quick"]',
                until="=enough",
                cancels=False,
            ),
            chain("s", "pool"),
        )
    )
    run.start("p")
    pool = run.offer("pool")
    run.complete("quick", '{"enough": true}')
    assert run.active() == ["pool", "slow"]
    code, detail = run.reject(
        c.ActivateActivities(element_instance_id=pool, element_ids=("quick",))
    )
    assert code == "INVALID_STATE"
    assert "completing" in detail
    run.complete_task("slow", '{"enough": false}')  # that it held once is enough
    assert run.path() == ["s", "quick", "slow", "pool", "p"]
    run.assert_nothing_left()


def test_what_waits_at_a_complex_gateway_does_not_hold_what_is_enough(scenario: Scenario) -> None:
    run = scenario(
        compiled_plain(
            start("s"),
            ad_hoc(
                "pool",
                user_task("one"),
                user_task("two"),
                complex_gateway("both", "=activationCount >= 2"),
                task("behind"),
                flow("one", "both"),
                flow("two", "both"),
                flow("both", "behind"),
                until="=numberOfCompletedInstances = 2",
                cancels=False,
            ),
            chain("s", "pool"),
        )
    )
    run.start("p")
    run.activate("pool", "one", "two")
    run.complete_task("one")
    assert sorted(run.active()) == ["both", "pool", "two"]
    run.complete_task("two")  # no flow is taken any more, so nothing comes for `both`
    assert run.path() == ["s", "one", "two", "pool", "p"]
    run.assert_nothing_left()


def test_with_a_condition_that_does_not_hold_it_waits_for_more(scenario: Scenario) -> None:
    run = scenario(
        compiled_plain(
            start("s"),
            ad_hoc(
                "pool",
                service_task("one"),
                service_task("two"),
                until="=numberOfCompletedInstances = 3",
            ),
            chain("s", "pool"),
        )
    )
    run.start("p")
    run.activate("pool", "one")
    run.complete("one")
    (offer,) = run.waits(AdHocWait)
    assert (offer.begun, offer.completed, offer.active) == (1, 1, 0)
    assert run.active() == ["pool"]
    run.activate("pool", "two", "one", "one")
    run.complete("two")
    (offer,) = run.waits(AdHocWait)
    assert (offer.begun, offer.completed, offer.active) == (4, 2, 2)
    run.complete("one")
    assert run.path() == ["s", "one", "two", "one", "pool", "p"]
    run.assert_nothing_left()


def test_a_condition_that_fails_holds_the_activity_until_it_is_resolved(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled_plain(
            start("s"),
            ad_hoc("pool", service_task("one"), active='=["one"]', until="=limit > 3"),
            chain("s", "pool"),
        )
    )
    run.start("p", variables='{"limit": "many"}')
    run.complete("one")
    assert run.incident().element_id == "one"
    run.resolve(variables='{"limit": 4}')
    assert run.path() == ["s", "one", "pool", "p"]


def test_a_sequential_one_runs_one_activity_at_a_time(scenario: Scenario) -> None:
    run = scenario(
        compiled_plain(
            start("s"),
            ad_hoc(
                "pool",
                service_task("one"),
                service_task("two"),
                service_task("behind"),
                chain("one", "behind"),
                active='=["one", "two"]',
                sequential=True,
            ),
            chain("s", "pool"),
        )
    )
    run.start("p")
    assert run.active() == ["pool", "one"]
    code, detail = run.reject(
        c.ActivateActivities(element_instance_id=run.offer("pool"), element_ids=("two",))
    )
    assert code == "INVALID_STATE"
    assert "one at a time, found one, two" in detail
    run.complete("one")
    assert run.active() == ["pool", "behind"]  # what it has led to comes before other choices
    run.complete("behind")
    assert run.active() == ["pool", "two"]
    run.complete("two")
    assert run.path() == ["s", "one", "behind", "two", "pool", "p"]
    run.assert_nothing_left()


def test_in_a_sequential_one_what_forks_runs_one_after_the_other(scenario: Scenario) -> None:
    run = scenario(
        compiled_plain(
            start("s"),
            ad_hoc(
                "pool",
                service_task("one"),
                boundary("late", "one", timer(duration="PT1M"), interrupting=False),
                parallel("fork"),
                service_task("left"),
                service_task("right"),
                service_task("tell"),
                chain("one", "fork", "left"),
                chain("fork", "right"),
                chain("late", "tell"),
                sequential=True,
            ),
            chain("s", "pool"),
        )
    )
    run.start("p")
    run.activate("pool", "one")
    run.elapse(60_000)
    assert run.active() == ["pool", "one"]  # the event has occurred, its activity has to wait
    run.complete("one")
    assert [job.type for job in run.jobs()] == ["tell"]
    run.complete("tell")
    assert [job.type for job in run.jobs()] == ["left"]
    run.complete("left")
    assert [job.type for job in run.jobs()] == ["right"]
    run.complete("right")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_gateways_and_events_run_inside_as_anywhere(scenario: Scenario) -> None:
    """The arrivals of two that were chosen meet in one join."""
    run = scenario(
        compiled_plain(
            message("m", "news", key='="k"'),
            start("s"),
            ad_hoc(
                "pool",
                service_task("one"),
                service_task("two"),
                parallel("join"),
                catch("heard", message_event("m")),
                exclusive("choice"),
                service_task("last"),
                chain("one", "join"),
                chain("two", "join", "choice", "last"),
                chain("heard", "choice"),
            ),
            chain("s", "pool"),
        )
    )
    run.start("p")
    run.activate("pool", "one", "heard")
    run.complete("one")
    run.accept(c.PublishMessage(name="news", correlation_key="k"))
    run.activate("pool", "two")
    run.complete("two")
    assert [job.type for job in run.jobs()] == ["last", "last"]
    run.complete("last")
    run.complete("last")
    assert run.path().count("join") == 1
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_a_join_that_nothing_completes_is_discarded_when_the_condition_holds(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled_plain(
            start("s"),
            ad_hoc(
                "pool",
                service_task("one"),
                service_task("two"),
                service_task("three"),
                parallel("join"),
                chain("one", "join"),
                chain("two", "join"),
                active='=["one", "three"]',
                until="=numberOfCompletedInstances = 2",
                cancels=False,
            ),
            chain("s", "pool"),
        )
    )
    run.start("p")
    run.complete("one")
    run.complete("three")
    assert run.path() == ["s", "one", "three", "pool", "p"]
    run.assert_nothing_left()


def test_a_command_completes_it_and_ends_what_runs(scenario: Scenario) -> None:
    run = scenario(
        compiled_plain(
            start("s"),
            ad_hoc("pool", user_task("one"), user_task("two"), until="=false"),
            task("after"),
            chain("s", "pool", "after"),
        )
    )
    run.start("p")
    run.activate("pool", "one", "two")
    run.complete_task("one")
    run.activate("pool")
    assert run.path() == ["s", "one", "pool", "after", "p"]
    run.assert_nothing_left()


def test_a_command_completes_it_and_waits_for_what_runs(scenario: Scenario) -> None:
    run = scenario(
        compiled_plain(
            start("s"),
            ad_hoc("pool", user_task("one"), user_task("two"), sequential=True, cancels=False),
            chain("s", "pool"),
        )
    )
    run.start("p")
    run.activate("pool", "one", "two")
    run.activate("pool")
    assert run.active() == ["pool", "one"]
    run.complete_task("one")
    assert run.path() == ["s", "one", "pool", "p"]  # the second was still to begin
    run.assert_nothing_left()


def test_one_in_which_nothing_was_chosen_is_completed_by_a_command(scenario: Scenario) -> None:
    run = scenario(
        compiled_plain(start("s"), ad_hoc("pool", user_task("one")), chain("s", "pool"))
    )  # fmt: skip
    run.start("p")
    run.activate("pool")
    assert run.path() == ["s", "pool", "p"]
    run.assert_nothing_left()


def test_a_command_that_cannot_be_is_rejected_with_what_could_be(scenario: Scenario) -> None:
    run = scenario(
        compiled_plain(
            start("s"),
            ad_hoc("pool", user_task("one"), user_task("two"), user_task("behind"),
                   chain("one", "behind")),
            user_task("beside"),
            chain("s", "pool"),
            flow("s", "beside"),
        )
    )  # fmt: skip
    run.start("p")
    pool = run.offer("pool")
    beside = run.task("beside").task_id
    keys = {item.element_id: key for key, item in run.living().elements.items()}

    def activate(element_instance_id: str, *ids: str, complete: bool = False) -> tuple[str, str]:
        return run.reject(
            c.ActivateActivities(
                element_instance_id=element_instance_id, element_ids=ids, complete=complete
            )
        )

    code, detail = activate(pool, "behind", "two", "elsewhere")
    assert code == "INVALID_ARGUMENT"
    assert "(one, two), found behind, elsewhere" in detail
    assert activate(pool)[0] == "INVALID_ARGUMENT"
    assert activate(pool, "one", complete=True)[0] == "INVALID_ARGUMENT"
    assert activate(pool, *["one"] * 1_001)[0] == "INVALID_ARGUMENT"
    assert activate("a:1", "one")[0] == "NOT_FOUND"
    assert activate(beside, "one")[0] == "NOT_FOUND"  # a task is no element instance
    assert "found UserTask 'beside'" in activate(f"a:{keys['beside']}", "one")[1]
    assert "found the process" in activate(f"a:{keys['p']}", "one")[1]
    assert activate("b:17", "one")[0] == "NOT_FOUND"
    assert activate("nonsense", "one")[0] == "INVALID_ARGUMENT"
    assert run.active() == ["pool", "beside"]


def test_a_completion_condition_that_fails_says_whose_it_is(scenario: Scenario) -> None:
    pool = ad_hoc("pool", service_task("one"), active='=["one"]', until="=happy")
    run = scenario(compiled_plain(start("s"), pool, chain("s", "pool")))
    run.start("p")
    run.complete("one")
    incident = run.incident()
    assert incident.element_id == "one"
    assert incident.message.startswith("Completion condition of 'pool': ")
