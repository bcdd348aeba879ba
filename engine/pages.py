"""Maps as wide as an instance, of which a copy shares all that it does not change.

A command on an instance of 16,000 branches must not cost 16,000. So a wide map is cut into pages,
and a copy takes over the pages as they are: who writes copies the one page first. Pages that are
the same object in two states have not changed between them, which is how a commit finds what it
must write, and an index what it must alter; what was read off a page once is kept with it.

    before   {0: A, 1: B, 2: C}          keys 0-127, 128-255, 256-383
    after    {0: A, 1: B', 2: C}         a copy, in which key 200 was set

Narrow maps stay dictionaries: they cost little to copy, and nothing is faster to read. Which of
the two a map is follows from its length alone (`paged`, `Ordered.writable`).
"""

from collections.abc import (
    Callable,
    Hashable,
    ItemsView,
    Iterable,
    Iterator,
    Mapping,
    MutableMapping,
    ValuesView,
)
from itertools import chain, compress, islice, repeat
from operator import is_not
from typing import Any, TypeAlias, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
R = TypeVar("R")

WIDE = 128
"""A map with more entries than this is kept, and stored, in pages."""

PAGE_BITS = 7
_SHARDS = 64
_SHARD = _SHARDS - 1


class Page(dict[int, V]):
    """The entries whose keys have the same number above `PAGE_BITS`, in the order of the keys.

    `owner` is the token of the one map that may change the page. `known` is what rules have read
    off it since nobody may.
    """

    __slots__ = ("known", "owner")

    def __init__(self, entries: Mapping[int, V], owner: object = None) -> None:
        super().__init__(entries)
        self.owner = owner
        self.known: dict[Callable[..., Any], Any] | None = None


class Pages(MutableMapping[int, V]):
    """A map by ascending integers, in pages. Its order is that of the keys."""

    __slots__ = ("_length", "_pages", "_token")

    def __init__(self, entries: Mapping[int, V] | None = None) -> None:
        self._token = object()
        self._length = 0
        self._pages: dict[int, Page[V]] = {}
        for key in sorted(entries or ()):
            self[key] = entries[key]  # type: ignore[index]  # None has no keys

    @classmethod
    def join(cls, pages: Mapping[int, Mapping[int, V]]) -> "Pages[V]":
        """The map of these pages, by their numbers, each in the order of its keys."""
        joined = cls()
        for number in sorted(pages):
            joined._pages[number] = Page(pages[number])
            joined._length += len(pages[number])
        return joined

    @classmethod
    def of(cls, values: Iterable[V]) -> "Pages[V]":
        """The map of these values by their places, from 0 on."""
        made = cls()
        left = iter(enumerate(values))
        while page := Page(dict(islice(left, 1 << PAGE_BITS)), made._token):
            made._pages[len(made._pages)] = page
            made._length += len(page)
        return made

    def copy(self) -> "Pages[V]":
        """A map with the same entries. From now on neither changes what the other has."""
        self._token = object()
        copied: Pages[V] = Pages()
        copied._pages = dict(self._pages)
        copied._length = self._length
        return copied

    @property
    def pages(self) -> Mapping[int, Page[V]]:
        """The pages by their numbers, in order. None of them is empty."""
        return self._pages

    def read(
        self, rule: Callable[[Mapping[int, V]], R], since: int = 0, *, backwards: bool = False
    ) -> Iterator[R]:
        """What a rule reads off each page, in order; it is known of those that stayed the same.

        The rule is a function of a module, which depends on nothing but the page. Pages with keys
        below `since` alone are passed over.
        """
        first = since >> PAGE_BITS
        pages = self._pages
        for number in reversed(pages) if backwards else pages:
            if number < first:
                continue
            page = pages[number]
            if page.owner is self._token:
                yield rule(page)
                continue
            if page.known is None:
                page.known = {}
            if rule not in page.known:
                page.known[rule] = rule(page)
            yield page.known[rule]

    def last_key(self) -> int:
        """The greatest key. Raises StopIteration when there is none."""
        return next(reversed(self._pages[next(reversed(self._pages))]))

    # --- reading ---

    def __getitem__(self, key: int) -> V:
        try:
            return self._pages[key >> PAGE_BITS][key]
        except KeyError:
            raise KeyError(key) from None

    def get(self, key: int, default: Any = None) -> Any:
        page = self._pages.get(key >> PAGE_BITS)
        return default if page is None else page.get(key, default)

    def __contains__(self, key: object) -> bool:
        if not isinstance(key, int):
            return False
        page = self._pages.get(key >> PAGE_BITS)
        return page is not None and key in page

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[int]:
        return chain.from_iterable(self._pages.values())

    def values(self) -> ValuesView[V]:
        return _Values(self)

    def items(self) -> ItemsView[int, V]:
        return _Items(self)

    def __repr__(self) -> str:
        return f"Pages({dict(self)})"

    # --- writing ---

    def __setitem__(self, key: int, value: V) -> None:
        page = self._pages.get(key >> PAGE_BITS)
        if page is None or page.owner is not self._token:
            page = self._own(key >> PAGE_BITS)
        if key not in page:
            self._length += 1
            if page and next(reversed(page)) > key:
                _put_in_order(page, key, value)
                return
        page[key] = value

    def __delitem__(self, key: int) -> None:
        number = key >> PAGE_BITS
        page = self._pages.get(number)
        if page is None or key not in page:
            raise KeyError(key)
        if page.owner is not self._token:
            page = self._own(number)
        del page[key]
        self._length -= 1
        if not page:
            del self._pages[number]

    def _own(self, number: int) -> Page[V]:
        """The page, new or a copy, that only this map changes."""
        known = self._pages.get(number)
        page = Page({} if known is None else known, self._token)
        put_in_order(self._pages, number, page)
        return page


