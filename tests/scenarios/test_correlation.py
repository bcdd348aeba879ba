"""Messages that are correlated as BPMN draws it: properties, keys, subscriptions."""

import pytest

from engine import commands as c
from engine.lifecycle import InstanceState
from engine.model.elements import ProcessModel
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    bpmn,
    catch,
    chain,
    compiled_resource,
    end,
    message_event,
    process,
    start,
    tag,
    throw,
)


def message(message_id: str, name: str) -> str:
    return tag("message", id=message_id, name=name)


def correlation_property(property_id: str, **paths: str) -> str:
    """`paths`: where each message, by its id, has the value."""
    drawn = (
        tag(
            "correlationPropertyRetrievalExpression",
            tag("messagePath", path),
            messageRef=message_id,
        )
        for message_id, path in paths.items()
    )
    return tag("correlationProperty", *drawn, id=property_id, name=property_id)


def conversation(*properties: str, key_id: str = "key") -> str:
    references = (tag("correlationPropertyRef", each) for each in properties)
    key = tag("correlationKey", *references, id=key_id, name=key_id)
    return tag("collaboration", tag("conversation", key, id="talk"), id="together")


def subscription(**paths: str) -> str:
    """`paths`: where the process has the value of each property, by its id."""
    bindings = (
        tag("correlationPropertyBinding", tag("dataPath", path), correlationPropertyRef=each)
        for each, path in paths.items()
    )
    return tag("correlationSubscription", *bindings, id="sub", correlationKeyRef="key")


MESSAGES = message("asked", "Asked") + message("answered", "Answered")


def model(*parts: str, roots: tuple[str, ...], process_id: str = "p") -> ProcessModel:
    made = compiled_resource(bpmn(MESSAGES, *roots, process(process_id, *parts)))
    assert made.findings == ()
    return made.process(process_id)


ORDER = correlation_property("order", asked="request.order", answered="order")
WAITS = (start("s"), catch("c", message_event("answered")), end("e"), chain("s", "c", "e"))


def publish(name: str, key: str, variables: str = "{}") -> c.PublishMessage:
    return c.PublishMessage(name=name, correlation_key=key, variables=variables)


def test_a_subscription_says_by_what_the_process_waits(scenario: Scenario) -> None:
    roots = (ORDER, conversation("order"))
    run = scenario(model(subscription(order="mine.number"), *WAITS, roots=roots))
    run.accept(
        c.StartInstance(
            process_id="p", instance_id="a", business_key="b", variables='{"mine": {"number": 7}}'
        )
    )
    run.accept(publish("Answered", "b"))
    assert run.state("a") is InstanceState.RUNNING
    run.accept(publish("Answered", "7", '{"yes": true}'))
    assert run.state("a") is InstanceState.COMPLETED


def test_without_a_subscription_it_waits_by_what_the_conversation_began_with(
    scenario: Scenario,
) -> None:
    begins = tag("startEvent", message_event("asked"), id="s")
    run = scenario(
        model(
            begins,
            catch("c", message_event("answered")),
            tag("userTask", id="u"),
            chain("s", "c", "u"),
            roots=(ORDER, conversation("order")),
        )
    )
    run.accept(publish("Asked", "o-1", '{"order": "o-1"}'))
    run.accept(publish("Answered", "o-2"))
    assert run.tasks() == []
    run.accept(publish("Answered", "o-1"))
    assert [task.element_id for task in run.tasks()] == ["u"]


def test_a_value_that_is_not_there_is_an_incident_that_names_it(scenario: Scenario) -> None:
    run = scenario(model(*WAITS, roots=(ORDER, conversation("order"))))
    run.start("p")
    assert "order" in run.incident().message
    run.resolve(variables='{"order": 7}')
    run.accept(publish("Answered", "7"))
    assert run.state() is InstanceState.COMPLETED


@pytest.mark.parametrize("key_id", ["key", "other"])
def test_what_one_process_throws_finds_the_other_by_several_properties(
    scenario: Scenario, key_id: str
) -> None:
    roots = (
        correlation_property("order", answered="order"),
        correlation_property("buyer", answered="buyer.name"),
        conversation("buyer", "order", key_id=key_id),
    )
    waiting = (subscription(order="o", buyer="b"), *WAITS) if key_id == "key" else WAITS
    throwing = (
        start("s"),
        throw("t", message_event("answered")),
        end("e"),
        chain("s", "t", "e"),
    )
    run = scenario(
        model(*waiting, roots=roots, process_id="waits"),
        model(*throwing, roots=roots, process_id="throws"),
    )
    for instance, order in (("a", 1), ("b", 2)):
        variables = (
            f'{{"o": {order}, "b": "x|y"}}'
            if key_id == "key"
            else f'{{"order": {order}, "buyer": {{"name": "x|y"}}}}'
        )
        run.start("waits", instance, variables)
    run.start("throws", "t", '{"order": 2, "buyer": {"name": "x|y"}}')
    assert run.state("t") is InstanceState.COMPLETED
    assert run.state("a") is InstanceState.RUNNING
    assert run.state("b") is InstanceState.COMPLETED
    run.accept(publish("Answered", r"x\|y|1"))
    assert run.state("a") is InstanceState.COMPLETED


def test_messages_without_properties_are_correlated_by_the_business_key(
    scenario: Scenario,
) -> None:
    roots = (correlation_property("order", asked="order"), conversation("order"))
    run = scenario(model(*WAITS, roots=roots))
    run.accept(c.StartInstance(process_id="p", instance_id="a", business_key="b"))
    run.accept(publish("Answered", "b"))
    assert run.state("a") is InstanceState.COMPLETED
