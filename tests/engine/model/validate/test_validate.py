"""Drawings that make no sense, each reported where it has to be put right; and some that do."""

import pytest

from engine.model.compile import CompiledResource
from tests.support.findings import codes
from tests.support.models import (
    boundary,
    catch,
    chain,
    compiled,
    end,
    error_event,
    event_gateway,
    exclusive,
    flow,
    message,
    message_event,
    parallel,
    receive_task,
    resource,
    service_task,
    start,
    sub_process,
    tag,
    task,
    timer,
)

MESSAGES = (message("A", "a", key="=k"), message("B", "b", key="=k"))


def wrong(*parts: str) -> CompiledResource:
    made = resource(*parts, *MESSAGES)
    assert not made.deployable
    return made


def warned(*parts: str) -> CompiledResource:
    made = resource(*parts, *MESSAGES)
    assert made.deployable, made.findings
    return made


# --- flows ---


@pytest.mark.parametrize(("source", "target"), [("s", "inner"), ("inner", "after")])
def test_a_flow_does_not_cross_the_border_of_a_sub_process(source: str, target: str) -> None:
    made = wrong(
        start("s"),
        sub_process("sub", start("i"), task("inner"), flow("i", "inner")),
        task("after"),
        chain("s", "sub", "after"),
        flow(source, target, flow_id="f"),
    )
    assert codes(made) == [("flow-crosses-scope", "f")]


def test_nothing_leads_into_a_start_event() -> None:
    made = wrong(start("s"), task("t"), chain("s", "t", "s"))
    assert codes(made) == [("incoming-flow", "s")]


def test_nothing_leads_into_a_boundary_event() -> None:
    made = wrong(start("s"), task("t"), boundary("b", "t", error_event()), chain("s", "t", "b"))
    assert codes(made) == [("incoming-flow", "b")]


def test_nothing_leads_out_of_an_end_event() -> None:
    made = wrong(start("s"), end("e"), task("t"), chain("s", "e", "t"))
    assert codes(made) == [("outgoing-flow", "e")]


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("parallelGateway", "condition-ignored"),
        ("intermediateThrowEvent", "condition-behind-event"),
    ],
)
def test_a_condition_where_the_standard_has_none_is_a_warning(kind: str, code: str) -> None:
    made = warned(start("s"), tag(kind, id="x"), end("e"), chain("s", "x"),
                  flow("x", "e", condition="a", flow_id="f"))  # fmt: skip
    assert codes(made) == [(code, "f")]


def test_conditions_on_the_flows_of_an_activity_are_fine() -> None:
    compiled(
        start("s"), task("t", default="t-e2"), end("e1"), end("e2"),
        chain("s", "t"), flow("t", "e1", condition="a"), flow("t", "e2"),
    )  # fmt: skip


@pytest.mark.parametrize("node", [exclusive("x", default="s-x"), task("x", default="s-x")])
def test_the_default_flow_leaves_its_own_element(node: str) -> None:
    made = wrong(start("s"), node, end("e"), chain("s", "x", "e"))
    assert codes(made) == [("default-flow-elsewhere", "x")]


def test_the_default_flow_has_no_condition() -> None:
    made = wrong(start("s"), exclusive("g", default="f"), end("e"), chain("s", "g"),
                 flow("g", "e", condition="a", flow_id="f"))  # fmt: skip
    assert codes(made) == [("default-flow-condition", "f")]


def test_a_default_flow_where_none_is_taken_is_a_warning() -> None:
    made = warned(start("s"), tag("parallelGateway", id="x", default="x-e"), end("e"),
                  chain("s", "x", "e"))  # fmt: skip
    assert codes(made) == [("condition-ignored", "x")]


def test_of_two_flows_of_an_exclusive_gateway_each_has_a_condition_or_is_default() -> None:
    made = wrong(start("s"), exclusive("g"), end("e"), chain("s", "g"),
                 flow("g", "e", condition="a"), flow("g", "e", flow_id="f"))  # fmt: skip
    assert codes(made) == [("condition-missing", "f")]


def test_the_only_flow_of_an_exclusive_gateway_needs_no_condition() -> None:
    compiled(start("s"), exclusive("g"), end("e"), chain("s", "g", "e"))


# --- starts ---


def test_a_process_has_one_none_start_event_at_most() -> None:
    assert codes(wrong(start("s"), start("t"))) == [("several-none-starts", "p")]


