"""Multi-instance activities: parallel and sequential, over a collection or so many times."""

import json

import pytest

from engine import commands as c
from engine import events as e
from engine.lifecycle import InstanceState
from engine.settings import Settings
from engine.state import IncidentWait, ProcessInstance
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    boundary,
    call_activity,
    chain,
    compensation,
    compiled,
    end,
    error,
    error_event,
    exclusive,
    flow,
    for_compensation,
    looped,
    message,
    message_event,
    multi_instance,
    parallel,
    receive_task,
    script_task,
    service_task,
    start,
    sub_process,
    task,
    terminate_event,
    timer,
    undone_by_iteration,
    user_task,
)
from tests.support.runner import Runner

HOUR = 3_600_000
ABC = '{"items": ["a", "b", "c"]}'


def loop(activity: str, *parts: str, name: str = "t") -> tuple[str, ...]:
    return (start("s"), activity, end("e"), chain("s", name, "e"), *parts)


def complete(run: Runner, ordinal: int, **variables: object) -> None:
    """Complete the job of one iteration."""
    for job in run.jobs():
        if json.loads(job.variables)["loopCounter"] == ordinal:
            run.accept(
                c.CompleteJob(
                    job_id=job.job_id, attempt=job.attempt, variables=json.dumps(variables)
                )
            )
            return
    raise AssertionError(f"no open job of iteration {ordinal}")


def counters(run: Runner) -> list[int]:
    return sorted(json.loads(job.variables)["loopCounter"] for job in run.jobs())


def test_a_parallel_one_runs_all_at_once_and_keeps_outputs_in_the_order_of_items(
    scenario: Scenario,
) -> None:
    many = multi_instance(over="=items", item="item", output="=got", into="all")
    run = scenario(compiled(*loop(looped(service_task("t"), many))))
    run.start("p", variables=ABC)
    assert counters(run) == [1, 2, 3]
    assert [json.loads(job.variables)["item"] for job in run.jobs()] == ["a", "b", "c"]
    complete(run, 3, got="C")
    complete(run, 1, got="A")
    assert run.variables() == {"items": '["a","b","c"]'}  # nothing is published yet
    complete(run, 2, got="B")
    assert run.state() is InstanceState.COMPLETED
    assert json.loads(run.result() or "") == {"items": ["a", "b", "c"], "all": ["A", "B", "C"]}
    assert run.path() == ["s", "t", "t", "t", "t", "e", "p"]
    run.assert_nothing_left()


def test_a_sequential_one_begins_the_next_when_one_is_over(scenario: Scenario) -> None:
    many = multi_instance(over="=items", item="item", output="=got", into="all", sequential=True)
    run = scenario(compiled(*loop(looped(service_task("t"), many))))
    run.start("p", variables=ABC)
    for ordinal in (1, 2, 3):
        assert counters(run) == [ordinal]
        complete(run, ordinal, got=ordinal)
    assert json.loads(run.result() or "")["all"] == [1, 2, 3]
    run.assert_nothing_left()


@pytest.mark.parametrize("sequential", [False, True])
@pytest.mark.parametrize("items", ["null", "[]"])
def test_without_items_it_completes_at_once(
    scenario: Scenario, items: str, *, sequential: bool
) -> None:
    many = multi_instance(over="=items", output="=got", into="all", sequential=sequential)
    run = scenario(
        compiled(
            *loop(looped(service_task("t"), many), boundary("late", "t", timer(duration="PT1H")))
        )
    )
    run.start("p", variables=f'{{"items": {items}}}')
    assert json.loads(run.result() or "")["all"] == []
    assert run.path() == ["s", "t", "e", "p"]
    run.assert_nothing_left()


def test_the_collection_is_what_it_was_when_the_loop_began(scenario: Scenario) -> None:
    many = multi_instance(over="=items", item="item", sequential=True)
    run = scenario(compiled(*loop(looped(service_task("t"), many))))
    run.start("p", variables=ABC)
    run.accept(c.SetVariables(instance_id="a", variables='{"items": ["z"]}'))
    complete(run, 1)
    assert json.loads(run.job("t").variables)["item"] == "b"
    complete(run, 2)
    complete(run, 3)
    assert run.state() is InstanceState.COMPLETED


