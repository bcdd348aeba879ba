"""Documents come back as they were, and their keys depend on the state alone."""

from hypothesis import given
from hypothesis import strategies as st

from engine.aggregates import BufferedMessage, MessageState
from engine.correlation.message_ids import MessageIds, forget, remember
from engine.outcome import AggregateState
from engine.pages import WIDE
from engine.routing import message_address
from engine.state import ProcessInstance
from schemas.snapshot import SPLIT_BYTES
from storage.documents import (
    TOMBSTONE_GRACE_MS,
    StoredDocument,
    change_document,
    decode_document,
    document_reads,
)
from storage.memory_store import MemoryKeyspace, MemoryStore
from storage.ports import HashDelete, HashPut, Put
from tests.support.fences import commit_of, fence
from tests.support.partition_states import KEYS, instance, tombstone

ABSENT = StoredDocument(state=None)
LARGE = f'"{"x" * SPLIT_BYTES}"'

scopes = st.dictionaries(
    st.sampled_from((1, 2, 3)),
    st.dictionaries(st.sampled_from("ab"), st.sampled_from(("1", "2", "large")), min_size=1),
)
kinds = st.one_of(st.none(), st.just("tombstone"), scopes)


def built(kind: str | dict[int, dict[str, str]] | None) -> AggregateState | None:
    """A state from what Hypothesis can print in one line."""
    if isinstance(kind, dict):
        texts = {
            scope: {name: LARGE if text == "large" else text for name, text in own.items()}
            for scope, own in kind.items()
        }
        return instance(texts)
    return tombstone() if kind else None


async def read(store: MemoryStore) -> StoredDocument:
    return decode_document(await store.query(document_reads(KEYS, "i-1")))


@given(st.lists(kinds, min_size=1, max_size=6))
async def test_after_any_changes_the_store_has_the_last_state_and_no_more(
    drawn: list[str | dict[int, dict[str, str]] | None],
) -> None:
    history = [built(kind) for kind in drawn]
    store = MemoryStore(MemoryKeyspace(), "shop")
    await store.initialise(0, fence(0))
    expected, stored = fence(0), ABSENT
    for number, after in enumerate(history):
        change = change_document(KEYS, "i-1", stored, after)
        commit = commit_of(expected, *change.operations, name=f"{number + 1:016x}")
        await store.commit(commit)
        expected, stored = commit.fence, change.stored
        found = await read(store)
        assert (found.state, found.parts) == (after, stored.parts)

    fresh = MemoryStore(MemoryKeyspace(), "shop")
    await fresh.initialise(0, fence(0))
    change = change_document(KEYS, "i-1", ABSENT, history[-1])
    await fresh.commit(commit_of(fence(0), *change.operations))
    keys = (KEYS.state("i-1"), KEYS.parts("i-1"))
    assert [store.keyspace.snapshot().get(key) for key in keys] == [
        fresh.keyspace.snapshot().get(key) for key in keys
    ]


def test_of_a_large_instance_only_the_scopes_that_changed_are_written() -> None:
    before = instance({1: {"a": LARGE}, 2: {"b": "1"}, 3: {"c": "1"}})
    stored = change_document(KEYS, "i-1", ABSENT, before).stored
    after = instance({**before.variables, 2: {"b": "2"}})

    change = change_document(KEYS, "i-1", stored, after)

    (scopes_written,) = [each for each in change.operations if isinstance(each, HashPut)]
    assert list(scopes_written.fields) == ["variables:2"]


def test_a_second_life_within_one_batch_is_written_whole() -> None:
    first = instance({1: {"a": LARGE}})
    stored = change_document(KEYS, "i-1", ABSENT, first).stored
    second = instance({1: {"a": LARGE + " "}}, offset=9)

    change = change_document(KEYS, "i-1", stored, second)

    assert any(isinstance(each, HashPut) for each in change.operations)
    assert isinstance(change.stored.state, ProcessInstance)


MESSAGES = message_address("paid", "k")


def remembering(ids: MessageIds) -> MessageState:
    return MessageState(name="paid", correlation_key="k", message_ids=ids, timer_at=1)


