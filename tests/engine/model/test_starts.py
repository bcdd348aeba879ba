"""Where a process begins beside start events: what is read of it, and what is wrong with it."""

import pytest

from engine.model import elements as m
from tests.support.findings import codes, only_finding
from tests.support.models import (
    boundary,
    catch,
    chain,
    compiled,
    conditional_event,
    event_gateway,
    message,
    message_event,
    receive_task,
    resource,
    signal,
    signal_event,
    standard_loop,
    start,
    sub_process,
    tag,
    timer,
    together,
    user_task,
)

ROOTS = (message("m", "news"), message("n", "other", key="=x"), signal("go", "go!"))
BOTH = message_event("m") + message_event("n")


def gateway(*events: str, parallel: bool = False) -> tuple[str, ...]:
    ids = [event.partition('id="')[2].partition('"')[0] for event in events]
    flows = (chain("g", element_id) for element_id in ids)
    return event_gateway("g", instantiate=True, parallel=parallel), *events, *flows


def ids(model: m.ProcessModel, indexes: tuple[int, ...]) -> list[str]:
    return [model.elements[index].id for index in indexes]


def test_what_begins_a_process_is_listed_by_what_triggers_it() -> None:
    model = compiled(
        *ROOTS,
        message("o", "third"),
        *gateway(
            catch("a", message_event("m")),
            receive_task("b", "n"),
            catch("c", timer(cycle="R/PT1H") + signal_event("go")),
        ),
        receive_task("d", "o", instantiate=True),
    )
    assert ids(model, model.message_starts) == ["a", "b", "d"]
    assert ids(model, model.timer_starts) == ids(model, model.signal_starts) == ["c"]
    assert ids(model, model.alternative_starts) == ["a", "b", "c"]
    assert model.joint_starts == model.starts == ()


def test_a_none_start_event_before_a_gateway_that_begins_is_where_a_plain_start_begins() -> None:
    events = catch("a", message_event("m")), receive_task("b", "n")
    model = compiled(*ROOTS, start("s"), chain("s", "g"), *gateway(*events))
    assert ids(model, model.starts) == ["s"]
    assert ids(model, model.message_starts) == ids(model, model.alternative_starts) == ["a", "b"]


def test_what_an_instance_needs_together_is_listed_as_joint() -> None:
    model = compiled(
        *ROOTS,
        message("o", "third"),
        *gateway(catch("a", message_event("m")), receive_task("b", "n"), parallel=True),
        together(start("s", message_event("o") + signal_event("go"))),
    )
    assert ids(model, model.joint_starts) == ["a", "b", "s"]
    assert model.alternative_starts == ()
    found = model.element("g")
    assert isinstance(found, m.EventBasedGateway)
    assert (found.instantiate, found.parallel) == (True, True)


def test_messages_that_begin_a_process_need_no_correlation_key() -> None:
    model = compiled(*ROOTS, *gateway(catch("a", message_event("m")), receive_task("b", "n")))
    for element_id, name in (("a", "news"), ("b", "other")):
        trigger = m.trigger_of(model.element(element_id))
        assert trigger == m.MessageTrigger(name=name, begins=True)


def test_a_parallel_start_event_with_one_trigger_is_a_plain_one() -> None:
    model = compiled(*ROOTS, together(start("s", message_event("m"))))
    assert model.joint_starts == ()


