"""The trail of an instance: transitions cut into parts, and the digest chained over them.

History alone gives the document back, at any transition, digest included: the digest is chained
over the events (`instances/evolve/fold.py`). An effect's own hangs on that of its transition and on
the effect's content, so that the same position with another content, or after another past, shows.
"""

import hashlib

import msgspec
from msgspec.structs import replace

from engine.events import AnyEvent
from engine.lifecycle import INSTANCE_TRANSITIONS
from engine.records import Effect
from engine.state import ProcessInstance, Tombstone

_ENCODER = msgspec.msgpack.Encoder()


class Part(msgspec.Struct, frozen=True):
    """Some events of a transition, and their encoded form, which the digest is chained over."""

    events: tuple[AnyEvent, ...]
    encoded: bytes


def encode(events: tuple[AnyEvent, ...]) -> bytes:
    """The form of some events that the digest is chained over."""
    return _ENCODER.encode(events)


def split(events: list[AnyEvent], bytes_max: int) -> list[Part]:
    """The events of a transition in parts whose encoded events weigh at most `bytes_max`.

    An event that is heavier (it sets a variable of that size) has a part of its own.
    """
    whole = _ENCODER.encode(events)
    if len(whole) <= bytes_max:
        return [Part(tuple(events), whole)]
    parts: list[tuple[AnyEvent, ...]] = []
    begin = weight = 0
    for position, event in enumerate(events):
        length = len(_ENCODER.encode(event))
        if weight and weight + length > bytes_max:
            parts.append(tuple(events[begin:position]))
            begin, weight = position, 0
        weight += length
    parts.append(tuple(events[begin:]))
    return [Part(part, _ENCODER.encode(part)) for part in parts]


def chain(digest: str, encoded: bytes) -> str:
    """The digest after these encoded events: 16 hexadecimal digits."""
    return _hash(digest, encoded)


def seal(effect: Effect, digest: str) -> Effect:
    """The effect with its digest, given the digest of its transition."""
    return replace(effect, digest=_hash(digest, _ENCODER.encode(effect)))


def _hash(digest: str, content: bytes) -> str:
    hashed = hashlib.blake2b(digest.encode(), digest_size=8)
    hashed.update(content)
    return hashed.hexdigest()


def is_over(state: ProcessInstance) -> bool:
    """The instance has ended: nothing can follow."""
    return not INSTANCE_TRANSITIONS[state.state]


def bury(state: ProcessInstance, now: int, tombstone_ms: int) -> Tombstone:
    """What is left of an instance that has ended at `now`."""
    return Tombstone(
        instance_id=state.instance_id,
        process_id=state.start.process_id,
        version=state.start.version,
        business_key=state.start.business_key,
        state=state.state,
        start_command_id=state.start.start_command_id,
        ended_at=now,
        expires_at=now + tombstone_ms,
        started_at=state.start.started_at,
    )
