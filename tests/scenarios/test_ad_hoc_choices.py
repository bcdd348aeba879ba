"""Ad-hoc sub-processes of Camunda 8: what is chosen, with all behind it, has a scope of its own.

It counts as one, its output is collected at its end, and after that the condition is asked.
"""

import json

import pytest

from engine import commands as c
from engine import events as e
from engine.lifecycle import InstanceState
from engine.settings import Settings
from engine.state import AdHocWait
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    ad_hoc,
    boundary,
    chain,
    compensate_event,
    compensation,
    compiled,
    error,
    error_event,
    event_sub_process,
    extension,
    extensions,
    for_compensation,
    looped,
    message,
    message_event,
    multi_instance,
    service_task,
    start,
    sub_process,
    tag,
    task,
    throw,
    timer,
    user_task,
)
from tests.support.runner import Runner


def test_the_condition_is_asked_when_all_behind_a_choice_is_over(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            ad_hoc(
                "pool",
                service_task("one"),
                service_task("behind"),
                user_task("two"),
                chain("one", "behind"),
                active='=["one", "two"]',
                until="=numberOfCompletedInstances = 1",
            ),
            task("after"),
            chain("s", "pool", "after"),
        )
    )
    run.start("p")
    assert run.active() == ["pool", "pool", "one", "pool", "two"]
    run.complete("one")
    (offer,) = run.waits(AdHocWait)
    assert (offer.begun, offer.completed, offer.active) == (2, 0, 2)
    run.complete("behind")
    assert run.path() == ["s", "one", "behind", "pool", "pool", "after", "p"]
    run.assert_nothing_left()


def test_without_canceling_what_has_begun_goes_on_along_its_flows(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            ad_hoc(
                "pool",
                service_task("slow"),
                service_task("behind"),
                service_task("quick"),
                chain("slow", "behind"),
                active='=["slow", "quick"]',
                until="=true",
                cancels=False,
            ),
            chain("s", "pool"),
        )
    )
    run.start("p")
    pool = run.offer("pool")
    run.complete("quick")
    code, _ = run.reject(c.ActivateActivities(element_instance_id=pool, element_ids=("quick",)))
    assert code == "INVALID_STATE"
    run.complete("slow")
    run.complete("behind")
    assert run.path() == ["s", "quick", "pool", "slow", "behind", "pool", "pool", "p"]
    run.assert_nothing_left()


def test_outputs_are_collected_as_choices_end_and_then_handed_on(scenario: Scenario) -> None:
    """Two choices of the same activity do not see each other's result."""
    run = scenario(
        compiled(
            start("s"),
            ad_hoc(
                "pool",
                service_task("ask"),
                service_task("note"),
                service_task("skip"),
                chain("ask", "note"),
                active='=["ask", "ask", "skip"]',
                collects=("=answer", "answers"),
                until="=count(answers) = 3",
            ),
            chain("s", "pool"),
        )
    )
    run.start("p")
    run.complete("ask", '{"answer": "first"}')
    run.complete("ask", '{"answer": "second"}')
    run.complete("skip")  # it gives none: null
    owner = run.waits(AdHocWait)[0].owner
    assert run.variables(scope=owner)["answers"] == "[null]"
    run.complete("note")
    assert run.variables(scope=owner)["answers"] == '[null,"first"]'
    run.complete("note")
    assert run.result() == '{"answers":[null,"first","second"]}'
    run.assert_nothing_left()


@pytest.mark.parametrize(
    ("behind", "is_shown"),
    [
        (user_task("behind"), False),
        (user_task("behind", inputs={"seen": "=answers"}), True),
        (sub_process("sub", user_task("behind", inputs={"seen": "=answers"})), True),
    ],
)
def test_outputs_are_a_variable_meanwhile_only_where_something_inside_asks_for_it(
    scenario: Scenario, behind: str, *, is_shown: bool
) -> None:
    run = scenario(
        compiled(
            start("s"),
            ad_hoc(
                "pool",
                service_task("one"),
                behind,
                active='=["one", "one"]',
                collects=("=n", "answers"),
            ),
            chain("s", "pool"),
        )
    )
    run.start("p")
    run.complete("one", '{"n": 1}')
    pool = run.waits(AdHocWait)[0].owner
    assert run.variables(scope=pool).get("answers") == ("[1]" if is_shown else None)
    run.activate("pool", "sub" if "subProcess" in behind else "behind")
    run.complete("one", '{"n": 2}')
    assert run.variables(scope=pool).get("answers") == ("[1,2]" if is_shown else None)
    run.complete_task("behind")
    assert json.loads(run.result() or "")["answers"] == [1, 2, None]
    run.assert_nothing_left()