async def test_very_many_message_ids_come_back_and_only_their_pages_are_written() -> None:
    """Up and down again, each time from what the store gives back."""
    store = MemoryStore(MemoryKeyspace(), "shop")
    await store.initialise(0, fence(0))
    expected, stored = fence(0), ABSENT
    ids: MessageIds = {}
    for number in range(4 * WIDE):
        changed = remember(ids, f"m{number}", number, epoch=number)
        change = change_document(KEYS, MESSAGES, stored, remembering(changed))
        pages = sum(len(each.fields) for each in change.operations if isinstance(each, HashPut))
        assert pages <= (2 if number == WIDE else 1)
        commit = commit_of(expected, *change.operations, name=f"{number + 1:016x}")
        await store.commit(commit)
        expected, stored, ids = commit.fence, change.stored, changed
        if number % 50 == 0:
            stored = decode_document(await store.query(document_reads(KEYS, MESSAGES)))
            assert stored.state == remembering(ids)
            assert isinstance(stored.state, MessageState)
            ids = stored.state.message_ids
    left = forget(ids, 4 * WIDE - 3, epoch=10_000)
    change = change_document(KEYS, MESSAGES, stored, remembering(left))
    await store.commit(commit_of(expected, *change.operations, name=f"{9_999:016x}"))
    stored = decode_document(await store.query(document_reads(KEYS, MESSAGES)))
    assert (stored.state, stored.parts) == (remembering(left), 0)
    assert KEYS.parts(MESSAGES) not in store.keyspace.snapshot()


TEXTS = st.sampled_from(("{}", "x" * 300, "y" * SPLIT_BYTES))
AGGREGATES = st.builds(
    lambda texts, ids: MessageState(
        name="paid",
        correlation_key="k",
        messages=tuple(
            BufferedMessage(number=number, variables=text, expires_at=9)
            for number, text in sorted(texts.items())
        ),
        message_ids=remembered(ids),
    ),
    st.dictionaries(st.integers(1, 6), TEXTS, max_size=6),
    st.sampled_from((0, 3, WIDE, WIDE + 1, 3 * WIDE)),
)


def remembered(count: int) -> MessageIds:
    ids: MessageIds = {}
    for number in range(count):
        ids = remember(ids, f"m{number}", number, epoch=number)
    return ids


@given(st.lists(st.none() | AGGREGATES, min_size=1, max_size=6))
async def test_after_any_changes_the_store_has_the_last_messages_and_no_more(
    history: list[MessageState | None],
) -> None:
    store = MemoryStore(MemoryKeyspace(), "shop")
    await store.initialise(0, fence(0))
    expected, stored = fence(0), ABSENT
    for number, after in enumerate(history):
        change = change_document(KEYS, MESSAGES, stored, after)
        commit = commit_of(expected, *change.operations, name=f"{number + 1:016x}")
        await store.commit(commit)
        expected, stored = commit.fence, change.stored
        found = decode_document(await store.query(document_reads(KEYS, MESSAGES)))
        assert (found.state, found.parts) == (after, stored.parts)


def test_of_many_buffered_messages_only_a_new_one_is_written() -> None:
    before = MessageState(
        name="paid",
        correlation_key="k",
        messages=tuple(
            BufferedMessage(number=number, variables="x" * 1_000, expires_at=9)
            for number in range(1, 1_000)
        ),
    )
    stored = change_document(KEYS, MESSAGES, ABSENT, before).stored
    another = BufferedMessage(number=1_000, variables="y" * 1_000, expires_at=9)
    after = MessageState(name="paid", correlation_key="k", messages=(*before.messages[1:], another))

    change = change_document(KEYS, MESSAGES, stored, after)

    (put,) = [each for each in change.operations if isinstance(each, HashPut)]
    (deleted,) = [each for each in change.operations if isinstance(each, HashDelete)]
    assert list(put.fields) == ["text:1000"]
    assert list(deleted.fields) == ["text:1"]


def test_redis_may_collect_a_tombstone_only_long_after_it_expires_in_log_time() -> None:
    change = change_document(KEYS, "i-1", ABSENT, tombstone())

    (put,) = change.operations
    assert isinstance(put, Put)
    assert put.expire_ms == 4_000 + TOMBSTONE_GRACE_MS


def test_only_what_may_be_split_has_two_keys() -> None:
    assert len(document_reads(KEYS, "deployments")) == 1
    assert len(document_reads(KEYS, "conversation:p:k")) == 1
    assert len(document_reads(KEYS, MESSAGES)) == 2
    assert len(document_reads(KEYS, "i-1")) == 2
