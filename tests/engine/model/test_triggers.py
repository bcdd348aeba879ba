"""Event definitions: what each event may wait for, and what it must say to be able to."""

import pytest

from engine.model import elements as e
from engine.model.triggers import TRIGGERS
from tests.support.findings import codes, only_finding
from tests.support.models import (
    boundary,
    bpmn,
    cancel_event,
    catch,
    chain,
    compensate_event,
    compiled,
    compiled_resource,
    conditional_event,
    end,
    error,
    error_event,
    escalation,
    escalation_event,
    event_sub_process,
    for_compensation,
    link_event,
    message,
    message_event,
    process,
    receive_task,
    resource,
    service_task,
    signal,
    signal_event,
    start,
    tag,
    task,
    terminate_event,
    throw,
    timer,
    together,
    transaction,
)

DEFINITIONS = {
    "none": "",
    "message": message_event("M"),
    "timer": timer(duration="PT1S"),
    "error": error_event("E"),
    "terminate": terminate_event(),
    "signal": signal_event("S"),
    "escalation": escalation_event("X"),
    "conditional": conditional_event("=n = 1"),
    "compensate": tag("compensateEventDefinition"),
    "cancel": tag("cancelEventDefinition"),
    "link": link_event("L"),
}
ROOT = (
    message("M", "m", key="=k"),
    error("E", "code"),
    escalation("X", "code"),
    signal("S", "s"),
)


def with_event(position: str, trigger: str) -> tuple[str, ...]:
    attached = {"attachedToRef": "t"} if position == "boundaryEvent" else {}
    event = tag(position, DEFINITIONS[trigger], id="x", **attached)
    flows = chain("s", "t") if position in ("startEvent", "boundaryEvent") else chain("s", "t", "x")
    if trigger == "link" and trigger in TRIGGERS[position]:  # what is at its other end
        other = throw if position == "intermediateCatchEvent" else catch
        event += other("y", link_event("L"))
        flows = chain("s", "t", "y") if other is throw else flows
    first = start("s", timer(cycle="R/PT1H"))
    if trigger == "compensate" and position == "boundaryEvent":  # what it is associated with
        flows += for_compensation(task("undo"))
        flows += tag("association", id="by", sourceRef="x", targetRef="undo")
    if trigger == "cancel" and trigger in TRIGGERS[position]:  # it belongs to a transaction
        inside = (start("is"), chain("is", "x"), event) if position == "endEvent" else ()
        way_out = boundary("out", "t", cancel_event()) if inside else event
        return (first, transaction("t", *inside or (start("is"),)), way_out, chain("s", "t"))
    return (first, task("t"), event, flows, *ROOT)


@pytest.mark.parametrize("trigger", DEFINITIONS)
@pytest.mark.parametrize("position", TRIGGERS)
def test_every_trigger_runs_where_the_table_says_and_is_an_error_elsewhere(
    position: str, trigger: str
) -> None:
    made = resource(*with_event(position, trigger))
    if trigger in TRIGGERS[position]:
        element = made.process("p").element("x")
        assert element.trigger.__struct_config__.tag == trigger  # type: ignore[union-attr]  # events
        return
    finding = only_finding(made)
    assert (finding.severity, finding.element) == ("error", "x")
    expected = "event-definition-missing" if trigger == "none" else "unsupported-element"
    assert finding.code == expected


def test_an_event_may_wait_for_any_of_several() -> None:
    both = timer(duration="PT1S") + message_event("M")
    model = compiled(start("s"), catch("c", both), chain("s", "c"), *ROOT)
    trigger = model.element("c").trigger  # type: ignore[union-attr]  # an event
    assert isinstance(trigger, e.MultipleTrigger)
    assert [part.__struct_config__.tag for part in trigger.triggers] == ["timer", "message"]
    assert not trigger.parallel


@pytest.mark.parametrize(
    "event",
    [
        catch("x", message_event("M") + link_event("L")),
        throw("x", signal_event("S") + timer(duration="PT1S")),
        throw("x", signal_event("S") + error_event("E")),
        boundary("x", "t", message_event("M") + compensate_event()),
        boundary("x", "t", message_event("M") + terminate_event()),
        together(boundary("x", "t", message_event("M") + error_event("E"))),
        together(boundary("x", "t", message_event("M") + escalation_event())),
        together(throw("x", signal_event("S") + message_event("M"))),
        event_sub_process("on", start("x", message_event("M") + compensate_event())),
        start("x", message_event("M") + error_event("E")),
    ],
)
def test_not_everything_may_stand_together(event: str) -> None:
    made = resource(start("s"), task("t"), event, *ROOT)
    assert ("unsupported-element", "x") in codes(made)
    assert not made.deployable


