"""What instances tell a message aggregate: that they wait, have moved on, took or refused."""

from typing import TypeAlias, assert_never

from msgspec.structs import replace

from engine import commands as c
from engine.aggregates import BufferedMessage, MessageState, Offer, OpenSubscriptionState

InstanceCommand: TypeAlias = (
    c.OpenSubscription
    | c.CloseSubscription
    | c.SettleMessage
    | c.MessageStartSettled
    | c.ReleaseMessageKey
)


def change(state: MessageState, command: InstanceCommand) -> MessageState:
    """The aggregate after what an instance says; what it does not know changes nothing."""
    match command:
        case c.OpenSubscription():
            return _open(state, command)
        case c.CloseSubscription():
            return _close(state, command.instance_id, command.subscription)
        case c.SettleMessage():
            return _settle(state, command)
        case c.MessageStartSettled():
            return _settle_start(state, command)
        case c.ReleaseMessageKey():
            return _release(state, command.process_id, command.instance_id)
        case _:
            assert_never(command)


def _open(state: MessageState, command: c.OpenSubscription) -> MessageState:
    named = (command.instance_id, command.subscription)
    if any((known.instance_id, known.subscription) == named for known in state.subscriptions):
        return state
    opened = OpenSubscriptionState(
        instance_id=command.instance_id,
        process_id=command.process_id,
        subscription=command.subscription,
        interrupting=command.interrupting,
    )
    return replace(state, subscriptions=(*state.subscriptions, opened))


def _close(state: MessageState, instance_id: str, subscription: int) -> MessageState:
    """Remove a subscription. An offer to it stays: the instance is asked, and will refuse it."""
    named = (instance_id, subscription)
    kept = tuple(
        known for known in state.subscriptions if (known.instance_id, known.subscription) != named
    )
    return replace(state, subscriptions=kept)


def _settle(state: MessageState, command: c.SettleMessage) -> MessageState:
    """An instance took a message, or refused it: then it goes on to the next subscription.

    Who refuses does not wait any more (it is gone, has moved on, is suspended), so a refusal ends
    the subscription. Acceptance ends an interrupting one at once, without waiting for its
    CloseSubscription: else it would be offered what its instance no longer waits for.
    """
    instance_id, number = command.instance_id, command.subscription
    state = _settled(state, command.message, (instance_id, number), accepted=command.accepted)
    if command.accepted and command.still_open:
        return state
    return _close(state, instance_id, number)


def _settle_start(state: MessageState, command: c.MessageStartSettled) -> MessageState:
    """An instance began with a message or, refusing, exists already: the key is free again.

    Unless another instance of its conversation has it: then the message waits, as one does that
    comes while the instance lives which it would have started.
    """
    offered_to = (command.instance_id, None)
    state = _settled(
        state, command.message, offered_to, accepted=command.accepted, held=bool(command.holder)
    )
    if command.accepted:
        return state
    state = _release(state, command.process_id, command.instance_id)
    if not command.holder:
        return state
    return replace(state, started={**state.started, command.process_id: command.holder})


def _settled(
    state: MessageState,
    number: int,
    offered_to: tuple[str, int | None],
    *,
    accepted: bool,
    held: bool = False,
) -> MessageState:
    messages = tuple(
        _decided(message, offered_to, accepted=accepted, held=held)
        if message.number == number
        else message
        for message in state.messages
    )
    return replace(state, messages=messages)


def _decided(
    message: BufferedMessage, offered_to: tuple[str, int | None], *, accepted: bool, held: bool
) -> BufferedMessage:
    """The message without the offer that was decided on, if it knows of such an offer."""
    decided = [offer for offer in message.offers if _named(offer) == offered_to]
    if not decided:
        return message
    offers = tuple(offer for offer in message.offers if _named(offer) != offered_to)
    if accepted:
        taken_by = (*message.taken_by, *(offer.process_id for offer in decided))
        return replace(message, offers=offers, taken_by=taken_by)
    refused_starts = message.refused_starts + (offered_to[1] is None and not held)
    return replace(message, offers=offers, refused_starts=refused_starts)


def _named(offer: Offer) -> tuple[str, int | None]:
    return offer.instance_id, offer.subscription


def _release(state: MessageState, process_id: str, instance_id: str) -> MessageState:
    """Free the key for a process, if it is this instance that holds it."""
    if state.started.get(process_id) != instance_id:
        return state
    started = {known: holder for known, holder in state.started.items() if known != process_id}
    return replace(state, started=started)