def test_a_cardinality_may_be_the_text_of_a_number(scenario: Scenario) -> None:
    each = looped(service_task("w"), multi_instance(times="=many"))
    run = scenario(compiled(start("s"), each, end("e"), chain("s", "w", "e")))
    run.start("p", variables='{"many": "2 "}')
    assert len(run.jobs("w")) == 2


def test_a_cardinality_needs_no_collection(scenario: Scenario) -> None:
    many = multi_instance(times="=n + 1", output="=loopCounter * 10", into="all")
    run = scenario(compiled(*loop(looped(task("t"), many))))
    run.start("p", variables='{"n": 3}')
    assert json.loads(run.result() or "")["all"] == [10, 20, 30, 40]
    run.assert_nothing_left()


@pytest.mark.parametrize("many", [multi_instance(times="=n"), multi_instance(over="=n")])
def test_what_says_no_number_of_times_is_an_incident_that_can_be_resolved(
    scenario: Scenario, many: str
) -> None:
    late = boundary("late", "t", timer(duration="PT1H"), interrupting=False)
    run = scenario(compiled(*loop(looped(task("t"), many), late)))
    run.start("p", variables='{"n": "x"}')
    assert run.incident().kind == "EXPRESSION_FAILED"
    run.resolve(variables='{"n": 2}' if "loopCardinality" in many else '{"n": [1, 2]}')
    assert run.path().count("t") == 3
    run.assert_nothing_left()


def test_the_completion_condition_ends_the_rest_and_leaves_holes(scenario: Scenario) -> None:
    many = multi_instance(
        over="=items",
        output="=got",
        into="all",
        until="=numberOfInstances = 4 and numberOfActiveInstances = 2"
        " and numberOfCompletedInstances = 2 and numberOfTerminatedInstances = 0",
    )
    run = scenario(compiled(*loop(looped(service_task("t"), many))))
    run.start("p", variables='{"items": [1, 2, 3, 4]}')
    complete(run, 4, got="D")
    assert counters(run) == [1, 2, 3]
    complete(run, 2, got="B")
    assert json.loads(run.result() or "")["all"] == [None, "B", None, "D"]
    assert len(run.effects("JobCanceled")) == 2
    run.assert_nothing_left()


def test_the_completion_condition_sees_what_the_iteration_has_done(scenario: Scenario) -> None:
    many = multi_instance(over="=items", item="item", sequential=True, output="=found",
                          into="all", until='=found = "yes"')  # fmt: skip
    run = scenario(compiled(*loop(looped(service_task("t"), many))))
    run.start("p", variables=ABC)
    complete(run, 1, found="no")
    complete(run, 2, found="yes")
    assert json.loads(run.result() or "")["all"] == ["no", "yes", None]
    run.assert_nothing_left()


@pytest.mark.parametrize("sequential", [False, True])
def test_the_completion_condition_sees_the_outputs_so_far(
    scenario: Scenario, *, sequential: bool
) -> None:
    many = multi_instance(over="=items", output="=got", into="all", sequential=sequential,
                          until='=all = ["A", "B", null]')  # fmt: skip
    run = scenario(compiled(*loop(looped(service_task("t"), many))))
    run.start("p", variables='{"items": [1, 2, 3], "all": "of before"}')
    complete(run, 1, got="A")
    complete(run, 2, got="B")
    assert json.loads(run.result() or "")["all"] == ["A", "B", None]
    run.assert_nothing_left()


def test_a_condition_that_fails_holds_its_iteration_and_is_asked_again(scenario: Scenario) -> None:
    many = multi_instance(times="2", until="=stop", output="=loopCounter", into="all")
    run = scenario(compiled(*loop(looped(service_task("t", outputs={"n": "=n + 1"}), many))))
    run.start("p", variables='{"n": 0}')
    complete(run, 1)
    assert (run.incident().kind, run.incident().step) == ("EXPRESSION_FAILED", "leave")
    assert run.variables()["n"] == "1"
    run.resolve(variables='{"stop": false}')
    assert run.variables()["n"] == "1"  # what came before is not done again
    complete(run, 2)
    assert json.loads(run.result() or "") == {"n": 2, "stop": False, "all": [1, 2]}
    run.assert_nothing_left()


