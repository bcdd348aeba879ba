"""Holes that a design like this could have, put back on purpose: a rule nothing needs is none.

Each mutation replaces one seam of the shipping code (or of a simulated client, where the hole is a
library's) while a run is played. What the run is held against is always made by the whole code.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

from msgspec.structs import replace

from consumers import batches, member, outbox, partition, preparation, timers, transactions
from consumers.log import LogRecord, PublishFailedError, PublishRefusedError
from consumers.position import position_after, verify
from consumers.wire import outgoing
from engine import commands as c
from engine.outcome import TimerChange
from engine.partition import (
    PartitionInfo,
    Read,
    ReadCommand,
    ReadDefinitions,
    ReadSource,
    RecordOutcome,
    Stimulus,
)
from engine.partition import transaction as engine_transaction
from engine.records import SendNumber
from engine.routing import address_of
from schemas import seals
from storage import batch as storage_batch
from storage import partition as storage_partition
from storage.errors import StoreUnavailableError
from storage.keys import PartitionKeys, split_timer_member, timer_member
from storage.memory_store import SortedValue
from storage.partition import DueTimer
from storage.ports import Commit, ListRange, Loaded, SortedRange
from tests.simulation import servers
from tests.simulation.network import Fate, now

RECENT = 8

Mutation = Callable[[], AbstractContextManager[None]]


@contextmanager
def _replaced(*seams: tuple[Any, str, Any]) -> Iterator[None]:
    with ExitStack() as stack:
        for owner, name, other in seams:
            stack.enter_context(patch.object(owner, name, other))
        yield


# --- H1: the fence is only an offset ---


def fence_without_commit_name() -> AbstractContextManager[None]:
    """The same offset comes back after a lost tail with another outbox; trimming by number."""
    whole = storage_partition.PartitionState._commit

    def unnamed(self: Any, position: Any, operations: Any) -> Commit:
        commit = whole(self, position, operations)
        return replace(commit, fence=replace(commit.fence, commit="0" * 16))

    return _replaced((storage_partition.PartitionState, "_commit", unnamed))


# --- H2: after a failure the outbox in memory is gone on with ---


def outbox_not_read_again() -> AbstractContextManager[None]:
    async def load(self: Any) -> None:
        is_first = self._state.known_fence is None
        loaded = await self._state.load()
        await verify(self._services.log, self._number, self._services.partitions, loaded.fence)
        if is_first:
            self._outbox.replace(loaded.outbox, 0)
        self._timers.clock.read(loaded.fence.now_ms)
        await self._batches.seek(loaded.fence.next_offset)

    return _replaced((partition.Partition, "_load", load))


# --- H3: fence and outbox are read one after the other ---


def load_in_two_reads() -> AbstractContextManager[None]:
    async def load(self: Any, number: int) -> Loaded:
        keys = PartitionKeys(self._cluster.namespace, number)
        (entries,) = await self.query([ListRange(keys.outbox, 0, -1)])
        await self._network.delay(1.0)
        (fence,) = await self.fences([number])
        return Loaded(fence=fence, outbox=tuple(entries))

    return _replaced((servers.SimulatedStore, "load", load))


# --- H4: the client library reconnects and sends the transaction again, without its WATCH ---


def commit_without_compare_on_reconnect() -> AbstractContextManager[None]:
    async def commit(self: Any, wanted: Commit) -> None:
        calls = 0

        def perform(server: servers.Server) -> None:
            nonlocal calls
            calls += 1
            if calls == 1:
                server.commit(wanted)
                return
            (present,) = now(server.store.fences([wanted.partition]))
            server.commit(replace(wanted, expected=present))

        await self._call(perform, self._commit_fate())

    return _replaced((servers.SimulatedStore, "commit", commit))


# --- H5: what a batch does depends on where it ends ---


def reads_as_of_the_batch_start() -> AbstractContextManager[None]:
    whole = storage_batch.Batch.answer

    async def answer(self: Any, request: Read) -> Any:
        if isinstance(request, ReadDefinitions):
            return self._tables.definitions
        if isinstance(request, ReadCommand) and self._window._find_added(request.command_id):
            return None
        return await whole(self, request)

    return _replaced((storage_batch.Batch, "answer", answer))


def signal_index_as_of_the_batch_start() -> AbstractContextManager[None]:
    def nothing(self: Any, name: str) -> tuple[set[Any], set[Any]]:
        return set(), set()

    return _replaced((storage_batch.Batch, "_changed_signals", nothing))


def local_sends_at_the_end_of_the_batch() -> AbstractContextManager[None]:
    deferred: dict[Any, list[tuple[Any, c.AnyCommand]]] = {}

    def send(self: Any, command: c.AnyCommand, *, through_log: bool) -> None:
        address = address_of(command)
        target = self._partition_of(command, address)
        if target == self.info.partition and not through_log:
            deferred[asyncio.current_task()].append((self, command))
        else:
            self.publishing.send(command, address, target)

    async def attempt(self: Any, records: Sequence[LogRecord], trim: int) -> Any:
        own = deferred[asyncio.current_task()] = []
        batch = await self._state.batch()
        fence = self._state.fence
        time = fence.now_ms
        for received in self._receive(records):
            time = await self._transactions.apply(batch, received, self._info(fence, time))
        while own:
            transaction, command = own.pop(0)
            transaction.outcome = transaction.publishing.outcome = RecordOutcome(now=time)
            driver = transaction._run_queue(command, address_of(command))
            await _drive(batch, driver)
            self._transactions._add(batch, transaction.outcome, _record(records, transaction))
        position = position_after(records[-1], time)
        commit = self._state.prepare(batch, position, trim)
        return preparation.Prepared(batch, commit, len(records))

    return _replaced(
        (engine_transaction._Transaction, "_send", send),
        (preparation.Preparation, "_attempt", attempt),
    )


async def _drive(batch: Any, driver: Generator[Read, Any, None]) -> None:
    answer: Any = None
    while True:
        try:
            request = driver.send(answer)
        except StopIteration:
            return
        answer = await batch.answer(request)


def _record(records: Sequence[LogRecord], transaction: Any) -> LogRecord:
    return next(each for each in records if each.offset == transaction.stimulus.offset)


# --- H6: nobody looks at the fence of an idle partition ---


def idle_partitions_not_looked_at() -> AbstractContextManager[None]:
    async def no_look(self: Any) -> None:
        await asyncio.sleep(0)

    async def next_timers(self: Any, limit: int) -> list[DueTimer]:
        keys = self._keys
        read = SortedRange(keys.timers, low=0, high=2**53, limit=limit)
        (members,) = await self._store.query([read])
        return [DueTimer(*split_timer_member(name), due) for name, due in members]

    return _replaced(
        (member.Member, "_look", no_look),
        (storage_partition.PartitionState, "next_timers", next_timers),
    )


# --- H9: a window of recent ids instead of the last number ---


def window_of_recent_sends() -> AbstractContextManager[None]:
    """The last few sends before a record are known, as a window in the transaction would know."""
    taken: dict[tuple[int, int], dict[int, SendNumber]] = {}

    def was_taken(self: Any, source: int, number: SendNumber) -> Generator[Read, Any, bool]:
        last = yield ReadSource(source)
        earlier = taken.setdefault((self.info.partition, source), {})
        offsets = sorted(offset for offset in earlier if offset < self.stimulus.offset)
        if number in [earlier[offset] for offset in offsets[-RECENT:]]:
            return True
        earlier[self.stimulus.offset] = number
        self.outcome.source = (source, number if last is None else max(last, number))
        return False

    return _replaced((engine_transaction._Transaction, "_was_taken", was_taken))


# --- H14: the producer goes on after a record that failed ---


def producer_goes_on_after_a_failure() -> AbstractContextManager[None]:
    async def run_lane(self: Any, topic: str) -> None:
        lane = self._lanes[topic]
        publisher = self._publisher
        while lane:
            batch = self._next_batch(lane)
            try:
                await publisher.send(
                    [outgoing(slot.record, self._services.codec.seals) for slot in batch]
                )
            except PublishRefusedError as error:
                self._settle(lane, error.acknowledged)
                await self._endure(lane, error)
            except PublishFailedError as error:
                self._settle(lane, error.acknowledged)
                lane.rotate(-min(len(batch), len(lane)))
                publisher = await self._services.publishers.open()
            else:
                self._settle(lane, len(batch))
        del self._lanes[topic]

    return _replaced((outbox.OutboxPublisher, "_run_lane", run_lane))


# --- H17: timers ---


def early_timer_is_removed() -> AbstractContextManager[None]:
    whole = transactions.Transactions._transact

    async def transact(self: Any, batch: Any, info: PartitionInfo, stimulus: Stimulus) -> Any:
        outcome = await whole(self, batch, info, stimulus)
        command = stimulus.command
        if isinstance(command, c.FireTimer) and command.due_ms > outcome.now:
            removal = TimerChange(address=command.address, timer=command.timer, due_ms=None)
            outcome.timers.append(removal)
        return outcome

    return _replaced((transactions.Transactions, "_transact", transact))


def published_timer_is_pushed_ahead() -> AbstractContextManager[None]:
    """By a plain write outside the commit, which may land when the timer is long gone."""
    whole = timers.Timers._publish

    async def publish(self: Any, publisher: Any, due: Sequence[DueTimer]) -> None:
        await whole(self, publisher, due)
        store = self._services.store
        keys = PartitionKeys(self._services.namespace, self._partition)

        def push(server: servers.Server) -> None:
            scores = dict(server.keyspace.get(keys.timers, SortedValue))
            for timer in due:
                scores[timer_member(timer.address, timer.timer)] = timer.due_ms + 10_000
            server.keyspace.set(keys.timers, SortedValue(scores))

        try:
            await store._call(push, Fate())
        except StoreUnavailableError:
            return

    return _replaced((timers.Timers, "_publish", publish))


# --- H21, and what the outbox and the cache rest on ---


def fetched_records_kept_over_a_load() -> AbstractContextManager[None]:
    async def seek(self: Any, offset: int) -> None:
        self._position = self._position if self._fetched else offset
        await self._services.log.seek(self._partition, self._position)

    return _replaced((batches.Batches, "seek", seek))


def documents_kept_over_a_foreign_commit() -> AbstractContextManager[None]:
    async def load(self: Any) -> Loaded:
        loaded: Loaded = await self._store.load(self._keys.partition)
        self._fence = loaded.fence
        return loaded

    return _replaced((storage_partition.PartitionState, "load", load))


def outbox_trimmed_before_it_is_acknowledged() -> AbstractContextManager[None]:
    everything = property(lambda self: len(self._slots))
    return _replaced((outbox.Outbox, "settled_head", everything))


def lanes_with_many_batches_under_way() -> AbstractContextManager[None]:
    def offer(self: Any, slots: Sequence[Any]) -> None:
        for slot in slots if self._running is not None else ():
            lane = object()
            self._lanes[lane] = deque([slot])
            self._running.start(self._run_lane(lane))

    return _replaced((outbox.OutboxPublisher, "offer", offer))


# --- seals ---


def seals_not_checked() -> AbstractContextManager[None]:
    def is_trusted(_self: Any, _record: Any) -> bool:
        return True

    return _replaced((seals.Seals, "is_trusted", is_trusted))


MUTATIONS: dict[str, Mutation] = {
    "H1 fence without the name of its commit": fence_without_commit_name,
    "H2 outbox not read again after a failure": outbox_not_read_again,
    "H3 load in two reads": load_in_two_reads,
    "H4 commit without compare on reconnect": commit_without_compare_on_reconnect,
    "H5 local sends at the end of the batch": local_sends_at_the_end_of_the_batch,
    "H5 reads as of the batch's start": reads_as_of_the_batch_start,
    "H5 index of signals as of the batch's start": signal_index_as_of_the_batch_start,
    "H6 idle partitions not looked at": idle_partitions_not_looked_at,
    "H9 window of recent sends": window_of_recent_sends,
    "H14 producer goes on after a failure": producer_goes_on_after_a_failure,
    "H17 early timer is removed": early_timer_is_removed,
    "H17 published timer is pushed ahead": published_timer_is_pushed_ahead,
    "H21 fetched records kept over a load": fetched_records_kept_over_a_load,
    "documents kept over a foreign commit": documents_kept_over_a_foreign_commit,
    "outbox trimmed before it is acknowledged": outbox_trimmed_before_it_is_acknowledged,
    "lanes with many batches under way": lanes_with_many_batches_under_way,
    "seals not checked": seals_not_checked,
}
