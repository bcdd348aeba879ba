"""From fetched records to a commit ready to be written: decode, apply, encode, cut.

What cannot be applied is found out record by record. A record that kills the process leaves a
count behind (a plain key named by the fence that it follows): its next owners take one record at a
time, and after some attempts the record is dead-lettered without being tried. What other partitions
of the process were doing when it died has a count, too: so whoever finds one tries alone.
"""

import asyncio
import logging
from collections.abc import Iterable, Sequence
from contextlib import suppress

import msgspec

from consumers.log import LogRecord
from consumers.position import position_after
from consumers.services import Services
from consumers.transactions import Received, Transactions
from engine import commands as c
from engine.partition import InvalidCommand, PartitionInfo, Stimulus
from engine.records import Topic
from engine.routing import address_of
from schemas.errors import NewerDocumentError, NewerRecordError
from schemas.topics import topic_name
from storage.batch import Batch
from storage.commits import bytes_of
from storage.errors import StorageError, StoreUnavailableError
from storage.partition import PartitionState
from storage.ports import Commit, Fence

log = logging.getLogger(__name__)


ALONE_S = 10.0
"""How long to wait for the others: one of them may be waiting for what this partition is to do."""

RECORDS_A_TURN = 16
"""After so many records others have their turn: heartbeats, publishers, HTTP."""


class Prepared(msgspec.Struct, frozen=True, eq=False):
    """A batch ready to be written. `count`: how many of the records it has taken."""

    batch: Batch
    commit: Commit
    count: int


class Preparation:
    """Prepares the batches of one partition, for as long as this process owns it."""

    def __init__(self, services: Services, state: PartitionState, partition: int) -> None:
        self._services = services
        self._limits = services.limits
        self._state = state
        self._partition = partition
        topic = topic_name(services.namespace, Topic.COMMANDS)
        self._transactions = Transactions(services.codec, topic, services.clock, services.metrics)
        self._is_fresh = True
        self._careful = 0
        self._attempts = 0
        self._counted: Fence | None = None
        self._poison: dict[int, str] = {}
        self._is_alone = False

    async def prepare(self, fetched: Sequence[LogRecord], trim: int) -> Prepared:
        """Apply as many of the records as make a batch; `trim` entries of the outbox go with it.

        Raises StorageError, NewerRecordError, NewerDocumentError.
        """
        try:
            return await self._prepare(fetched, trim)
        finally:
            if self._is_alone:
                self._is_alone = False
                self._services.alone.release()

    async def _prepare(self, fetched: Sequence[LogRecord], trim: int) -> Prepared:
        await self._begin(fetched[0])
        count = 1 if self._careful else min(len(fetched), self._limits.batch_records_max)
        while True:
            try:
                prepared = await self._attempt(fetched[:count], trim)
            except (StorageError, NewerRecordError, NewerDocumentError):
                raise
            except Exception as error:
                log.exception("a batch could not be made", extra={"partition": self._partition})
                if count == 1:
                    self._give_up(fetched[0], error)
                count = 1
                continue
            if prepared.count == 1 or bytes_of(prepared.commit) <= self._limits.commit_bytes_max:
                break
            count = prepared.count // 2
        await self._survived()
        return prepared

    def _give_up(self, record: LogRecord, error: Exception) -> None:
        """Dead-letter the record at the next try. Raises the error when that has failed, too."""
        if record.offset in self._poison:
            raise error
        self._poison[record.offset] = f"{type(error).__name__}: {error}"

    async def _attempt(self, records: Sequence[LogRecord], trim: int) -> Prepared:
        batch = await self._state.batch()
        received = list(self._receive(records))
        await batch.prefetch(*_needs(received))
        fence = self._state.fence
        now, count = fence.now_ms, 0
        for each in received:
            now = await self._transactions.apply(batch, each, self._info(fence, now))
            count += 1
            if count % RECORDS_A_TURN == 0:
                await asyncio.sleep(0)
            if batch.bytes >= self._limits.commit_bytes_max:
                break
        position = position_after(received[count - 1].record, now)
        return Prepared(batch, self._state.prepare(batch, position, trim), count)

    def _receive(self, records: Iterable[LogRecord]) -> Iterable[Received]:
        """Decode up to the first that only a newer engine can. Raises it when it is the first."""
        for index, record in enumerate(records):
            try:
                received = self._transactions.receive(record)
            except NewerRecordError:
                if index == 0:
                    raise
                return
            poison = self._poison.get(record.offset)
            yield received if poison is None else msgspec.structs.replace(received, poison=poison)

    def _info(self, fence: Fence, now: int) -> PartitionInfo:
        return PartitionInfo(
            namespace=self._services.namespace,
            partition=self._partition,
            partitions=self._services.partitions,
            generation=fence.generation,
            now=now,
            settings=self._services.settings,
        )

    # --- records that kill the process ---

    async def leave(self) -> None:
        """The partition is given up; nothing that is under way has killed this process."""
        if self._counted is None:
            return
        fence, self._counted = self._counted, None
        try:
            await self._state.end_attempt(fence)
        except StoreUnavailableError as error:
            log.warning("attempt still counted: %s", error, extra={"partition": self._partition})
            self._counted = fence

    async def _begin(self, first: LogRecord) -> None:
        """Count an attempt at what follows the fence, where it may be the first after a death.

        Only once a fence: whoever comes back here has survived the attempt before.
        """
        if not self._is_fresh and not self._careful:
            return
        if self._counted != self._state.fence:
            await self._count_attempt()
            if self._attempts > 1:
                await self._be_alone()
        if self._attempts >= self._limits.careful_attempts:
            self._careful = max(self._careful, self._limits.batch_records_max)
        if self._attempts > self._limits.poison_attempts:
            reason = f"{self._attempts - 1} owners of the partition did not survive this record"
            self._poison[first.offset] = reason

    async def _be_alone(self) -> None:
        """Count again while no other partition of this process tries what has a count.

        Nobody is counted while it waits: else the heads of all partitions would be taken for what
        killed the process, because they were under way when it died.
        """
        try:
            await self._state.withdraw_attempt()
        except StoreUnavailableError as error:
            log.warning("attempt still counted: %s", error, extra={"partition": self._partition})
            return
        self._counted = None
        with suppress(TimeoutError):
            async with asyncio.timeout(ALONE_S):
                self._is_alone = await self._services.alone.acquire()
        await self._count_attempt()

    async def _count_attempt(self) -> None:
        await self.leave()
        self._attempts = 0
        try:
            self._attempts = await self._state.begin_attempt()
            self._counted = self._state.fence
        except StoreUnavailableError as error:
            log.warning("attempt not counted: %s", error, extra={"partition": self._partition})

    async def _survived(self) -> None:
        self._is_fresh = False
        self._careful = max(self._careful - 1, 0)
        self._poison.clear()
        await self.leave()


def _needs(received: Sequence[Received]) -> tuple[list[str], list[str]]:
    """The addresses and the client command ids that records are going to ask for."""
    addresses: list[str] = []
    command_ids: list[str] = []
    for each in received:
        if not isinstance(each.decoded, Stimulus):
            continue
        command, command_id = each.decoded.command, each.decoded.command_id
        if command_id is not None and isinstance(command, c.ClientCommand | InvalidCommand):
            command_ids.append(command_id)
        if isinstance(command, InvalidCommand):
            continue
        try:
            addresses.append(address_of(command))
        except ValueError:
            continue
    return addresses, command_ids
