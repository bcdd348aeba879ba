"""Maps in pages: they are like dictionaries, and a copy shares what it does not change."""

from collections.abc import Callable, Iterable, Mapping, MutableMapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ordered import Ordered, writable
from engine.pages import (
    WIDE,
    Pages,
    changes,
    copied,
    paged,
    put_in_order,
    read,
)

KEYS = st.integers(0, 600)
WRITES = st.lists(st.tuples(KEYS, st.none() | st.integers()), max_size=60)
STEPS = st.lists(WRITES, max_size=5)
ENTRIES = st.dictionaries(KEYS, st.integers(), max_size=300)


def write(target: MutableMapping[Any, Any], writes: Iterable[tuple[Any, int | None]]) -> None:
    for key, value in writes:
        if value is not None:
            target[key] = value
        elif key in target:
            del target[key]


def assert_alike(found: Mapping[Any, Any], expected: Mapping[Any, Any]) -> None:
    assert list(found) == list(expected)
    assert list(found.items()) == list(expected.items())
    assert list(found.values()) == list(expected.values())
    assert len(found) == len(expected)
    assert found == expected
    for key in (*expected, -1, 10_000):
        assert (key in found) == (key in expected)
        assert found.get(key, "none") == expected.get(key, "none")


def ascending(entries: Mapping[int, Any]) -> dict[int, Any]:
    return dict(sorted(entries.items()))


@given(ENTRIES, STEPS)
def test_pages_are_a_dictionary_in_the_order_of_its_keys(
    entries: dict[int, int], steps: list[list[tuple[int, int | None]]]
) -> None:
    history = [(Pages(entries), ascending(entries))]
    for writes in steps:
        pages, expected = history[-1][0].copy(), dict(history[-1][1])
        write(pages, writes)
        write(expected, writes)
        history.append((pages, ascending(expected)))
    for pages, expected in history:  # none of the copies has changed what came before
        assert_alike(pages, expected)
        assert_alike(Pages.join(pages.pages), expected)
        assert all(pages.pages.values())
        if expected:
            assert pages.last_key() == max(expected)


@given(ENTRIES, STEPS)
def test_what_was_copied_may_still_be_changed_by_itself(
    entries: dict[int, int], steps: list[list[tuple[int, int | None]]]
) -> None:
    pages, expected = Pages(entries), dict(entries)
    for writes in steps:
        copy = pages.copy()
        write(pages, writes)
        assert_alike(copy, ascending(expected))
        write(expected, writes)


@given(st.dictionaries(st.text(max_size=3), st.integers(), max_size=200), STEPS)
def test_an_ordered_map_keeps_the_order_in_which_its_keys_came(
    entries: dict[str, int], steps: list[list[tuple[int, int | None]]]
) -> None:
    expected: dict[Any, int] = dict(entries)
    history: list[tuple[Ordered[Any, int], dict[Any, int]]] = [(Ordered(entries), dict(expected))]
    for epoch, writes in enumerate(steps):
        named = [(f"{key}" if key % 2 else key, value) for key, value in writes]
        ordered = history[-1][0].writable(epoch)
        assert ordered.writable(epoch) is ordered
        write(ordered, named)
        write(expected, named)
        history.append((ordered, dict(expected)))
    for ordered, was in history:
        assert_alike(ordered, was)
        joined: Ordered[Any, int] = Ordered.join(ordered.pages)
        assert_alike(joined, was)
        again, here = joined.writable(99), ordered.writable(99)
        again["new"] = here["new"] = 1  # where it goes does not depend on what was there once
        assert {number: dict(page) for number, page in again.pages.items()} == {
            number: dict(page) for number, page in here.pages.items()
        }


@given(entries=ENTRIES, writes=WRITES, in_pages=st.booleans())
def test_changes_are_the_entries_that_are_other_objects(
    *, entries: dict[int, int], writes: list[tuple[int, int | None]], in_pages: bool
) -> None:
    boxed = {key: [value] for key, value in entries.items()}
    before: MutableMapping[int, list[int]] = Pages(boxed) if in_pages else boxed
    after = copied(before)
    write(after, [(key, None if value is None else [value]) for key, value in writes])  # type: ignore[misc]  # lists, not numbers
    found = {key: (old, new) for key, old, new in changes(before, after)}
    assert found == {
        key: (before.get(key), after.get(key))
        for key in {**before, **after}
        if before.get(key) is not after.get(key)
    }


def many(count: int = 1_000) -> Pages[int]:
    return Pages({key: key for key in range(count)})


def test_a_copy_shares_the_pages_that_nobody_writes() -> None:
    before = many()
    after = before.copy()
    after[200] = 0
    after[201] = 0
    shared = [number for number, page in after.pages.items() if before.pages[number] is page]
    assert shared == [number for number in before.pages if number != 200 >> 7]


def test_a_rule_reads_a_page_once_until_it_changes() -> None:
    seen: list[int] = []

    def first_key(page: Mapping[int, int]) -> int:
        seen.append(next(iter(page)))
        return seen[-1]

    pages = many().copy()
    assert list(read(pages, first_key)) == [number << 7 for number in range(8)]
    copy = pages.copy()
    copy[130] = 0
    seen.clear()
    assert list(read(copy, first_key)) == [number << 7 for number in range(8)]
    assert seen == [128]
    copy[131] = 0
    del copy[128]
    assert list(read(copy, first_key))[1] == 129


def test_a_rule_reads_a_dictionary_at_once() -> None:
    assert list(read({3: "a", 5: "b"}, len)) == [2]


def test_only_many_entries_are_kept_in_pages() -> None:
    few = {key: key for key in range(WIDE)}
    assert paged(few) is few
    more = paged({**few, WIDE: WIDE})
    assert isinstance(more, Pages)
    assert paged(more) is more
    del more[0]
    assert isinstance(paged(more), dict)
    assert paged(more) == more


def test_a_map_is_written_in_its_epoch_only() -> None:
    few = {"a": 1}
    assert writable(few, 1) == few
    assert writable(few, 1) is not few
    wide = writable({str(key): key for key in range(WIDE + 1)}, 1)
    assert isinstance(wide, Ordered)
    assert writable(wide, 1) is wide
    assert writable(wide, 2) is not wide
    del wide["0"]
    assert isinstance(writable(wide, 2), dict)


@given(st.permutations(range(6)))
def test_entries_are_put_where_their_keys_belong(keys: list[int]) -> None:
    entries: dict[int, int] = {}
    for key in keys:
        put_in_order(entries, key, key)
    put_in_order(entries, 3, 33)
    assert list(entries.items()) == [(0, 0), (1, 1), (2, 2), (3, 33), (4, 4), (5, 5)]


@pytest.mark.parametrize("make", [many, lambda: Ordered(many())])
def test_what_is_not_there_is_a_key_error(make: Callable[[], MutableMapping[Any, int]]) -> None:
    entries = make()
    for key in (-1, 5_000):
        with pytest.raises(KeyError, match=str(key)):
            entries[key]
        with pytest.raises(KeyError, match=str(key)):
            del entries[key]
    assert repr(make()) == f"{type(entries).__name__}({dict(entries)})"
