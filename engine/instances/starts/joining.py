"""Joining: what might have started an instance reaches the one that its conversation has."""

from collections.abc import Callable, Mapping
from typing import Any, TypeGuard

from msgspec.structs import replace

from engine import commands as c
from engine import state as s
from engine.instances.advance import Advance
from engine.instances.conversations import is_holder
from engine.instances.guards import parse_variables
from engine.instances.keeping import keep
from engine.instances.scans import waits_at
from engine.instances.triggers import signal
from engine.outcome import AggregateState, Context, Outcome, Send
from engine.rejections import Rejection
from engine.settling import settled


def joins(
    state: AggregateState | None, context: Context, command: c.TriggeredStart
) -> TypeGuard[s.ProcessInstance]:
    """Whether a start is for the instance as it lives, and not for a new one."""
    if not isinstance(state, s.ProcessInstance) or context.model is None:
        return False
    named = (state.start.process_id, state.start.conversation)
    if named != (command.process_id, command.conversation) or not _is_another(command):
        return False
    return is_holder(context.model, state)


def _is_another(command: c.TriggeredStart) -> bool:
    return command.holder not in {"", command.instance_id}


def ask_again(
    state: AggregateState | None, context: Context, command: c.TriggeredStart
) -> Outcome | None:
    """A start for a holder that is none any more: its conversation is told, and asked again.

    None: the start joins this instance, or has one of its own.
    """
    if not _is_another(command) or joins(state, context, command):
        return None
    ended = c.EndConversation(
        process_id=command.process_id,
        key=command.conversation or "",
        instance_id=command.holder,
    )
    again = replace(command, holder="")
    return Outcome(state=state, sends=(Send(command=ended), Send(command=again)))


def _by_message(advance: Advance, command: c.StartByMessage) -> None:
    """Say who holds the key. If the instance waits for the message it gets it as any other.

    Its wait was opened before, and so is known by then where the message was published.
    """
    advance.send(settled(command, accepted=False, holder=advance.state.instance_id))


def _by_signal(advance: Advance, command: c.StartBySignal) -> None:
    """The instance takes it where it waits for it at its beginning."""
    variables = parse_variables(command.variables)
    if isinstance(variables, Rejection):
        return
    for wait in _waits(advance, command.start_element):
        if isinstance(wait, s.SignalWait) and wait.name == command.name:
            signal.take(advance, wait, variables)


def _by_condition(advance: Advance, command: c.StartByCondition) -> None:
    """What made it true comes to where the instance waits for that, and makes it true there."""
    variables = parse_variables(command.variables)
    if isinstance(variables, Rejection):
        return
    for wait in _waits(advance, command.start_element):
        if isinstance(wait, s.ConditionWait):
            keep(advance, wait.owner, advance.model.element(wait.element_id), variables)
            break


def _by_timer(_advance: Advance, _command: c.StartByTimer) -> None:
    """The instance has timers of its own: this one is not for it."""


def _waits(advance: Advance, element_id: str) -> list[s.SignalWait | s.ConditionWait]:
    return [
        wait
        for wait in map(advance.state.waits.__getitem__, waits_at(advance.state, element_id))
        if isinstance(wait, s.SignalWait | s.ConditionWait) and not advance.is_ending(wait.owner)
    ]


# Any: each row takes its own kind of command, which the key names.
JOINS: Mapping[type[c.AnyCommand], Callable[[Advance, Any], Rejection | None]] = {
    c.StartByMessage: _by_message,
    c.StartBySignal: _by_signal,
    c.StartByTimer: _by_timer,
    c.StartByCondition: _by_condition,
}
