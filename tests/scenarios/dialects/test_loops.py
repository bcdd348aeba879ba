"""Loops in models of Camunda 7 and Flowable: what iterations see, and what is aggregated."""

import pytest

from engine.lifecycle import InstanceState
from engine.values import decode_object
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    chain,
    end,
    extensions,
    start,
    sub_process,
    tag,
)
from tests.support.vendor_models import (
    inputs_and_outputs,
    vendor_model,
)


def looped(own: dict[str, str], *content: str, done: str | None = None) -> str:
    inner = "" if done is None else tag("completionCondition", done)
    return tag("multiInstanceLoopCharacteristics", extensions(*content), inner, **own)


@pytest.mark.parametrize("sequential", [True, False])
def test_iterations_see_the_counts_of_their_loop(scenario: Scenario, *, sequential: bool) -> None:
    loop = looped({"camunda:collection": "orders", "isSequential": str(sequential).lower()})
    counts = "${nrOfInstances * 100 + nrOfActiveInstances * 10 + nrOfCompletedInstances}"
    node = tag(
        "serviceTask",
        extensions(
            f'<camunda:inputOutput><camunda:outputParameter name="counts">{counts}'
            "</camunda:outputParameter></camunda:inputOutput>"
        ),
        loop,
        id="ship",
        **{"camunda:type": "external", "camunda:topic": "ship"},
    )
    run = scenario(vendor_model(start("s"), node, end("e"), chain("s", "ship", "e")))
    run.start("p", variables='{"orders": ["x", "y", "z"], "counts": 0}')
    assert "nrOfInstances" not in decode_object(run.job("ship").variables)
    seen = []
    for _ in range(3):
        run.complete("ship")
        if run.state() is InstanceState.RUNNING:
            seen.append(run.variables()["counts"])
    assert seen == (["310", "311"] if sequential else ["330", "321"])
    run.assert_nothing_left()


def test_a_task_runs_for_each_item_and_counts_from_0(scenario: Scenario) -> None:
    loop = looped(
        {"camunda:collection": "orders", "camunda:elementVariable": "order"},
        done="${nrOfCompletedInstances == 2}",
    )
    node = tag(
        "serviceTask", loop, id="ship", **{"camunda:type": "external", "camunda:topic": "ship"}
    )
    run = scenario(vendor_model(start("s"), node, end("e"), chain("s", "ship", "e")))
    run.start("p", variables='{"orders": ["x", "y", "z"]}')
    seen = [decode_object(job.variables) for job in run.jobs("ship")]
    assert [(own["order"], own["loopCounter"]) for own in seen] == [
        ('"x"', "0"),
        ('"y"', "1"),
        ('"z"', "2"),
    ]
    run.complete("ship", '{"last": 1}')
    run.complete("ship", '{"last": 2}')
    assert run.state() is InstanceState.COMPLETED
    assert run.result() == '{"orders":["x","y","z"],"last":2}'
    run.assert_nothing_left()


def test_a_cardinality_may_be_a_plain_number(scenario: Scenario) -> None:
    loop = tag("multiInstanceLoopCharacteristics", tag("loopCardinality", "3"))
    node = tag("userTask", loop, id="t", **{"camunda:assignee": "mia"})
    run = scenario(vendor_model(start("s"), node, chain("s", "t")))
    run.start("p")
    assert len(run.tasks()) == 3


def test_the_outputs_of_iterations_are_written_outward(scenario: Scenario) -> None:
    io = inputs_and_outputs({}, {"last": "${item}"})
    loop = looped({"camunda:collection": "${list}", "camunda:elementVariable": "item"})
    node = tag("task", extensions(io), loop, id="t")
    sub = sub_process("sub", start("i"), node, chain("i", "t"))
    run = scenario(vendor_model(start("s"), sub, end("e"), chain("s", "sub", "e")))
    run.start("p", variables='{"list": [1, 2]}')
    assert run.result() == '{"list":[1,2],"last":2}'


def test_variables_of_iterations_are_aggregated(scenario: Scenario) -> None:
    aggregation = (
        '<flowable:variableAggregation target="reviews"><variable source="score"/>'
        '<variable source="who" target="by"/>'
        '<variable sourceExpression="${score * 10}" target="points"/>'
        '<variable source="nobody"/></flowable:variableAggregation>'
    )
    loop = looped({"flowable:collection": "people", "flowable:elementVariable": "who"}, aggregation)
    node = tag("userTask", loop, id="review", **{"flowable:assignee": "${who}"})
    run = scenario(
        vendor_model(start("s"), node, end("e"), chain("s", "review", "e"), platform=None)
    )
    run.start("p", variables='{"people": ["ann", "bob"]}')
    assert [found.assignee for found in run.tasks()] == ["ann", "bob"]
    run.complete_task("review", '{"score": 1}')
    run.complete_task("review", '{"score": 2}')
    result = decode_object(run.result() or "")
    assert result["reviews"] == (
        '[{"score":1,"by":"ann","points":10,"nobody":null},'
        '{"score":2,"by":"bob","points":20,"nobody":null}]'
    )


def test_an_iteration_that_is_cancelled_has_no_place_in_an_aggregation(scenario: Scenario) -> None:
    aggregation = (
        '<flowable:variableAggregation target="reviews"><variable source="score"/>'
        "</flowable:variableAggregation>"
    )
    done = "${nrOfCompletedInstances == 2}"
    loop = looped({"flowable:collection": "people"}, aggregation, done=done)
    node = tag("userTask", loop, id="review")
    run = scenario(
        vendor_model(start("s"), node, end("e"), chain("s", "review", "e"), platform=None)
    )
    run.start("p", variables='{"people": ["ann", "bob", "cid"]}')
    run.complete_task("review", '{"score": 1}')
    run.complete_task("review", '{"score": 2}')
    assert decode_object(run.result() or "")["reviews"] == '[{"score":1},{"score":2}]'