class _Values(ValuesView[V]):
    _mapping: Pages[V]

    def __iter__(self) -> Iterator[V]:
        return chain.from_iterable(page.values() for page in self._mapping.pages.values())


class _Items(ItemsView[int, V]):
    _mapping: Pages[V]

    def __iter__(self) -> Iterator[tuple[int, V]]:
        return chain.from_iterable(page.items() for page in self._mapping.pages.values())


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


# --- maps of either kind ---


def paged(entries: MutableMapping[int, V]) -> MutableMapping[int, V]:
    """The same entries in pages if there are many, else as a dictionary."""
    if len(entries) > WIDE:
        return entries if isinstance(entries, Pages) else Pages(entries)
    return entries if isinstance(entries, dict) else dict(entries.items())


def copied(entries: MutableMapping[int, V]) -> MutableMapping[int, V]:
    """A copy that may be changed."""
    return entries.copy() if isinstance(entries, Pages) else dict(entries)


def put_in_order(entries: MutableMapping[int, V], key: int, value: V) -> None:
    """Set an entry of a map that is in the order of its keys, so that it stays so."""
    if isinstance(entries, dict) and key not in entries and _last(entries) > key:
        _put_in_order(entries, key, value)
    else:
        entries[key] = value


def _last(entries: dict[int, V]) -> int:
    return next(reversed(entries)) if entries else -1


def _put_in_order(entries: dict[int, V], key: int, value: V) -> None:
    behind = {later: entries[later] for later in entries if later > key}
    for later in behind:
        del entries[later]
    entries[key] = value
    entries.update(behind)


def writable(entries: Mapping[K, V], epoch: int) -> MutableMapping[K, V]:
    """A map by any keys, to be changed in this epoch: a copy, unless it was made in it.

    Dictionaries are copied each time: they are short.
    """
    if len(entries) <= WIDE:
        return dict(entries.items())
    if isinstance(entries, Ordered):
        return entries.writable(epoch)
    return Ordered(entries, epoch)


def read(
    entries: Mapping[int, V], rule: Callable[[Mapping[int, V]], R], since: int = 0
) -> Iterator[R]:
    """What a rule reads off a map: page by page as `Pages.read`, or off all of it at once."""
    return entries.read(rule, since) if isinstance(entries, Pages) else iter((rule(entries),))


Change: TypeAlias = tuple[int, V | None, V | None]
"""A key, and what two maps have there; None: nothing."""


def changes(before: Mapping[int, V], after: Mapping[int, V]) -> Iterator[Change[V]]:
    """The entries that are not the same objects in two maps."""
    if isinstance(before, Pages) and isinstance(after, Pages):
        for _, old, new in page_changes(before.pages, after.pages):
            yield from _differing(old or {}, new or {})
    elif before is not after:
        yield from _differing(before, after)


def page_changes(before: Mapping[int, V], after: Mapping[int, V]) -> Iterator[Change[V]]:
    """As `changes`, of maps of which most entries are the same and at the same place.

    An object is an entry of one key only. So those at the same place need no second look, and this
    is done in C: all pages are passed over for every commit.
    """
    added = 0
    beside = chain(before.values(), repeat(None))
    for key in compress(after, map(is_not, after.values(), beside)):
        old, new = before.get(key), after[key]
        if old is not new:
            added += old is None
            yield key, old, new
    if len(before) + added > len(after):
        yield from ((key, old, None) for key, old in before.items() if key not in after)


def _differing(before: Mapping[int, V], after: Mapping[int, V]) -> Iterator[Change[V]]:
    for key, new in after.items():
        old = before.get(key)
        if old is not new:
            yield key, old, new
    for key, old in before.items():
        if key not in after:
            yield key, old, None
