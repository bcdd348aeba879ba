"""Starting, ending and addressing instances; tombstones; ids."""

import pytest
from msgspec.structs import replace

from engine import commands as c
from engine.lifecycle import InstanceState
from engine.records import ReplyStatus, Transition
from engine.settings import Settings
from engine.state import IncidentWait, Tombstone
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    chain,
    compiled,
    exclusive,
    flow,
    message,
    message_event,
    service_task,
    start,
    task,
    timer,
    user_task,
)
from tests.support.runner import Runner

DAY = 24 * 3_600_000
WAITING = compiled(start("s"), user_task("t"), chain("s", "t"))


def waiting(scenario: Scenario, settings: Settings | None = None) -> Runner:
    return scenario(WAITING, settings=settings)


def test_a_start_without_an_id_gets_one_that_its_repetition_gets_again(
    scenario: Scenario,
) -> None:
    run = waiting(scenario)
    first = run.send(c.StartInstance(process_id="p"), command_id="one")
    other = run.send(c.StartInstance(process_id="p"), command_id="two")
    again = run.send(c.StartInstance(process_id="p"), command_id="one")
    assert first is not None
    assert other is not None
    assert again is not None
    assert first.instance_id != other.instance_id
    assert (again.instance_id, again.status) == (first.instance_id, ReplyStatus.DUPLICATE)
    assert len(run.effects("InstanceStarted")) == 2


def test_a_start_says_what_it_started(scenario: Scenario) -> None:
    run = waiting(scenario)
    run.accept(c.StartInstance(process_id="p", instance_id="a", business_key="b"))
    (effect,) = run.effects("InstanceStarted")
    assert (effect.process_id, effect.version, effect.business_key) == ("p", 1, "b")
    assert effect.id == f"{effect.partition}-{effect.offset}-{effect.index}"
    assert len(effect.digest) == 16


def test_an_id_in_use_is_refused(scenario: Scenario) -> None:
    run = waiting(scenario)
    run.start("p")
    code, detail = run.reject(c.StartInstance(process_id="p", instance_id="a"))
    assert (code, detail) == ("ALREADY_EXISTS", "Expected no instance a, found it RUNNING")


def test_a_tombstone_keeps_an_id_until_it_expires(scenario: Scenario) -> None:
    run = waiting(scenario)
    run.start("p")
    run.complete_task("t")
    tombstone = run.document()
    assert isinstance(tombstone, Tombstone)
    assert tombstone.expires_at == run.now + DAY
    run.now += DAY - 1
    assert run.reject(c.StartInstance(process_id="p", instance_id="a"))[0] == "ALREADY_EXISTS"
    run.now += 1
    assert run.reject(c.TerminateInstance(instance_id="a"))[0] == "NOT_FOUND"
    run.start("p")
    assert run.active() == ["t"]


def test_a_second_life_of_an_id_never_meets_the_numbers_of_the_first(
    scenario: Scenario,
) -> None:
    run = waiting(scenario, Settings(tombstone_ms=0))
    run.start("p")
    task_id = run.task("t").task_id
    run.complete_task("t")
    run.start("p")
    assert run.task("t").task_id != task_id
    assert run.reject(c.CompleteTask(task_id=task_id))[0] == "NOT_FOUND"
    lives = {event.sequence for event in run.effects() if event.instance_id == "a"}
    assert len(lives) == len([event for event in run.effects() if event.instance_id == "a"])


def test_an_unknown_process_version_or_start_event_is_refused(scenario: Scenario) -> None:
    run = waiting(scenario)
    for command, code in (
        (c.StartInstance(process_id="q", instance_id="a"), "NOT_FOUND"),
        (c.StartInstance(process_id="p", instance_id="a", version=2), "NOT_FOUND"),
        (c.StartInstance(process_id="p", instance_id="a", start_element="t"), "INVALID_ARGUMENT"),
        (c.StartInstance(process_id="p", instance_id="a", start_element="x"), "INVALID_ARGUMENT"),
        (c.StartInstance(process_id="p", instance_id="a", variables="[]"), "INVALID_ARGUMENT"),
        (c.StartInstance(process_id="p", instance_id="a", business_key="k" * 1001),
         "INVALID_ARGUMENT"),
    ):  # fmt: skip
        assert run.reject(command)[0] == code
    assert run.document() is None


def test_who_misspells_a_process_or_names_a_version_to_come_is_told_what_there_is(
    scenario: Scenario,
) -> None:
    run = waiting(scenario)
    run.deploy(compiled(start("s"), process_id="order-line"))
    for command, said in (
        (c.StartInstance(process_id="order_lin"), "found none. Did you mean `order-line`?"),
        (c.StartInstance(process_id="delivery"), "'delivery' to be deployed, found none"),
        (c.StartInstance(process_id="p", version=9),
         "'p' version 9 to be deployed, found none; the latest is 1"),
    ):  # fmt: skip
        assert run.reject(replace(command, instance_id="a"))[1].endswith(said)