def test_boundary_events_span_the_whole_loop(scenario: Scenario) -> None:
    many = multi_instance(over="=items", sequential=True)
    run = scenario(
        compiled(
            message("m", "news", key='="k"'),
            *loop(
                looped(user_task("t"), many),
                boundary("note", "t", message_event("m"), interrupting=False),
                task("noted"),
                chain("note", "noted"),
                boundary("late", "t", timer(duration="PT1H")),
                task("after"),
                chain("late", "after"),
            ),
        )
    )
    run.start("p", variables=ABC)
    assert len(run.waiting()) == 3  # one task, one timer, one subscription
    run.complete_task("t")
    run.accept(c.PublishMessage(name="news", correlation_key="k"))
    assert run.path().count("noted") == 1
    run.elapse(HOUR)
    assert run.path()[-2:] == ["after", "p"]
    assert run.path().count("t") == 1
    run.elapse(HOUR)
    run.assert_nothing_left()


def test_an_interruption_ends_all_iterations_in_the_same_transition(scenario: Scenario) -> None:
    inside = sub_process("t", start("s2"), service_task("w"), chain("s2", "w"))
    run = scenario(
        compiled(
            *loop(
                looped(inside, multi_instance(over="=items")),
                boundary("late", "t", timer(duration="PT1H")),
                user_task("after"),
                chain("late", "after"),
            )
        )
    )
    run.start("p", variables=ABC)
    run.complete("w")
    run.elapse(HOUR)
    assert run.active() == ["after"]
    assert run.jobs() == []
    run.complete_task("after")
    run.assert_nothing_left()


def test_an_error_of_one_iteration_leaves_by_the_boundary_of_the_loop(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            error("low", "LOW"),
            *loop(
                looped(service_task("t"), multi_instance(over="=items", item="item")),
                boundary("caught", "t", error_event("low")),
                task("after"),
                chain("caught", "after"),
            ),
        )
    )
    run.start("p", variables=ABC)
    job = run.jobs("t")[1]
    run.accept(c.ThrowError(job_id=job.job_id, attempt=1, code="LOW"))
    assert run.path() == ["s", "caught", "after", "p"]
    run.assert_nothing_left()


def test_an_error_inside_an_iteration_may_be_caught_inside(scenario: Scenario) -> None:
    inside = sub_process(
        "t",
        start("s2"),
        service_task("w"),
        boundary("caught", "w", error_event()),
        task("x"),
        chain("s2", "w", "x"),
        chain("caught", "x"),
    )
    run = scenario(compiled(*loop(looped(inside, multi_instance(times="2")))))
    run.start("p")
    job = run.jobs("w")[0]
    run.accept(c.ThrowError(job_id=job.job_id, attempt=1, code="ANY"))
    run.complete("w")
    assert run.state() is InstanceState.COMPLETED
    assert run.path().count("caught") == 1
    run.assert_nothing_left()


def test_only_the_iteration_that_failed_is_tried_again(scenario: Scenario) -> None:
    many = multi_instance(over="=items", item="item", output="=got", into="all")
    run = scenario(compiled(*loop(looped(service_task("t", retries="1"), many))))
    run.start("p", variables=ABC)
    bad = run.jobs("t")[1]
    run.accept(c.FailJob(job_id=bad.job_id, attempt=1, message="broken"))
    complete(run, 1, got=1)
    complete(run, 3, got=3)
    assert run.waiting() == [("t", "job"), ("t", "incident")]
    run.resolve()
    assert [(job.job_id, job.attempt) for job in run.jobs()] == [(bad.job_id, 2)]
    complete(run, 2, got=2)
    assert json.loads(run.result() or "")["all"] == [1, 2, 3]
    run.assert_nothing_left()


