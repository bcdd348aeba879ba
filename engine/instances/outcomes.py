"""The end of a transition: digest, history, what is sent in which order, the state that remains."""

from msgspec.structs import replace

from engine import commands as c
from engine.history import bury, chain, is_over, seal, split
from engine.instances.advance import Advance
from engine.instances.evolve import close_draft
from engine.outcome import Outcome, Send
from engine.records import Effect, Publication, Topic, Transition
from engine.state import ProcessInstance

# Two instances of one message at one instant both count only if a subscription that opens is known
# before the message that its instance settles is offered on, and closes come last.
_ORDER: dict[type[c.AnyCommand], int] = {
    c.OpenSubscription: 0,
    c.SettleMessage: 1,
    c.MessageStartSettled: 1,
    c.CloseSubscription: 2,
    c.ReleaseMessageKey: 2,
    c.EndConversation: 2,
}
_LAST = 3


def finish(
    advance: Advance,
    command_type: str,
    sends: tuple[Send, ...] = (),
    *,
    before: ProcessInstance | None = None,
) -> Outcome:
    """What the transition did. Without events nothing changed, and `before` stays."""
    consequences = advance.consequences
    ordered = sorted(
        (*sends, *consequences.sends), key=lambda send: _ORDER.get(type(send.command), _LAST)
    )
    if not advance.events:
        return Outcome(state=before, sends=tuple(ordered), timers=tuple(consequences.timers))
    _record(advance, command_type)
    state, context = advance.state, advance.context
    over = is_over(state)
    if not over:
        close_draft(state)
    return Outcome(
        state=bury(state, context.now, context.settings.tombstone_ms) if over else state,
        events=tuple(advance.events),
        publications=tuple(consequences.publications),
        sends=tuple(ordered),
        timers=tuple(consequences.timers),
        dirty=frozenset(advance.dirty),
    )


def _record(advance: Advance, command_type: str) -> None:
    """Chain the digest over the events, seal the effects with it, add the history."""
    state, context, consequences = advance.state, advance.context, advance.consequences
    parts = split(advance.events, context.settings.transition_bytes_max)
    for part in parts:
        state.digest = chain(state.digest, part.encoded)
    state.revision += 1
    consequences.publications = [
        _sealed(publication, state.digest) for publication in consequences.publications
    ]
    sequence = state.sequence - len(advance.events) + 1
    for number, part in enumerate(parts, start=1):
        transition = Transition(
            instance_id=state.instance_id,
            root_id=state.start.root_id,
            process_id=state.start.process_id,
            version=state.start.version,
            partition=context.partition,
            offset=context.offset,
            index=consequences.index,
            time=context.now,
            command_id=context.command_id,
            command_type=command_type,
            actor=context.actor,
            first_sequence=sequence,
            part=number,
            parts=len(parts),
            events=part.events,
        )
        consequences.publish(Topic.HISTORY, state.start.root_id, transition)
        sequence += len(part.events)


def _sealed(publication: Publication, digest: str) -> Publication:
    record = publication.record
    if not isinstance(record, Effect):
        return publication
    return replace(publication, record=seal(record, digest))
