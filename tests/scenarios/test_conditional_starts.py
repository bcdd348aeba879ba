"""Conditional start events of processes: `EvaluateConditions` asks them, and starts what holds."""

import json
from typing import Any

from engine import commands as c
from engine import records as r
from engine.lifecycle import InstanceState
from engine.model.elements import ProcessModel
from engine.settings import Settings
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    chain,
    compiled,
    conditional_event,
    end,
    event_sub_process,
    message,
    message_event,
    start,
    together,
    user_task,
)
from tests.support.runner import Runner
from tests.support.vendor_models import vendor_model


def conditional(process_id: str, text: str, *others: str) -> ProcessModel:
    return compiled(
        start("s", conditional_event(text)), user_task("work"), chain("s", "work"), *others,
        process_id=process_id,
    )  # fmt: skip


def evaluate(run: Runner, variables: str) -> dict[str, Any]:
    """The answer to the command."""
    reply = run.send(c.EvaluateConditions(variables=variables))
    assert reply is not None
    assert reply.status is r.ReplyStatus.ACCEPTED, reply
    answer: dict[str, Any] = json.loads(reply.result or "null")
    return answer


def started(run: Runner) -> list[tuple[str, int]]:
    return [(each.process_id, each.version) for each in run.effects("InstanceStarted")]


HOT = conditional("hot", "=degrees > 30")


def test_every_process_whose_condition_holds_is_started_with_the_variables(
    scenario: Scenario,
) -> None:
    run = scenario(HOT, conditional("cold", "=degrees < 0"), conditional("warm", "=degrees > 20"))
    answer = evaluate(run, '{"degrees": 31, "where": "roof"}')
    assert answer["failed"] == []
    assert [(each["process_id"], each["element_id"]) for each in answer["started"]] == [
        ("hot", "s"), ("warm", "s"),
    ]  # fmt: skip
    assert sorted(started(run)) == [("hot", 1), ("warm", 1)]
    for each in answer["started"]:
        assert run.variables(each["instance_id"]) == {"degrees": "31", "where": '"roof"'}
        assert run.path(each["instance_id"]) == ["s"]


def test_each_evaluation_starts_anew_and_none_that_does_not_hold(scenario: Scenario) -> None:
    run = scenario(HOT)
    names = [evaluate(run, '{"degrees": 31}')["started"][0]["instance_id"] for _ in range(2)]
    assert len(set(names)) == 2
    assert evaluate(run, '{"degrees": 30}') == {"started": [], "failed": []}
    assert len(started(run)) == 2


def test_a_repeated_command_starts_nothing_more(scenario: Scenario) -> None:
    run = scenario(HOT)
    for status in (r.ReplyStatus.ACCEPTED, r.ReplyStatus.DUPLICATE):
        reply = run.send(c.EvaluateConditions(variables='{"degrees": 31}'), command_id="once")
        assert reply is not None
        assert reply.status is status
        assert len(json.loads(reply.result or "null")["started"]) == 1
    assert len(started(run)) == 1


def test_only_the_latest_version_is_asked(scenario: Scenario) -> None:
    run = scenario(HOT, conditional("hot", "=degrees > 40"))
    assert evaluate(run, '{"degrees": 35}')["started"] == []
    evaluate(run, '{"degrees": 45}')
    assert started(run) == [("hot", 2)]
    run.deploy(compiled(start("s"), process_id="hot"))
    assert evaluate(run, '{"degrees": 45}')["started"] == []


def test_a_condition_that_lacks_a_variable_does_not_hold(scenario: Scenario) -> None:
    juel = vendor_model(
        '<bpmn:startEvent id="s"><bpmn:conditionalEventDefinition>'
        "<bpmn:condition>${degrees > 30}</bpmn:condition>"
        "</bpmn:conditionalEventDefinition></bpmn:startEvent>"
    )
    run = scenario(HOT, juel)
    assert evaluate(run, '{"other": 1}') == {"started": [], "failed": []}
    assert len(evaluate(run, '{"degrees": 31}')["started"]) == 2


def test_a_condition_that_fails_is_named_and_keeps_no_other_from_starting(
    scenario: Scenario,
) -> None:
    run = scenario(HOT, conditional("odd", "=degrees + 1"))
    answer = evaluate(run, '{"degrees": 31}')
    assert [each["process_id"] for each in answer["started"]] == ["hot"]
    (failed,) = answer["failed"]
    assert (failed["process_id"], failed["version"], failed["element_id"]) == ("odd", 1, "s")
    assert failed["expression"] == "degrees + 1"
    assert "32" in failed["message"]
    assert started(run) == [("hot", 1)]


