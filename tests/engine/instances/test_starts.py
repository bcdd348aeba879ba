"""Starts that cannot be: each is answered, so that nobody waits for it."""

import pytest
from msgspec.structs import replace

from engine import commands as c
from engine.apply import apply
from engine.lifecycle import InstanceState
from engine.model.elements import ProcessModel
from engine.outcome import Context, Outcome
from engine.state import Tombstone
from tests.support.contexts import NOW, context
from tests.support.models import (
    chain,
    compiled,
    message,
    message_event,
    start,
    timer,
    user_task,
)

BY_MESSAGE = compiled(
    message("m", "go"), start("s", message_event("m")), user_task("t"), chain("s", "t")
)
BY_TIMER = compiled(start("s", timer(duration="PT1H")), user_task("t"), chain("s", "t"))


def with_model(model: ProcessModel) -> Context:
    return replace(context(), model=model)


def by_message(start_element: str = "s", variables: str = "{}") -> c.StartByMessage:
    return c.StartByMessage(
        instance_id="i",
        process_id="p",
        version=1,
        name="go",
        correlation_key="k",
        message=7,
        start_element=start_element,
        variables=variables,
    )


def tombstone(expires_at: int) -> Tombstone:
    return Tombstone(
        instance_id="i",
        process_id="p",
        version=1,
        business_key=None,
        state=InstanceState.COMPLETED,
        start_command_id="c",
        ended_at=NOW - 1,
        expires_at=expires_at,
    )


def settled(outcome: object) -> c.MessageStartSettled:
    assert isinstance(outcome, Outcome)
    command = outcome.sends[0].command
    assert isinstance(command, c.MessageStartSettled)
    assert (command.message, command.instance_id, command.process_id) == (7, "i", "p")
    return command


def test_a_message_start_is_settled() -> None:
    assert settled(apply(with_model(BY_MESSAGE), None, by_message())).accepted
    assert settled(apply(with_model(BY_MESSAGE), tombstone(NOW), by_message())).accepted


@pytest.mark.parametrize(
    "command",
    [
        by_message(start_element="t"),
        by_message(start_element="gone"),
        by_message(variables="[]"),
        by_message(variables='{"x": "' + "y" * 600_000 + '"}'),
    ],
    ids=["no start event", "unknown element", "no object", "too large"],
)
def test_a_message_start_that_cannot_be_is_refused(command: c.StartByMessage) -> None:
    outcome = apply(with_model(BY_MESSAGE), None, command)
    assert not settled(outcome).accepted
    assert isinstance(outcome, Outcome)
    assert outcome.state is None


def test_a_message_start_of_an_id_in_use_or_of_no_model_is_refused() -> None:
    assert not settled(apply(with_model(BY_MESSAGE), tombstone(NOW + 1), by_message())).accepted
    assert not settled(apply(context(), None, by_message())).accepted


def test_a_timer_start_that_cannot_be_is_passed_over() -> None:
    command = c.StartByTimer(instance_id="i", process_id="p", version=1, start_element="s")
    outcome = apply(with_model(BY_TIMER), None, command)
    assert isinstance(outcome, Outcome)
    assert outcome.state is not None
    grave = tombstone(NOW + 1)
    assert apply(with_model(BY_TIMER), grave, command) == Outcome(state=grave)
    assert apply(context(), None, command) == Outcome(state=None)
    elsewhere = c.StartByTimer(instance_id="i", process_id="p", version=1, start_element="t")
    assert apply(with_model(BY_TIMER), None, elsewhere) == Outcome(state=None)


def child(**fields: str) -> c.StartChild:
    return c.StartChild(
        instance_id="a~5",
        process_id="p",
        version=1,
        parent_id="a",
        parent_element=3,
        depth=1,
        **fields,  # type: ignore[arg-type]  # texts only
    )


@pytest.mark.parametrize(
    ("given", "command", "reason"),
    [
        (context(), child(), "not deployed"),
        (with_model(BY_MESSAGE), child(), "no none start event"),
        (
            with_model(compiled(start("s"), user_task("t"), chain("s", "t"))),
            child(variables="[]"),
            "JSON object",
        ),
    ],
)
def test_a_called_instance_that_cannot_start_tells_its_caller(
    given: Context, command: c.StartChild, reason: str
) -> None:
    outcome = apply(given, None, command)
    assert isinstance(outcome, Outcome)
    (send,) = outcome.sends
    assert isinstance(send.command, c.ChildEnded)
    assert (send.command.state, send.command.error_code) == ("FAILED", None)
    assert reason in (send.command.error_message or "")


def test_a_called_instance_starts_once() -> None:
    grave = tombstone(NOW + 1)
    model = compiled(start("s"), user_task("t"), chain("s", "t"))
    assert apply(with_model(model), grave, child()) == Outcome(state=grave)
