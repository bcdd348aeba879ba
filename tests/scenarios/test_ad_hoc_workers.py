"""Ad-hoc sub-processes of Camunda 8 that a worker directs: by the results of its jobs."""

import json
from typing import Any

import pytest

from engine import commands as c
from engine.lifecycle import InstanceState
from engine.settings import Settings
from engine.state import AdHocWait
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    ad_hoc,
    boundary,
    chain,
    compiled,
    error,
    error_event,
    event_sub_process,
    looped,
    message,
    message_event,
    multi_instance,
    service_task,
    start,
    task,
    timer,
    user_task,
)
from tests.support.runner import Runner

HOUR = 3_600_000
TOOLS = (service_task("search"), service_task("tell"), task("note"), chain("search", "note"))


def agent(*tools: str, around: tuple[str, ...] = (), **attributes: Any) -> Any:
    """A process of one ad-hoc sub-process, `pool`, which the worker `agent` directs."""
    inside = ad_hoc("pool", *(tools or TOOLS), job="agent", **attributes)
    return compiled(*around, start("s"), inside, task("after"), chain("s", "pool", "after"))


def decide(run: Runner, variables: str = "{}", **result: Any) -> None:
    job = run.job("agent")
    run.accept(
        c.CompleteJob(
            job_id=job.job_id, attempt=job.attempt, variables=variables, result=json.dumps(result)
        )
    )


def activate(*element_ids: str, **variables: Any) -> dict[str, Any]:
    given = {"variables": variables} if variables else {}
    return {"activateElements": [{"elementId": each, **given} for each in element_ids]}


DONE: dict[str, Any] = {"isCompletionConditionFulfilled": True}
NOW: dict[str, Any] = {"isCompletionConditionFulfilled": True, "isCancelRemainingInstances": True}


def test_the_worker_chooses_is_asked_again_and_says_when_it_is_done(scenario: Scenario) -> None:
    run = scenario(agent(collects=("=found", "results")))
    run.start("p")
    asked = run.job("agent")
    assert json.loads(asked.variables)["results"] == []
    assert json.loads(asked.variables)["adHocSubProcessElements"][0] == {"elementId": "search"}
    assert run.active() == ["pool"]
    decide(run, **activate("search", query="shoes"))
    search = run.job("search")
    assert json.loads(search.variables)["query"] == "shoes"
    assert run.jobs("agent") == []
    run.complete("search", '{"found": 7}')
    again = run.job("agent")
    assert again.job_id != asked.job_id
    assert json.loads(again.variables)["results"] == [7]
    assert "query" not in json.loads(again.variables), "it was a local of what is over"
    decide(run, **DONE)
    assert run.path() == ["s", "search", "note", "pool", "pool", "after", "p"]
    assert json.loads(run.result() or "") == {"results": [7]}
    run.assert_nothing_left()


def test_a_newer_question_takes_the_place_of_one_that_is_open(scenario: Scenario) -> None:
    run = scenario(agent())
    run.start("p")
    decide(run, **activate("search", "tell", "tell"))
    assert [job.type for job in run.jobs()] == ["search", "tell", "tell"]
    run.complete("search")
    first = run.job("agent")
    run.complete("tell")
    (second,) = run.jobs("agent")
    assert first.job_id != second.job_id
    answer = c.CompleteJob(job_id=first.job_id, attempt=1, result=json.dumps(DONE))
    assert run.reject(answer)[0] == "NOT_FOUND"
    assert [effect.type for effect in run.effects()].count("JobCanceled") == 1
    decide(run)  # it waits for the other one
    assert run.jobs("agent") == []
    run.complete("tell")
    decide(run, **DONE)
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_activities_that_do_not_wait_ask_once_more_each(scenario: Scenario) -> None:
    run = scenario(agent(task("one"), task("two")))
    run.start("p")
    decide(run, **activate("one", "two", "one"))
    assert len(run.jobs("agent")) == 1
    assert len(run.effects("JobCreated")) - len(run.effects("JobCanceled")) == 2
    decide(run, **DONE)
    assert run.path().count("one") == 2
    run.assert_nothing_left()


def test_variables_of_the_job_go_outward_and_are_seen_by_what_begins(scenario: Scenario) -> None:
    run = scenario(agent(inputs={"memory": "=null"}, outputs={"told": "=memory"}))
    run.start("p", variables='{"total": 0}')
    decide(run, '{"memory": ["hello"], "total": 1.50, "new": 1}', **activate("tell", memory=[]))
    assert run.variables() == {"total": "1.5", "new": "1"}
    assert json.loads(run.job("tell").variables)["memory"] == []
    run.complete("tell")
    assert json.loads(run.job("agent").variables)["memory"] == ["hello"]
    decide(run, **DONE)
    assert json.loads(run.result() or "") == {"total": 1.5, "new": 1, "told": ["hello"]}


