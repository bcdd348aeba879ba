"""The engine without servers: partitions in memory and a virtual clock.

A record goes through `transact` exactly as in production: sends of one partition to another travel
through the log with their numbers, timers fire by `FireTimer`. Variants repeat every record, encode
and decode every document between records, send what stays on a partition through its log, too, or
cut transitions short: none of it may change what a model does.
"""

from collections import deque
from functools import partial
from itertools import count
from typing import Any

import msgspec

from engine import commands as c
from engine import records as r
from engine.errors import InvariantError
from engine.outcome import AggregateState
from engine.partition import (
    PartitionInfo,
    RecordOutcome,
    Stimulus,
)
from engine.routing import address_of, kafka_key, partition_of
from engine.settings import Settings
from engine.state import ProcessInstance, Tombstone
from scenarios.contents import Contents
from scenarios.partition import MemoryPartition
from schemas import snapshot

RECORDS_MAX = 100_000
"""Records that one stimulus may lead to. More of them are a loop that nothing stops."""

REPLIES = "test.replies"


class Variant(msgspec.Struct, frozen=True, kw_only=True):
    """How a scenario is run. What it does must not depend on it."""

    name: str
    twice: bool = False
    encoded: bool = False
    through_log: bool = False
    steps_per_command_max: int | None = None
    partitions: int = 3


VARIANTS = (
    Variant(name="plain"),
    Variant(name="twice", twice=True),
    Variant(name="encoded", encoded=True),
    Variant(name="cut", steps_per_command_max=1),
    Variant(name="through the log", through_log=True),
    Variant(name="one partition", partitions=1, twice=True, encoded=True),
)


class Partition(MemoryPartition):
    """A partition with its log, of which each record has the next offset."""

    def __init__(self, contents: Contents) -> None:
        super().__init__(contents)
        self.log: deque[Stimulus] = deque()
        self.offsets = count(1)


