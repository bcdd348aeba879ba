"""A whole engine on the in-memory twins: real loops, real commits, no server.

async with memory_engine() as engine:
    await engine.command(deploy("order.bpmn", xml))
    await engine.settle()
"""

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Sequence
from typing import Any

import msgspec

from consumers.clock import SystemClock
from consumers.lookup import Lookup
from consumers.member import Member
from consumers.memory_log import MemoryBroker, MemoryCommandLog, MemoryMembership, MemoryPublishers
from consumers.metrics import Metrics
from consumers.models import CompiledModels
from consumers.services import Limits, Services
from engine.records import Topic
from schemas.codec import Codec
from schemas.topics import topic_name
from storage.memory_store import MemoryKeyspace, MemoryStore
from storage.ports import Fence
from tests.support.sealing import sealed

NAMESPACE = "test"
KINDS = (Topic.COMMANDS, Topic.EFFECTS, Topic.HISTORY, Topic.REJECTIONS, Topic.DEAD_LETTERS)
SHARED = (Topic.JOBS, Topic.TASKS, Topic.REPLIES)
SETTLE_S = 20.0


class MemoryEngine:
    """One member that owns all partitions."""

    def __init__(self, partitions: int, job_types: Sequence[str]) -> None:
        self.partitions = partitions
        self.broker = MemoryBroker(lambda: time.time_ns() // 1_000_000)
        for kind in (*KINDS, *SHARED):
            self.broker.create(topic_name(NAMESPACE, kind), partitions)
        for job_type in job_types:
            self.broker.create(topic_name(NAMESPACE, Topic.JOBS, job_type), partitions)
        self.store = MemoryStore(MemoryKeyspace(), NAMESPACE)
        self.metrics = Metrics()
        self.models = CompiledModels(self.store, NAMESPACE, partitions)
        self.lookup = Lookup(self.store, NAMESPACE, partitions, self.models)
        log = MemoryCommandLog(self.broker, topic_name(NAMESPACE, Topic.COMMANDS))
        services = Services(
            namespace=NAMESPACE,
            partitions=partitions,
            store=self.store,
            log=log,
            publishers=MemoryPublishers(self.broker),
            clock=SystemClock(),
            codec=Codec(NAMESPACE, epochs=sealed(partitions)),
            models=self.models,
            metrics=self.metrics,
            limits=Limits(trim_idle_ms=10),
        )
        self.membership = MemoryMembership(log)
        self.member = Member(services)

    def command(self, kind: str, **fields: Any) -> None:
        """Publish a command as JSON, on the wrong partition as likely as on the right one."""
        value = json.dumps({"type": kind, **fields}).encode()
        self.broker.publish(topic_name(NAMESPACE, Topic.COMMANDS), value, key=b"any")

    async def settle(self) -> None:
        """Until every command in the log is applied and everything is published."""
        deadline = time.monotonic() + SETTLE_S
        while not await self._is_settled():
            assert time.monotonic() < deadline
            await asyncio.sleep(0.01)

    async def _is_settled(self) -> bool:
        log = self.broker.topics[topic_name(NAMESPACE, Topic.COMMANDS)]
        for number, partition in enumerate(log):
            loaded = await self.store.load(number)
            if loaded.fence is None or loaded.fence.next_offset != partition.end or loaded.outbox:
                return False
        return True


@contextlib.asynccontextmanager
async def memory_engine(
    partitions: int = 3, job_types: Sequence[str] = ()
) -> AsyncIterator[MemoryEngine]:
    engine = MemoryEngine(partitions, job_types)
    first = Fence(
        generation=1,
        next_offset=0,
        now_ms=0,
        stamp_timestamp_ms=None,
        stamp_crc=None,
        commit="0" * 16,
    )
    for number in range(partitions):
        fence = msgspec.structs.replace(first, commit=f"{number:016x}")
        await engine.store.initialise(number, fence)
    await engine.membership.join(engine.member)
    await engine.membership.give(range(partitions))
    try:
        yield engine
    finally:
        await engine.member.close()
