"""Publishing: which message is taken in, and what is remembered of its id."""

from msgspec.structs import replace

from engine import commands as c
from engine.aggregates import BufferedMessage, MessageState
from engine.correlation import message_ids
from engine.instances.limits import NAME_LENGTH_MAX
from engine.outcome import AggregateState, Context
from engine.rejections import Rejection, RejectionCode
from engine.values import ValueDecodeError, decode_object, encode, encode_object

INSTANT_MAX = 2**53
"""Instants are scores of a sorted set, which are exact only below this."""


def publish(
    context: Context, state: MessageState, command: c.PublishMessage
) -> MessageState | Rejection:
    """Take a message in; matching decides at once what becomes of it.

    A message id that still counts is rejected, not accepted a second time: the second message may
    say something else, and its publisher must learn that it was not taken. Who only repeats the
    first reads ALREADY_EXISTS as "it is there".
    """
    try:
        variables = encode_object(decode_object(command.variables))
    except ValueDecodeError as error:
        return Rejection(RejectionCode.INVALID_ARGUMENT, f"variables: {error}")
    problem = _problem(context, state, command, variables)
    if problem is not None:
        return problem
    message = BufferedMessage(
        number=position(context),
        variables=variables,
        expires_at=context.now + command.ttl_ms,
        instance_id=command.instance_id,
        starts=_starts(context, command),
    )
    state = replace(state, messages=(*state.messages, message))
    if command.message_id is None:
        return state
    counts_for = max(command.ttl_ms, context.settings.message_id_ms_min)
    until = context.now + counts_for
    ids = message_ids.remember(state.message_ids, command.message_id, until, position(context))
    return replace(state, message_ids=ids)


def position(context: Context) -> int:
    """The command's place in the log of its partition, which no other has."""
    return (context.offset << 16) + context.step


def told(published: BufferedMessage, after: AggregateState | None) -> str:
    """What became of a message, for its publisher: the text of a JSON object.

    `offered_to` are the instances that it goes to or starts; each settles for itself whether it
    takes it. `buffered`: it stays for others, until the instant `expires_at` (epoch ms) or, when
    that is now, for those who are busy with another one. Neither: nobody will ever take it.
    """
    messages = after.messages if isinstance(after, MessageState) else ()
    found = next((each for each in messages if each.number == published.number), None)
    offers = found.offers if found is not None else ()
    return encode(
        {
            "offered_to": [offer.instance_id for offer in offers],
            "buffered": found is not None and (found.alive or not offers),
            "expires_at": published.expires_at,
        }
    )


def _starts(context: Context, command: c.PublishMessage) -> tuple[str, ...]:
    """The processes that the message may start: settled now, so that no later deployment adds any.

    A start event that came later would meet the message only when some other command touches the
    aggregate, at no instant that anybody could name.
    """
    if command.instance_id is not None:
        return ()
    starts = context.definitions.message_starts(command.name)
    return tuple(dict.fromkeys(process_id for process_id, _ in starts))


def _problem(
    context: Context, state: MessageState, command: c.PublishMessage, variables: str
) -> Rejection | None:
    if not command.name:
        return Rejection(RejectionCode.INVALID_ARGUMENT, "expected a message name, found none")
    length = max(len(command.name), len(command.correlation_key))
    if length > NAME_LENGTH_MAX:
        detail = f"expected name and key of at most {NAME_LENGTH_MAX} characters, found {length}"
        return Rejection(RejectionCode.INVALID_ARGUMENT, detail)
    if not 0 <= command.ttl_ms < INSTANT_MAX - context.now:
        detail = f"expected ttl_ms to be a time from now on, found {command.ttl_ms}"
        return Rejection(RejectionCode.INVALID_ARGUMENT, detail)
    until = state.message_ids.get(command.message_id) if command.message_id is not None else None
    if until is not None:
        detail = f"message id {command.message_id!r} is known already, and counts until {until}"
        return Rejection(RejectionCode.ALREADY_EXISTS, detail)
    return _too_large(context, state, variables)


def _too_large(context: Context, state: MessageState, variables: str) -> Rejection | None:
    size, limit = _size(variables), context.settings.variables_bytes_max
    if size > limit:
        detail = f"expected variables of at most {limit} bytes, found {size}"
        return Rejection(RejectionCode.TOO_LARGE, detail)
    held = sum(_size(message.variables) for message in state.messages)
    ids = message_ids.weight(state.message_ids)
    room = context.settings.message_buffer_bytes_max
    if held + ids + size > room:
        detail = (
            f"expected at most {room} bytes buffered under one name and key, "
            f"found {held} of messages, {ids} of message ids and {size} more"
        )
        return Rejection(RejectionCode.TOO_LARGE, detail)
    return None


def _size(text: str) -> int:
    return len(text.encode())
