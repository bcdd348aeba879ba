"""The cache of documents: what is kept, and what goes first."""

import pytest

from storage.cache import ENTRY_BYTES_MIN, CacheRoom, DocumentCache
from storage.documents import StoredDocument

ROOM_FOR_TWO = 2 * (ENTRY_BYTES_MIN + 100)


def document(size: int = 100) -> StoredDocument:
    return StoredDocument(state=None, size=size)


def test_what_was_put_is_found_also_that_there_is_no_document() -> None:
    cache = DocumentCache(CacheRoom(ROOM_FOR_TWO))
    absent = document()

    cache.put("a", absent)

    assert "a" in cache
    assert cache.get("a") is absent


def test_the_least_recently_used_goes_first() -> None:
    cache = DocumentCache(CacheRoom(ROOM_FOR_TWO))
    cache.put("a", document())
    cache.put("b", document())

    cache.get("a")
    cache.put("c", document())

    assert ("a" in cache, "b" in cache, "c" in cache) == (True, False, True)


def test_a_document_beyond_the_bound_is_not_kept_and_drops_the_others() -> None:
    cache = DocumentCache(CacheRoom(ROOM_FOR_TWO))
    cache.put("a", document())

    cache.put("b", document(ROOM_FOR_TWO))

    assert len(cache) == 0
    with pytest.raises(KeyError):
        cache.get("b")


def test_a_document_put_again_counts_once() -> None:
    cache = DocumentCache(CacheRoom(ROOM_FOR_TWO))
    for _ in range(10):
        cache.put("a", document())
    cache.put("b", document())

    assert ("a" in cache, "b" in cache) == (True, True)


def test_clear_leaves_room_for_as_much_again() -> None:
    cache = DocumentCache(CacheRoom(ROOM_FOR_TWO))
    cache.put("a", document())
    cache.put("b", document())

    cache.clear()
    cache.put("c", document())
    cache.put("d", document())

    assert ("a" in cache, "c" in cache, "d" in cache) == (False, True, True)


def test_partitions_share_the_room_and_the_one_that_is_used_has_more_of_it() -> None:
    room = CacheRoom(ROOM_FOR_TWO)
    idle, busy = DocumentCache(room), DocumentCache(room)
    idle.put("a", document())
    busy.put("a", document())
    busy.put("b", document())

    assert ("a" in idle, len(idle), len(busy)) == (False, 0, 2)
    assert busy.get("a") is not None


def test_a_cache_that_is_cleared_leaves_its_room_to_the_others_and_their_documents_alone() -> None:
    room = CacheRoom(ROOM_FOR_TWO)
    leaving, staying = DocumentCache(room), DocumentCache(room)
    leaving.put("a", document())
    staying.put("a", document())

    leaving.clear()
    staying.put("b", document())

    assert ("a" in leaving, "a" in staying, "b" in staying) == (False, True, True)
