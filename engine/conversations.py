"""The aggregate `conversation:<process>:<key>`: what belongs to one instance, whatever comes first.

A start event may need several triggers, and an event-based gateway that begins a process waits for
several events. They come to different partitions at the same time; here is the one place that says
which instance they are for. The first start that asks makes its own instance the holder, all others
are sent to that one:

    message a, key 7 -> conversation p:7: nobody    instance i is started, and waits for b
    message b, key 7 -> conversation p:7: i         i is asked; its wait for b is known by then
                                                    where b was published, and takes it

BPMN 13.2: "a new Process instance is only created if none already exists for the specific
Conversation (identified through its associated correlation information) of the Event occurrence.
Subsequent Start Events that share the same correlation information as a Start Event that created a
Process instance are routed to that Process instance."

The holder tells when it is over. One that is gone already sends what it is asked back here, behind
the word that it is.
"""

from typing import TypeGuard

from msgspec.structs import replace

from engine import commands as c
from engine.aggregates import ConversationState
from engine.outcome import Context, Outcome, Send


def is_asked(command: c.AnyCommand) -> TypeGuard[c.TriggeredStart]:
    """Whether a start has yet to learn here which instance it is for."""
    return (
        isinstance(command, c.TriggeredStart)
        and command.conversation is not None
        and not command.holder
    )


def apply_conversation(
    _context: Context,
    state: ConversationState | None,
    command: c.TriggeredStart | c.EndConversation,
) -> Outcome:
    """Send a start on to the holder; or forget the holder, so that the next may be one."""
    if isinstance(command, c.EndConversation):
        return _end(state, command)
    if isinstance(command, c.StartByTimer) and _is_past(state, command):
        return Outcome(state=state)
    known = state
    if known is None or not known.holder:
        known = ConversationState(
            process_id=command.process_id,
            key=command.conversation or "",
            holder=command.instance_id,
        )
    if isinstance(command, c.StartByMessage) and command.name not in known.names:
        known = replace(known, names=(*known.names, command.name))
    return Outcome(
        state=state if known == state else known,
        sends=(Send(command=replace(command, holder=known.holder)),),
    )


def _is_past(state: ConversationState | None, command: c.StartByTimer) -> bool:
    """Whether the timer was due for the last holder as well, which had one of its own.

    9:00 every day, and a message; it comes at 8:00 and starts i, whose own timer is due at 9:00
    9:00   i has all that it needs, and says so; the process's timer is due, too, and asks here:
           were an instance started now, it would need no other 9:00
    """
    return state is not None and state.ended_at is not None and command.due_ms <= state.ended_at


def _end(state: ConversationState | None, command: c.EndConversation) -> Outcome:
    """Messages of its key may start an instance again, also those that have waited for that."""
    if state is None or state.holder != command.instance_id:
        return Outcome(state=state)
    releases = (
        c.ReleaseMessageKey(
            name=name,
            correlation_key=state.key,
            process_id=state.process_id,
            instance_id=state.holder,
        )
        for name in state.names
    )
    left = None
    if command.ended_at is not None:
        left = replace(state, holder="", names=(), ended_at=command.ended_at)
    return Outcome(state=left, sends=tuple(Send(command=release) for release in releases))
