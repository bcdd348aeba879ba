"""Events of Flowable's event registry, which become messages."""

import pytest

from engine.model import elements as e
from engine.model.compile import CompiledResource
from tests.support.findings import codes
from tests.support.models import chain, extensions, start, tag, user_task
from tests.support.vendor_models import vendor_resource


def event_type(*more: str, name: str = "paid") -> str:
    return extensions(f"<flowable:eventType>{name}</flowable:eventType>", *more)


def key(value: str) -> str:
    return f'<flowable:eventCorrelationParameter name="orderId" value="{value}"/>'


def waiting(kind: str, *more: str) -> CompiledResource:
    node = tag(kind, event_type(*more), id="x")
    return vendor_resource(start("s"), node, chain("s", "x"), platform=None)


@pytest.mark.parametrize("kind", ["intermediateCatchEvent", "receiveTask"])
def test_what_waits_for_an_event_waits_for_a_message(kind: str) -> None:
    made = waiting(kind, key("${orderId}"))
    assert made.findings == ()
    found = made.process("p").element("x")
    assert isinstance(found, e.IntermediateCatchEvent | e.ReceiveTask)
    assert isinstance(found.trigger, e.MessageTrigger)
    assert found.trigger.name == "paid"
    assert found.trigger.correlation_key is not None
    assert found.trigger.correlation_key.text == "${orderId}"


def test_without_a_parameter_the_key_is_that_of_the_instance() -> None:
    found = waiting("receiveTask").process("p").element("x")
    assert isinstance(found, e.ReceiveTask)
    assert found.trigger.correlation_key is not None
    assert "processBusinessKey" in found.trigger.correlation_key.text


def test_a_boundary_event_may_be_one_and_a_start_event() -> None:
    made = vendor_resource(
        tag("startEvent", event_type(), id="s"),
        tag("userTask", id="u"),
        tag("boundaryEvent", event_type(key("${a}")), id="b", attachedToRef="u"),
        chain("s", "u"), platform=None,
    )  # fmt: skip
    assert made.findings == ()
    model = made.process("p")
    assert model.message_starts == (model.element_index["s"],)
    assert isinstance(model.element("b"), e.BoundaryEvent)


@pytest.mark.parametrize(
    ("kind", "part"),
    [
        ("receiveTask", "<flowable:startEventCorrelationConfiguration>manualSubscription"
         "</flowable:startEventCorrelationConfiguration>"),
    ],
)  # fmt: skip
def test_what_is_not_executed_is_an_error(kind: str, part: str) -> None:
    assert {code for code, _ in codes(waiting(kind, part))} == {"unsupported-extension"}


def test_what_starts_a_process_has_no_parameter() -> None:
    made = vendor_resource(tag("startEvent", event_type(key("1")), id="s"), platform=None)
    assert codes(made) == [("unsupported-extension", "s")]


def test_a_channel_is_a_warning() -> None:
    made = waiting("receiveTask", "<flowable:channelKey>orders</flowable:channelKey>")
    assert made.deployable
    assert codes(made) == [("no-effect", "x")]


def test_an_event_where_none_is_waited_for_is_an_error() -> None:
    node = tag("manualTask", event_type(), id="x")
    made = vendor_resource(start("s"), node, chain("s", "x"), platform=None)
    assert codes(made) == [("unsupported-extension", "x")]


def test_the_task_that_sends_an_event_is_a_job() -> None:
    sent = event_type(
        '<flowable:eventInParameter source="amount" target="total"/>',
        '<flowable:eventInParameter source="${amount * 2}" target="twice"/>',
    )
    node = tag("serviceTask", sent, id="x", **{"flowable:type": "send-event"})
    made = vendor_resource(start("s"), node, chain("s", "x"), platform=None)
    assert made.findings == ()
    found = made.process("p").element("x")
    assert isinstance(found, e.ServiceTask)
    assert found.job is not None
    assert (found.job.type, found.job.headers) == ("send-event", {"eventType": "paid"})
    assert [mapping.target for mapping in found.inputs] == [("total",), ("twice",)]


def test_an_answer_that_nothing_waits_for_is_a_warning() -> None:
    sent = event_type("<flowable:triggerEventType>answer</flowable:triggerEventType>")
    node = tag("serviceTask", sent, id="x", **{"flowable:type": "send-event"})
    made = vendor_resource(start("s"), node, chain("s", "x"), platform=None)
    assert codes(made) == [("no-effect", "x")]
    assert made.deployable


@pytest.mark.parametrize("how", ["startNewInstance", "storeAsUniqueReferenceId"])
def test_how_events_start_a_process_needs_nothing(how: str) -> None:
    said = f"<flowable:startEventCorrelationConfiguration>{how}"
    part = f"{said}</flowable:startEventCorrelationConfiguration>"
    made = vendor_resource(tag("startEvent", event_type(part), id="s"), platform=None)
    assert made.findings == ()


def test_a_task_that_waits_for_an_answer_is_a_sub_process_of_two() -> None:
    sent = event_type(
        '<flowable:eventInParameter source="amount" target="total"/>',
        "<flowable:triggerEventType>answer</flowable:triggerEventType>",
        '<flowable:triggerEventCorrelationParameter name="id" value="${id}"/>',
        '<flowable:eventOutParameter source="a" target="b"/>',
        "<flowable:triggerChannelKey>c</flowable:triggerChannelKey>",
    )
    own = {"flowable:type": "send-event", "flowable:triggerable": "true"}
    made = vendor_resource(
        start("s"), tag("sendTask", sent, id="x", name="Ask", **own), chain("s", "x"), platform=None
    )
    assert codes(made) == [("no-effect", "x-wait")]
    model = made.process("p")
    around, sending, waiting = (model.element(each) for each in ("x", "x-send", "x-wait"))
    assert isinstance(around, e.SubProcess)
    assert around.starts == (sending.index, waiting.index)
    assert isinstance(sending, e.SendTask)
    assert sending.job is not None
    assert sending.job.headers == {"eventType": "paid"}
    assert isinstance(waiting, e.ReceiveTask)
    assert waiting.trigger.name == "answer"
    assert waiting.trigger.correlation_key is not None
    assert waiting.trigger.correlation_key.text == "${id}"
    assert [mapping.target for mapping in waiting.outputs] == [("b",)]


def test_without_another_type_the_answer_is_of_the_same() -> None:
    own = {"flowable:type": "send-event", "flowable:triggerable": "true"}
    node = tag("serviceTask", event_type(), id="x", **own)
    made = vendor_resource(start("s"), node, chain("s", "x"), platform=None)
    assert made.findings == ()
    waiting = made.process("p").element("x-wait")
    assert isinstance(waiting, e.ReceiveTask)
    assert waiting.trigger.name == "paid"


def test_several_parameters_are_one_key_in_the_order_of_their_names() -> None:
    keys = (
        '<flowable:eventCorrelationParameter name="b" value="${second}"/>',
        '<flowable:eventCorrelationParameter name="a" value="${first}"/>',
    )
    found = waiting("receiveTask", *keys).process("p").element("x")
    assert isinstance(found, e.ReceiveTask)
    assert found.trigger.correlation_key is not None
    assert found.trigger.correlation_key.names == ("first", "second")


def test_models_of_others_are_left_as_they_are() -> None:
    made = vendor_resource(start("s"), user_task("u"), chain("s", "u"))
    assert made.deployable