def test_a_thousand_outputs_are_told_once_each_and_once_together() -> None:
    run = Runner(
        compiled(
            start("s"),
            ad_hoc(
                "pool",
                service_task("one"),
                active='=for n in 1..1000 return "one"',
                collects=("=n", "all"),
            ),
            chain("s", "pool"),
        )
    )
    run.start("p")
    for n, job in enumerate(run.jobs("one")):
        run.accept(c.CompleteJob(job_id=job.job_id, attempt=1, variables=f'{{"n": {n}}}'))
    collected = [event for event in run.events() if isinstance(event, e.OutputCollected)]
    assert [event.ordinal for event in collected] == list(range(1, 1_001))
    written = [event for event in run.events() if "all" in getattr(event, "variables", {})]
    assert len(written) == 1
    assert json.loads(run.result() or "")["all"] == list(range(1_000))
    run.assert_nothing_left()


def test_outputs_that_weigh_too_much_are_an_incident(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            ad_hoc(
                "pool",
                service_task("one"),
                active='=["one", "one"]',
                collects=("=n", "all"),
            ),
            chain("s", "pool"),
        ),
        settings=Settings(variables_bytes_max=2_000),
    )
    run.start("p")
    run.complete("one", f'{{"n": "{"a" * 1_500}"}}')
    run.complete("one", f'{{"n": "{"b" * 1_000}"}}')
    assert run.incident().kind == "TOO_LARGE"
    run.resolve(variables='{"n": "less"}')
    assert run.state() is InstanceState.COMPLETED


def test_the_variable_of_camunda_8_tells_what_can_be_chosen(scenario: Scenario) -> None:
    described = tag(
        "userTask",
        tag("documentation", "Asks the &lt;customer&gt;."),
        extensions(
            extension("properties", extension("property", name="icon", value="phone")),
            extension(
                "ioMapping",
                extension("input", source='=1 + fromAi(toolCall.n, null, "number")', target="n"),
                extension("input", source="fromAi(not.this)", target="text"),
                extension("input", source="=fromAi(toolCall.who)", target="who"),
            ),
        ),
        id="ask",
        name="Ask",
    )
    run = scenario(
        compiled(
            start("s"),
            ad_hoc(
                "pool",
                described,
                service_task("other"),
                service_task("behind"),
                chain("other", "behind"),
                active="=for each in adHocSubProcessElements return each.elementId",
            ),
            chain("s", "pool"),
        )
    )
    run.start("p")
    assert sorted(run.active()) == ["ask", "other", "pool", "pool", "pool"]
    owner = run.waits(AdHocWait)[0].owner
    assert json.loads(run.variables(scope=owner)["adHocSubProcessElements"]) == [
        {
            "elementId": "ask",
            "elementName": "Ask",
            "documentation": "Asks the <customer>.",
            "properties": {"icon": "phone"},
            "parameters": [{"name": "toolCall.n", "type": "number"}, {"name": "toolCall.who"}],
        },
        {"elementId": "other"},
    ]


def test_one_in_which_nothing_was_chosen_collects_an_empty_list(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            ad_hoc("pool", service_task("one"), collects=("=result", "results")),
            chain("s", "pool"),
        )
    )
    run.start("p", variables='{"results": null}')
    run.activate("pool")
    assert run.result() == '{"results":[]}'


def test_an_output_mapping_sees_what_was_collected(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            ad_hoc(
                "pool",
                service_task("one"),
                active='=["one", "one"]',
                collects=("=n * 2", "doubled"),
                outputs={"total": "=sum(doubled)"},
            ),
            chain("s", "pool"),
        )
    )
    run.start("p")
    run.complete("one", '{"n": 4}')
    run.complete("one", '{"n": 5}')
    assert run.result() == '{"n":5,"doubled":[8,10],"total":18}'


def test_a_collection_that_is_none_any_more_is_an_incident(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            ad_hoc("pool", service_task("one"), active='=["one"]', collects=("=n", "all"),
                   until="=count(all) = 1"),
            chain("s", "pool"),
        )
    )  # fmt: skip
    run.start("p")
    pool = run.offer("pool")
    run.accept(
        c.SetVariables(
            instance_id="a", element_instance_id=pool, variables='{"all": 1}', local=True
        )
    )
    run.complete("one", '{"n": 2}')
    assert run.incident().message == "Expected a list of the outputs so far in 'all', found 1"
    run.resolve(variables='{"all": []}')
    assert run.result() == '{"all":[2]}'