@pytest.mark.parametrize(
    ("parts", "element", "words"),
    [
        (
            (user_task("t"), receive_task("x", "n", instantiate=True), chain("t", "x")),
            "x", "has an incoming flow",
        ),
        (
            (start("s"), event_gateway("x", instantiate=True), user_task("t"), chain("s", "x"),
             catch("a", message_event("m")), catch("b", message_event("n")),
             chain("x", "a", "t"), chain("x", "b"), chain("t", "x")),
            "x", "that does not come from a none start event of its own",
        ),
        (
            (start("s"), event_gateway("x", instantiate=True), user_task("t"), chain("s", "x"),
             catch("a", message_event("m")), catch("b", message_event("n")),
             chain("x", "a", "t"), chain("x", "b"), chain("s", "t")),
            "x", "that does not come from a none start event of its own",
        ),
        (
            (start("s"), receive_task("x", "n", instantiate=True), chain("s", "x")),
            "x", "has an incoming flow",
        ),
        (
            (sub_process("sub", receive_task("x", "n", instantiate=True), user_task("t")),),
            "x", "lies in a sub-process",
        ),
        (
            (receive_task("x", "n", standard_loop(maximum="2"), instantiate=True),),
            "x", "may not be repeated",
        ),
        ((tag("userTask", id="x", instantiate="true"),), "x", "A userTask cannot begin"),
    ],
)  # fmt: skip
def test_what_cannot_begin_a_process_is_an_error(
    parts: tuple[str, ...], element: str, words: str
) -> None:
    finding = only_finding(resource(*ROOTS, *parts))
    assert (finding.code, finding.element) == ("cannot-instantiate", element)
    assert words in finding.message


def test_a_boundary_event_of_a_task_that_begins_the_process_has_no_effect() -> None:
    made = resource(
        *ROOTS,
        receive_task("x", "n", instantiate=True),
        boundary("late", "x", timer(duration="PT1H")),
    )
    assert made.deployable
    assert only_finding(made).code == "no-effect"
    assert only_finding(made).element == "late"


def test_only_where_a_process_begins_may_an_event_gateway_be_parallel() -> None:
    made = resource(
        *ROOTS,
        start("s"),
        event_gateway("x", parallel=True),
        catch("a", signal_event("go")),
        catch("b", timer(duration="PT1H")),
        chain("s", "x", "a"),
        chain("x", "b"),
    )
    assert codes(made) == [("parallel-event-gateway", "x")]


@pytest.mark.parametrize(
    "event", [catch("b", signal_event("go")), catch("b", timer(duration="PT1H"))]
)
def test_behind_a_parallel_gateway_that_begins_a_process_only_messages_run(event: str) -> None:
    made = resource(*ROOTS, *gateway(catch("a", message_event("m")), event, parallel=True))
    assert codes(made) == [("unsupported-element", "b")]


def test_an_event_that_needs_several_cannot_stand_behind_a_gateway_that_begins() -> None:
    made = resource(*ROOTS, *gateway(catch("a", signal_event("go")), together(catch("b", BOTH))))
    assert codes(made) == [("unsupported-element", "b")]


def test_no_two_beginnings_wait_for_the_same_message() -> None:
    made = resource(
        *ROOTS,
        start("s", message_event("m")),
        *gateway(catch("a", message_event("m")), receive_task("b", "n")),
    )
    assert codes(made) == [("duplicate-message", "a")]


def test_a_trigger_without_a_key_beside_messages_is_told() -> None:
    made = resource(*ROOTS, together(start("s", message_event("m") + signal_event("go"))))
    assert made.deployable
    assert codes(made) == [("start-without-key", "s")]


def test_the_timers_of_a_start_event_with_several_triggers_are_checked() -> None:
    made = resource(*ROOTS, start("s", message_event("m") + timer(duration="=later")))
    assert codes(made) == [("start-needs-constant", "s")]


def test_a_condition_may_begin_a_process_behind_a_gateway() -> None:
    model = compiled(
        *ROOTS, *gateway(catch("a", message_event("m")), catch("b", conditional_event("=n > 1")))
    )
    assert ids(model, model.condition_starts) == ["b"]
    assert not model.conditional


def test_a_start_event_of_the_process_interrupts_nothing_whatever_it_says() -> None:
    model = compiled(*ROOTS, together(start("s", BOTH, interrupting=False)))
    event = model.element("s")
    assert isinstance(event, m.StartEvent)
    assert event.interrupting