@pytest.mark.parametrize("instance_id", ["", "a b", "a:b", "deployments", "a~1", "x" * 101, "ä"])
def test_ids_that_no_instance_can_have_are_refused(scenario: Scenario, instance_id: str) -> None:
    run = waiting(scenario)
    command = c.StartInstance(process_id="p", instance_id=instance_id)
    assert run.reject(command)[0] == "INVALID_ARGUMENT"


def test_a_process_that_only_messages_start_needs_its_start_event_named(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled(
            message("m", "go"), start("s", message_event("m")), user_task("t"), chain("s", "t")
        )
    )
    code, detail = run.reject(c.StartInstance(process_id="p", instance_id="a"))
    assert code == "INVALID_ARGUMENT"
    assert "start_element" in detail
    run.accept(c.StartInstance(process_id="p", instance_id="a", start_element="s"))
    assert run.active() == ["t"]


def test_start_variables_beyond_the_limit_are_refused(scenario: Scenario) -> None:
    run = waiting(scenario, Settings(variables_bytes_max=20))
    command = c.StartInstance(
        process_id="p", instance_id="a", variables='{"x": "012345678901234567"}'
    )
    assert run.reject(command)[0] == "TOO_LARGE"
    run.start("p", variables='{"x": "01234567890123456"}'.replace('123456"}', '"}'))


def test_an_instance_keeps_the_version_that_it_started_on(scenario: Scenario) -> None:
    run = scenario(compiled(start("s"), user_task("t"), task("old"), chain("s", "t", "old")))
    run.start("p", "a")
    run.deploy(compiled(start("s"), user_task("t"), task("new"), chain("s", "t", "new")))
    run.start("p", "b")
    run.accept(c.StartInstance(process_id="p", instance_id="c", version=1))
    for _ in range(3):
        run.complete_task("t")
    assert run.path("a")[-2] == "old"
    assert run.path("b")[-2] == "new"
    assert run.path("c")[-2] == "old"


def test_a_terminated_instance_says_why_and_is_gone(scenario: Scenario) -> None:
    run = waiting(scenario)
    run.start("p")
    run.accept(c.TerminateInstance(instance_id="a", reason="by rule 7"))
    assert run.state() is InstanceState.TERMINATED
    code, detail = run.reject(c.TerminateInstance(instance_id="a"))
    assert (code, detail) == ("INVALID_STATE", "Expected a to be RUNNING, found it TERMINATED")
    assert run.reject(c.TerminateInstance(instance_id="b"))[0] == "NOT_FOUND"
    run.assert_nothing_left()


def test_commands_to_an_ended_instance_say_how_it_ended(scenario: Scenario) -> None:
    run = waiting(scenario)
    run.start("p")
    task_id = run.task("t").task_id
    run.complete_task("t")
    code, detail = run.reject(c.CompleteTask(task_id=task_id))
    assert (code, detail) == ("NOT_FOUND", "Expected a running instance a, found it COMPLETED")
    assert run.reject(c.SetVariables(instance_id="a", variables="{}"))[0] == "INVALID_STATE"


def test_a_timer_start_begins_at_its_event(scenario: Scenario) -> None:
    run = scenario(compiled(start("s", timer(duration="PT1H")), user_task("t"), chain("s", "t")))
    partition = run.partitions[0]
    instance_id = next(
        f"i{n}" for n in range(100) if run._partition_for(start_by_timer(f"i{n}")) is partition
    )
    run.internal(start_by_timer(instance_id))
    assert run.active(instance_id) == ["t"]


def start_by_timer(instance_id: str) -> c.StartByTimer:
    return c.StartByTimer(instance_id=instance_id, process_id="p", version=1, start_element="s")


def test_an_incident_may_be_raised_on_an_instance_itself(scenario: Scenario) -> None:
    run = waiting(scenario)
    run.start("p")
    run.internal(c.RaiseIncident(instance_id="a", kind="ENGINE_FAULT", message="broken"))
    run.internal(c.RaiseIncident(instance_id="b", kind="ENGINE_FAULT", message="broken"))
    assert run.document("b") is None
    incidents = run.waits(IncidentWait)
    assert incidents
    assert {incident.kind for incident in incidents} == {"ENGINE_FAULT"}
    run.complete_task("t")
    assert run.state() is InstanceState.COMPLETED
    assert len(run.effects("IncidentResolved")) == len(incidents)


def test_history_has_every_event_once_and_no_gap(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            service_task("work"),
            exclusive("again", default="no"),
            user_task("t"),
            chain("s", "work", "again"),
            flow("again", "work", condition="=more"),
            flow("again", "t", flow_id="no"),
        )
    )
    run.start("p")
    run.complete("work", '{"more": true}')
    run.complete("work", '{"more": false}')
    run.complete_task("t")
    parts: list[Transition] = run.history["a"]
    expected = parts[0].first_sequence
    for part in parts:
        assert part.first_sequence == expected
        expected += len(part.events)
    assert parts[0].first_sequence == (parts[0].offset << 16) + 1
    assert [part.command_type for part in parts if part.command_type != "Continue"] == [
        "StartInstance",
        "CompleteJob",
        "CompleteJob",
        "CompleteTask",
    ]
