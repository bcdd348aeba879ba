"""Who gets which message: the rules of the handshake, on states that are never changed in place.

A message is taken at most once per process id. It lives until `expires_at`; when its time ends it
is kept for the processes that were subscribed at that instant, until they have taken it or none of
their subscriptions is left. A message without a time to live meets the end of its time in the very
command that published it. So two that come at the same instant both count:

    P waits (subscription 1).  m comes: offered to 1.  n comes: 1 is busy, so n is kept for P.
    P takes m and waits again: opens 2, settles m, closes 1.  n is offered to 2.

Were n dropped because 1 is busy, or 2 opened after m is settled, n would be lost although P waited
when it came.
"""

from msgspec.structs import replace

from engine import commands as c
from engine.aggregates import BufferedMessage, MessageState, Offer, OpenSubscriptionState
from engine.ids import id_for_position
from engine.outcome import Context, Send

START_ATTEMPTS_MAX = 3
"""How often a message may be refused by an instance it was to start (its id was in use)."""


def end_lives(state: MessageState, now: int) -> MessageState:
    """End the life of every message whose time is over at `now`."""
    if not any(message.alive and message.expires_at <= now for message in state.messages):
        return state
    subscribed = [known.process_id for known in state.subscriptions]
    messages = tuple(
        _without_life(message, subscribed)
        if message.alive and message.expires_at <= now
        else message
        for message in state.messages
    )
    return replace(state, messages=messages)


def _without_life(message: BufferedMessage, subscribed: list[str]) -> BufferedMessage:
    offered = [offer.process_id for offer in message.offers]
    return replace(message, alive=False, kept_for=tuple(dict.fromkeys(subscribed + offered)))


def match(context: Context, state: MessageState) -> tuple[MessageState, tuple[Send, ...]]:
    """Offer messages to subscriptions and to start events, oldest first; drop what is over."""
    if not state.messages:
        return state, ()
    pairing = _Pairing(context, state)
    messages = tuple(pairing.offer(message) for message in state.messages)
    state = replace(state, messages=messages, started=pairing.started)
    state = end_lives(state, context.now)
    kept = tuple(message for message in state.messages if pairing.is_wanted(message))
    return replace(state, messages=kept), tuple(pairing.sends)


class _Pairing:
    """One walk over the messages of an aggregate: who is free, and what was offered."""

    def __init__(self, context: Context, state: MessageState) -> None:
        self.context = context
        self.state = state
        self.started = state.started
        self.sends: list[Send] = []
        self.waiting: dict[str, list[OpenSubscriptionState]] = {}
        for known in state.subscriptions:
            self.waiting.setdefault(known.process_id, []).append(known)
        self.busy = {
            (offer.instance_id, offer.subscription)
            for message in state.messages
            for offer in message.offers
        }
        self.starts = dict(reversed(context.definitions.message_starts(state.name)))
        self.asked: set[str] = set()

    def offer(self, message: BufferedMessage) -> BufferedMessage:
        """Offer a message to one subscription of every process that has yet to take it."""
        for process_id in self.waiting:
            if _is_open_to(message, process_id) and process_id not in self.asked:
                free = next(filter(self._is_free, self._candidates(message, process_id)), None)
                if free is not None:
                    message = self._deliver(message, free)
        for process_id in message.starts:
            if _is_open_to(message, process_id) and self._may_start(message, process_id):
                message = self._start(message, process_id)
        self.asked.update(
            offer.process_id for offer in message.offers if self._is_asked_about(offer)
        )
        return message

    def is_wanted(self, message: BufferedMessage) -> bool:
        """Whether it lives, is on offer, or is kept for a process whose subscriptions are busy."""
        if message.alive or message.offers:
            return True
        return any(
            _is_open_to(message, process_id) and any(self._candidates(message, process_id))
            for process_id in message.kept_for
        )

    def _is_asked_about(self, offer: Offer) -> bool:
        """Whether a conversation has yet to say which instance a message is for.

        It may be one that waits here by now. What comes behind the message must not overtake it:

            m comes: p:7 is asked.  i, which holds p:7, opens its wait.  n comes: it waits, too.
            i says that it has the key: m is offered to it, then n, if i waits for another.
        """
        process_id = offer.process_id
        if offer.subscription is not None or process_id not in self.starts:
            return False
        element_id, key = self.starts[process_id], self.state.correlation_key
        definitions = self.context.definitions
        return definitions.conversation(process_id, element_id, key) is not None

    def _candidates(self, message: BufferedMessage, process_id: str) -> list[OpenSubscriptionState]:
        waiting = self.waiting.get(process_id, [])
        if message.instance_id is None:
            return waiting
        return [known for known in waiting if known.instance_id == message.instance_id]

    def _is_free(self, known: OpenSubscriptionState) -> bool:
        return not known.interrupting or (known.instance_id, known.subscription) not in self.busy

    def _deliver(
        self, message: BufferedMessage, subscription: OpenSubscriptionState
    ) -> BufferedMessage:
        instance_id, number = subscription.instance_id, subscription.subscription
        self.busy.add((instance_id, number))
        command = c.DeliverMessage(
            instance_id=instance_id,
            subscription=number,
            message=message.number,
            name=self.state.name,
            correlation_key=self.state.correlation_key,
            variables=message.variables,
        )
        self.sends.append(Send(command=command))
        return _with_offer(
            message,
            Offer(process_id=subscription.process_id, instance_id=instance_id, subscription=number),
        )

    def _may_start(self, message: BufferedMessage, process_id: str) -> bool:
        return (
            process_id in self.starts
            and process_id not in self.started
            and message.refused_starts < START_ATTEMPTS_MAX
        )

    def _start(self, message: BufferedMessage, process_id: str) -> BufferedMessage:
        """Start the process; a key that is not empty is its alone until that instance ends."""
        context, key = self.context, self.state.correlation_key
        ref = context.definitions.find(process_id)
        if ref is None:
            return message
        instance_id = id_for_position(
            context.namespace, context.partition, context.offset, context.step, len(self.sends)
        )
        element_id = self.starts[process_id]
        conversation = context.definitions.conversation(process_id, element_id, key)
        command = c.StartByMessage(
            instance_id=instance_id,
            process_id=process_id,
            version=ref.version,
            start_element=element_id,
            name=self.state.name,
            correlation_key=key,
            message=message.number,
            variables=message.variables,
            checksum=ref.checksum,
            semantics=ref.semantics,
            conversation=conversation,
        )
        self.sends.append(Send(command=command))
        if key:
            self.started = {**self.started, process_id: instance_id}
        return _with_offer(
            message, Offer(process_id=process_id, instance_id=instance_id, subscription=None)
        )


def _is_open_to(message: BufferedMessage, process_id: str) -> bool:
    """Whether a process may be offered the message now."""
    if process_id in message.taken_by or not (message.alive or process_id in message.kept_for):
        return False
    return all(offer.process_id != process_id for offer in message.offers)


def _with_offer(message: BufferedMessage, offer: Offer) -> BufferedMessage:
    return replace(message, offers=(*message.offers, offer))
