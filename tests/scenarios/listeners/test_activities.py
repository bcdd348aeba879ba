"""Listeners of activities, and those of user tasks among them: jobs in their order."""

from engine import commands as c
from engine.lifecycle import InstanceState
from engine.values import decode_object
from tests.scenarios.conftest import Scenario
from tests.support.listening import line, only
from tests.support.models import (
    boundary,
    chain,
    compiled,
    end,
    error,
    error_event,
    extension,
    extensions,
    flow,
    listener,
    looped,
    multi_instance,
    start,
    sub_process,
    tag,
    task,
)


def listened(kind: str, *more: str, **listeners: str) -> str:
    """The activity `t` with listeners: event=job type, task events among them."""
    execution = [
        listener(event, to) for event, to in listeners.items() if event in ("start", "end")
    ]
    of_task = [
        listener(event, to, kind="task")
        for event, to in listeners.items()
        if event not in ("start", "end")
    ]
    content = extensions(
        extension("taskDefinition", type="work") if kind == "serviceTask" else "",
        extension("executionListeners", *execution) if execution else "",
        extension("taskListeners", *of_task) if of_task else "",
        *more,
    )
    return tag(kind, content, id="t")


def test_an_activity_waits_for_its_listeners_before_and_after(scenario: Scenario) -> None:
    run = scenario(line(listened("serviceTask", start="before", end="after")))
    run.start("p", variables='{"n": 1}')
    job = only(run, "before")
    assert job.headers["torpor:listenerEvent"] == "start"
    assert decode_object(job.variables) == {"n": "1"}
    run.complete("before", '{"own": 2}')
    assert decode_object(only(run, "work").variables) == {"n": "1", "own": "2"}
    run.complete("work", '{"done": 3}')
    assert only(run, "after").headers["torpor:listenerEvent"] == "end"
    run.complete("after", '{"seen": 4}')
    assert decode_object(run.result() or "") == {"n": "1", "done": "3", "seen": "4"}
    run.assert_nothing_left()


def test_several_listeners_run_one_after_the_other(scenario: Scenario) -> None:
    several = extension(
        "executionListeners", listener("end", "c"), listener("start", "a"), listener("start", "b")
    )
    run = scenario(line(tag("manualTask", extensions(several), id="t")))
    run.start("p")
    for job_type in ("a", "b", "c"):
        only(run, job_type)
        run.complete(job_type)
    assert run.state() is InstanceState.COMPLETED


def test_a_listener_is_tried_again_and_then_an_incident(scenario: Scenario) -> None:
    twice = extension("executionListeners", listener("start", "a", retries="2"))
    run = scenario(line(tag("manualTask", extensions(twice), id="t")))
    run.start("p")
    for _ in range(2):
        job = only(run, "a")
        run.accept(c.FailJob(job_id=job.job_id, attempt=job.attempt, message="no"))
    assert run.incident().kind == "JOB_RETRIES_EXHAUSTED"
    run.resolve(retries=1)
    run.complete("a")
    assert run.state() is InstanceState.COMPLETED


def test_what_fails_after_its_listeners_does_not_call_them_again(scenario: Scenario) -> None:
    script = extension("script", expression="=assert(n, n > 1)", resultVariable="r")
    run = scenario(line(listened("scriptTask", script, start="before", end="after")))
    run.start("p", variables='{"n": 1}')
    run.complete("before")
    assert run.jobs() == []
    run.resolve(variables='{"n": 2}')
    only(run, "after")


def test_a_listener_whose_type_fails_is_an_incident_that_can_be_resolved(
    scenario: Scenario,
) -> None:
    run = scenario(line(listened("manualTask", start="=kind")))
    run.start("p")
    assert run.incident().kind == "EXPRESSION_FAILED"
    run.resolve(variables='{"kind": "a"}')
    run.complete("a")
    assert run.state() is InstanceState.COMPLETED


def test_an_error_of_a_listener_is_caught_at_the_activity(scenario: Scenario) -> None:
    model = compiled(
        error("E", "NO"), start("s"), listened("serviceTask", start="before"), end("e"),
        boundary("b", "t", error_event("E")), task("other"), chain("s", "t", "e"),
        flow("b", "other"),
    )  # fmt: skip
    run = scenario(model)
    run.start("p")
    job = only(run, "before")
    run.accept(c.ThrowError(code="NO", job_id=job.job_id, attempt=job.attempt))
    assert run.state() is InstanceState.COMPLETED
    assert "other" in run.path()
    run.assert_nothing_left()


def test_a_sub_process_begins_and_ends_with_its_listeners(scenario: Scenario) -> None:
    of_scope = extension("executionListeners", listener("start", "in"), listener("end", "out"))
    inside = sub_process("t", extensions(of_scope), start("a"), task("x"), end("b"),
                         chain("a", "x", "b"))  # fmt: skip
    run = scenario(line(inside))
    run.start("p")
    only(run, "in")
    assert run.path() == ["s"]
    run.complete("in")
    assert run.path() == ["s", "a", "x", "b"]
    run.complete("out")
    assert run.state() is InstanceState.COMPLETED


def test_each_iteration_has_the_listeners(scenario: Scenario) -> None:
    loop = multi_instance(over="=[1, 2]", item="n")
    run = scenario(line(looped(listened("manualTask", start="a", end="z"), loop)))
    run.start("p")
    assert [decode_object(job.variables)["n"] for job in run.jobs("a")] == ["1", "2"]
    for job_type in ("a", "a", "z", "z"):
        run.complete(job_type)
    assert run.state() is InstanceState.COMPLETED


def test_an_ad_hoc_sub_process_and_what_is_chosen_there_have_listeners(
    scenario: Scenario,
) -> None:
    own = extensions(
        extension("adHoc", activeElementsCollection='=["x"]'),
        extension("executionListeners", listener("start", "in"), listener("end", "out")),
    )
    chosen = listened("manualTask", start="a", end="z").replace('id="t"', 'id="x"')
    run = scenario(line(tag("adHocSubProcess", own, chosen, id="t")))
    run.start("p")
    for job_type in ("in", "a", "z", "out"):
        only(run, job_type)
        run.complete(job_type)
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_an_instance_that_is_terminated_withdraws_its_listener(scenario: Scenario) -> None:
    run = scenario(line(listened("manualTask", start="a")))
    run.start("p")
    only(run, "a")
    run.accept(c.TerminateInstance(instance_id="a"))
    run.assert_nothing_left()
