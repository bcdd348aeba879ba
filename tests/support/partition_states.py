"""A partition's state on a store in memory, and documents to put there."""

from collections.abc import Mapping
from itertools import count

from engine.decisions import DecisionModel
from engine.definitions import DecisionFile
from engine.events import InstanceStart, TaskDetails
from engine.lifecycle import InstanceState
from engine.model.elements import ProcessModel
from engine.partition import ReadModel
from engine.settings import Settings
from engine.state import ProcessInstance, TaskWait, Tombstone, Wait
from engine.variables import size
from storage.cache import CacheRoom
from storage.keys import PartitionKeys
from storage.memory_store import MemoryKeyspace, MemoryStore
from storage.partition import PartitionState, Position, Rules
from tests.support.fences import fence

KEYS = PartitionKeys("shop", 0)


class NoModels:
    """For batches that ask for none."""

    async def get(self, wanted: ReadModel, contents: Mapping[str, bytes]) -> ProcessModel:
        raise AssertionError(f"{wanted} was asked for")

    async def decisions(self, file: DecisionFile, contents: Mapping[str, bytes]) -> DecisionModel:
        raise AssertionError(f"{file} was asked for")


class StateBench:
    """Partition 0 of the namespace `shop`, loaded by one owner."""

    def __init__(self, store: MemoryStore | None = None, settings: Settings | None = None) -> None:
        self.store = store or MemoryStore(MemoryKeyspace(), "shop")
        names = count(1)
        rules = Rules(
            settings=settings or Settings(),
            cache_room=CacheRoom(1_000_000),
            name_commit=lambda: f"{next(names):016x}",
        )
        self.state = PartitionState(self.store, KEYS, NoModels(), rules)

    async def open(self) -> "StateBench":
        await self.store.initialise(0, fence(0))
        await self.state.load()
        return self


def position(next_offset: int) -> Position:
    return Position(
        next_offset=next_offset, now_ms=next_offset * 10, stamp_timestamp_ms=1, stamp_crc=2
    )


def instance(
    variables: Mapping[int, dict[str, str]] | None = None,
    waits: tuple[Wait, ...] = (),
    *,
    instance_id: str = "i-1",
    business_key: str | None = None,
    state: InstanceState = InstanceState.RUNNING,
    offset: int = 5,
) -> ProcessInstance:
    """A running instance that began at this offset."""
    own = dict(variables or {})
    return ProcessInstance(
        instance_id=instance_id,
        start=InstanceStart(
            process_id="order",
            version=1,
            root_id=instance_id,
            counter=offset << 16,
            start_command_id="c-1",
            started_at=1,
            business_key=business_key,
        ),
        state=state,
        counter=(offset << 16) + 9,
        sequence=offset << 16,
        digest="",
        revision=1,
        elements={},
        waits={wait.key: wait for wait in waits},
        arrivals={},
        variables=own,
        variables_bytes=sum(size(each) for each in own.values()),
    )


def task(key: int, *, assignee: str | None = None, groups: tuple[str, ...] = ()) -> TaskWait:
    details = TaskDetails(assignee=assignee, candidate_groups=groups, created_at=1_000 + key)
    return TaskWait(key=key, owner=1, details=details)


def tombstone(instance_id: str = "i-1") -> Tombstone:
    return Tombstone(
        instance_id=instance_id,
        process_id="order",
        version=1,
        business_key=None,
        state=InstanceState.COMPLETED,
        start_command_id="c-1",
        ended_at=1_000,
        expires_at=5_000,
    )
