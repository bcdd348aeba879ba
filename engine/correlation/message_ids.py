"""The ids of messages that a publisher may repeat, each with the instant until which it counts.

One name and key may see very many within an hour, so they are kept in pages when they are
(`engine/ordered.py`): what a message costs does not depend on how many came before it. What is
asked of all of them at once is read off the pages, and known of those that stayed the same.
"""

from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any, TypeAlias

from engine.ordered import Ordered, writable
from engine.pages import WIDE, Page, look

MessageIds: TypeAlias = MutableMapping[str, int]


def remember(ids: MessageIds, message_id: str, until: int, epoch: int) -> MessageIds:
    """With one more. `epoch` is a number of its own for each command."""
    more = writable(ids, epoch)
    more[message_id] = until
    return more if len(more) <= WIDE or isinstance(more, Ordered) else Ordered(more, epoch)


def forget(ids: MessageIds, now: int, epoch: int) -> MessageIds:
    """Without those whose time is over; the very same where there are none."""
    over = [
        message_id
        for part in _parts(ids)
        if look(part, _first) <= now
        for message_id, until in _entries(part)
        if until <= now
    ]
    if not over:
        return ids
    left = writable(ids, epoch)
    for message_id in over:
        del left[message_id]
    return left if len(left) > WIDE else dict(left.items())


def last_instant(ids: MessageIds) -> int:
    """When the last of them is over. Raises ValueError when there is none."""
    return max(look(part, _last) for part in _parts(ids))


def weight(ids: MessageIds) -> int:
    """The characters of all of them."""
    return sum(look(part, _weight) for part in _parts(ids))


def _parts(ids: MessageIds) -> Iterator[Mapping[Any, Any]]:
    if isinstance(ids, Ordered):
        return iter(ids.pages.values())
    return iter((ids,) if ids else ())


def _entries(part: Mapping[Any, Any]) -> Iterator[tuple[str, int]]:
    """Pages hold ids with their instants, by ordinals."""
    return iter(part.values() if isinstance(part, Page) else part.items())


def _first(part: Mapping[Any, Any]) -> int:
    return min(until for _, until in _entries(part))


def _last(part: Mapping[Any, Any]) -> int:
    return max(until for _, until in _entries(part))


def _weight(part: Mapping[Any, Any]) -> int:
    return sum(len(message_id) for message_id, _ in _entries(part))
