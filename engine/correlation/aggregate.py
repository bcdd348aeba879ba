"""Commands on a message aggregate: what comes in, what is over, and what is left of it.

The aggregate is gone when nothing is left; its numbers come from positions of the log, so that its
next life never meets those of the last one.
"""

from typing import TypeAlias

from msgspec.structs import replace

from engine import commands as c
from engine.aggregates import MessageState
from engine.correlation import message_ids
from engine.correlation.matching import end_lives, match
from engine.correlation.publishing import position, publish, told
from engine.correlation.subscriptions import InstanceCommand, change
from engine.outcome import Context, Outcome, TimerChange
from engine.rejections import Rejection
from engine.routing import message_address

MessageCommand: TypeAlias = c.PublishMessage | InstanceCommand | c.FireTimer

EXPIRY_TIMER = 0
"""The aggregate's one timer: the next instant at which something of it is over."""


def apply_message(
    context: Context, state: MessageState | None, command: MessageCommand
) -> Outcome | Rejection:
    """Apply a command to the aggregate of one (name, key); None: nothing is known of it.

    Only PublishMessage can be rejected: INVALID_ARGUMENT, TOO_LARGE, or ALREADY_EXISTS for a
    message id that still counts; accepted, its result is what `told` says. What comes
    twice or too late from an instance changes nothing.
    """
    if isinstance(command, c.FireTimer):
        return _fire(context, state, command)
    known = state or MessageState(name=command.name, correlation_key=command.correlation_key)
    known = _forget(context, known)
    if isinstance(command, c.PublishMessage):
        published = publish(context, known, command)
        if isinstance(published, Rejection):
            return published
        outcome = _finish(context, state, published)
        return replace(outcome, result=told(published.messages[-1], outcome.state))
    return _finish(context, state, change(known, command))


def _fire(context: Context, state: MessageState | None, command: c.FireTimer) -> Outcome:
    """The end of some life. An early firing, or one of another occurrence, changes nothing."""
    if state is None or state.timer_at is None or command.timer != EXPIRY_TIMER:
        stale = TimerChange(address=command.address, timer=command.timer, due_ms=None)
        return Outcome(state=state, timers=(stale,))
    if command.due_ms != state.timer_at or command.due_ms > context.now:
        return Outcome(state=state)
    return _finish(context, state, _forget(context, state))


def _forget(context: Context, state: MessageState) -> MessageState:
    """Without the message ids, and without the lives of messages, whose time is over."""
    ids = message_ids.forget(state.message_ids, context.now, position(context))
    if ids is not state.message_ids:
        state = replace(state, message_ids=ids)
    return end_lives(state, context.now)


def _finish(context: Context, before: MessageState | None, state: MessageState) -> Outcome:
    """Match what waits, set the timer, and drop an aggregate of which nothing is left."""
    matched, sends = match(context, state)
    due = _next_due(matched, context.now)
    after = None if _is_empty(matched) else replace(matched, timer_at=due)
    armed = before.timer_at if before is not None else None
    address = message_address(state.name, state.correlation_key)
    timer = TimerChange(address=address, timer=EXPIRY_TIMER, due_ms=due)
    return Outcome(
        state=before if _is_same(before, after) else after,
        sends=sends,
        timers=() if due == armed else (timer,),
    )


def _is_same(before: MessageState | None, after: MessageState | None) -> bool:
    """Very many message ids are not compared: who changes them has a copy."""
    if before is None or after is None:
        return before is after
    is_same = before.message_ids is after.message_ids
    return is_same and replace(before, message_ids={}) == replace(after, message_ids={})


def _is_empty(state: MessageState) -> bool:
    return not (state.subscriptions or state.messages or state.message_ids or state.started)


def _next_due(state: MessageState, now: int) -> int | None:
    """When to look again: as the first message ends, else when the last message id is over.

    Ids are compared with the time whenever they matter, so one firing serves many of them. A timer
    that is armed for an earlier instant stays: to move it at every message would cost more.
    """
    instants = [message.expires_at for message in state.messages if message.alive]
    if state.message_ids:
        instants.append(message_ids.last_instant(state.message_ids))
    if not instants:
        return None
    due = min(instants)
    if state.timer_at is not None and now < state.timer_at <= due:
        return state.timer_at
    return due
