"""Escalations, signals, conditions: what each event must say to be able to wait or to throw."""

import pytest

from engine.model import elements as e
from tests.support.findings import codes
from tests.support.models import (
    boundary,
    catch,
    chain,
    compiled,
    conditional_event,
    end,
    escalation,
    escalation_event,
    event_sub_process,
    message,
    message_event,
    resource,
    service_task,
    signal,
    signal_event,
    start,
    sub_process,
    tag,
    task,
    throw,
    timer,
)


@pytest.mark.parametrize(
    ("event", "found"),
    [
        (throw("x", escalation_event()), ("escalation-missing", "x")),
        (throw("x", escalation_event("nowhere")), ("dangling-reference", "x")),
        (throw("x", escalation_event("E")), ("escalation-code-missing", "E")),
        (catch("x", tag("signalEventDefinition")), ("signal-missing", "x")),
        (catch("x", signal_event("nowhere")), ("dangling-reference", "x")),
        (catch("x", tag("conditionalEventDefinition")), ("condition-missing", "x")),
        (catch("x", conditional_event(" ")), ("condition-missing", "x")),
        (catch("x", conditional_event("=1 +")), ("expression-syntax", "x")),
        (throw("x", tag("linkEventDefinition")), ("link-name-missing", "x")),
    ],
)
def test_what_an_event_refers_to_is_there(event: str, found: tuple[str, str]) -> None:
    made = resource(start("s"), event, chain("s", "x"), escalation("E", ""))
    assert codes(made) == [found]


def test_a_signal_has_a_name_and_in_plain_bpmn_its_id_is_one() -> None:
    parts = (signal("S", ""), start("s"), catch("x", signal_event("S")), chain("s", "x"))
    assert compiled(*parts).element("x").trigger == e.SignalTrigger(name="S")  # type: ignore[union-attr]  # an event
    vendor = (service_task("t"), chain("x", "t"))
    assert codes(resource(*parts, *vendor)) == [("signal-name-missing", "S")]


def test_an_escalation_is_caught_by_its_code_or_whatever_it_is() -> None:
    model = compiled(
        escalation("E", "late"),
        start("s"),
        task("t"),
        boundary("one", "t", escalation_event("E")),
        boundary("every", "t", escalation_event(), interrupting=False),
        chain("s", "t"),
    )
    assert model.element("one").trigger == e.EscalationTrigger(code="late")  # type: ignore[union-attr]  # an event
    assert model.element("every").trigger == e.EscalationTrigger()  # type: ignore[union-attr]  # an event


def test_two_events_of_one_activity_do_not_catch_one_escalation() -> None:
    twice = (boundary(name, "t", escalation_event("E"), interrupting=False) for name in "ab")
    made = resource(escalation("E", "late"), start("s"), task("t"), *twice, chain("s", "t"))
    assert codes(made) == [("duplicate-escalation", "b")]


@pytest.mark.parametrize("name", ["=name", "=1 + 1"])
def test_a_signal_that_starts_a_process_has_a_constant_name(name: str) -> None:
    made = resource(signal("S", name), start("s", signal_event("S")))
    assert codes(made) == [("start-needs-constant", "S")]


def test_a_condition_is_compiled_and_the_model_says_that_there_is_one() -> None:
    model = compiled(start("s"), catch("c", conditional_event("=n > 1")), chain("s", "c"))
    trigger = model.element("c").trigger  # type: ignore[union-attr]  # an event
    assert isinstance(trigger, e.ConditionTrigger)
    assert trigger.condition.text == "n > 1"
    assert model.conditional
    assert not compiled(start("s")).conditional


# --- event sub-processes ---


def on(*parts: str) -> str:
    return event_sub_process("on", *parts)


def test_an_event_sub_process_belongs_to_its_scope() -> None:
    late = start("late", timer(duration="PT1H"), interrupting=False)
    inner = event_sub_process("inner", start("later", timer(duration="PT2H")))
    model = compiled(start("s"), sub_process("sub", start("i"), inner), on(late), chain("s", "sub"))
    container, outer = model.element("sub"), model.element("on")
    assert isinstance(container, e.SubProcess)
    assert isinstance(outer, e.SubProcess)
    assert container.events == (model.element_index["later"],)
    assert model.events == (model.element_index["late"],)
    assert (outer.by_event, outer.starts) == (True, ())
    assert not model.element("late").interrupting  # type: ignore[union-attr]  # a start event


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        ((on(task("x")),), [("event-sub-process-start", "on")]),
        ((on(start("x")),), [("event-definition-missing", "x")]),
        (
            (on(start("x", timer(duration="PT1H")), start("y", timer(duration="PT1H"))),),
            [("event-sub-process-start", "on")],
        ),
        (
            (on(start("x", timer(duration="PT1H"))), chain("s", "on")),
            [("event-sub-process-flow", "on")],
        ),
        (
            (
                on(start("x", timer(duration="PT1H"))),
                boundary("b", "on", timer(duration="PT1H")),
            ),
            [("event-sub-process-boundary", "on")],
        ),
        ((on(start("x", timer(cycle="R/PT1H"))),), [("timer-cycle", "x")]),
        (
            (
                on(start("x", message_event("M"))),
                event_sub_process("too", start("y", message_event("M"))),
            ),
            [("duplicate-message", "y")],
        ),
    ],
)
def test_an_event_sub_process_is_begun_by_one_event(
    parts: tuple[str, ...], found: list[tuple[str, str]]
) -> None:
    made = resource(message("M", "m", key="=k"), start("s"), end("e"), chain("s", "e"), *parts)
    assert [each for each in codes(made) if each[0] != "unreachable"] == found


def test_the_key_of_a_message_that_begins_an_event_sub_process_is_needed() -> None:
    made = resource(
        message("M", "m"), start("s"), service_task("of-camunda-8"),
        on(start("x", message_event("M"))),
        chain("s", "of-camunda-8"),
    )  # fmt: skip
    assert codes(made) == [("correlation-key-missing", "M")]
