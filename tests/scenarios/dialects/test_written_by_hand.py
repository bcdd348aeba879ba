"""Models as people write them by hand, in the way of the engine that they are for."""

import pytest

from engine import commands as c
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    chain,
    compiled_resource,
    end,
    exclusive,
    flow,
    start,
    tag,
)
from tests.support.vendor_models import (
    NAMESPACES,
    juel_flow,
    vendor_file,
    vendor_model,
)


def decided(*, bare_first: bool) -> tuple[str, ...]:
    """A gateway with one flow that says nothing, before or behind one with a condition."""
    flows = [flow("x", "rest"), juel_flow("x", "small", "${n &lt; 10}")]
    return (
        start("s"),
        exclusive("x"),
        end("small"),
        end("rest"),
        chain("s", "x"),
        *(flows if bare_first else reversed(flows)),
    )


@pytest.mark.parametrize("bare_first", [False, True])
def test_in_camunda_7_the_one_flow_without_a_condition_is_the_default(
    scenario: Scenario, *, bare_first: bool
) -> None:
    for number, taken in ((5, "small"), (50, "rest")):
        run = scenario(vendor_model(*decided(bare_first=bare_first)))
        run.start("p", variables=f'{{"n": {number}}}')
        assert run.path() == ["s", "x", taken, "p"]


@pytest.mark.parametrize("bare_first", [False, True])
def test_in_flowable_a_flow_without_a_condition_is_true_where_it_stands(
    scenario: Scenario, *, bare_first: bool
) -> None:
    own = {"flowable:candidateStarterUsers": "ada"}
    drawn = tag("process", *decided(bare_first=bare_first), id="p", isExecutable="true", **own)
    run = scenario(compiled_resource(vendor_file(drawn)).process("p"))
    run.start("p", variables='{"n": 5}')
    assert run.path() == ["s", "x", "rest" if bare_first else "small", "p"]


def test_flows_without_ids_and_errors_without_definitions_run(scenario: Scenario) -> None:
    content = f"""
        <definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
            xmlns:flowable="{NAMESPACES["flowable"]}" targetNamespace="http://example.org">
          <process id="p">
            <startEvent id="s"/>
            <sequenceFlow sourceRef="s" targetRef="sub"/>
            <subProcess id="sub">
              <startEvent id="i"/>
              <sequenceFlow sourceRef="i" targetRef="wait"/>
              <receiveTask id="wait"/>
              <sequenceFlow sourceRef="wait" targetRef="fail"/>
              <endEvent id="fail"><errorEventDefinition errorRef="late"/></endEvent>
            </subProcess>
            <boundaryEvent id="b" attachedToRef="sub">
              <errorEventDefinition errorRef="late"/>
            </boundaryEvent>
            <sequenceFlow sourceRef="b" targetRef="e"/>
            <endEvent id="e"/>
          </process>
        </definitions>"""
    made = compiled_resource(content.encode())
    assert made.deployable, made.findings
    run = scenario(made.process("p"))
    run.accept(c.StartInstance(process_id="p", instance_id="a", business_key="7"))
    run.accept(c.PublishMessage(name="wait", correlation_key="7"))
    assert run.path() == ["s", "i", "wait", "b", "e", "p"]
    run.assert_nothing_left()
