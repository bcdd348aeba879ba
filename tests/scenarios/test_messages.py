"""Messages: catch and receive, boundary, event-based gateway, starts; published before or after."""

import pytest

from engine import commands as c
from engine.lifecycle import InstanceState
from engine.settings import Settings
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    boundary,
    catch,
    chain,
    compiled,
    end,
    event_gateway,
    flow,
    message,
    message_event,
    receive_task,
    service_task,
    start,
    terminate_event,
    timer,
    user_task,
)
from tests.support.runner import Runner, subscriptions

HOUR = 3_600_000
PAID = message("paid", "payment", key="=order")


def publish(
    run: Runner, variables: str = "{}", *, name: str = "payment", key: str = "7", ttl_ms: int = 0
) -> None:
    run.accept(c.PublishMessage(name=name, correlation_key=key, variables=variables, ttl_ms=ttl_ms))


def waiting_for_payment(scenario: Scenario, **fields: dict[str, str]) -> Runner:
    run = scenario(
        compiled(
            PAID,
            start("s"),
            catch("wait", message_event("paid"), **fields),
            end("e"),
            chain("s", "wait", "e"),
        )
    )
    run.start("p", variables='{"order": 7}')
    return run


def test_a_message_meets_who_waits_for_its_name_and_key(scenario: Scenario) -> None:
    run = waiting_for_payment(scenario)
    run.start("p", "b", '{"order": 8}')
    assert run.waiting() == [("wait", "message")]
    publish(run, '{"amount": 5}')
    assert run.state("a") is InstanceState.COMPLETED
    assert run.state("b") is InstanceState.RUNNING
    assert run.result() == '{"order":7,"amount":5}'
    assert subscriptions(run) == [("payment", "8")]


def test_a_message_published_before_the_instance_waits_is_kept_for_its_time(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled(PAID, start("s"), catch("wait", message_event("paid")), chain("s", "wait"))
    )
    publish(run, '{"n": 1}', ttl_ms=HOUR)
    publish(run, '{"n": 2}')
    run.start("p", variables='{"order": "7"}')
    assert run.result() == '{"order":"7","n":1}'
    run.elapse(HOUR)
    run.assert_nothing_left()


def test_a_receive_task_waits_for_its_message(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            PAID,
            start("s"),
            receive_task("wait", "paid", outputs={"sum": "=amount * 2"}),
            boundary("late", "wait", timer(duration="PT1H")),
            chain("s", "wait"),
        )
    )
    run.start("p", variables='{"order": "7"}')
    publish(run, '{"amount": 4}')
    assert run.result() == '{"order":"7","sum":8}'
    run.assert_nothing_left()


def test_output_mappings_choose_what_a_message_leaves_behind(scenario: Scenario) -> None:
    run = waiting_for_payment(scenario, outputs={"paid": "=amount"})
    publish(run, '{"amount": 5, "other": 1}')
    assert run.result() == '{"order":7,"paid":5}'


def test_a_correlation_key_that_is_null_is_an_incident(scenario: Scenario) -> None:
    run = scenario(
        compiled(PAID, start("s"), catch("wait", message_event("paid")), chain("s", "wait"))
    )
    run.start("p")
    incident = run.incident()
    assert incident.kind == "EXPRESSION_FAILED"
    assert "'order'" in incident.message
    assert "missing: order" in incident.message
    assert subscriptions(run) == []
    run.resolve(variables='{"order": 7}')
    publish(run)
    assert run.state() is InstanceState.COMPLETED


def test_a_correlation_key_keeps_to_its_length(scenario: Scenario) -> None:
    run = scenario(
        compiled(PAID, start("s"), catch("wait", message_event("paid")), chain("s", "wait"))
    )
    run.start("p", variables='{"order": "' + "x" * 1_001 + '"}')
    assert run.incident().kind == "EXPRESSION_FAILED"
    assert "at most 1000 characters" in run.incident().message


def test_an_interrupting_boundary_message_ends_its_activity(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            PAID,
            start("s"),
            service_task("work"),
            boundary("stop", "work", message_event("paid")),
            end("e"),
            end("stopped"),
            chain("s", "work", "e"),
            chain("stop", "stopped"),
        )
    )
    run.start("p", variables='{"order": 7}')
    publish(run, '{"why": "paid already"}')
    assert run.path() == ["s", "stop", "stopped", "p"]
    assert run.result() == '{"order":7,"why":"paid already"}'
    run.assert_nothing_left()


def test_a_non_interrupting_boundary_message_comes_any_number_of_times(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled(
            PAID,
            start("s"),
            user_task("work"),
            boundary("note", "work", message_event("paid"), interrupting=False),
            service_task("book"),
            chain("s", "work"),
            chain("note", "book"),
        )
    )
    run.start("p", variables='{"order": 7}')
    for _ in range(3):
        publish(run)
    assert len(run.jobs("book")) == 3
    run.complete_task("work")
    assert subscriptions(run) == []
    publish(run)
    assert len(run.jobs("book")) == 3
    for _ in range(3):
        run.complete("book")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


def test_a_message_whose_consequences_end_its_subscription_closes_it(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled(
            PAID,
            start("s"),
            user_task("work"),
            boundary("note", "work", message_event("paid"), interrupting=False),
            end("over", terminate_event()),
            chain("s", "work"),
            chain("note", "over"),
        )
    )
    run.start("p", variables='{"order": 7}')
    publish(run)
    assert run.state() is InstanceState.COMPLETED
    assert subscriptions(run) == []
    run.assert_nothing_left()


