"""Incidents: what raises them, that other branches go on, and resolving takes the very step."""

import pytest

from engine import commands as c
from engine.events import ConditionEvaluated
from engine.lifecycle import InstanceState
from engine.settings import Settings
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    boundary,
    catch,
    chain,
    compiled,
    end,
    exclusive,
    flow,
    message,
    message_event,
    parallel,
    script_task,
    service_task,
    start,
    sub_process,
    task,
    timer,
    user_task,
)
from tests.support.runner import Runner

MINUTE = 60_000


def choosing(scenario: Scenario) -> Runner:
    return scenario(
        compiled(
            start("s"),
            exclusive("choice"),
            task("small"),
            task("large"),
            service_task("beside"),
            chain("s", "choice"),
            chain("s", "beside"),
            flow("choice", "small", condition="=amount < 10", flow_id="to_small"),
            flow("choice", "large", condition="=amount > 100", flow_id="to_large"),
        )
    )


def test_a_condition_that_fails_names_its_element_and_what_is_missing(scenario: Scenario) -> None:
    run = choosing(scenario)
    run.start("p")
    incident = run.incident()
    assert (incident.kind, incident.element_id) == ("EXPRESSION_FAILED", "choice")
    assert incident.message.startswith("Flow 'to_small': ")
    assert "amount < 10" in incident.message
    assert "missing: amount" in incident.message
    (raised,) = run.effects("IncidentRaised")
    assert raised.incident is not None
    assert raised.incident.incident_id == f"a:{incident.key}"


def test_other_branches_go_on_beside_an_incident(scenario: Scenario) -> None:
    run = choosing(scenario)
    run.start("p")
    run.complete("beside")
    assert run.active() == ["choice"]
    run.resolve(variables='{"amount": 5}')
    assert run.state() is InstanceState.COMPLETED
    assert "small" in run.path()
    run.assert_nothing_left()


def test_no_true_flow_and_no_default_is_an_incident(scenario: Scenario) -> None:
    run = choosing(scenario)
    run.start("p", variables='{"amount": 50}')
    incident = run.incident()
    assert (incident.kind, incident.step) == ("NO_FLOW_CHOSEN", "leave")
    assert "choice" in incident.message
    run.resolve(variables='{"amount": 500}')
    assert "large" in run.path()
    conditions = [
        (event.flow_id, event.result)
        for event in run.events()
        if isinstance(event, ConditionEvaluated)
    ]
    assert conditions == [
        ("to_small", False),
        ("to_large", False),
        ("to_small", False),
        ("to_large", True),
    ]


def test_resolving_without_a_cure_raises_the_next_incident(scenario: Scenario) -> None:
    run = choosing(scenario)
    run.start("p")
    first = run.incident()
    run.resolve()
    assert run.incident().key != first.key
    code, detail = run.reject(c.ResolveIncident(incident_id=f"a:{first.key}"))
    assert (code, detail) == (
        "NOT_FOUND",
        f"Expected an open incident a:{first.key}, found none",
    )


def test_a_failed_condition_does_not_write_the_outputs_twice(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            script_task("add", "=1", outputs={"n": "=n + 1"}),
            task("t"),
            flow("s", "add"),
            flow("add", "t", condition="=go"),
        )
    )
    run.start("p", variables='{"n": 1}')
    assert run.incident().step == "leave"
    assert run.variables()["n"] == "2"
    run.resolve(variables='{"go": true}')
    assert run.result() == '{"n":2,"go":true}'


def test_a_failed_output_keeps_the_result_for_the_next_try(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            service_task("work", outputs={"r": "=n"}),
            boundary("late", "work", timer(duration="PT1H")),
            chain("s", "work"),
        ),
        settings=Settings(variables_bytes_max=40),
    )
    run.start("p")
    job = run.job("work")
    big = '{"n": "' + "z" * 30 + '"}'
    run.accept(c.CompleteJob(job_id=job.job_id, attempt=1, variables=big))
    incident = run.incident()
    assert (incident.kind, incident.step) == ("TOO_LARGE", "complete")
    run.elapse(3_600_000)
    assert run.path() == ["s", "late", "p"]
    assert len(run.effects("IncidentResolved")) == 1
    run.assert_nothing_left()


def test_a_failed_input_holds_the_activity_before_it_begins(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            sub_process(
                "sub",
                service_task("work"),
                inputs=(("a", "=1"), ("r", "=[1..n]")),
            ),
            chain("s", "sub"),
        )
    )
    run.start("p", variables='{"n": 3}')
    incident = run.incident()
    assert (incident.kind, incident.step) == ("EXPRESSION_FAILED", "activate")
    assert run.active() == ["sub"]
    assert run.living().variables == {run.living().root: {"n": "3"}}
    run.accept(c.SetVariables(instance_id="a", variables='{"m": 1}'))
    assert run.active() == ["sub"]
    run.resolve()
    assert run.incident().step == "activate"


@pytest.mark.parametrize("retries", [0, -1])
def test_an_incident_is_resolved_with_at_least_one_retry(scenario: Scenario, retries: int) -> None:
    run = choosing(scenario)
    run.start("p")
    key = run.incident().key
    command = c.ResolveIncident(incident_id=f"a:{key}", retries=retries)
    assert run.reject(command)[0] == "INVALID_ARGUMENT"


def test_an_expression_without_end_is_stopped_by_its_budget(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            script_task("t", "=sum(for i in 1..1000000 return i)"),
            chain("s", "t"),
        )
    )
    run.start("p")
    incident = run.incident()
    assert incident.kind == "EXPRESSION_FAILED"
    assert "steps" in incident.message


