"""The window of client command ids: what was asked recently, and with which first outcome.

Two hashes take turns. When the one in use holds `size` ids the other is emptied and takes over, so
between `size` and twice as many of the last ids are known: a function of the log, not of time.

    size 3:   half 0: a b c   half 1: -          generation 0, count 3
    + d       half 0: a b c   half 1: d          generation 1, count 1
    + e f g   half 0: g       half 1: d e f      generation 2, count 1; a b c are forgotten
"""

from collections.abc import Iterator

import msgspec

from engine.partition import AppliedCommand
from schemas.snapshot import decode, encode
from storage.keys import PartitionKeys
from storage.ports import Delete, HashGet, HashPut, Operation, Put, StoreRead


class WindowPosition(msgspec.Struct, frozen=True):
    """`generation` modulo 2 is the half in use, `count` how many ids were put into it."""

    generation: int = 0
    count: int = 0

    def encode(self) -> bytes:
        return f"{self.generation},{self.count}".encode()

    @classmethod
    def decode(cls, value: bytes | None) -> "WindowPosition":
        if value is None:
            return cls()
        generation, count = value.decode().split(",")
        return cls(int(generation), int(count))


def lookup_reads(keys: PartitionKeys, command_id: str) -> tuple[StoreRead, StoreRead]:
    """What to read for one id; the answers go to `WindowBatch.learn`."""
    return (
        HashGet(keys.window_half(0), (command_id,)),
        HashGet(keys.window_half(1), (command_id,)),
    )


class WindowBatch:
    """The window as a batch sees it: what the store holds, and what the batch has added."""

    def __init__(self, position: WindowPosition, size: int) -> None:
        self._base = position
        self._size = size
        self.position = position
        self._added: dict[int, dict[str, AppliedCommand]] = {}
        self._stored: dict[str, tuple[bytes | None, bytes | None]] = {}

    def knows(self, command_id: str) -> bool:
        """Whether `find` can answer: the id was added here, or its stored halves were read."""
        return command_id in self._stored or self._find_added(command_id) is not None

    def learn(self, command_id: str, halves: tuple[bytes | None, bytes | None]) -> None:
        """What the two stored hashes hold for an id."""
        self._stored[command_id] = halves

    def find(self, command_id: str) -> AppliedCommand | None:
        """The first outcome of a command that the window knows. Raises DocumentError."""
        added = self._find_added(command_id)
        if added is not None:
            return added
        for generation in self._visible():
            if self._base.generation - 1 <= generation <= self._base.generation:
                value = self._stored[command_id][generation % 2]
                if value is not None:
                    return decode(value, AppliedCommand)
        return None

    def add(self, command_id: str, applied: AppliedCommand) -> None:
        generation, count = self.position.generation, self.position.count
        if count >= self._size:
            generation, count = generation + 1, 0
        self.position = WindowPosition(generation, count + 1)
        self._added.setdefault(generation, {})[command_id] = applied

    def operations(self, keys: PartitionKeys) -> Iterator[Operation]:
        """What to write. A half that was taken anew is emptied first."""
        if self.position == self._base:
            return
        yield Put(keys.window, self.position.encode())
        for generation in self._visible():
            if generation > self._base.generation:
                yield Delete(keys.window_half(generation % 2))
            added = self._added.get(generation)
            if added:
                fields = {name: encode(applied) for name, applied in added.items()}
                yield HashPut(keys.window_half(generation % 2), fields)

    def _visible(self) -> tuple[int, int]:
        return (self.position.generation, self.position.generation - 1)

    def _find_added(self, command_id: str) -> AppliedCommand | None:
        for generation in self._visible():
            applied = self._added.get(generation, {}).get(command_id)
            if applied is not None:
                return applied
        return None
