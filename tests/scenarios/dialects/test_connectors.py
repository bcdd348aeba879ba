"""Connectors of Camunda 7, which are work; and what its signals bring."""

from engine.lifecycle import InstanceState
from engine.model.elements import ProcessModel
from tests.scenarios.conftest import Scenario
from tests.support.models import chain, end, extensions, signal, start, tag, user_task
from tests.support.vendor_models import vendor_model


def parameters(**of_kind: dict[str, str]) -> str:
    inner = "".join(
        f'<camunda:{kind}Parameter name="{name}">{text}</camunda:{kind}Parameter>'
        for kind, pairs in of_kind.items()
        for name, text in pairs.items()
    )
    return f"<camunda:inputOutput>{inner}</camunda:inputOutput>"


def connected(connector: str, *own: str) -> ProcessModel:
    drawn = (
        f"<camunda:connector>{connector}<camunda:connectorId>http-connector</camunda:connectorId>"
        "</camunda:connector>"
    )
    node = tag("serviceTask", extensions(*own, drawn), id="x")
    return vendor_model(start("s"), node, end("e"), chain("s", "x", "e"))


def test_a_connector_is_a_job_with_its_inputs_and_its_outputs_choose(scenario: Scenario) -> None:
    io = parameters(
        input={"url": "https://example.org/${id}", "method": "GET"},
        output={"code": "${statusCode}", "found": "${response.price * factor}"},
    )
    run = scenario(connected(io, parameters(input={"factor": "2"}, output={"again": "${code}"})))
    run.start("p", variables='{"id": 7}')
    job = run.job("http-connector")
    assert job.variables == ('{"id":7,"factor":"2","url":"https://example.org/7","method":"GET"}')
    run.complete("http-connector", '{"statusCode": 200, "response": {"price": 21}, "headers": {}}')
    assert run.result() == '{"id":7,"code":200,"found":42,"again":200}'


def test_without_outputs_nothing_of_a_result_is_kept(scenario: Scenario) -> None:
    run = scenario(connected(""))
    run.start("p")
    run.complete("http-connector", '{"statusCode": 200}')
    assert run.result() == "{}"


def test_an_output_that_fails_is_tried_again_with_the_result(scenario: Scenario) -> None:
    run = scenario(connected(parameters(output={"total": "${response * factor}"})))
    run.start("p")
    run.complete("http-connector", '{"response": 21}')
    assert "'factor'" in run.incident().message
    run.resolve(variables='{"factor": 2}')
    assert run.result() == '{"factor":2,"total":42}'


def test_a_signal_brings_what_its_event_passes(scenario: Scenario) -> None:
    passed = extensions('<camunda:in source="a" target="b"/>')
    definition = tag("signalEventDefinition", passed, signalRef="sig")
    caught = tag("intermediateCatchEvent", tag("signalEventDefinition", signalRef="sig"), id="c")
    run = scenario(
        vendor_model(
            signal("sig", "S"), start("s"), caught, user_task("u"), end("e"),
            chain("s", "c", "u", "e"), process_id="q",
        ),
        vendor_model(
            signal("sig", "S"), start("s"), tag("endEvent", definition, id="t"), chain("s", "t")
        ),
    )  # fmt: skip
    run.start("q", "waits")
    run.start("p", "throws", '{"a": 1, "secret": 2}')
    assert run.variables("waits") == {"b": "1"}
    assert run.state("throws") is InstanceState.COMPLETED
