"""Listeners in the model: at which events of its life an element may have them."""

import pytest

from engine.model.elements import ProcessModel, jobs_of
from tests.support.models import (
    boundary,
    catch,
    chain,
    compensation,
    compiled,
    complex_gateway,
    end,
    error,
    error_event,
    event_gateway,
    exclusive,
    extension,
    extensions,
    flow,
    for_compensation,
    heard,
    inclusive,
    listener,
    looped,
    message,
    message_event,
    multi_instance,
    parallel,
    receive_task,
    resource,
    service_task,
    standard_loop,
    start,
    task,
    throw,
    timer,
    together,
)

MESSAGES = message("M", "m", key='="k"'), message("N", "n", key='="k"')


def findings(*parts: str) -> list[tuple[str, str, str | None]]:
    return [(each.severity, each.code, each.element) for each in resource(*parts).findings]


def own(**listeners: str) -> str:
    each = [listener(event, to) for event, to in listeners.items()]
    return extensions(extension("executionListeners", *each))


def line(element: str, *beside: str) -> tuple[str, ...]:
    return (start("s"), element, end("e"), chain("s", "x", "e"), *beside)


def events_of(model: ProcessModel, element_id: str) -> list[str]:
    return list(model.element(element_id).listeners)


@pytest.mark.parametrize(
    "element",
    [
        task("x"), service_task("x"), catch("x", timer(duration="PT1M")), throw("x"),
    ],
)  # fmt: skip
def test_activities_and_intermediate_events_have_listeners_at_both_ends(element: str) -> None:
    model = compiled(*line(heard(element, start="a", end="b")))
    assert events_of(model, "x") == ["start", "end"]


@pytest.mark.parametrize("gateway", [exclusive("x"), parallel("x"), inclusive("x")])
def test_a_gateway_has_listeners_at_its_start_only(gateway: str) -> None:
    assert events_of(compiled(*line(heard(gateway, start="a"))), "x") == ["start"]
    refused = findings(*line(heard(gateway, end="a")))
    assert refused == [("error", "unsupported-extension", "x")]


def test_a_complex_gateway_has_listeners_at_its_start_only() -> None:
    gate = complex_gateway("x", "=activationCount >= 1")
    assert events_of(compiled(*line(heard(gate, start="a"))), "x") == ["start"]
    assert findings(*line(heard(gate, end="a"))) == [("error", "unsupported-extension", "x")]


def test_a_start_event_has_listeners_at_its_end_only() -> None:
    parts = end("e"), chain("x", "e")
    assert events_of(compiled(heard(start("x"), end="a"), *parts), "x") == ["end"]
    refused = findings(heard(start("x"), start="a"), *parts)
    assert refused == [("error", "unsupported-extension", "x")]


def test_a_boundary_event_has_listeners_at_its_end_only() -> None:
    edge = boundary("b", "x", timer(duration="PT1M"))
    beside = end("late"), flow("b", "late")
    model = compiled(*line(task("x"), heard(edge, end="a"), *beside))
    assert events_of(model, "b") == ["end"]
    refused = findings(*line(task("x"), heard(edge, start="a"), *beside))
    assert refused == [("error", "unsupported-extension", "b")]


@pytest.mark.parametrize("event", ["start", "end"])
def test_a_compensation_boundary_event_has_no_listeners(event: str) -> None:
    undoing = compensation("x", "undo").split("\n")
    beside = heard(undoing[0], **{event: "a"}), *undoing[1:], for_compensation(task("undo"))
    assert findings(*line(task("x"), *beside)) == [
        ("error", "unsupported-extension", "undo-x")
    ]  # fmt: skip


def test_an_end_event_that_throws_an_error_has_listeners_at_its_start_only() -> None:
    def model(**listeners: str) -> tuple[str, ...]:
        bad = heard(end("x", error_event("E")), **listeners)
        return (error("E", "NO"), start("s"), bad, chain("s", "x"))

    assert events_of(compiled(*model(start="a")), "x") == ["start"]
    assert findings(*model(end="a")) == [("error", "unsupported-extension", "x")]


def test_only_a_multi_instance_activity_has_listeners_before_all() -> None:
    each = heard(task("x"), beforeAll="a")
    model = compiled(*line(looped(each, multi_instance(times="2"))))
    assert events_of(model, "x") == ["beforeAll"]
    assert findings(*line(each)) == [("error", "unsupported-extension", "x")]
    again = looped(each, standard_loop(maximum="2"))
    assert findings(*line(again)) == [("error", "unsupported-extension", "x")]


def test_a_process_has_listeners_at_both_ends_and_when_it_is_terminated() -> None:
    parts = start("s"), end("e"), chain("s", "e")
    model = compiled(own(start="a", end="b", cancel="c"), *parts)
    assert list(model.listeners) == ["start", "end", "cancel"]
    refused = findings(own(beforeAll="a"), *parts)
    assert refused == [("error", "unsupported-extension", "p")]


def test_only_a_process_has_listeners_of_its_termination() -> None:
    assert findings(*line(heard(task("x"), cancel="a"))) == [
        ("error", "unsupported-extension", "x")
    ]  # fmt: skip


@pytest.mark.parametrize(
    "begin",
    [
        receive_task("x", "M", instantiate=True),
        together(start("x", message_event("M") + message_event("N"))),
    ],
)
def test_a_process_that_begins_by_more_than_a_start_event_has_no_listeners_at_its_start(
    begin: str,
) -> None:
    parts = *MESSAGES, begin, end("e"), chain("x", "e")
    assert findings(own(start="a"), *parts) == [("error", "unsupported-extension", "p")]
    assert list(compiled(own(end="a"), *parts).listeners) == ["end"]


def test_a_gateway_that_begins_instances_has_no_listeners() -> None:
    parts = (
        *MESSAGES, catch("a", message_event("M")), catch("b", message_event("N")),
        chain("x", "a"), chain("x", "b"),
    )  # fmt: skip
    gate = heard(event_gateway("x", instantiate=True), start="a")
    assert findings(gate, *parts) == [("error", "unsupported-extension", "x")]


def test_a_listener_before_what_has_occurred_is_never_called() -> None:
    parts = (
        *MESSAGES, start("s"), event_gateway("g"), heard(catch("x", message_event("M")), start="a"),
        catch("b", message_event("N")), chain("s", "g", "x"), chain("g", "b"),
    )  # fmt: skip
    assert findings(*parts) == [("warning", "no-effect", "x")]


def test_two_listeners_of_one_type_at_one_event_are_an_error() -> None:
    assert findings(*line(heard(task("x"), start="a a"))) == [
        ("error", "duplicate-extension", "x")
    ]  # fmt: skip
    compiled(*line(heard(task("x"), start="a", end="a")))


def test_the_jobs_of_a_process_are_those_of_its_listeners_too() -> None:
    model = compiled(own(start="in"), *line(heard(service_task("x"), end="out")))
    assert [job.type for job in model.jobs] == ["in", "x", "out"]
    assert [job.type for job in jobs_of(model)] == ["in"]
