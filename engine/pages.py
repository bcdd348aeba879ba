"""Maps as wide as an instance, of which a copy shares all that it does not change.

A command on an instance of 16,000 branches must not cost 16,000. So a wide map is cut into pages,
and a copy takes over the pages as they are: who writes copies the one page first. Pages that are
the same object in two states have not changed between them, which is how a commit finds what it
must write, and an index what it must alter; what was read off a page once is kept with it.

    before   {0: A, 1: B, 2: C}          keys 0-127, 128-255, 256-383
    after    {0: A, 1: B', 2: C}         a copy, in which key 200 was set

Narrow maps stay dictionaries: they cost little to copy, and nothing is faster to read. Which of
the two a map is follows from its length alone (`paged`). Those by other keys are in `ordered.py`.
"""

from collections.abc import (
    Callable,
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

V = TypeVar("V")
R = TypeVar("R")

WIDE = 128
"""A map with more entries than this is kept, and stored, in pages."""

PAGE_BITS = 7


class Page(dict[int, V]):
    """The entries whose keys have the same number above `PAGE_BITS`, in the order of the keys.

    `owner` is the token of the one map that may change the page. `known` is what rules have read
    off it since it was changed last.
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

        What it gave is not to be changed: it is given again. The rule depends on nothing but the
        page. Pages with keys below `since` alone are passed over.
        """
        first = since >> PAGE_BITS
        pages = self._pages
        for number in reversed(pages) if backwards else pages:
            if number < first:
                continue
            page = pages[number]
            if page.known is None:
                page.known = {}
            if rule not in page.known:
                page.known[rule] = rule(page)
            yield page.known[rule]

    def since(self, key: int) -> Iterator[Page[V]]:
        """The pages in order, but for those with lower keys alone."""
        first = key >> PAGE_BITS
        return (page for number, page in self._pages.items() if number >= first)

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
        page.known = None
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
        page.known = None
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


def read(
    entries: Mapping[int, V], rule: Callable[[Mapping[int, V]], R], since: int = 0
) -> Iterator[R]:
    """What a rule reads off a map: page by page as `Pages.read`, or off all of it at once."""
    return entries.read(rule, since) if isinstance(entries, Pages) else iter((rule(entries),))


def parts(entries: Mapping[int, V], since: int = 0) -> Iterator[Mapping[int, V]]:
    """The pages of a map, but for those with keys below `since` alone; or all of it at once."""
    return entries.since(since) if isinstance(entries, Pages) else iter((entries,))


def look(part: Mapping[Any, Any], rule: Callable[[Mapping[Any, Any]], R]) -> R:
    """What a rule reads off a part: of a page it is known, as `Pages.read` says."""
    if not isinstance(part, Page):
        return rule(part)
    if part.known is None:
        part.known = {}
    if rule not in part.known:
        part.known[rule] = rule(part)
    found: R = part.known[rule]
    return found


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