def test_each_iteration_of_a_sub_process_is_a_scope_of_its_own(scenario: Scenario) -> None:
    inside = sub_process(
        "t",
        start("s2"),
        parallel("fork"),
        service_task("one"),
        service_task("two"),
        parallel("join"),
        end("e2"),
        chain("s2", "fork", "one", "join", "e2"),
        chain("fork", "two", "join"),
        inputs={"mine": "=item"},
    )
    many = multi_instance(over="=items", item="item", output="=mine", into="all")
    run = scenario(compiled(*loop(looped(inside, many))))
    run.start("p", variables='{"items": [1, 2]}')
    run.complete("one")
    run.complete("one")
    assert "join" not in run.path()  # one of each iteration, and neither has both
    run.complete("two", '{"mine": 20}')
    run.complete("two")
    assert json.loads(run.result() or "") == {"items": [1, 2], "all": [20, 2]}
    run.assert_nothing_left()


def test_a_terminate_end_event_ends_its_iteration_only(scenario: Scenario) -> None:
    inside = sub_process(
        "t",
        start("s2"),
        user_task("long"),
        service_task("short"),
        end("over", terminate_event()),
        chain("s2", "long"),
        chain("s2", "short", "over"),
    )
    run = scenario(compiled(*loop(looped(inside, multi_instance(times="2")))))
    run.start("p")
    run.complete("short")
    assert run.active() == ["t", "t", "long", "short"]
    run.complete("short")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_loops_nest(scenario: Scenario) -> None:
    inner = looped(
        script_task("w", "=x * 10", result="r"),
        multi_instance(over="=xs", item="x", output="=r", into="row"),
    )
    outer = sub_process("t", start("s2"), inner, chain("s2", "w"))
    many = multi_instance(over="=rows", item="xs", output="=row", into="table")
    run = scenario(compiled(*loop(looped(outer, many))))
    run.start("p", variables='{"rows": [[1, 2], [], [3]]}')
    assert json.loads(run.result() or "")["table"] == [[10, 20], [], [30]]
    run.assert_nothing_left()


def test_a_call_activity_is_called_for_each_item(scenario: Scenario) -> None:
    called = compiled(start("s"), service_task("w"), chain("s", "w"), process_id="called")
    many = multi_instance(over="=items", item="item", output="=got", into="all")
    run = scenario(called, compiled(*loop(looped(call_activity("t", "called"), many))))
    run.start("p", variables=ABC)
    jobs = run.jobs("w")
    assert len({job.instance_id for job in jobs}) == 3
    for job in reversed(jobs):
        item = json.loads(job.variables)["item"]
        variables = json.dumps({"got": f"{item}{item}"})
        run.accept(c.CompleteJob(job_id=job.job_id, attempt=1, variables=variables))
    assert json.loads(run.result() or "")["all"] == ["aa", "bb", "cc"]
    run.assert_nothing_left()


def test_a_receive_task_waits_for_a_message_of_each_item(scenario: Scenario) -> None:
    many = multi_instance(over="=items", item="item")
    run = scenario(
        compiled(message("m", "news", key="=item"), *loop(looped(receive_task("t", "m"), many)))
    )
    run.start("p", variables=ABC)
    for key in ("c", "a", "b"):
        assert run.state() is InstanceState.RUNNING
        run.accept(c.PublishMessage(name="news", correlation_key=key))
    assert run.state() is InstanceState.COMPLETED
    run.elapse(HOUR)
    run.assert_nothing_left()


def test_outputs_of_iterations_go_around_the_loop_but_for_their_own(scenario: Scenario) -> None:
    activity = service_task("t", outputs={"got": "=result.value", "last": "=item"})
    many = multi_instance(over="=items", item="item", sequential=True, output="=got", into="all")
    inside = sub_process("sub", start("s2"), looped(activity, many), chain("s2", "t"))
    run = scenario(compiled(*loop(inside, name="sub")))
    run.start("p", variables='{"items": ["a", "b"]}')
    complete(run, 1, result={"value": 1})
    complete(run, 2, result={"value": 2})
    # `last` was written to the sub-process and has gone with it
    assert json.loads(run.result() or "") == {"items": ["a", "b"], "all": [1, 2]}
    run.assert_nothing_left()


