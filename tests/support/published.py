"""What must hold of all that an engine has published, whatever became of its processes.

    effects = first_copies(wire, await wire.read("effects"))    # fails where a promise is broken

A record's identity is its position, which its header `ce_id` says: `<partition>-<offset>-<index>`.
"""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from engine.records import Effect, Transition
from tests.support.wire import Found, Wire

Position: TypeAlias = tuple[int, int]
"""(offset, index) of a record among those of its partition."""


class Subscriber:
    """Takes effects by the rule for them: what is not above the last of its partition is a copy.

    It also remembers the content of each, which a subscriber need not: a copy must be byte-equal,
    a first copy must be above all before it.
    """

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._last: dict[int, Position] = {}
        self._contents: dict[str, tuple[object, ...]] = {}
        self.effects: list[Effect] = []
        self.copies = 0

    def take(self, found: Found) -> Effect | None:
        """The effect, unless it is a copy. Fails where a promise is broken."""
        effect = self._wire.decode(found, Effect)
        assert effect.id == f"{effect.partition}-{effect.offset}-{effect.index}"
        assert effect.id == found.header("ce_id")
        assert effect.partition == found.partition, "effects of n are on effects partition n"
        content = (found.key, found.value, found.headers)
        if effect.id in self._contents:
            assert content == self._contents[effect.id], f"{effect.id} has two contents"
            self.copies += 1
            return None
        self._contents[effect.id] = content
        position, last = (effect.offset, effect.index), self._last.get(found.partition, (-1, -1))
        assert position > last, f"first copy of {effect.id} after that of {last}"
        self._last[found.partition] = position
        self.effects.append(effect)
        return effect


def first_copies(wire: Wire, records: Iterable[Found]) -> list[Effect]:
    """The effects of a whole topic, each once. Fails where a promise is broken."""
    subscriber = Subscriber(wire)
    for found in records:
        subscriber.take(found)
    return subscriber.effects


def check_history(wire: Wire, records: Iterable[Found]) -> None:
    """Copies are byte-equal, first copies in order, and no instance has a gap in its sequence."""
    contents: dict[str, bytes | None] = {}
    following: dict[str, int] = {}
    last: dict[int, Position] = {}
    for found in records:
        transition = wire.decode(found, Transition)
        name = f"{transition.partition}-{transition.offset}-{transition.index}"
        if name in contents:
            assert found.value == contents[name], f"history {name} has two contents"
            continue
        contents[name] = found.value
        position = (transition.offset, transition.index)
        assert position > last.get(found.partition, (-1, -1)), f"history {name} is late"
        last[found.partition] = position
        expected = following.get(transition.instance_id, transition.first_sequence)
        assert transition.first_sequence == expected, f"{transition.instance_id} has a gap"
        following[transition.instance_id] = expected + len(transition.events)


def of_type(effects: Sequence[Effect], *types: str) -> list[Effect]:
    """The effects of these types, in order."""
    return [effect for effect in effects if effect.type in types]


def counted(effects: Sequence[Effect], kind: str) -> dict[str, int]:
    """How many effects of a type each instance has."""
    found: dict[str, int] = {}
    for effect in of_type(effects, kind):
        found[effect.instance_id] = found.get(effect.instance_id, 0) + 1
    return found