def choice(scenario: Scenario) -> Runner:
    run = scenario(
        compiled(
            PAID,
            message("canceled", "cancel", key="=order"),
            start("s"),
            event_gateway("first"),
            catch("wait", message_event("paid")),
            receive_task("stop", "canceled"),
            catch("late", timer(duration="PT1H")),
            end("e"),
            flow("s", "first"),
            chain("first", "wait", "e"),
            chain("first", "stop", "e"),
            chain("first", "late", "e"),
        )
    )
    run.start("p", variables='{"order": 7}')
    assert sorted(run.waiting()) == [("late", "timer"), ("stop", "message"), ("wait", "message")]
    return run


def test_the_first_event_after_an_event_gateway_wins(scenario: Scenario) -> None:
    run = choice(scenario)
    publish(run, '{"amount": 5}')
    assert run.path() == ["s", "first", "wait", "e", "p"]
    assert run.result() == '{"order":7,"amount":5}'
    run.assert_nothing_left()


def test_a_receive_task_may_be_an_arm_of_an_event_gateway(scenario: Scenario) -> None:
    run = choice(scenario)
    publish(run, name="cancel")
    assert run.path() == ["s", "first", "stop", "e", "p"]
    run.assert_nothing_left()


@pytest.mark.parametrize(("name", "arm"), [("payment", "wait"), ("cancel", "stop")])
def test_an_arm_of_an_event_gateway_maps_what_it_is_given(
    scenario: Scenario, name: str, arm: str
) -> None:
    run = scenario(
        compiled(
            PAID,
            message("canceled", "cancel", key="=order"),
            start("s"),
            event_gateway("first"),
            catch("wait", message_event("paid"), outputs={"mapped": "=amount + 1"}),
            receive_task("stop", "canceled", outputs={"mapped": "=amount + 1"}),
            chain("s", "first", "wait"),
            chain("first", "stop"),
        )
    )
    run.start("p", variables='{"order": 7}')
    publish(run, '{"amount": 5}', name=name)
    assert run.path() == ["s", "first", arm, "p"]
    assert run.result() == '{"order":7,"mapped":6}'


def test_a_timer_may_be_an_arm_of_an_event_gateway(scenario: Scenario) -> None:
    run = choice(scenario)
    run.elapse(HOUR)
    assert run.path() == ["s", "first", "late", "e", "p"]
    publish(run)
    run.assert_nothing_left()


def test_two_arms_that_are_due_together_are_taken_once(scenario: Scenario) -> None:
    run = choice(scenario)
    run.now += HOUR
    publish(run)
    run.fire_due()
    assert run.path() == ["s", "first", "wait", "e", "p"]


def test_a_delivery_to_nobody_is_refused_so_that_the_message_goes_on(
    scenario: Scenario,
) -> None:
    run = waiting_for_payment(scenario)
    run.start("p", "b", '{"order": 7}')
    run.accept(c.TerminateInstance(instance_id="a"))
    publish(run)
    assert run.state("b") is InstanceState.COMPLETED


def test_a_message_that_is_too_large_for_its_receiver_is_an_incident(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled(PAID, start("s"), catch("wait", message_event("paid")), chain("s", "wait")),
        settings=Settings(variables_bytes_max=100),
    )
    run.start("p", variables='{"order": 7, "note": "not small"}')
    publish(run, '{"x": "' + "y" * 90 + '"}')
    incident = run.incident()
    assert (incident.kind, incident.step) == ("TOO_LARGE", "complete")
    assert "at most 100 bytes" in incident.message
    run.resolve(variables='{"x": "short"}')
    assert run.result() == '{"order":7,"note":"not small","x":"short"}'


def starting(scenario: Scenario) -> Runner:
    return scenario(
        compiled(
            message("placed", "order-placed"),
            start("s", message_event("placed"), outputs={"order": "=id"}),
            user_task("work"),
            chain("s", "work"),
        )
    )


def instances(run: Runner) -> list[str]:
    return [effect.instance_id for effect in run.effects("InstanceStarted")]


def test_a_message_starts_an_instance_through_the_outputs_of_its_start_event(
    scenario: Scenario,
) -> None:
    run = starting(scenario)
    publish(run, '{"id": 4, "more": 1}', name="order-placed", key="")
    (instance_id,) = instances(run)
    assert run.variables(instance_id) == {"order": "4"}
    assert run.active(instance_id) == ["work"]


def test_messages_with_an_empty_key_start_one_instance_each(scenario: Scenario) -> None:
    run = starting(scenario)
    for _ in range(3):
        publish(run, name="order-placed", key="")
    assert len(set(instances(run))) == 3


def test_a_key_starts_its_next_instance_when_the_last_has_ended(scenario: Scenario) -> None:
    run = starting(scenario)
    publish(run, name="order-placed", key="k", ttl_ms=HOUR)
    publish(run, name="order-placed", key="k", ttl_ms=HOUR)
    (first,) = instances(run)
    run.complete_task("work")
    assert run.state(first) is InstanceState.COMPLETED
    assert len(instances(run)) == 2
    second = instances(run)[1]
    run.accept(c.TerminateInstance(instance_id=second))
    publish(run, name="order-placed", key="k")
    assert len(instances(run)) == 3


@pytest.mark.parametrize("order", ["wait first", "message first"])
def test_a_message_is_taken_once_whenever_it_comes(scenario: Scenario, order: str) -> None:
    run = scenario(
        compiled(
            PAID,
            start("s"),
            catch("one", message_event("paid")),
            catch("two", message_event("paid")),
            chain("s", "one", "two"),
        )
    )
    if order == "wait first":
        run.start("p", variables='{"order": 7}')
    publish(run, ttl_ms=HOUR)
    if order == "message first":
        run.start("p", variables='{"order": 7}')
    assert run.active() == ["two"]
    publish(run)
    assert run.state() is InstanceState.COMPLETED