def test_a_sequential_one_runs_one_choice_at_a_time(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            ad_hoc(
                "pool",
                service_task("one"),
                service_task("behind"),
                service_task("two"),
                chain("one", "behind"),
                active='=["one", "two"]',
                sequential=True,
            ),
            chain("s", "pool"),
        )
    )
    run.start("p")
    run.complete("one")
    assert [job.type for job in run.jobs()] == ["behind"]
    run.complete("behind")
    assert [job.type for job in run.jobs()] == ["two"]
    run.complete("two")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_errors_and_events_pass_through_what_was_chosen(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            error("bad", "BAD"),
            message("m", "news", key='="k"'),
            start("s"),
            ad_hoc(
                "pool",
                service_task("one"),
                user_task("two"),
                event_sub_process(
                    "on",
                    start("heard", message_event("m"), interrupting=False),
                    service_task("note"),
                    chain("heard", "note"),
                ),
                active='=["one", "two"]',
            ),
            boundary("late", "pool", timer(duration="PT1H"), interrupting=False),
            boundary("failed", "pool", error_event("bad")),
            task("remind"),
            task("repair"),
            chain("s", "pool"),
            chain("late", "remind"),
            chain("failed", "repair"),
        )
    )
    run.start("p")
    assert run.waiting().count(("late", "timer")) == 1
    assert run.waiting().count(("heard", "message")) == 1
    run.accept(c.PublishMessage(name="news", correlation_key="k"))
    run.complete("note")
    run.elapse(3_600_000)
    job = run.job("one")
    run.accept(c.ThrowError(code="BAD", job_id=job.job_id, attempt=job.attempt))
    assert run.path() == ["s", "heard", "note", "on", "late", "remind", "failed", "repair", "p"]
    run.assert_nothing_left()


def test_an_interrupting_event_sub_process_ends_what_was_chosen(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            message("m", "news", key='="k"'),
            start("s"),
            ad_hoc(
                "pool",
                user_task("one"),
                event_sub_process(
                    "on",
                    start("heard", message_event("m")),
                    service_task("note"),
                    chain("heard", "note"),
                ),
                active='=["one", "one"]',
                collects=("=1", "all"),
                until="=false",
            ),
            chain("s", "pool"),
        )
    )
    run.start("p")
    run.accept(c.PublishMessage(name="news", correlation_key="k"))
    run.complete("note")
    assert run.result() == '{"all":[]}'
    run.assert_nothing_left()


def test_what_completed_in_choices_is_compensated_in_reverse_order(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            ad_hoc(
                "pool",
                service_task("one"),
                compensation("one", "undo_one"),
                for_compensation(service_task("undo_one")),
                service_task("two"),
                compensation("two", "undo_two"),
                for_compensation(service_task("undo_two")),
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


def test_an_event_inside_compensates_one_activity_of_other_choices(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            ad_hoc(
                "pool",
                service_task("one"),
                compensation("one", "undo_one"),
                for_compensation(service_task("undo_one")),
                service_task("two"),
                compensation("two", "undo_two"),
                for_compensation(service_task("undo_two")),
                throw("undo", compensate_event("one")),
                until="=false",
            ),
            throw("undo_all", compensate_event()),
            chain("s", "pool", "undo_all"),
        )
    )
    run.start("p")
    for name in ("one", "two", "one"):
        run.activate("pool", name)
        run.complete(name)
    run.activate("pool", "undo")
    run.complete("undo_one")
    run.complete("undo_one")
    assert run.path()[-2:] == ["undo", "pool"]
    run.activate("pool")
    run.complete("undo_two")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_the_handler_of_the_whole_undoes_it_once(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            ad_hoc("pool", service_task("one"), active='=["one", "one"]'),
            compensation("pool", "undo"),
            for_compensation(service_task("undo")),
            throw("back", compensate_event()),
            chain("s", "pool", "back"),
        )
    )
    run.start("p")
    run.complete("one")
    run.complete("one")
    run.complete("undo")
    assert run.path().count("undo") == 1
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_it_can_be_repeated_and_each_iteration_collects_on_its_own(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            looped(
                ad_hoc("pool", service_task("one"), active='=["one"]', collects=("=n", "all")),
                multi_instance(over="=[1, 2]", item="round", output="=all", into="rounds"),
            ),
            chain("s", "pool"),
        )
    )
    run.start("p")
    run.complete("one", '{"n": "a"}')
    run.complete("one", '{"n": "b"}')
    assert '"rounds":[["a"],["b"]]' in (run.result() or "")
    run.assert_nothing_left()


def test_a_choice_is_no_ad_hoc_sub_process_itself(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            ad_hoc("pool", user_task("one"), active='=["one"]'),
            chain("s", "pool"),
        )
    )
    run.start("p")
    scopes = [key for key, item in run.living().elements.items() if item.element_id == "pool"]
    code, detail = run.reject(
        c.ActivateActivities(element_instance_id=f"a:{scopes[1]}", element_ids=("one",))
    )
    assert code == "INVALID_ARGUMENT"
    assert "what was chosen in AdHocSubProcess 'pool': name that" in detail
