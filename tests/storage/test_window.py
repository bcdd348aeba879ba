"""The window against a plain list of what was asked: whatever batches the ids came in."""

from hypothesis import given
from hypothesis import strategies as st

from engine.partition import AppliedCommand
from engine.records import ReplyStatus
from storage.keys import PartitionKeys
from storage.memory_store import MemoryKeyspace, MemoryStore
from storage.ports import Commit, Get
from storage.window import WindowBatch, WindowPosition, lookup_reads
from tests.support.fences import commit_of, fence

KEYS = PartitionKeys("shop", 0)
SIZE = 3


class StoredWindow:
    """A window on a store: one batch after the other, each committed."""

    def __init__(self) -> None:
        self.store = MemoryStore(MemoryKeyspace(), "shop")
        self.commits = 0

    async def begin(self, command_ids: list[str]) -> WindowBatch:
        (position,) = await self.store.query([Get(KEYS.window)])
        assert position is None or isinstance(position, bytes)
        batch = WindowBatch(WindowPosition.decode(position), SIZE)
        for command_id in command_ids:
            first, second = await self.store.query(lookup_reads(KEYS, command_id))
            assert isinstance(first, list)
            assert isinstance(second, list)
            batch.learn(command_id, (first[0], second[0]))  # type: ignore[arg-type]  # lists of bytes or None
        return batch

    async def commit(self, batch: WindowBatch) -> None:
        if self.commits == 0:
            await self.store.initialise(0, fence(0))
        await self.store.commit(self._commit(batch))
        self.commits += 1

    def _commit(self, batch: WindowBatch) -> Commit:
        expected = fence(self.commits, f"{self.commits:016x}" if self.commits else "0" * 16)
        return commit_of(expected, *batch.operations(KEYS), name=f"{self.commits + 1:016x}")


def applied(number: int) -> AppliedCommand:
    return AppliedCommand(status=ReplyStatus.ACCEPTED, instance_id=f"i-{number}")


class Expected:
    """The rule in a few words: `size` ids, then the older half is forgotten."""

    def __init__(self) -> None:
        self.halves: list[dict[str, AppliedCommand]] = [{}, {}]

    def find(self, command_id: str) -> AppliedCommand | None:
        return self.halves[0].get(command_id) or self.halves[1].get(command_id)

    def add(self, command_id: str, first: AppliedCommand) -> None:
        if len(self.halves[0]) >= SIZE:
            self.halves = [{}, self.halves[0]]
        self.halves[0][command_id] = first


batches = st.lists(st.lists(st.sampled_from("abcdefghijkl"), max_size=12), max_size=8)


@given(batches)
async def test_it_knows_the_same_ids_however_the_log_is_cut(cut: list[list[str]]) -> None:
    stored, expected = StoredWindow(), Expected()
    number = 0
    for command_ids in cut:
        batch = await stored.begin(command_ids)
        for command_id in command_ids:
            assert batch.find(command_id) == expected.find(command_id)
            if expected.find(command_id) is None:
                number += 1
                batch.add(command_id, applied(number))
                expected.add(command_id, applied(number))
        await stored.commit(batch)


async def test_the_last_ids_are_known_and_those_before_twice_the_size_are_not() -> None:
    stored = StoredWindow()
    batch = await stored.begin([])
    for number in range(10):
        batch.add(f"c-{number}", applied(number))
    await stored.commit(batch)

    names = [f"c-{number}" for number in range(10)]
    batch = await stored.begin(names)

    known = [name for name in names if batch.find(name) is not None]
    assert known == ["c-6", "c-7", "c-8", "c-9"]


async def test_a_batch_that_asks_nothing_new_writes_nothing() -> None:
    stored = StoredWindow()
    batch = await stored.begin(["a"])

    assert batch.find("a") is None
    assert list(batch.operations(KEYS)) == []


async def test_what_was_not_read_and_not_added_is_not_known() -> None:
    batch = await StoredWindow().begin([])

    assert not batch.knows("a")
    batch.add("a", applied(1))
    assert batch.knows("a")