def test_a_sub_process_has_one_none_start_event_at_most() -> None:
    made = wrong(start("s"), sub_process("sub", start("i"), start("j")), chain("s", "sub"))
    assert codes(made) == [("several-none-starts", "sub")]


def test_a_sub_process_is_not_started_by_a_trigger() -> None:
    inner = sub_process("sub", start("i", timer(duration="PT1S")))
    assert codes(wrong(start("s"), inner, chain("s", "sub"))) == [("sub-process-start", "i")]


def test_an_empty_process_does_not_begin() -> None:
    assert codes(wrong()) == [("no-start", "p")]


def test_an_empty_sub_process_does_not_begin() -> None:
    assert codes(wrong(start("s"), sub_process("sub"), chain("s", "sub"))) == [("no-start", "sub")]


def test_a_circle_without_a_start_does_not_begin() -> None:
    assert ("no-start", "p") in codes(wrong(task("a"), task("b"), chain("a", "b", "a")))


# --- reachability ---


def test_what_nothing_leads_to_is_a_warning() -> None:
    made = warned(
        start("s"), task("t"), task("lost"), end("e"), chain("s", "t"), chain("lost", "e")
    )
    assert codes(made) == [("unreachable", "lost"), ("unreachable", "e")]


def test_what_a_boundary_event_or_a_sub_process_leads_to_is_reached() -> None:
    compiled(
        start("s"),
        sub_process("sub", start("i"), task("inner"), chain("i", "inner")),
        boundary("b", "sub", error_event()),
        task("after"),
        chain("s", "sub"),
        chain("b", "after"),
    )


def test_only_the_border_of_what_is_not_reached_is_reported() -> None:
    made = warned(start("s"), sub_process("sub", start("i"), task("inner"), chain("i", "inner")))
    assert codes(made) == [("unreachable", "sub")]


# --- attachments ---


@pytest.mark.parametrize("host", [exclusive("x"), end("x"), catch("x", timer(duration="PT1S"))])
def test_a_boundary_event_is_attached_to_an_activity(host: str) -> None:
    made = wrong(start("s"), host, boundary("b", "x", error_event()), chain("s", "x"))
    assert codes(made) == [("boundary-not-on-activity", "b")]


def test_a_boundary_event_lies_where_its_activity_lies() -> None:
    inner = sub_process("sub", start("i"), boundary("b", "t", error_event()))
    made = wrong(start("s"), task("t"), inner, chain("s", "t", "sub"))
    assert codes(made) == [("boundary-crosses-scope", "b")]


# --- event-based gateways ---


def test_an_event_based_gateway_has_two_arms_at_least() -> None:
    made = wrong(start("s"), event_gateway("g"), catch("c", timer(duration="PT1S")),
                 chain("s", "g", "c"))  # fmt: skip
    assert codes(made) == [("event-gateway-arms", "g")]


def test_messages_timers_and_receive_tasks_follow_an_event_based_gateway() -> None:
    compiled(
        start("s"),
        event_gateway("g"),
        catch("a", message_event("A")),
        receive_task("b", "B"),
        catch("t", timer(duration="PT1S")),
        chain("s", "g"),
        *(flow("g", arm) for arm in "abt"),
        *MESSAGES,
    )


@pytest.mark.parametrize("arm", [task("x"), end("x"), parallel("x"), service_task("x")])
def test_nothing_else_follows_an_event_based_gateway(arm: str) -> None:
    made = wrong(start("s"), event_gateway("g"), catch("t", timer(duration="PT1S")), arm,
                 chain("s", "g", "t"), flow("g", "x"))  # fmt: skip
    assert codes(made) == [("event-gateway-arm", "x")]


def test_an_arm_of_an_event_based_gateway_has_no_other_incoming_flow() -> None:
    made = wrong(
        start("s"), parallel("fork"), event_gateway("g"),
        catch("t", timer(duration="PT1S")), catch("u", timer(duration="PT1S")),
        chain("s", "fork", "g", "t"), flow("g", "u"), flow("fork", "u"),
    )  # fmt: skip
    assert codes(made) == [("event-gateway-arm", "u")]


def test_a_receive_task_that_is_an_arm_has_no_boundary_event() -> None:
    made = wrong(
        start("s"), event_gateway("g"), receive_task("r", "A"), catch("t", timer(duration="PT1S")),
        boundary("b", "r", error_event()), chain("s", "g", "r"), flow("g", "t"),
    )  # fmt: skip
    assert codes(made) == [("event-gateway-arm", "r")]
