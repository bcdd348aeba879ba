"""Reading one topic of jobs as a member of its group, and committing what is answered.

The membership does not depend on how long jobs take: heartbeats go on in the background, and
nothing is read while there is no room. Its partitions are not taken away before jobs under way had
a moment to end; those that did not may be handled twice.
"""

import asyncio
import contextlib
import logging
from collections.abc import Iterable, Mapping
from typing import Any

from aiokafka import ConsumerRebalanceListener, TopicPartition
from aiokafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor
from aiokafka.errors import IllegalStateError, KafkaError

from torpor_client.channel import Channel
from torpor_client.connection import partition_counts
from torpor_client.errors import KafkaUnavailableError
from torpor_client.frames import FrameError, UnknownSchemaError, read_published
from torpor_client.job_runner import JobRunner
from torpor_client.offsets import OffsetTracker
from torpor_client.records import Job

log = logging.getLogger("torpor_client")

AHEAD_MAX = 1_000
"""Records of a partition beyond the first that is not answered: a crash repeats no more."""

COMMIT_S = 0.5
RETRY_S = 1.0
TOPIC_POLL_S = 1.0
SCHEMA_POLL_S = 5.0
"""How often a job that cannot be read yet is tried; the topic is read again more rarely."""

REVOKE_GRACE_S = 10.0
REBALANCE_MS = 60_000
SESSION_MS = 10_000
HEARTBEAT_MS = 1_000
IDLE_MS_MAX = 2**31 - 1
"""aiokafka leaves the group when nobody has fetched for so long; ours only does with room."""


