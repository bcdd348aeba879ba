"""Compensation and cancellation as drawn: handlers are found, and what is wrong is reported."""

from engine.model import elements as e
from tests.support.findings import codes
from tests.support.models import (
    boundary,
    cancel_event,
    chain,
    compensate_event,
    compensation,
    compiled,
    end,
    event_sub_process,
    for_compensation,
    resource,
    start,
    sub_process,
    tag,
    task,
    throw,
    transaction,
)

UNDO = for_compensation(task("undo"))


def test_an_association_gives_an_activity_its_handler_whichever_way_it_is_drawn() -> None:
    for ends in (("x", "undo"), ("undo", "x")):
        model = compiled(
            start("s"),
            task("t"),
            UNDO,
            boundary("x", "t", compensate_event()),
            tag("association", id="by", sourceRef=ends[0], targetRef=ends[1]),
            chain("s", "t"),
        )
        activity = model.element("t")
        assert isinstance(activity, e.AbstractTask)
        assert activity.compensation == model.element("undo").index
        assert model.starts == (model.element("s").index,)


def test_an_event_sub_process_is_the_handler_of_the_sub_process_around_it() -> None:
    model = compiled(
        start("s"),
        sub_process(
            "sub",
            start("is"),
            event_sub_process("inner", start("es", compensate_event())),
        ),
        chain("s", "sub"),
    )
    sub = model.element("sub")
    assert isinstance(sub, e.SubProcess)
    assert sub.compensation == model.element("inner").index


def test_a_compensation_event_without_its_one_handler_is_an_error() -> None:
    made = resource(start("s"), task("t"), boundary("x", "t", compensate_event()), chain("s", "t"))
    assert codes(made) == [("compensation-handler", "x")]


def test_a_handler_that_is_not_marked_as_one_is_an_error() -> None:
    made = resource(start("s"), task("t"), task("undo"), compensation("t", "undo"), chain("s", "t"))
    assert ("not-for-compensation", "undo") in codes(made)


def test_flows_of_handlers_and_of_compensation_events_are_errors() -> None:
    made = resource(
        start("s"),
        task("t"),
        UNDO,
        compensation("t", "undo"),
        task("more"),
        chain("s", "t"),
        chain("undo", "more"),
        chain("undo-t", "more"),
    )
    assert sorted(codes(made)) == [("compensation-flow", "undo"), ("compensation-flow", "undo-t")]


def test_a_handler_in_another_scope_is_an_error() -> None:
    made = resource(
        start("s"),
        task("t"),
        sub_process("sub", start("is"), UNDO),
        compensation("t", "undo"),
        chain("s", "t", "sub"),
    )
    assert ("compensation-handler", "undo-t") in codes(made)


def test_two_handlers_of_one_activity_are_an_error() -> None:
    made = resource(
        start("s"),
        task("t"),
        UNDO,
        compensation("t", "undo"),
        boundary("x", "t", compensate_event()),
        tag("association", id="by", sourceRef="x", targetRef="undo"),
        chain("s", "t"),
    )
    assert codes(made) == [("compensation-handler", "x")]


def test_what_compensates_cannot_be_compensated() -> None:
    made = resource(
        start("s"),
        task("t"),
        UNDO,
        compensation("t", "undo"),
        for_compensation(task("again")),
        compensation("undo", "again"),
        chain("s", "t"),
    )
    assert codes(made) == [("compensation-handler", "undo")]


def test_a_compensation_of_nothing_or_out_of_reach_is_an_error() -> None:
    made = resource(
        start("s"),
        sub_process("sub", start("is"), task("t"), chain("is", "t")),
        throw("a", compensate_event("t")),
        throw("b", compensate_event("nowhere")),
        chain("s", "sub", "a", "b"),
    )
    assert codes(made) == [("compensation-out-of-reach", "a"), ("dangling-reference", "b")]


def test_a_process_itself_cannot_be_compensated() -> None:
    made = resource(start("s"), event_sub_process("inner", start("es", compensate_event())))
    assert codes(made) == [("compensation-of-process", "inner")]


def test_a_cancel_event_outside_of_a_transaction_is_an_error() -> None:
    made = resource(
        start("s"),
        task("t"),
        boundary("x", "t", cancel_event()),
        end("y", cancel_event()),
        chain("s", "t", "y"),
    )
    assert codes(made) == [
        ("cancel-outside-transaction", "x"),
        ("cancel-outside-transaction", "y"),
    ]


def test_a_transaction_that_can_be_canceled_needs_one_way_out() -> None:
    inside = (start("is"), end("ie", cancel_event()), chain("is", "ie"))
    none = resource(start("s"), transaction("t", *inside), chain("s", "t"))
    two = resource(
        start("s"),
        transaction("t", *inside),
        boundary("x", "t", cancel_event()),
        boundary("y", "t", cancel_event()),
        chain("s", "t"),
    )
    assert codes(none) == [("cancel-boundary-missing", "t")]
    assert codes(two) == [("several-cancel-events", "t")]
