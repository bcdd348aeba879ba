"""What must be: the fold of the log, made by one owner that nothing disturbs, record by record.

It is the shipping code on a store of its own, with batches of one and no cache to speak of. So a
simulation asks of any run: is it the same as one in which nothing went wrong?
"""

from collections.abc import Sequence

import msgspec

from consumers.clock import SystemClock
from consumers.log import LogRecord
from consumers.memory_log import MemoryBroker, MemoryCommandLog, MemoryPublishers
from consumers.metrics import Metrics
from consumers.models import CompiledModels
from consumers.preparation import Preparation
from consumers.services import Limits, Services
from storage.cache import CacheRoom
from storage.keys import PartitionKeys, deployments_partition
from storage.memory_store import MemoryKeyspace, MemoryStore
from storage.partition import PartitionState, Rules
from storage.ports import Fence
from tests.simulation.servers import Snapshot, observe
from tests.simulation.setup import NAMESPACE, PARTITIONS, SETTINGS, first_fence, new_codec


class Folded(msgspec.Struct, frozen=True, eq=False):
    """A partition after each record: `states`, `fences` and `effects` by the next offset.

    `effects` counts the entries of `outbox`, which holds all that the partition ever publishes.
    """

    states: dict[int, Snapshot]
    fences: dict[int, Fence]
    effects: dict[int, int]
    outbox: tuple[bytes, ...]


async def fold(log: Sequence[Sequence[LogRecord]]) -> list[Folded]:
    """The folds of all partitions of the command topic."""
    keyspace = MemoryKeyspace()
    store = MemoryStore(keyspace, NAMESPACE)
    first = deployments_partition(PARTITIONS)
    order = [first, *(each for each in range(PARTITIONS) if each != first)]
    folded = {each: await _fold_partition(keyspace, store, each, log[each]) for each in order}
    return [folded[each] for each in range(PARTITIONS)]


async def _fold_partition(
    keyspace: MemoryKeyspace, store: MemoryStore, partition: int, records: Sequence[LogRecord]
) -> Folded:
    await store.initialise(partition, first_fence())
    services = _services(store)
    rules = Rules(settings=SETTINGS, cache_room=CacheRoom(1), name_commit=lambda: "reference")
    state = PartitionState(store, PartitionKeys(NAMESPACE, partition), services.models, rules)
    await state.load()
    preparation = Preparation(services, state, partition)
    seen = observe(keyspace, NAMESPACE, partition)
    states, fences, effects = {0: seen.values}, {0: seen.fence}, {0: 0}
    for record in records:
        prepared = await preparation.prepare([record], 0)
        await state.write(prepared.commit, prepared.batch)
        seen = observe(keyspace, NAMESPACE, partition)
        offset = seen.fence.next_offset
        states[offset], fences[offset], effects[offset] = seen.values, seen.fence, len(seen.outbox)
    return Folded(states, fences, effects, seen.outbox)


def _services(store: MemoryStore) -> Services:
    broker = MemoryBroker(lambda: 0)
    return Services(
        namespace=NAMESPACE,
        partitions=PARTITIONS,
        store=store,
        log=MemoryCommandLog(broker, "unused"),
        publishers=MemoryPublishers(broker),
        clock=SystemClock(),
        codec=new_codec(),
        models=CompiledModels(store, NAMESPACE, PARTITIONS),
        metrics=Metrics(),
        settings=SETTINGS,
        limits=Limits(batch_records_max=1),
    )