class JobReader(ConsumerRebalanceListener):  # type: ignore[misc] # aiokafka ships no types
    """Reads the jobs of one type from one topic, from the earliest on that nobody has answered."""

    def __init__(
        self, channel: Channel, runner: JobRunner, topic: str, group: str, job_type: str
    ) -> None:
        self._channel = channel
        self._runner = runner
        self._topic = topic
        self._group = group
        self._job_type = job_type
        self._trackers: dict[int, OffsetTracker] = {}
        self._open: dict[asyncio.Task[None], int] = {}
        self._unread: dict[asyncio.Task[None], int] = {}
        self._consumer: Any = None
        self._stopping = asyncio.Event()
        self._grace_s = 0.0
        self.assigned = asyncio.Event()

    def stop(self, grace_s: float) -> None:
        """Take no more jobs; `run` ends when those under way are answered, or after `grace_s`."""
        self._grace_s = grace_s
        self._stopping.set()

    async def run(self) -> None:
        """Read until stopped. Whatever Kafka's trouble, it begins anew."""
        while not self._stopping.is_set():
            try:
                await self._session()
            except (KafkaError, KafkaUnavailableError) as error:
                log.warning("%s cannot be read at the moment: %r", self._topic, error)
                await self._pause(RETRY_S)

    async def _session(self) -> None:
        """One membership, from joining to leaving."""
        # aiokafka's assignor keeps what this member had on its class: each gets its own.
        assignor = type("MemberAssignor", (StickyPartitionAssignor,), {})
        self._consumer = self._channel.connection.consumer(
            group_id=self._group,
            auto_offset_reset="earliest",
            partition_assignment_strategy=(assignor,),
            session_timeout_ms=SESSION_MS,
            heartbeat_interval_ms=HEARTBEAT_MS,
            rebalance_timeout_ms=REBALANCE_MS,
            max_poll_interval_ms=IDLE_MS_MAX,
        )
        try:
            await self._consumer.start()
            if not await self._topic_appears():
                return
            self._consumer.subscribe([self._topic], listener=self)
            await self._work()
        finally:
            await self._consumer.stop()

    async def _topic_appears(self) -> bool:
        """Wait for the topic, which comes with the first job. Subscribing would create it."""
        while not self._stopping.is_set():
            if await partition_counts(self._consumer.client, [self._topic]):
                return True
            self.assigned.set()  # of nothing, which is all there is
            await self._pause(TOPIC_POLL_S)
        return False

    async def _work(self) -> None:
        stopping = asyncio.create_task(self._stopping.wait())
        tasks = [asyncio.create_task(self._take_jobs()), asyncio.create_task(self._commit_jobs())]
        try:
            done, _ = await asyncio.wait([stopping, *tasks], return_when=asyncio.FIRST_COMPLETED)
            for task in done - {stopping}:
                task.result()  # it ended by an error
        finally:
            for task in (stopping, *tasks):
                task.cancel()
            await asyncio.gather(stopping, *tasks, return_exceptions=True)
            await self._finish(list(self._trackers), self._grace_s)

    async def _pause(self, duration_s: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(duration_s):
                await self._stopping.wait()

    # --- taking ---

    async def _take_jobs(self) -> None:
        while True:
            room = await self._runner.room()
            batches = await self._consumer.getmany(timeout_ms=500, max_records=room)
            jobs = [
                (await self._open_record(record), record)
                for records in batches.values()
                for record in records
            ]
            for job, _ in jobs:
                if isinstance(job, Job) and job.canceled:
                    self._runner.cancel(job.key)  # before those of the same batch begin
            for job, record in jobs:
                self._take(job, record)
            self._hold_back()

    async def _open_record(self, record: Any) -> Job | UnknownSchemaError | None:
        """A record's job; None when it is another type's, or nobody can read it."""
        header = dict(record.headers).get("job-type")
        if header is not None and header.decode(errors="replace") != self._job_type:
            return None
        value = record.value or b""
        try:
            return read_published(value, Job, await self._channel.schemas.for_record(value))
        except UnknownSchemaError as error:
            return error
        except FrameError:
            log.exception("%s: the record is skipped, it is no job", _place(record))
            return None

    def _take(self, job: Job | UnknownSchemaError | None, record: Any) -> None:
        tracker = self._trackers.get(record.partition)
        if tracker is None:
            return  # taken away meanwhile: its new owner has it
        tracker.take(record.offset)
        if isinstance(job, UnknownSchemaError):
            log.error("%s: %s; the job is kept until it can be read", _place(record), job)
            task = asyncio.create_task(self._handle_later(record, tracker))
            self._unread[task] = record.partition
            task.add_done_callback(self._unread.pop)
        else:
            self._handle(job, record, tracker)

    def _handle(self, job: Job | None, record: Any, tracker: OffsetTracker) -> None:
        if job is None or job.canceled or job.type != self._job_type:
            tracker.answer(record.offset)
            return
        task = self._runner.submit(job)
        self._open[task] = record.partition
        task.add_done_callback(lambda ended: self._ended(ended, tracker, record.offset))

    async def _handle_later(self, record: Any, tracker: OffsetTracker) -> None:
        """Handle a job once its schema is known: a newer engine's, whose topic could not be read.

        Its offset is not committed until then, so whoever has its partition next reads it again.
        """
        while True:
            await asyncio.sleep(SCHEMA_POLL_S)
            try:
                job = await self._open_record(record)
            except KafkaUnavailableError as error:
                log.warning("%s: the schemas cannot be read at the moment: %s", self._topic, error)
                continue
            if not isinstance(job, UnknownSchemaError):
                self._handle(job, record, tracker)
                return

    def _ended(self, task: asyncio.Task[None], tracker: OffsetTracker, offset: int) -> None:
        self._open.pop(task, None)
        if task.cancelled():
            return
        if task.exception() is None:
            tracker.answer(offset)
        else:
            log.error("a job could not be answered", exc_info=task.exception())

    def _hold_back(self) -> None:
        """Read no further in partitions whose first job takes long."""
        for partition, tracker in self._trackers.items():
            found = TopicPartition(self._topic, partition)
            with contextlib.suppress(IllegalStateError):
                if len(tracker) >= AHEAD_MAX:
                    self._consumer.pause(found)
                elif found in self._consumer.paused():
                    self._consumer.resume(found)

    # --- committing ---

    async def _commit_jobs(self) -> None:
        while True:
            await asyncio.sleep(COMMIT_S)
            await self._commit(self._trackers)
            self._hold_back()

    async def _commit(self, trackers: Mapping[int, OffsetTracker]) -> None:
        """Commit what is answered. A commit that fails is repeated, or the next owner's."""
        wanted = {
            partition: offset
            for partition, tracker in trackers.items()
            if (offset := tracker.to_commit()) is not None
        }
        if not wanted:
            return
        offsets = {TopicPartition(self._topic, each): offset for each, offset in wanted.items()}
        try:
            await self._consumer.commit(offsets)
        except (KafkaError, ValueError) as error:
            log.info("%s: offsets not committed: %r", self._topic, error)
            return
        for partition, offset in wanted.items():
            if partition in trackers:
                trackers[partition].committed(offset)

    async def _finish(self, partitions: Iterable[int], grace_s: float) -> None:
        """Take nothing more of these partitions, let their jobs end, and commit."""
        leaving = {
            partition: self._trackers.pop(partition)
            for partition in partitions
            if partition in self._trackers
        }
        for unread, partition in self._unread.items():
            if partition in leaving:
                unread.cancel()
        tasks = [task for task, partition in self._open.items() if partition in leaving]
        if tasks:
            await asyncio.wait(tasks, timeout=grace_s)
        await self._commit(leaving)

    # --- what the group says ---

    async def on_partitions_revoked(self, revoked: Iterable[TopicPartition]) -> None:
        await self._finish([each.partition for each in revoked], REVOKE_GRACE_S)

    async def on_partitions_assigned(self, assigned: Iterable[TopicPartition]) -> None:
        self._trackers = {each.partition: OffsetTracker() for each in assigned}
        self.assigned.set()


def _place(record: Any) -> str:
    return f"{record.topic}, partition {record.partition}, offset {record.offset}"