def test_what_follows_begins_once_and_runs_again_with_each_arrival(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            exclusive("again"),
            looped(task("t"), multi_instance(times="=n")),
            script_task("less", "=n - 1", result="n"),
            exclusive("check", default="out"),
            end("e"),
            chain("s", "again", "t", "less", "check"),
            flow("check", "again", condition="=n > 0"),
            flow("check", "e", flow_id="out"),
        )
    )
    run.start("p", variables='{"n": 3}')
    assert run.path().count("t") == 3 + 2 + 1 + 3
    run.assert_nothing_left()


def test_items_that_weigh_too_much_are_an_incident(scenario: Scenario) -> None:
    many = multi_instance(over="=for i in 1..100 return big", item="item")
    run = scenario(
        compiled(*loop(looped(user_task("t"), many))), settings=Settings(variables_bytes_max=2_000)
    )
    run.start("p", variables=json.dumps({"big": "x" * 1_000}))
    assert run.incident().kind == "TOO_LARGE"
    run.resolve(variables='{"big": 1}')
    assert len(run.tasks()) == 100


def test_an_output_that_weighs_too_much_is_an_incident(scenario: Scenario) -> None:
    many = multi_instance(times="1", output="=for i in 1..300 return i", into="all")
    run = scenario(
        compiled(*loop(looped(task("t"), many))), settings=Settings(variables_bytes_max=1_000)
    )
    run.start("p")
    assert run.incident().kind == "TOO_LARGE"
    run.accept(c.TerminateInstance(instance_id="a"))
    run.assert_nothing_left()


def test_a_wide_one_is_carried_on_by_later_records(scenario: Scenario) -> None:
    many = multi_instance(times="100", output="=loopCounter", into="all")
    run = scenario(
        compiled(*loop(looped(user_task("t"), many))), settings=Settings(steps_per_command_max=10)
    )
    run.start("p")
    assert len(run.tasks()) == 100
    activated = [
        sum(isinstance(event, e.ElementActivated) for event in part.events)
        for part in run.history["a"]
    ]
    assert max(activated) <= 13
    for found in run.tasks():
        run.accept(c.CompleteTask(task_id=found.task_id))
    assert json.loads(run.result() or "")["all"] == list(range(1, 101))
    run.assert_nothing_left()


def test_commands_meet_a_loop_that_is_still_beginning() -> None:
    many = multi_instance(times="50", output="=loopCounter", into="all")
    run = Runner(
        compiled(*loop(looped(user_task("t"), many))), settings=Settings(steps_per_command_max=3)
    )
    run.posting = True
    run.post(c.StartInstance(process_id="p", instance_id="a"))
    known: dict[str, None] = {}
    while isinstance(run.document(), ProcessInstance) or run.document() is None:
        for found in run.tasks():
            if found.task_id not in known:
                known[found.task_id] = None
                run.post(c.CompleteTask(task_id=found.task_id))
        assert run.step()
    assert run.state() is InstanceState.COMPLETED
    assert json.loads(run.result() or "")["all"] == list(range(1, 51))


def test_an_incident_of_one_iteration_goes_with_the_loop(scenario: Scenario) -> None:
    many = multi_instance(over="=items", item="item", until="=numberOfCompletedInstances = 2")
    run = scenario(compiled(*loop(looped(service_task("t", retries="1"), many))))
    run.start("p", variables=ABC)
    run.accept(c.FailJob(job_id=run.jobs("t")[0].job_id, attempt=1))
    assert len(run.waits(IncidentWait)) == 1
    complete(run, 2)
    complete(run, 3)
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_an_output_is_counted_once_when_what_follows_on_it_fails(scenario: Scenario) -> None:
    many = multi_instance(times="1", output='="0123456789"', into="all", sequential=True)
    run = scenario(
        undone_by_iteration(
            compiled(
                start("s"),
                looped(service_task("t"), many),
                compensation("t", "undo"),
                for_compensation(task("undo")),
                user_task("after"),
                chain("s", "t", "after"),
            )
        ),
        settings=Settings(variables_bytes_max=120),
    )
    run.start("p", variables=json.dumps({"big": "x" * 110}))
    run.complete("t")
    run.incident()
    assert run.living().loops_bytes == 0
    run.resolve(variables='{"big": 1}')
    assert run.active() == ["after"]
    assert run.living().loops_bytes == 0