def test_each_conditional_start_event_of_a_process_starts_an_instance_of_its_own(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled(
            start("none"),
            start("a", conditional_event("=n > 1")),
            start("b", conditional_event("=n > 2")),
            end("e"),
            chain("none", "e"),
            chain("a", "e"),
            chain("b", "e"),
        )
    )
    assert [each["element_id"] for each in evaluate(run, '{"n": 3}')["started"]] == ["a", "b"]
    assert len(run.effects("InstanceCompleted")) == 2
    run.start("p")
    assert run.path() == ["none", "e", "p"]
    run.assert_nothing_left()


def test_a_condition_may_be_one_of_several_events_that_start(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            message("m", "paid", key="=order"),
            start(
                "s", message_event("m") + conditional_event("=n > 1") + conditional_event("=n > 2")
            ),
            user_task("work"),
            chain("s", "work"),
        )
    )
    assert len(evaluate(run, '{"n": 3}')["started"]) == 1
    run.accept(c.PublishMessage(name="paid"))
    assert len(run.effects("InstanceStarted")) == 2


def test_an_event_that_needs_a_message_too_joins_the_instance_that_waits(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled(
            message("m", "paid"),
            together(start("s", message_event("m") + conditional_event("=n > 1"))),
            user_task("work"),
            chain("s", "work"),
        )
    )
    run.accept(c.PublishMessage(name="paid"))
    (begun,) = evaluate(run, '{"n": 3}')["started"]
    assert begun["instance_id"] is None
    (effect,) = run.effects("InstanceStarted")
    assert run.active(effect.instance_id) == ["work"]
    (begun,) = evaluate(run, '{"n": 3}')["started"]
    assert begun["instance_id"] is None
    assert len(run.effects("InstanceStarted")) == 2


def test_event_sub_processes_wait_in_what_a_condition_started(scenario: Scenario) -> None:
    run = scenario(
        conditional(
            "hot",
            "=degrees > 30",
            event_sub_process(
                "on", start("began", conditional_event("=stop")), end("x"), chain("began", "x")
            ),
        )
    )
    name = evaluate(run, '{"degrees": 31}')["started"][0]["instance_id"]
    assert run.state(name) is InstanceState.RUNNING
    run.accept(c.SetVariables(instance_id=name, variables='{"stop": true}'))
    assert run.state(name) is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_outputs_of_the_start_event_choose_what_the_instance_keeps(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s", conditional_event("=n > 1"), outputs={"m": "=n + 1"}),
            user_task("work"),
            chain("s", "work"),
        )
    )
    name = evaluate(run, '{"n": 2}')["started"][0]["instance_id"]
    assert run.variables(name) == {"m": "3"}


def test_a_variable_named_by_camunda_must_be_among_those_given(scenario: Scenario) -> None:
    run = scenario(
        vendor_model(
            '<bpmn:startEvent id="s"><bpmn:conditionalEventDefinition camunda:variableName="n">'
            "<bpmn:condition>${true}</bpmn:condition>"
            "</bpmn:conditionalEventDefinition></bpmn:startEvent>"
        )
    )
    assert evaluate(run, '{"m": 1}')["started"] == []
    assert len(evaluate(run, '{"n": 1}')["started"]) == 1


def test_variables_that_are_none_or_too_large_are_rejected(scenario: Scenario) -> None:
    run = scenario(HOT, settings=Settings(variables_bytes_max=10))
    assert run.reject(c.EvaluateConditions(variables="[]"))[0] == "INVALID_ARGUMENT"
    large = c.EvaluateConditions(variables='{"text": "twelve letters"}')
    assert run.reject(large)[0] == "TOO_LARGE"
    assert started(run) == []


def test_expensive_conditions_are_asked_until_they_took_too_many_steps(scenario: Scenario) -> None:
    run = scenario(
        *(conditional(f"slow{number:02}", "=count(for i in 1..80 return i * n) > 0")
          for number in range(120)),
        conditional("x", "=n = 2"),
        settings=Settings(expression_steps_max=200),
    )  # fmt: skip
    answer = evaluate(run, '{"n": 2}')
    begun = len(answer["started"])
    assert 49 <= begun < 120
    assert len(answer["failed"]) == min(100, 121 - begun)
    assert "x" not in [each["process_id"] for each in answer["started"]]
    assert answer["failed"][-1]["message"].startswith("Not asked")
    assert len(started(run)) == begun


def test_of_very_many_conditions_that_fail_some_are_named_and_the_rest_counted(
    scenario: Scenario,
) -> None:
    run = scenario(*(conditional(f"p{number:03}", "=n + 1") for number in range(120)), HOT)
    answer = evaluate(run, '{"n": 2, "degrees": 31}')
    assert [each["process_id"] for each in answer["started"]] == ["hot"]
    assert len(answer["failed"]) == 100
    assert answer["failed"][-1]["message"].endswith("And 20 more failed.")
