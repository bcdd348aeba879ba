"""A chunk of the index of signals is the same wherever the batch before it has ended."""

import pytest

from engine.partition import ReadSignals, ReadState, RecordOutcome
from engine.state import ProcessInstance, SignalWait, TimerWait
from storage.batch import Batch
from storage.indexes import IndexChanges, index_entries
from storage.ports import SortedAdd, SortedRemove
from storage.signals import PAGE
from tests.support.partition_states import KEYS, StateBench, instance, position


def wait(key: int, since: int, name: str = "go") -> SignalWait:
    return SignalWait(key=key, owner=1, element_id="c", name=name, since=since)


def waiting(instance_id: str, *waits: SignalWait) -> ProcessInstance:
    return instance(waits=waits, instance_id=instance_id)


def ask(
    *, before: int = 100, limit: int = 10, after_since: int | None = None, after_wait: str = ""
) -> ReadSignals:
    return ReadSignals(
        name="go", before=before, limit=limit, after_since=after_since, after_wait=after_wait
    )


async def write(batch: Batch, *states: ProcessInstance) -> None:
    for state in states:
        await batch.answer(ReadState(state.instance_id))
        batch.add(RecordOutcome(now=1, states={state.instance_id: state}), [])


async def committed(*states: ProcessInstance) -> StateBench:
    bench = await StateBench().open()
    batch = await bench.state.batch()
    await write(batch, *states)
    await bench.state.write(bench.state.prepare(batch, position(2), 0), batch)
    return bench


def test_who_waits_for_a_signal_is_found_by_its_name() -> None:
    state = instance(waits=(wait(7, 5), wait(8, 6, "stop"), _timer()))
    entries = index_entries(KEYS, state)
    assert entries[KEYS.signal("go"), "i-1:7"] == 5
    assert entries[KEYS.signal("stop"), "i-1:8"] == 6
    assert not any(member == "i-1:9" for _, member in entries)


def _timer() -> TimerWait:
    return TimerWait(key=9, owner=1, element_id="t", due_ms=1)


def test_a_wait_that_is_over_leaves_the_index_with_its_document() -> None:
    changes = IndexChanges(KEYS)
    changes.change(instance(waits=(wait(7, 5),)), instance(waits=(wait(8, 6),)))
    assert list(changes.operations()) == [
        SortedRemove(KEYS.signal("go"), ("i-1:7",)),
        SortedAdd(KEYS.signal("go"), {"i-1:8": 6}),
    ]


async def test_only_older_waits_are_given_in_their_order_and_number() -> None:
    bench = await committed(
        waiting("b", wait(1, 20)), waiting("a", wait(1, 20), wait(2, 30)), waiting("c", wait(1, 10))
    )
    batch = await bench.state.batch()
    assert await batch.answer(ask()) == ((10, "c:1"), (20, "a:1"), (20, "b:1"), (30, "a:2"))
    assert await batch.answer(ask(before=30)) == ((10, "c:1"), (20, "a:1"), (20, "b:1"))
    assert await batch.answer(ask(limit=2)) == ((10, "c:1"), (20, "a:1"))
    rest = ask(limit=2, after_since=20, after_wait="a:1")
    assert await batch.answer(rest) == ((20, "b:1"), (30, "a:2"))


@pytest.mark.parametrize("split", [True, False])
async def test_what_the_batch_has_changed_counts(split: bool) -> None:  # noqa: FBT001  # a parameter of the test
    """The same records in one batch, or with a commit between them."""
    bench = await committed(waiting("a", wait(1, 10), wait(2, 10)), waiting("b", wait(1, 10)))
    batch = await bench.state.batch()
    await write(batch, waiting("a", wait(2, 10), wait(3, 40)), waiting("c", wait(1, 9)))
    if split:
        await bench.state.write(bench.state.prepare(batch, position(3), 0), batch)
        batch = await bench.state.batch()
    assert await batch.answer(ask(limit=3)) == ((9, "c:1"), (10, "a:2"), (10, "b:1"))
    assert await batch.answer(ask()) == ((9, "c:1"), (10, "a:2"), (10, "b:1"), (40, "a:3"))


async def test_more_waits_of_one_instant_than_a_page_are_all_found() -> None:
    many = [wait(number, 10) for number in range(1, 2 * PAGE + 4)]
    bench = await committed(waiting("a", *many))
    batch = await bench.state.batch()
    found = await batch.answer(ask(limit=5_000))
    assert sorted(found) == sorted((10, f"a:{each.key}") for each in many)
    last = found[PAGE + 1]
    rest = await batch.answer(ask(limit=5_000, after_since=last[0], after_wait=last[1]))
    assert rest == found[PAGE + 2 :]