@pytest.mark.parametrize(
    "endings",
    [
        error_event("E") + terminate_event(),
        message_event("M") + error_event("E") + error_event("E"),
    ],
)
def test_a_scope_ends_in_one_way(endings: str) -> None:
    made = resource(start("s"), end("x", endings), chain("s", "x"), *ROOT)
    assert codes(made) == [("several-endings", "x")]


def test_what_an_event_throws_is_sorted_by_what_it_ends() -> None:
    model = compiled(
        start("s"),
        end("x", terminate_event() + compensate_event() + signal_event("S") + message_event("M")),
        chain("s", "x"),
        *ROOT,
    )
    trigger = model.element("x").trigger  # type: ignore[union-attr]  # an event
    kinds = [part.__struct_config__.tag for part in e.parts_of(trigger)]
    assert kinds == ["signal", "message", "compensate", "terminate"]


@pytest.mark.parametrize("interrupting", [True, False])
def test_several_with_an_error_always_interrupt(*, interrupting: bool) -> None:
    """10.5.4, table 10.92: of several the more restrictive value counts."""
    event = boundary("x", "t", message_event("M") + error_event("E"), interrupting=interrupting)
    made = resource(start("s"), task("t"), event, chain("s", "t"), *ROOT)
    expected = [] if interrupting else [("always-interrupting", "x")]
    assert codes(made) == expected
    assert made.deployable
    assert made.processes[0].element("x").interrupting  # type: ignore[union-attr]  # an event


def test_two_events_may_not_wait_for_the_same_among_others() -> None:
    made = resource(
        start("s"),
        task("t"),
        boundary("x", "t", message_event("M") + error_event("E")),
        boundary("y", "t", error_event("E") + signal_event("S")),
        chain("s", "t"),
        *ROOT,
    )
    assert codes(made) == [("duplicate-error", "y")]


# --- messages ---


def test_a_catch_event_knows_name_and_correlation_key() -> None:
    model = compiled(start("s"), catch("c", message_event("M")), chain("s", "c"),
                     message("M", "order-placed", key="=order.id"))  # fmt: skip
    caught = model.element("c")
    assert isinstance(caught, e.IntermediateCatchEvent)
    assert isinstance(caught.trigger, e.MessageTrigger)
    assert caught.trigger.name == "order-placed"
    assert caught.trigger.correlation_key is not None
    assert caught.trigger.correlation_key.text == "order.id"


def test_a_start_event_takes_every_key() -> None:
    model = compiled(start("s", message_event("M")), message("M", "order-placed", key="=orderId"))
    assert model.elements[0].trigger == e.MessageTrigger(name="order-placed", begins=True)  # type: ignore[union-attr]  # an event


def test_one_message_may_start_a_process_and_be_waited_for_in_another() -> None:
    made = compiled_resource(
        bpmn(
            message("M", "m", key="=k"),
            process("p", start("s", message_event("M"))),
            process("q", start("t"), receive_task("r", "M"), chain("t", "r")),
        )
    )
    assert made.findings == ()


def test_what_is_waited_for_needs_a_correlation_key() -> None:
    made = resource(
        start("s"), service_task("of-camunda-8"), receive_task("r", "M"),
        chain("s", "of-camunda-8", "r"), message("M", "m"),
    )  # fmt: skip
    finding = only_finding(made)
    assert (finding.code, finding.element, finding.line) == ("correlation-key-missing", "M", 3)


def test_without_a_dialect_a_message_is_waited_for_under_the_key_of_the_instance() -> None:
    made = resource(start("s"), receive_task("r", "M"), chain("s", "r"), message("M", "m"))
    assert codes(made) == []
    waiting = made.process("p").element("r")
    assert isinstance(waiting, e.ReceiveTask)
    assert waiting.trigger.correlation_key is not None
    assert "processBusinessKey" in waiting.trigger.correlation_key.text


def test_a_correlation_key_is_an_expression() -> None:
    made = resource(start("s"), receive_task("r", "M"), chain("s", "r"),
                    message("M", "m", key="orderId"))  # fmt: skip
    assert codes(made) == [("not-an-expression", "M")]


def test_a_message_needs_a_name() -> None:
    made = resource(start("s", message_event("M")), message("M", "", key="=k"))
    assert codes(made) == [("message-name-missing", "M")]


@pytest.mark.parametrize("event", [message_event("nowhere"), message_event("ns:nowhere")])
def test_a_message_that_is_referred_to_exists(event: str) -> None:
    made = resource(start("s"), catch("c", event), chain("s", "c"))
    assert codes(made) == [("dangling-reference", "c")]