class Simulation:
    """See the module. `publications` are all that was published, in order, copies not counted.

    `now` is the virtual clock, UTC epoch milliseconds: whoever holds the simulation moves it.
    """

    def __init__(
        self,
        *,
        now: int,
        variant: Variant = VARIANTS[0],
        settings: Settings | None = None,
        contents: Contents | None = None,
    ) -> None:
        self.variant = variant
        self.settings = _settings(settings or Settings(), variant)
        self.now = now
        self.contents = contents or Contents()
        self.partitions = [Partition(self.contents) for _ in range(variant.partitions)]
        self.publications: list[r.Publication] = []
        self.history: dict[str, list[r.Transition]] = {}
        self.published_jobs: dict[str, r.Job] = {}
        """The last record of each job that was not canceled; open or not."""
        self.published_tasks: dict[str, r.Task] = {}
        """What the compacted topic of tasks holds."""
        self._command_ids = count(1)

    # --- what is done to it ---

    def send(self, command: c.AnyCommand, *, command_id: str | None = None) -> r.Reply | None:
        """Send a command as a client does, run all that follows, give the answer to it."""
        command_id = command_id or self.new_command_id()
        reply = r.ReplyAddress(topic=REPLIES, correlation_id=command_id.encode())
        before = len(self.publications)
        self._append(self._partition_for(command), command, command_id=command_id, reply=reply)
        self.settle()
        replies = [
            publication.record
            for publication in self.publications[before:]
            if publication.topic is r.Topic.REPLIES and isinstance(publication.record, r.Reply)
        ]
        self._answered(replies)
        return replies[0] if replies else None

    def new_command_id(self) -> str:
        return f"command-{next(self._command_ids)}"

    def elapse(self, duration_ms: int) -> None:
        """Let time pass; timers fire at their instants, one after the other."""
        until = self.now + duration_ms
        for _ in range(RECORDS_MAX):
            due = self.next_due()
            if due is None or due > until:
                break
            self.now = max(self.now, due)
            self.fire_due()
        self.now = until

    def next_due(self) -> int | None:
        """The instant of the timer that fires next."""
        return min((at for each in self.partitions for at in each.timers.values()), default=None)

    def fire_due(self) -> None:
        """Publish what is due, as the owner of each partition does, and run all that follows."""
        self._append_due()
        self.settle()

    # --- what there is ---

    def document(self, instance_id: str) -> ProcessInstance | Tombstone | None:
        """The stored state of an instance; None: there never was one, or it was forgotten."""
        partition = self.partitions[partition_of(kafka_key(instance_id), len(self.partitions))]
        state = partition.states.get(instance_id)
        assert state is None or isinstance(state, ProcessInstance | Tombstone)
        return state

    # --- how it runs ---

    def settle(self) -> None:
        """Apply records until every log is empty. Raises InvariantError when that never happens."""
        for _ in range(RECORDS_MAX):
            if not self.step():
                self._settled()
                return
        raise InvariantError(f"more than {RECORDS_MAX} records, and no end")

    def step(self) -> bool:
        """Apply the next record of each partition. False: there was none."""
        waiting = [(n, p) for n, p in enumerate(self.partitions) if p.log]
        for number, partition in waiting:
            self._apply(number, partition, partition.log.popleft())
        return bool(waiting)

    def _partition_for(self, command: c.AnyCommand) -> Partition:
        if isinstance(command, c.ActivateVersion | c.DeliverSignal):
            return self.partitions[command.partition]
        try:
            key = kafka_key(address_of(command))
        except ValueError:  # a client that cannot say where it belongs sends it anywhere
            return self.partitions[0]
        return self.partitions[partition_of(key, len(self.partitions))]

    def _append_due(self) -> None:
        for partition in self.partitions:
            due = sorted((at, *key) for key, at in partition.timers.items() if at <= self.now)
            for at, address, timer in due:
                self._append(partition, c.FireTimer(address=address, timer=timer, due_ms=at))

    def _append(self, partition: Partition, command: c.AnyCommand, **fields: Any) -> None:
        stimulus = Stimulus(
            offset=next(partition.offsets), timestamp_ms=self.now, command=command, **fields
        )
        partition.log.append(stimulus)
        if self.variant.twice:
            copy = msgspec.structs.replace(stimulus, offset=next(partition.offsets))
            partition.log.append(copy)

    def _apply(self, number: int, partition: Partition, stimulus: Stimulus) -> None:
        info = PartitionInfo(
            namespace="test",
            partition=number,
            partitions=len(self.partitions),
            generation=1,
            now=partition.now,
            settings=self.settings,
            sends_through_log=self.variant.through_log,
        )
        load = partial(self._load, partition)
        self._absorb(partition, partition.drive(info, stimulus, load))

    def _load(self, partition: Partition, address: str) -> AggregateState | None:
        state = partition.states.get(address)
        if state is not None and self.variant.encoded:
            return snapshot.decode_state(snapshot.encode(state))
        return state

    def _absorb(self, partition: Partition, outcome: RecordOutcome) -> None:
        partition.keep(outcome)
        for publication in outcome.publications:
            self._publish(publication)

    def _publish(self, publication: r.Publication) -> None:
        self.publications.append(publication)
        record = publication.record
        if isinstance(record, r.Transition):
            self.history.setdefault(record.instance_id, []).append(record)
        elif isinstance(record, r.Job) and record.canceled:
            self.published_jobs.pop(record.job_id, None)
        elif isinstance(record, r.Job):
            self.published_jobs[record.job_id] = record
        elif isinstance(record, r.Task):
            self.published_tasks[record.task_id] = record
        elif publication.topic is r.Topic.TASKS:
            self.published_tasks.pop(publication.key, None)
        elif isinstance(record, r.SentCommand):
            assert publication.partition is not None
            self._append(
                self.partitions[publication.partition],
                record.command,
                command_id=record.command_id,
                source_partition=record.source_partition,
                number=record.number,
                reply=record.reply,
                forwarded=record.forwarded,
            )

    # --- what a test of ours may want to look at ---

    def _answered(self, replies: list[r.Reply]) -> None:
        """Called with all replies to one command: more than one where it was repeated."""

    def _settled(self) -> None:
        """Called when all is quiet."""


def _settings(settings: Settings, variant: Variant) -> Settings:
    steps = variant.steps_per_command_max
    if steps is None:
        return settings
    return msgspec.structs.replace(
        settings, steps_per_command_max=steps, terminations_per_command_max=steps
    )
