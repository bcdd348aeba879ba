"""Multi-instance and standard loops: what is read of them, and what is wrong with them."""

import pytest

from engine.model.elements import Activity, MultiInstance, StandardLoop
from tests.support.findings import codes
from tests.support.models import (
    bpmn,
    chain,
    compiled,
    compiled_resource,
    event_gateway,
    looped,
    message,
    multi_instance,
    process,
    receive_task,
    resource,
    service_task,
    standard_loop,
    start,
    sub_process,
    tag,
    task,
)


def loop_of(activity: str) -> object:
    model = compiled(start("s"), activity, chain("s", "t"))
    element = model.element("t")
    assert isinstance(element, Activity)
    return element.loop


def findings_of(loop: str) -> list[tuple[str, str | None]]:
    return codes(resource(start("s"), looped(task("t"), loop), chain("s", "t")))


def test_an_activity_without_a_marker_has_no_loop() -> None:
    assert loop_of(task("t")) is None


def test_a_multi_instance_over_a_collection() -> None:
    drawn = multi_instance(over="=items", item="item", output="=got.price", into="prices",
                           until="=numberOfCompletedInstances = 2", sequential=True)  # fmt: skip
    loop = loop_of(looped(service_task("t"), drawn))
    assert isinstance(loop, MultiInstance)
    assert loop.sequential
    assert loop.collection is not None
    assert loop.collection.text == "items"
    assert loop.cardinality is None
    assert (loop.item, loop.output_collection, loop.output_variable) == ("item", "prices", "got")
    assert loop.completion is not None
    assert loop.counter_first == 1


@pytest.mark.parametrize("output", ["=1 + got", "=null", "=got[1]", '="text"'])
def test_an_output_that_is_no_variable_declares_none(output: str) -> None:
    loop = loop_of(looped(task("t"), multi_instance(times="2", output=output, into="all")))
    assert isinstance(loop, MultiInstance)
    assert loop.output_variable is None


@pytest.mark.parametrize("times", ["3", "=n + 1", "n"])
def test_a_cardinality_is_an_expression_with_or_without_its_mark(times: str) -> None:
    loop = loop_of(looped(task("t"), multi_instance(times=times)))
    assert isinstance(loop, MultiInstance)
    assert loop.cardinality is not None
    assert loop.cardinality.text == times.removeprefix("=")


def test_plain_bpmn_names_its_collections_by_data_elements() -> None:
    drawn = tag(
        "multiInstanceLoopCharacteristics",
        tag("loopDataInputRef", "items"),
        tag("loopDataOutputRef", "results"),
        tag("inputDataItem", id="item1", name="item"),
        tag("outputDataItem", id="result"),
    )
    content = bpmn(process("p", start("s"), looped(task("t"), drawn), chain("s", "t")))
    made = compiled_resource(
        content.replace(b' xmlns:zeebe="http://camunda.org/schema/zeebe/1.0"', b"")
    )
    assert made.deployable, made.findings
    element = made.process("p").element("t")
    assert isinstance(element, Activity)
    assert isinstance(element.loop, MultiInstance)
    assert element.loop.collection is not None
    assert element.loop.collection.text == "items"
    assert (element.loop.item, element.loop.output_collection) == ("item", "results")
    assert element.loop.output_variable == "result"


def test_a_standard_loop() -> None:
    drawn = standard_loop(condition="=again", maximum="5", test_before=True)
    loop = loop_of(looped(sub_process("t", start("i")), drawn))
    assert isinstance(loop, StandardLoop)
    assert loop.condition is not None
    assert (loop.maximum, loop.test_before) == (5, True)


@pytest.mark.parametrize(
    "loop",
    [
        multi_instance(),
        multi_instance(over="=items", times="3"),
        multi_instance(over="=items", output="=x"),
        multi_instance(over="=items", item="no name"),
        multi_instance(times="3", output="=x", into="a.b"),
        standard_loop(),
        standard_loop(maximum="0"),
        standard_loop(maximum="-1"),
        standard_loop(maximum="many"),
    ],
)
def test_a_loop_that_cannot_run_is_an_error(loop: str) -> None:
    assert findings_of(loop) == [("bad-loop", "t")]


@pytest.mark.parametrize(
    "loop",
    [
        multi_instance(times="=1 +"),
        multi_instance(over="=items", until="=1 +"),
        standard_loop(condition="=(", maximum="2"),
    ],
)
def test_an_expression_of_a_loop_that_does_not_compile_is_an_error(loop: str) -> None:
    assert ("expression-syntax", "t") in findings_of(loop)


def test_two_markers_are_an_error() -> None:
    loop = multi_instance(times="2") + standard_loop(maximum="2")
    assert findings_of(loop) == [("several-loops", "t")]


def test_a_multi_instance_that_throws_events_is_an_error() -> None:
    thrown = ' behavior="One" oneBehaviorEventRef="first">'
    loop = multi_instance(times="2").replace(">", thrown, 1)
    assert findings_of(loop) == [("unsupported-element", "t")]


@pytest.mark.parametrize("behavior", ["None", "One", "Complex"])
def test_a_multi_instance_with_nothing_to_throw_is_as_any_other(behavior: str) -> None:
    loop = multi_instance(times="2").replace(">", f' behavior="{behavior}">', 1)
    assert findings_of(loop) == []


def test_an_arm_of_an_event_gateway_may_not_be_repeated() -> None:
    made = resource(
        message("m", "news", key="=1"),
        message("n", "other", key="=1"),
        start("s"),
        event_gateway("g"),
        looped(receive_task("one", "m"), multi_instance(times="2")),
        receive_task("two", "n"),
        chain("s", "g", "one"),
        chain("g", "two"),
    )
    assert codes(made) == [("event-gateway-arm", "one")]
