"""One owner on the twins, in virtual time, with servers that fail when a test says so.

bench = OwnerBench()
bench.store.fail_commits(1, applied=True)
bench.command("StartInstance", process_id="order")
partition = bench.own()
await bench.until("it is applied", lambda: bench.fence.next_offset == 1)
"""

import asyncio
import json
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from consumers.log import Acknowledgement, OutgoingRecord, Publisher, PublishFailedError
from consumers.memory_log import (
    MemoryBroker,
    MemoryCommandLog,
    MemoryPartition,
    MemoryPublisher,
    MemoryPublishers,
)
from consumers.metrics import Metrics
from consumers.models import CompiledModels
from consumers.partition import Partition
from consumers.services import Limits, Services
from engine.records import Topic
from schemas.codec import Codec
from schemas.topics import topic_name
from storage.cache import CacheRoom
from storage.commits import only_removes
from storage.errors import StoreUnavailableError
from storage.keys import PartitionKeys
from storage.memory_store import MemoryKeyspace, MemoryStore
from storage.partition import PartitionState, Rules
from storage.ports import Commit, Fence
from tests.support.sealing import sealed
from tests.support.virtual_time import VirtualClock

NAMESPACE = "shop"
START_MS = 1_700_000_000_000
COMMANDS = topic_name(NAMESPACE, Topic.COMMANDS)
REPLIES = topic_name(NAMESPACE, Topic.REPLIES)
REJECTIONS = topic_name(NAMESPACE, Topic.REJECTIONS)
EFFECTS = topic_name(NAMESPACE, Topic.EFFECTS)
DEAD_LETTERS = topic_name(NAMESPACE, Topic.DEAD_LETTERS)
FIRST_FENCE = Fence(
    generation=1,
    next_offset=0,
    now_ms=0,
    stamp_timestamp_ms=None,
    stamp_crc=None,
    commit="0" * 16,
)


class FailingStore(MemoryStore):
    """A store whose next commits fail, applied or not."""

    def __init__(self, keyspace: MemoryKeyspace) -> None:
        super().__init__(keyspace, NAMESPACE)
        self._failures: list[bool] = []
        self.commits: list[Commit] = []
        self.loads = 0
        self.attempts_fail = False
        self.is_full = False

    def fail_commits(self, count: int, *, applied: bool) -> None:
        self._failures += [applied] * count

    async def load(self, partition: int) -> Any:
        self.loads += 1
        return await super().load(partition)

    async def commit(self, commit: Commit) -> None:
        await asyncio.sleep(0.001)
        if self.is_full and not only_removes(commit):
            raise StoreUnavailableError("OOM")
        if self._failures:
            if self._failures.pop(0):
                await super().commit(commit)
            raise StoreUnavailableError("no answer")
        await super().commit(commit)
        self.commits.append(commit)

    async def begin_attempt(self, partition: int, fence: Fence) -> int:
        if self.attempts_fail:
            raise StoreUnavailableError("read only")
        return await super().begin_attempt(partition, fence)


class FailingPublisher(MemoryPublisher):
    """One publisher; `failing` of its kind says what the next call comes to."""

    def __init__(self, broker: MemoryBroker, publishers: "FailingPublishers") -> None:
        super().__init__(broker)
        self._publishers = publishers
        self._is_over = False

    async def send(self, records: Sequence[OutgoingRecord]) -> list[Acknowledgement]:
        await asyncio.sleep(0.001)
        await self._publishers.gate.wait()
        if self._is_over:
            raise PublishFailedError("the publisher is over")
        failures = self._publishers.failures
        failure = failures.pop(0) if failures else None
        if failure is not None:
            count, error = failure
            await super().send(records[:count])
            self._is_over = isinstance(error, PublishFailedError)
            raise error
        self._publishers.sent.append([record.topic for record in records])
        return await super().send(records)


class FailingPublishers(MemoryPublishers):
    """`failures`: for each of the next calls, None or (records written, error raised)."""

    def __init__(self, broker: MemoryBroker) -> None:
        super().__init__(broker)
        self._own = broker
        self.failures: list[tuple[int, Exception] | None] = []
        self.sent: list[list[str]] = []
        self.opened = 0
        self.gate = asyncio.Event()
        self.gate.set()

    async def open(self) -> Publisher:
        self.opened += 1
        return FailingPublisher(self._own, self)


class OwnerBench:
    """The ports, and partition 0 (of one, unless told otherwise)."""

    def __init__(
        self, partitions: int = 1, limits: Limits | None = None, store: FailingStore | None = None
    ) -> None:
        self.broker = MemoryBroker(self.now_ms)
        for kind in Topic:
            self.broker.create(topic_name(NAMESPACE, kind), partitions)
        self.store = store or FailingStore(MemoryKeyspace())
        self.log = MemoryCommandLog(self.broker, COMMANDS)
        self.publishers = FailingPublishers(self.broker)
        self.metrics = Metrics()
        self.room = True
        self.services = Services(
            namespace=NAMESPACE,
            partitions=partitions,
            store=self.store,
            log=self.log,
            publishers=self.publishers,
            clock=VirtualClock(),
            codec=Codec(NAMESPACE, epochs=sealed(partitions)),
            models=CompiledModels(self.store, NAMESPACE, partitions),
            metrics=self.metrics,
            limits=limits or Limits(),
            may_take=lambda: self.room,
        )
        self.keys = PartitionKeys(NAMESPACE, 0)
        self.tasks: list[asyncio.Task[None]] = []

    def now_ms(self) -> int:
        """The broker's clock."""
        return START_MS + round(asyncio.get_running_loop().time() * 1000)

    async def initialise(self, partitions: int = 1) -> None:
        for number in range(partitions):
            await self.store.initialise(number, FIRST_FENCE)

    def state(self) -> PartitionState:
        """Partition 0 as an owner has it, not loaded yet; its commits are named 1, 2, 3, ..."""
        services, names = self.services, count(1)
        rules = Rules(
            settings=services.settings,
            cache_room=CacheRoom(1_000_000),
            name_commit=lambda: f"{next(names):016x}",
        )
        return PartitionState(services.store, self.keys, services.models, rules)

    def own(self, number: int = 0) -> Partition:
        """Begin to own a partition, in the background."""
        self.log.assign(number)
        partition = Partition(self.services, number)
        self.tasks.append(asyncio.create_task(partition.run()))
        return partition

    def command(self, kind: str, *, reply: bool = True, **fields: Any) -> Acknowledgement:
        """Append a client's command, as JSON, to partition 0."""
        value = json.dumps({"type": kind, **fields}).encode()
        headers = (("reply-to", REPLIES.encode()),) if reply else ()
        return self.broker.append(
            OutgoingRecord(topic=COMMANDS, key=b"k", value=value, partition=0, headers=headers)
        )

    def topic(self, name: str, partition: int = 0) -> MemoryPartition:
        return self.broker.topics[name][partition]

    @property
    def fence(self) -> Fence:
        """The fence of partition 0 in the store."""
        value = self.store.keyspace.find(self.keys.fence, bytes)
        assert value is not None
        return Fence.decode(value)

    @property
    def outbox(self) -> int:
        """How many entries the store's outbox of partition 0 holds."""
        return len(self.store.keyspace.snapshot().get(self.keys.outbox, b""))

    async def until(self, what: str, is_true: Callable[[], object], seconds: int = 600) -> None:
        """Let virtual time pass until `is_true` says so."""
        for _ in range(seconds * 100):
            if is_true():
                return
            await asyncio.sleep(0.01)
        raise AssertionError(f"not within {seconds} s of virtual time: {what}")
