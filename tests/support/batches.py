"""Records of the log, and a batch on partition 0 to apply them to."""

import json
from typing import Any

from msgspec.structs import replace

from consumers.log import LogRecord
from consumers.transactions import Transactions
from engine.partition import PartitionInfo
from engine.settings import Settings
from schemas.publication_writer import OutboxRecord
from schemas.seals import Seals
from schemas.snapshot import decode
from storage.batch import Batch
from tests.support.owner_bench import COMMANDS, NAMESPACE, REPLIES, START_MS, OwnerBench
from tests.support.sealing import sealed

WITH_REPLY = (("reply-to", REPLIES.encode()),)


def record(offset: int, kind: str, /, *, at_ms: int = START_MS, **fields: Any) -> LogRecord:
    """A client's command at an offset, as JSON."""
    return LogRecord(
        partition=0,
        offset=offset,
        timestamp_ms=at_ms,
        key=b"k",
        value=json.dumps({"type": kind, **fields}).encode(),
        headers=WITH_REPLY,
    )


def rubbish(offset: int) -> LogRecord:
    return LogRecord(partition=0, offset=offset, timestamp_ms=START_MS, key=b"k", value=b"\x07")


def as_sent(found: LogRecord, number: str = "1:2:3", source: int = 0) -> LogRecord:
    """The record as the owner of the partition `source` would have sent it."""
    headers = (("torpor-source", b"%d" % source), ("torpor-number", number.encode()))
    seals = Seals(COMMANDS, sealed(1))
    seal = seals.header(found.partition, found.key, found.value, headers)
    return replace(found, headers=headers + seal)


class Applying:
    """Applies records to batches that are begun on the twin of the store."""

    def __init__(self, bench: OwnerBench) -> None:
        self.bench = bench
        services = bench.services
        self.state = bench.state()
        self.transactions = Transactions(services.codec, COMMANDS, services.clock, services.metrics)

    async def open(self) -> "Applying":
        await self.bench.initialise()
        await self.state.load()
        return self

    async def apply(self, batch: Batch, *records: LogRecord) -> int:
        now = 0
        for each in records:
            received = self.transactions.receive(each)
            now = await self.transactions.apply(batch, received, self.info(now))
        return now

    def info(self, now: int = 0) -> PartitionInfo:
        return PartitionInfo(
            namespace=NAMESPACE,
            partition=0,
            partitions=self.bench.services.partitions,
            generation=1,
            now=now,
            settings=Settings(),
        )


def published(batch: Batch, topic: str) -> list[OutboxRecord]:
    """What a batch puts into the outbox for a topic."""
    entries = [decode(entry, OutboxRecord) for entry in batch.entries]
    return [entry for entry in entries if entry.topic == topic]
