"""Wide maps by any keys, in the order in which these came: pages by the ordinals of the keys.

    {"f": 1, "g": 1, "h": 2}     pages {0: {0: ("f", 1), 1: ("g", 1), 2: ("h", 2)}}

They lie inside other maps, so a draft of the state does not copy each of them. Who changes one says
in which epoch, and has a copy of its own for it (`writable`): the epoch is the revision of the
state that is being changed.
"""

from collections.abc import Hashable, ItemsView, Iterator, Mapping, MutableMapping, ValuesView
from itertools import chain
from typing import Any, TypeVar

from engine.pages import PAGE_BITS, WIDE, Page, Pages

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_SHARDS = 64
_SHARD = _SHARDS - 1


class Ordered(MutableMapping[K, V]):
    """A wide map by any keys, in pages, in the order in which the keys came.

    `epoch` tells who may change it: `writable` gives a copy to all who name another. Where a key
    is, its ordinal, is found by an index in shards, which is made when it is first asked for.
    """

    __slots__ = ("_entries", "_next", "_own", "_pages", "_shards", "epoch")

    def __init__(self, entries: Mapping[K, V], epoch: int = -1) -> None:
        self._take(Pages.of(entries.items()), epoch)

    @classmethod
    def join(cls, pages: Mapping[int, Mapping[int, tuple[K, V]]]) -> "Ordered[K, V]":
        """The map of these pages of ordinals."""
        joined: Ordered[K, V] = cls.__new__(cls)
        joined._take(Pages.join(pages), -1)
        return joined

    def _take(self, entries: Pages[tuple[K, V]], epoch: int) -> None:
        self.epoch = epoch
        self._entries = entries
        self._pages = entries.pages
        self._next = entries.last_key() + 1 if entries else 0
        self._shards: list[dict[K, int]] = []
        self._own = 0

    def _index(self) -> list[dict[K, int]]:
        self._shards = [{} for _ in range(_SHARDS)]
        self._own = (1 << _SHARDS) - 1
        for ordinal, (key, _) in self._entries.items():
            self._shards[hash(key) & _SHARD][key] = ordinal
        return self._shards

    @property
    def pages(self) -> Mapping[int, Page[tuple[K, V]]]:
        """The pages of keys and values by their ordinals."""
        return self._pages

    def writable(self, epoch: int) -> "Ordered[K, V]":
        """Itself, if it was made in this epoch, else a copy that was."""
        if self.epoch == epoch:
            return self
        copied: Ordered[K, V] = Ordered.__new__(Ordered)
        # What comes next follows from the entries alone, not from what was there once.
        copied._take(self._entries.copy(), epoch)
        copied._shards = list(self._shards or self._index())
        self._own = 0
        return copied

    def __getitem__(self, key: K) -> V:
        ordinal = (self._shards or self._index())[hash(key) & _SHARD][key]
        return self._pages[ordinal >> PAGE_BITS][ordinal][1]

    def get(self, key: K, default: Any = None) -> Any:
        ordinal = (self._shards or self._index())[hash(key) & _SHARD].get(key)
        return default if ordinal is None else self._pages[ordinal >> PAGE_BITS][ordinal][1]

    def __contains__(self, key: object) -> bool:
        return key in (self._shards or self._index())[hash(key) & _SHARD]

    def __len__(self) -> int:
        return len(self._entries)

    def __bool__(self) -> bool:
        return bool(self._pages)

    def __iter__(self) -> Iterator[K]:
        return (key for key, _ in self._entries.values())

    def values(self) -> ValuesView[V]:
        return _OrderedValues(self)

    def items(self) -> ItemsView[K, V]:
        return _OrderedItems(self)

    def __setitem__(self, key: K, value: V) -> None:
        number = hash(key) & _SHARD
        ordinal = (self._shards or self._index())[number].get(key)
        if ordinal is None:
            ordinal = self._next
            self._next += 1
            self._shard(number)[key] = ordinal
        self._entries[ordinal] = (key, value)

    def __delitem__(self, key: K) -> None:
        number = hash(key) & _SHARD
        if key not in (self._shards or self._index())[number]:
            raise KeyError(key)
        del self._entries[self._shard(number).pop(key)]

    def __repr__(self) -> str:
        return f"Ordered({dict(self)})"

    def _shard(self, number: int) -> dict[K, int]:
        """The shard, or a copy, that only this map changes."""
        if not self._own >> number & 1:
            self._shards[number] = dict(self._shards[number])
            self._own |= 1 << number
        return self._shards[number]


class _OrderedValues(ValuesView[V]):
    _mapping: Ordered[Any, V]

    def __iter__(self) -> Iterator[V]:
        pages = self._mapping.pages.values()
        return (value for page in pages for _, value in page.values())


class _OrderedItems(ItemsView[K, V]):
    _mapping: Ordered[K, V]

    def __iter__(self) -> Iterator[tuple[K, V]]:
        return chain.from_iterable(page.values() for page in self._mapping.pages.values())


def writable(entries: Mapping[K, V], epoch: int) -> MutableMapping[K, V]:
    """A map by any keys, to be changed in this epoch: a copy, unless it was made in it.

    Dictionaries are copied each time: they are short.
    """
    if len(entries) <= WIDE:
        return dict(entries.items())
    if isinstance(entries, Ordered):
        return entries.writable(epoch)
    return Ordered(entries, epoch)
