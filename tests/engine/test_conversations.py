"""The aggregate of a conversation: one holder, and who learns when there is none any more."""

import pytest
from msgspec.structs import replace

from engine import commands as c
from engine.aggregates import ConversationState
from engine.apply import apply
from engine.outcome import Outcome
from tests.support.contexts import HOUR, NOW, context

FIRST = c.StartByMessage(
    instance_id="i",
    process_id="p",
    version=1,
    start_element="s",
    name="paid",
    correlation_key="7",
    message=9,
    variables="{}",
    conversation="7",
)
OTHER = replace(FIRST, instance_id="j", name="ordered", message=10)
ENDED = c.EndConversation(process_id="p", key="7", instance_id="i")


def when(
    state: ConversationState | None, command: c.AnyCommand
) -> tuple[ConversationState | None, list[c.AnyCommand]]:
    outcome = apply(context(), state, command)
    assert isinstance(outcome, Outcome)
    assert outcome.state is None or isinstance(outcome.state, ConversationState)
    return outcome.state, [send.command for send in outcome.sends]


def held(*commands: c.AnyCommand) -> ConversationState:
    state: ConversationState | None = None
    for command in (FIRST, *commands):
        state, _ = when(state, command)
    assert state is not None
    return state


def test_the_first_that_asks_is_the_holder() -> None:
    state, sends = when(None, FIRST)
    assert state == ConversationState(process_id="p", key="7", holder="i", names=("paid",))
    assert sends == [replace(FIRST, holder="i")]


def test_all_others_are_sent_to_the_holder() -> None:
    state, sends = when(held(), OTHER)
    assert sends == [replace(OTHER, holder="i")]
    assert state == replace(held(), names=("paid", "ordered"))


def test_a_start_that_asks_again_changes_nothing() -> None:
    before = held()
    state, sends = when(before, FIRST)
    assert state is before
    assert sends == [replace(FIRST, holder="i")]


def test_the_messages_that_came_are_told_when_it_is_over() -> None:
    state, sends = when(held(OTHER), ENDED)
    assert state is None
    assert sends == [
        c.ReleaseMessageKey(
            name=name, correlation_key="7", process_id="p", instance_id="i"
        )
        for name in ("paid", "ordered")
    ]  # fmt: skip


def test_only_its_holder_ends_it() -> None:
    assert when(held(), replace(ENDED, instance_id="j")) == (held(), [])
    assert when(None, ENDED) == (None, [])


@pytest.mark.parametrize(("due_ms", "starts"), [(NOW - 1, 0), (NOW, 0), (NOW + 1, 1)])
def test_what_was_due_while_the_last_holder_had_timers_starts_no_other(
    due_ms: int, starts: int
) -> None:
    ended, sends = when(held(), replace(ENDED, ended_at=NOW))
    assert ended is not None
    assert ended.holder == ""
    assert len(sends) == 1
    timer = c.StartByTimer(
        instance_id="t", process_id="p", version=1, start_element="s", due_ms=due_ms,
        conversation="",
    )  # fmt: skip
    state, sends = when(ended, timer)
    assert len(sends) == starts
    assert state == (ended if not starts else replace(ended, holder="t", key="", ended_at=None))


def test_an_end_that_is_repeated_leaves_what_the_first_left() -> None:
    ended, _ = when(held(), replace(ENDED, ended_at=NOW))
    assert when(ended, replace(ENDED, ended_at=NOW + HOUR)) == (ended, [])
    state, sends = when(ended, OTHER)
    assert state == ConversationState(process_id="p", key="7", holder="j", names=("ordered",))
    assert sends == [replace(OTHER, holder="j")]
