"""Messages, errors and timers in models of Camunda 7, and events of Flowable's registry."""

from engine import commands as c
from engine.lifecycle import InstanceState
from engine.values import decode_object
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    boundary,
    chain,
    end,
    error,
    extensions,
    flow,
    message,
    start,
    sub_process,
    tag,
    task,
)
from tests.support.vendor_models import external, vendor_model

MINUTE = 60_000
DAY = 24 * 60 * MINUTE


def waiting_for_payment() -> object:
    event = tag("messageEventDefinition", messageRef="m")
    return vendor_model(
        message("m", "Paid"),
        start("s"),
        tag("intermediateCatchEvent", event, id="paid"),
        end("e"),
        chain("s", "paid", "e"),
    )


def test_a_message_finds_the_instance_by_its_business_key(scenario: Scenario) -> None:
    run = scenario(waiting_for_payment())
    run.accept(c.StartInstance(process_id="p", instance_id="a", business_key="order-7"))
    run.accept(c.PublishMessage(name="Paid", correlation_key="order-8"))
    assert run.state() is InstanceState.RUNNING
    run.accept(c.PublishMessage(name="Paid", correlation_key="order-7", variables='{"n": 1}'))
    assert run.result() == '{"n":1}'


def test_without_a_business_key_a_message_finds_the_instance_by_its_id(scenario: Scenario) -> None:
    run = scenario(waiting_for_payment())
    run.start("p", "a")
    run.accept(c.PublishMessage(name="Paid", correlation_key="a"))
    assert run.state() is InstanceState.COMPLETED


def test_a_caught_error_leaves_its_code_and_message(scenario: Scenario) -> None:
    own = {"camunda:errorCodeVariable": "code", "camunda:errorMessageVariable": "text"}
    run = scenario(
        vendor_model(
            error("e", "E1"),
            start("s"),
            external("pay", "payment"),
            boundary("b", "pay", tag("errorEventDefinition", errorRef="e", **own)),
            end("ok"),
            end("failed"),
            chain("s", "pay", "ok"),
            flow("b", "failed"),
        )
    )
    run.start("p")
    job = run.job("payment")
    run.accept(c.ThrowError(job_id=job.job_id, attempt=job.attempt, code="E1", message="declined"))
    assert run.result() == '{"code":"E1","text":"declined"}'


def test_an_error_that_is_thrown_has_the_message_of_the_model(scenario: Scenario) -> None:
    own = {"camunda:errorMessageVariable": "text"}
    thrown = tag("errorEventDefinition", errorRef="e")
    run = scenario(
        vendor_model(
            tag("error", id="e", errorCode="E1", **{"camunda:errorMessage": "Not ${n}"}),
            start("s"),
            sub_process("sub", start("i"), tag("endEvent", thrown, id="t"), chain("i", "t")),
            boundary("b", "sub", tag("errorEventDefinition", errorRef="e", **own)),
            end("failed"),
            chain("s", "sub"),
            flow("b", "failed"),
        )
    )
    run.start("p")
    assert "'n'" in run.incident().message
    run.resolve(variables='{"n": 7}')
    assert run.result() == '{"n":7,"text":"Not 7"}'


def test_a_cron_timer_counts_weekdays_as_quartz_does(scenario: Scenario) -> None:
    # START_MS is Tuesday, 14 November 2023, 22:13:20 UTC. 4 is Wednesday for Quartz.
    cycle = tag("timerEventDefinition", tag("timeCycle", "0 0 0 ? * 4"))
    run = scenario(
        vendor_model(
            start("s"),
            tag("userTask", id="wait"),
            boundary("remind", "wait", cycle, interrupting=False),
            task("note"),
            end("e"),
            chain("s", "wait", "e"),
            flow("remind", "note"),
        )
    )
    run.start("p")
    run.elapse(2 * 60 * MINUTE)
    assert run.path().count("note") == 1
    run.elapse(6 * DAY)
    assert run.path().count("note") == 1
    run.elapse(DAY)
    assert run.path().count("note") == 2


def test_a_script_in_juel_runs_inline_and_one_in_groovy_is_a_job(scenario: Scenario) -> None:
    own = {"camunda:resultVariable": "b"}
    run = scenario(
        vendor_model(
            start("s"),
            tag("scriptTask", tag("script", "${a + 1}"), id="x", scriptFormat="juel", **own),
            tag("scriptTask", tag("script", "a + 1"), id="y", scriptFormat="groovy", **own),
            end("e"),
            chain("s", "x", "y", "e"),
        )
    )
    run.start("p", variables='{"a": 1}')
    job = run.job("script.groovy")
    assert job.variables == '{"a":1,"b":2}'
    assert job.headers == {"resultVariable": "b", "script": "a + 1"}
    run.complete("script.groovy", '{"b": 3}')
    assert run.result() == '{"a":1,"b":3}'


def registry_event(key: str, source: str, target: str) -> str:
    return extensions(
        "<flowable:eventType>paid</flowable:eventType>",
        f'<flowable:eventCorrelationParameter name="order" value="{key}"/>' if key else "",
        f'<flowable:eventOutParameter source="{source}" target="{target}"/>',
    )


def test_an_event_of_the_registry_meets_who_waits_for_its_key(scenario: Scenario) -> None:
    node = tag("receiveTask", registry_event("${order}", "amount", "total"), id="wait")
    run = scenario(vendor_model(start("s"), node, end("e"), chain("s", "wait", "e"), platform=None))
    run.start("p", variables='{"order": "o-1"}')
    run.accept(c.PublishMessage(name="paid", correlation_key="o-2"))
    assert run.state() is InstanceState.RUNNING
    content = '{"amount": 5, "other": 6}'
    run.accept(c.PublishMessage(name="paid", correlation_key="o-1", variables=content))
    assert run.result() == '{"order":"o-1","total":5}'


def test_an_event_of_the_registry_starts_a_process(scenario: Scenario) -> None:
    begins = tag("startEvent", registry_event("", "amount", "total"), id="s")
    work = tag("serviceTask", id="w", **{"flowable:class": "a.B"})
    run = scenario(vendor_model(begins, work, chain("s", "w"), platform=None))
    run.accept(c.PublishMessage(name="paid", variables='{"amount": 5}'))
    assert decode_object(run.job("a.B").variables)["total"] == "5"