@pytest.mark.parametrize("cancels", [False, True])
def test_the_worker_says_whether_what_remains_is_canceled(
    scenario: Scenario, *, cancels: bool
) -> None:
    """Not the model, whose attribute says otherwise here."""
    run = scenario(agent(cancels=not cancels))
    run.start("p")
    decide(run, **activate("search", "tell"))
    run.complete("search")
    decide(run, **(NOW if cancels else DONE))
    if not cancels:
        assert [job.type for job in run.jobs()] == ["tell"]
        run.complete("tell")
    assert run.path()[-2:] == ["after", "p"]
    assert ("tell" in run.path()) is not cancels
    run.assert_nothing_left()


def test_what_runs_may_be_canceled_for_what_begins(scenario: Scenario) -> None:
    run = scenario(agent())
    run.start("p")
    decide(run, **activate("search", "tell"))
    run.complete("search")
    decide(run, isCancelRemainingInstances=True, **activate("search"))
    assert [job.type for job in run.jobs()] == ["search"]
    (offer,) = run.waits(AdHocWait)
    assert (offer.begun, offer.active) == (3, 1)


def test_what_is_canceled_waits_for_its_listeners(scenario: Scenario) -> None:
    """What takes its place begins meanwhile; the sub-process completes when they have answered."""
    ask = user_task("ask", listeners={"canceling": "gone"})
    run = scenario(agent(*TOOLS, ask))
    run.start("p")
    decide(run, **activate("ask", "search"))
    run.complete("search")
    decide(run, isCancelRemainingInstances=True, **activate("search"))
    assert sorted(job.type for job in run.jobs()) == ["gone", "search"]
    run.complete("gone")
    assert run.tasks() == []
    assert [job.type for job in run.jobs()] == ["search"]
    run.activate("pool", "ask")
    run.complete("search")
    decide(run, **NOW)
    assert run.active() != []
    run.complete("gone")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_of_a_sequential_one_what_was_chosen_begins_one_after_the_other(
    scenario: Scenario,
) -> None:
    run = scenario(agent(sequential=True))
    run.start("p")
    decide(run, **activate("search", "tell", n=1))
    assert [job.type for job in run.jobs()] == ["search"]
    run.complete("search")
    assert sorted(job.type for job in run.jobs()) == ["agent", "tell"]
    assert json.loads(run.job("tell").variables)["n"] == 1
    decide(run, **activate("search", m=2))
    (offer,) = run.waits(AdHocWait)
    assert offer.variables == ({"m": "2"},)
    run.complete("tell")
    assert json.loads(run.job("search").variables)["m"] == 2
    decide(run, isCancelRemainingInstances=True, **activate("tell"))
    assert [job.type for job in run.jobs()] == ["tell"]
    run.complete("tell")
    decide(run, **DONE)
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_what_was_chosen_and_has_not_begun_goes_with_the_rest(scenario: Scenario) -> None:
    run = scenario(agent(sequential=True, around=()))
    run.start("p")
    decide(run, **activate("search", "tell", n=1))
    run.accept(c.TerminateInstance(instance_id="a"))
    run.assert_nothing_left()
    run.start("p", "b")
    decide(run, **activate("search", "tell", n=1))
    run.complete("search")
    decide(run, **NOW)
    assert run.state("b") is InstanceState.COMPLETED


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ('{"activateElements": [{"elementId": "note"}]}', "offers (search, tell), found note"),
        ('{"activateElements": [{"elementId": "x"}]}', "found x"),
        ('{"activateElements": [{"variables": {}}]}', "elementId"),
        ('{"activateElements": [{"elementId": "tell", "variables": 1}]}', "variables"),
        ('{"activateElements": [{"elementId": "tell"}],'
         ' "isCompletionConditionFulfilled": true}', "found both"),
        ('{"isCancelRemainingInstances": true}', "nothing would be left"),
        ('{"isCompletionConditionFulfilled": "yes"}', "isCompletionConditionFulfilled"),
        ('{"done": true}', "done"),
        ('{"type": "userTask"}', "adHocSubProcess"),
    ],
)  # fmt: skip
def test_a_result_that_cannot_be_followed_is_refused(
    scenario: Scenario, result: str, said: str
) -> None:
    run = scenario(agent())
    run.start("p")
    job = run.job("agent")
    code, detail = run.reject(c.CompleteJob(job_id=job.job_id, attempt=1, result=result))
    assert code == "INVALID_ARGUMENT"
    assert said in detail
    assert run.jobs() == [job]


