"""Times that can be read, and events that cannot be mistaken for one another."""

import pytest

from engine.model.compile import CompiledResource
from tests.support.findings import codes
from tests.support.models import (
    boundary,
    catch,
    chain,
    compiled,
    error,
    error_event,
    event_gateway,
    flow,
    message,
    message_event,
    receive_task,
    resource,
    start,
    task,
    timer,
    user_task,
)


def caught(trigger: str) -> CompiledResource:
    return resource(start("s"), catch("c", trigger), chain("s", "c"))


def attached(trigger: str, *, interrupting: bool) -> CompiledResource:
    event = boundary("b", "t", trigger, interrupting=interrupting)
    return resource(start("s"), task("t"), event, chain("s", "t"))


@pytest.mark.parametrize("duration", ["PT15M", "P1Y2M3DT4H5M6S", "-PT1S", "=delay", "PT0S"])
def test_a_duration_that_can_be_read_is_fine(duration: str) -> None:
    assert codes(caught(timer(duration=duration))) == []


@pytest.mark.parametrize("duration", ["15 minutes", "P", "PT", "R/PT1S", "2030-01-01T00:00:00Z"])
def test_a_duration_that_cannot_be_read_is_an_error(duration: str) -> None:
    assert codes(caught(timer(duration=duration))) == [("bad-timer-duration", "c")]


@pytest.mark.parametrize(
    "date", ["2030-01-01T00:00:00Z", "2030-01-01T00:00:00+01:00[Europe/Berlin]", "=when"]
)
def test_a_date_that_can_be_read_is_fine(date: str) -> None:
    assert codes(caught(timer(date=date))) == []


@pytest.mark.parametrize("date", ["tomorrow", "2030-13-01T00:00:00Z", "PT1S"])
def test_a_date_that_cannot_be_read_is_an_error(date: str) -> None:
    assert codes(caught(timer(date=date))) == [("bad-timer-date", "c")]


@pytest.mark.parametrize("cycle", ["R/PT1H", "R3/PT10S", "0 0 9 * * MON-FRI", "=cycle"])
def test_a_cycle_that_can_be_read_repeats_at_a_boundary(cycle: str) -> None:
    assert codes(attached(timer(cycle=cycle), interrupting=False)) == []


@pytest.mark.parametrize("cycle", ["sometimes", "R3", "0 0 99 * * *"])
def test_a_cycle_that_cannot_be_read_is_an_error(cycle: str) -> None:
    made = attached(timer(cycle=cycle), interrupting=False)
    assert codes(made) == [("bad-timer-cycle", "b")]


def test_where_an_event_happens_once_a_cycle_does_not_repeat_and_that_is_told() -> None:
    for made, element in (
        (caught(timer(cycle="R3/PT1S")), "c"),
        (attached(timer(cycle="R3/PT1S"), interrupting=True), "b"),
    ):
        assert made.deployable
        assert codes(made) == [("timer-cycle", element)]


@pytest.mark.parametrize(
    "trigger", [timer(duration="=delay"), timer(date="=day"), timer(cycle="=c")]
)
def test_a_timer_that_starts_a_process_has_no_variables(trigger: str) -> None:
    assert codes(resource(start("s", trigger))) == [("start-needs-constant", "s")]


@pytest.mark.parametrize(
    "trigger",
    [
        timer(duration='=duration("PT1H")'),
        timer(date='=now() + duration("P1D")'),
        timer(cycle='="R/" + "PT1H"'),
        timer(cycle="R5/PT10M"),
    ],
)
def test_a_timer_that_starts_a_process_may_be_a_constant_expression(trigger: str) -> None:
    compiled(start("s", trigger))


def test_a_constant_expression_that_gives_no_time_is_an_error() -> None:
    assert codes(resource(start("s", timer(duration="=1 + 1")))) == [("bad-timer-duration", "s")]
    assert codes(resource(start("s", timer(cycle="=null")))) == [("bad-timer-cycle", "s")]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"due_date": "soon"}, "bad-task-date"),
        ({"follow_up_date": "P1X"}, "bad-task-date"),
        ({"priority": "high"}, "bad-task-priority"),
        ({"priority": "1.5"}, "bad-task-priority"),
    ],
)
def test_what_a_user_task_says_is_read_at_deployment(fields: dict[str, str], code: str) -> None:
    made = resource(start("s"), user_task("u", **fields), chain("s", "u"))  # type: ignore[arg-type]  # texts only
    assert codes(made) == [(code, "u")]


def test_dates_and_priorities_of_a_user_task_may_be_expressions() -> None:
    task_ = user_task("u", due_date="=due", follow_up_date="2030-01-01T10:00:00Z", priority="=p")
    compiled(start("s"), task_, chain("s", "u"))


# --- ambiguity ---


def test_two_start_events_do_not_wait_for_the_same_message() -> None:
    made = resource(start("a", message_event("A")), start("b", message_event("B")),
                    message("A", "same"), message("B", "same"))  # fmt: skip
    assert codes(made) == [("duplicate-message", "b")]


def test_two_boundary_events_of_an_activity_do_not_wait_for_the_same_message() -> None:
    made = resource(
        start("s"), task("t"), boundary("a", "t", message_event("A")),
        boundary("b", "t", message_event("A"), interrupting=False), chain("s", "t"),
        message("A", "same", key="=k"),
    )  # fmt: skip
    assert codes(made) == [("duplicate-message", "b")]


@pytest.mark.parametrize("code", ["E", None])
def test_two_boundary_events_of_an_activity_do_not_catch_the_same_error(code: str | None) -> None:
    reference = None if code is None else "err"
    made = resource(
        start("s"), task("t"), boundary("a", "t", error_event(reference)),
        boundary("b", "t", error_event(reference)), chain("s", "t"), error("err", "E"),
    )  # fmt: skip
    assert codes(made) == [("duplicate-error", "b")]


def test_one_error_and_the_rest_are_told_apart() -> None:
    compiled(
        start("s"), task("t"), boundary("a", "t", error_event("err")),
        boundary("b", "t", error_event()), chain("s", "t"), error("err", "E"),
    )  # fmt: skip


def test_two_arms_of_a_gateway_do_not_wait_for_the_same_message() -> None:
    made = resource(
        start("s"), event_gateway("g"), catch("a", message_event("A")), receive_task("b", "A"),
        chain("s", "g", "a"), flow("g", "b"), message("A", "same", key="=k"),
    )  # fmt: skip
    assert codes(made) == [("duplicate-message", "b")]


def test_messages_named_by_expressions_are_told_apart_at_run_time() -> None:
    compiled(
        start("s"), task("t"), boundary("a", "t", message_event("A")),
        boundary("b", "t", message_event("A")), chain("s", "t"), message("A", "=name", key="=k"),
    )  # fmt: skip