def test_a_message_event_refers_to_a_message() -> None:
    made = resource(start("s"), catch("c", tag("messageEventDefinition")), chain("s", "c"))
    assert codes(made) == [("message-missing", "c")]


def test_the_name_of_a_message_may_be_an_expression_where_there_are_variables() -> None:
    model = compiled(start("s"), catch("c", message_event("M")), chain("s", "c"),
                     message("M", '="paid-" + region', key="=k"))  # fmt: skip
    caught = model.element("c")
    assert isinstance(caught, e.IntermediateCatchEvent)
    assert isinstance(caught.trigger, e.MessageTrigger)
    assert not isinstance(caught.trigger.name, str)


def test_the_name_of_a_message_that_starts_a_process_is_known_at_deployment() -> None:
    model = compiled(start("s", message_event("M")), message("M", '="order-" + "placed"'))
    assert model.elements[0].trigger == e.MessageTrigger(name="order-placed", begins=True)  # type: ignore[union-attr]  # an event


@pytest.mark.parametrize("name", ["=name", "=1 + 1", "=null"])
def test_a_process_is_not_started_by_a_message_without_a_constant_name(name: str) -> None:
    made = resource(start("s", message_event("M")), message("M", name))
    assert codes(made) == [("start-needs-constant", "M")]


# --- timers ---


@pytest.mark.parametrize("definition", [timer(), timer(date="=a", duration="=b"), timer(date=" ")])
def test_a_timer_has_exactly_one_definition(definition: str) -> None:
    made = resource(start("s"), catch("c", definition), chain("s", "c"))
    assert codes(made) == [("timer-definition", "c")]


@pytest.mark.parametrize(
    ("definition", "trigger"),
    [
        (timer(date=" 2030-01-01T00:00:00Z\n"), e.TimerTrigger(date="2030-01-01T00:00:00Z")),
        (timer(duration="PT1S"), e.TimerTrigger(duration="PT1S")),
    ],
)
def test_a_timer_keeps_what_it_says(definition: str, trigger: e.TimerTrigger) -> None:
    model = compiled(start("s"), catch("c", definition), chain("s", "c"))
    assert model.element("c").trigger == trigger  # type: ignore[union-attr]  # an event


# --- errors ---


def caught_error(definition: str, *, interrupting: bool = True) -> tuple[str, ...]:
    event = boundary("b", "t", definition, interrupting=interrupting)
    return (start("s"), task("t"), event, chain("s", "t"))


def test_a_boundary_event_catches_one_error_or_every() -> None:
    one = compiled(*caught_error(error_event("E")), error("E", "code"))
    every = compiled(*caught_error(error_event()))
    assert one.element("b").trigger == e.ErrorTrigger(code="code")  # type: ignore[union-attr]  # an event
    assert every.element("b").trigger == e.ErrorTrigger()  # type: ignore[union-attr]  # an event


def test_an_error_interrupts_whatever_is_drawn() -> None:
    made = resource(*caught_error(error_event(), interrupting=False))
    assert codes(made) == [("always-interrupting", "b")]
    event = made.process("p").element("b")
    assert isinstance(event, e.BoundaryEvent)
    assert event.interrupting


def test_an_end_event_throws_an_error_with_a_code() -> None:
    model = compiled(start("s"), end("x", error_event("E")), chain("s", "x"), error("E", "=code"))
    thrown = model.element("x")
    assert isinstance(thrown, e.EndEvent)
    assert isinstance(thrown.trigger, e.ErrorTrigger)
    assert not isinstance(thrown.trigger.code, str)


@pytest.mark.parametrize(
    ("definition", "found"),
    [
        (error_event(), ("error-missing", "x")),
        (error_event("nowhere"), ("dangling-reference", "x")),
        (error_event("E"), ("error-code-missing", "E")),
    ],
)
def test_an_error_that_is_thrown_needs_a_code(definition: str, found: tuple[str, str]) -> None:
    made = resource(start("s"), end("x", definition), chain("s", "x"), error("E", ""))
    assert codes(made) == [found]


def test_an_error_without_a_code_does_not_catch_all_by_accident() -> None:
    made = resource(*caught_error(error_event("E")), error("E", ""))
    assert codes(made) == [("error-code-missing", "E")]


def test_a_throw_event_without_a_definition_passes_through() -> None:
    model = compiled(start("s"), throw("x"), chain("s", "x"))
    assert isinstance(model.element("x"), e.IntermediateThrowEvent)