def test_what_is_null_counts_as_left_out(scenario: Scenario) -> None:
    run = scenario(agent())
    run.start("p")
    nothing: dict[str, Any] = dict.fromkeys(
        ("activateElements", "isCompletionConditionFulfilled", "isCancelRemainingInstances")
    )
    decide(run, type="adHocSubProcess", **nothing)
    assert run.active() == ["pool"]
    run.activate("pool", "tell")  # anybody may still choose
    run.complete("tell")
    decide(run, activateElements=[{"elementId": "tell", "variables": None}])
    run.complete("tell")
    run.activate("pool")  # and complete it
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_variables_of_what_is_chosen_count_as_those_of_the_instance(scenario: Scenario) -> None:
    run = scenario(agent(sequential=True), settings=Settings(variables_bytes_max=1_000))
    run.start("p")
    job = run.job("agent")
    result = json.dumps(activate("search", "tell", text="x" * 500))
    too_much = c.CompleteJob(job_id=job.job_id, attempt=1, result=result)
    assert run.reject(too_much)[0] == "TOO_LARGE"
    decide(run, **activate("search", "tell", text="x" * 300))
    run.complete("search")
    assert len(json.loads(run.job("tell").variables)["text"]) == 300


def test_its_job_fails_as_any_job_and_a_newer_one_takes_its_place(scenario: Scenario) -> None:
    run = scenario(agent())
    run.start("p")
    decide(run, **activate("search", "tell"))
    run.complete("search")
    job = run.job("agent")
    run.accept(c.FailJob(job_id=job.job_id, attempt=1, message="no model", retries=0))
    assert run.incident().kind == "JOB_RETRIES_EXHAUSTED"
    run.complete("tell")
    assert run.waiting() == [("pool", "ad-hoc"), ("pool", "job")]
    job = run.job("agent")
    run.accept(c.FailJob(job_id=job.job_id, attempt=1, retries=2, backoff_ms=HOUR))
    assert run.jobs() == []
    run.elapse(HOUR)
    assert run.job("agent").attempt == 2
    decide(run, **DONE)
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_a_job_that_waits_for_its_next_attempt_is_withdrawn_too(scenario: Scenario) -> None:
    run = scenario(agent())
    run.start("p")
    decide(run, **activate("search", "tell"))
    run.complete("search")
    job = run.job("agent")
    run.accept(c.FailJob(job_id=job.job_id, attempt=1, backoff_ms=HOUR))
    run.complete("tell")
    assert len(run.jobs("agent")) == 1
    run.elapse(HOUR)
    assert len(run.jobs("agent")) == 1
    decide(run, **NOW)
    run.assert_nothing_left()


def test_a_type_that_cannot_be_told_is_an_incident_each_time(scenario: Scenario) -> None:
    inside = ad_hoc("pool", *TOOLS, job="=kind")
    run = scenario(compiled(start("s"), inside, chain("s", "pool")))
    run.start("p")
    assert run.incident().step == "run"
    run.resolve(variables='{"kind": "agent"}')
    decide(run, '{"kind": []}', **activate("search", "tell"))
    run.complete("search")
    assert run.incident().step == "direct"
    run.complete("tell")
    assert run.incident().step == "direct"
    run.resolve(variables='{"kind": "agent"}')
    decide(run, **DONE)
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_boundary_events_and_errors_end_it_with_its_job(scenario: Scenario) -> None:
    around = (
        error("bad", "BAD"),
        boundary("late", "pool", timer(duration="PT1H")),
        boundary("failed", "pool", error_event("bad")),
        task("repair"),
        chain("failed", "repair"),
    )
    run = scenario(agent(around=around))
    run.start("p")
    decide(run, **activate("tell"))
    run.complete("tell")
    run.elapse(HOUR)
    assert run.path()[-2:] == ["late", "p"]
    run.assert_nothing_left()
    run.start("p", "b")
    job = run.job("agent")
    run.accept(c.ThrowError(code="BAD", job_id=job.job_id, attempt=1))
    assert run.path("b") == ["s", "failed", "repair", "p"]


@pytest.mark.parametrize("interrupting", [False, True])
def test_event_sub_processes_run_outside_of_its_control(
    scenario: Scenario, *, interrupting: bool
) -> None:
    """The worker is asked again when one is over; one that interrupts takes its place."""
    on = event_sub_process(
        "on",
        start("heard", message_event("m"), interrupting=interrupting),
        user_task("answer"),
        chain("heard", "answer"),
    )
    run = scenario(agent(*TOOLS, on, around=(message("m", "news", key='="k"'),)))
    run.start("p")
    asked = run.job("agent")
    run.accept(c.PublishMessage(name="news", correlation_key="k"))
    assert run.jobs() == ([] if interrupting else [asked])
    run.complete_task("answer")
    if not interrupting:
        assert run.job("agent").job_id != asked.job_id
        decide(run, **DONE)
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_each_iteration_of_a_loop_has_a_worker_of_its_own(scenario: Scenario) -> None:
    inside = looped(ad_hoc("pool", *TOOLS, job="agent"), multi_instance(over="=[1, 2]", item="n"))
    run = scenario(compiled(start("s"), inside, chain("s", "pool")))
    run.start("p")
    assert [json.loads(job.variables)["n"] for job in run.jobs("agent")] == [1, 2]
    decide(run, **activate("tell"))
    decide(run, **DONE)
    run.complete("tell")
    assert [json.loads(job.variables)["n"] for job in run.jobs("agent")] == [1]
    decide(run, **DONE)
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()
