"""Listeners of what an event begins, and of what runs several times."""

import pytest

from engine.lifecycle import InstanceState
from engine.state import AdHocWait, JobWait, TimerWait
from engine.values import decode_object
from tests.scenarios.conftest import Scenario
from tests.support.listening import (
    MESSAGE,
    MINUTE,
    message_comes,
    one_by_one,
    only,
    open_types,
    throw_error,
)
from tests.support.models import (
    ad_hoc,
    boundary,
    chain,
    compensate_event,
    compiled,
    end,
    error,
    error_event,
    event_sub_process,
    exclusive,
    extension,
    flow,
    heard,
    looped,
    message_event,
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


def test_an_event_sub_process_begins_and_ends_with_its_listeners(scenario: Scenario) -> None:
    begin = heard(start("got", message_event("M"), outputs={"mine": "=content"}), end="begun")
    aside = heard(event_sub_process("aside", begin, user_task("x"), chain("got", "x")),
                  start="in", end="out")  # fmt: skip
    run = scenario(compiled(MESSAGE, start("s"), user_task("t"), aside, chain("s", "t")))
    run.start("p")
    message_comes(run, '{"content": 7}')
    assert run.tasks() == []
    assert run.path() == ["s"]
    one_by_one(run, "in", "begun")
    run.complete_task("x")
    one_by_one(run, "out")
    assert run.path() == ["s", "got", "x", "aside", "p"]
    run.assert_nothing_left()


def test_event_sub_processes_with_listeners_run_beside_each_other(scenario: Scenario) -> None:
    begin = start("tick", timer(cycle="R3/PT1M"), interrupting=False)
    aside = heard(event_sub_process("aside", begin, task("x"), chain("tick", "x")),
                  start="in", end="out")  # fmt: skip
    run = scenario(compiled(start("s"), user_task("t"), aside, chain("s", "t")))
    run.start("p")
    run.elapse(MINUTE)
    run.complete("in")
    run.elapse(2 * MINUTE)
    assert open_types(run) == ["out", "in", "in"]
    run.complete_task("t")
    for job_type in ("in", "in", "out", "out", "out"):
        run.complete(job_type)
    assert run.path().count("x") == 3
    run.assert_nothing_left()


def test_an_event_sub_process_within_waits_for_the_listeners_of_the_outer_one(
    scenario: Scenario,
) -> None:
    inner = event_sub_process("inner", start("late", timer(duration="PT1M")), task("y"),
                              chain("late", "y"))  # fmt: skip
    outer = heard(
        event_sub_process("outer", start("got", message_event("M")), user_task("x"), inner,
                          chain("got", "x")),
        start="in",
    )  # fmt: skip
    run = scenario(compiled(MESSAGE, start("s"), user_task("t"), outer, chain("s", "t")))
    run.start("p")
    message_comes(run)
    assert run.waits(TimerWait) == []
    run.complete("in")
    run.elapse(MINUTE)
    assert "y" in run.path()
    run.assert_nothing_left()


def test_an_error_of_a_listener_of_an_event_sub_process_leaves_it(scenario: Scenario) -> None:
    aside = heard(event_sub_process("aside", start("got", message_event("M")), task("x"),
                                    chain("got", "x")), start="in")  # fmt: skip
    model = compiled(
        MESSAGE, error("E", "NO"), start("s"),
        sub_process("sub", start("i"), user_task("t"), aside, chain("i", "t")),
        boundary("b", "sub", error_event("E")), task("other"), chain("s", "sub"),
        chain("b", "other"),
    )  # fmt: skip
    run = scenario(model)
    run.start("p")
    message_comes(run)
    throw_error(run, only(run, "in"))
    assert run.path() == ["s", "i", "b", "other", "p"]
    run.assert_nothing_left()


def test_a_compensating_event_sub_process_has_its_listeners(scenario: Scenario) -> None:
    undoing = heard(event_sub_process("undoing", start("u", compensate_event()), task("x"),
                                      chain("u", "x")), start="in", end="out")  # fmt: skip
    inside = sub_process("sub", start("i"), task("t"), undoing, chain("i", "t"))
    model = compiled(start("s"), inside, end("e", compensate_event("sub")), chain("s", "sub", "e"))
    run = scenario(model)
    run.start("p")
    one_by_one(run, "in", "out")
    assert "x" in run.path()
    assert run.state() is InstanceState.COMPLETED


@pytest.mark.parametrize("sequential", [True, False])
def test_before_all_iterations_their_collection_is_made(
    scenario: Scenario, *, sequential: bool
) -> None:
    loop = multi_instance(over="=ids", item="id", sequential=sequential)
    each = heard(script_task("t", "=id + extra"), beforeAll="find more", start="a")
    run = scenario(compiled(start("s"), looped(each, loop), end("e"), chain("s", "t", "e")))
    run.start("p")
    assert only(run, "find").headers["torpor:listenerEvent"] == "beforeAll"
    run.complete("find", '{"ids": [1, 2]}')
    run.complete("more", '{"extra": 10}')
    assert run.jobs("find") == []
    for number in ("1", "2"):
        job = run.job("a")
        seen = decode_object(job.variables)
        assert (seen["id"], seen["extra"]) == (number, "10")
        run.complete("a")
    assert run.state() is InstanceState.COMPLETED
    assert "ids" not in decode_object(run.result() or "")


def test_a_collection_that_fails_does_not_call_the_listeners_before_all_again(
    scenario: Scenario,
) -> None:
    loop = multi_instance(over="=ids", item="id")
    each = looped(heard(task("t"), beforeAll="find"), loop)
    run = scenario(compiled(start("s"), each, chain("s", "t")))
    run.start("p")
    run.complete("find", '{"ids": 1}')
    assert run.jobs() == []
    run.resolve(variables='{"ids": [1]}')
    assert run.state() is InstanceState.COMPLETED


def test_a_multi_instance_sub_process_has_listeners_around_and_in_each(
    scenario: Scenario,
) -> None:
    inside = sub_process("sub", start("i"), task("x"), chain("i", "x"))
    each = looped(heard(inside, beforeAll="first", start="a", end="z"), multi_instance(times="2"))
    model = compiled(
        start("s"), each, boundary("b", "sub", timer(duration="PT1M")), chain("s", "sub")
    )
    run = scenario(model)
    run.start("p")
    one_by_one(run, "first")
    assert open_types(run) == ["a", "a"]
    run.complete("a")
    assert open_types(run) == ["a", "z"]
    run.elapse(MINUTE)
    assert run.jobs() == []
    run.assert_nothing_left()


def test_a_listener_at_the_end_writes_around_the_activity(scenario: Scenario) -> None:
    activity = heard(service_task("t", inputs={"n": "=1"}), end="z")
    run = scenario(compiled(start("s"), activity, chain("s", "t")))
    run.start("p")
    run.complete("t")
    run.complete("z", '{"n": 2}')
    assert decode_object(run.result() or "") == {"n": "2"}


def test_an_event_sub_process_interrupts_listeners_of_its_scope(scenario: Scenario) -> None:
    aside = event_sub_process("aside", start("got", message_event("M")), task("x"),
                              chain("got", "x"))  # fmt: skip
    model = compiled(
        MESSAGE, start("s"), parallel("f"), heard(exclusive("x1"), start="a"),
        heard(end("e"), end="b"), aside, chain("s", "f", "x1"), flow("f", "e"),
    )  # fmt: skip
    run = scenario(model)
    run.start("p")
    assert open_types(run) == ["a", "b"]
    message_comes(run)
    assert run.jobs() == []
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_a_listener_has_headers_of_its_own(scenario: Scenario) -> None:
    given = "".join(extension("header", key=key, value=f"own {key}") for key in ("k", "l"))
    hearing = extension(
        "executionListener", extension("taskHeaders", given), eventType="start", type="a"
    )
    activity = service_task("t", headers={"k": "of all", "m": "of all"}).replace(
        "</bpmn:extensionElements>",
        extension("executionListeners", hearing) + "</bpmn:extensionElements>",
    )
    run = scenario(compiled(start("s"), activity, chain("s", "t")))
    run.start("p")
    headers = only(run, "a").headers
    assert [headers[key] for key in ("k", "l", "m")] == ["own k", "own l", "of all"]
    run.complete("a")
    assert only(run, "t").headers == {"k": "of all", "m": "of all"}


def test_an_ad_hoc_sub_process_offers_nothing_while_its_listener_runs(scenario: Scenario) -> None:
    pool = heard(ad_hoc("pool", task("t"), active="=ids"), start="in")
    run = scenario(compiled(start("s"), pool, chain("s", "pool")))
    run.start("p")
    assert run.waits(AdHocWait) == []
    assert len(run.waits(JobWait)) == 1
    run.complete("in", '{"ids": ["t"]}')
    assert run.state() is InstanceState.COMPLETED