def endless(scenario: Scenario, settings: Settings) -> Runner:
    return scenario(
        compiled(
            start("s"),
            exclusive("again"),
            script_task("count", "=n + 1", result="n"),
            exclusive("enough", default="more"),
            end("e"),
            service_task("beside"),
            chain("s", "again", "count", "enough"),
            chain("s", "beside"),
            flow("enough", "e", condition="=stop"),
            flow("enough", "again", flow_id="more"),
        ),
        settings=settings,
    )


def test_an_endless_loop_is_cut_then_stopped_by_an_incident(scenario: Scenario) -> None:
    run = endless(scenario, Settings(steps_per_command_max=10, steps_max=100))
    run.start("p", variables='{"n": 0, "stop": false}')
    incident = run.incident()
    assert (incident.kind, incident.step) == ("STEP_LIMIT", "continue")
    counted = int(run.variables()["n"])
    assert 30 <= counted <= 34
    run.complete("beside")
    assert int(run.variables()["n"]) == counted  # only resolving carries the loop on
    run.resolve()
    assert int(run.variables()["n"]) > counted + 30
    run.resolve(variables='{"stop": true}')
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_a_long_loop_is_carried_on_by_further_records(scenario: Scenario) -> None:
    run = endless(scenario, Settings(steps_per_command_max=10))
    model = compiled(
        start("s"),
        exclusive("again"),
        script_task("count", "=n + 1", result="n"),
        exclusive("enough", default="more"),
        end("e"),
        chain("s", "again", "count", "enough"),
        flow("enough", "e", condition="=n >= 100"),
        flow("enough", "again", flow_id="more"),
    )
    run.deploy(model)
    run.start("p", variables='{"n": 0}')
    assert run.result() == '{"n":100}'
    longest = max(len(part.events) for part in run.history["a"])
    assert longest < 10 * 5 + 10


def test_a_wide_fan_out_is_carried_on_by_further_records(scenario: Scenario) -> None:
    width = 200
    parts = [start("s"), parallel("fork"), parallel("join"), flow("s", "fork")]
    for number in range(width):
        parts += [task(f"t{number}"), chain("fork", f"t{number}", "join")]
    run = scenario(compiled(*parts), settings=Settings(steps_per_command_max=50))
    run.start("p")
    assert run.state() is InstanceState.COMPLETED
    assert run.path().count("join") == 1
    run.assert_nothing_left()


def test_more_waiting_arrivals_than_steps_do_not_stop_an_instance(scenario: Scenario) -> None:
    """Arrivals that wait at a join are on every rebuilt agenda, and must not use it up."""
    parts = [start("s"), parallel("join"), user_task("last"), flow("s", "last")]
    for number in range(30):
        parts += [task(f"t{number}"), chain("s", f"t{number}", "join")]
    parts += [task("u"), task("v"), chain("last", "u", "v", "join")]
    run = scenario(compiled(*parts), settings=Settings(steps_per_command_max=5))
    run.start("p")
    assert run.active() == ["last"]
    run.complete_task("last")
    assert run.state() is InstanceState.COMPLETED


def test_a_retry_does_not_arm_boundary_events_again(scenario: Scenario) -> None:
    """The clock of the deadline keeps running while an activity is stuck and tried again."""
    run = scenario(
        compiled(
            start("s"),
            service_task("work", type="=kind", retries="1"),
            boundary("late", "work", timer(duration="PT1H")),
            chain("s", "work"),
        )
    )
    run.start("p")
    assert run.incident().step == "run"  # the boundary event is armed, the job type is missing
    assert ("late", "timer") in run.waiting()
    run.elapse(20 * MINUTE)
    run.resolve(variables='{"kind": "pay"}')
    run.accept(c.FailJob(job_id=run.job("pay").job_id, attempt=1))
    run.elapse(20 * MINUTE)
    run.resolve()
    assert run.job("pay").attempt == 2
    run.elapse(20 * MINUTE - 1)
    assert run.state() is InstanceState.RUNNING
    run.elapse(1)
    assert run.path() == ["s", "late", "p"]
    run.assert_nothing_left()


def test_an_interruption_overtakes_an_incident(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            sub_process("sub", service_task("work", retries="1")),
            boundary("late", "sub", timer(duration="PT1H")),
            chain("s", "sub"),
        )
    )
    run.start("p")
    run.accept(c.FailJob(job_id=run.job("work").job_id, attempt=1))
    assert run.incident().kind == "JOB_RETRIES_EXHAUSTED"
    run.elapse(60 * MINUTE)
    assert run.state() is InstanceState.COMPLETED
    assert len(run.effects("IncidentResolved")) == 1
    run.assert_nothing_left()


def test_what_came_with_a_message_and_found_no_room_comes_again(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            message("M", "paid", key='="k"'), start("s"), catch("c", message_event("M")),
            user_task("t"), chain("s", "c", "t"),
        ),
        settings=Settings(variables_bytes_max=200),
    )  # fmt: skip
    run.start("p", variables=f'{{"v": "{"x" * 120}"}}')
    receipt = f'"{"y" * 120}"'
    paid = c.PublishMessage(
        name="paid", correlation_key="k", variables=f'{{"receipt": {receipt}, "by": "ann"}}'
    )
    run.accept(paid)
    assert run.incident().kind == "TOO_LARGE"
    run.resolve()
    assert run.incident().kind == "TOO_LARGE"
    run.resolve(variables='{"v": "less", "by": "bob"}')
    assert run.variables() == {"v": '"less"', "by": '"bob"', "receipt": receipt}
    run.complete_task("t")
    assert run.state() is InstanceState.COMPLETED
    run.assert_replays()
