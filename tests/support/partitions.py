"""Partitions on plain dictionaries: the record loop with nothing around it.

    some = Partitions(4)
    outcome = some[0].take(StartInstance(process_id="order"), command_id="c-1")
    some.settle()            # what went through the log is taken where it belongs

`take` is one record; what it changed is in the dictionaries, what it published in `published`.
"""

from collections import deque
from collections.abc import Callable
from itertools import count
from typing import Any

from engine import commands as c
from engine.partition import (
    InvalidCommand,
    PartitionInfo,
    RecordOutcome,
    Stimulus,
)
from engine.records import (
    Effect,
    Publication,
    Reply,
    ReplyAddress,
    SentCommand,
    Topic,
)
from engine.routing import DEPLOYMENTS, address_of, kafka_key, partition_of
from engine.settings import Settings
from scenarios.contents import Contents
from scenarios.partition import MemoryPartition
from tests.support.contexts import NOW

REPLY = ReplyAddress(topic="test.replies", partition=2, correlation_id=b"me")
RECORDS_MAX = 10_000


def id_on(partition: int, partitions: int = 4, prefix: str = "i") -> str:
    """An instance id that belongs to this partition."""
    return next(
        f"{prefix}-{n}" for n in count() if partition_of(f"{prefix}-{n}", partitions) == partition
    )


def key_on(partition: int, name: str, partitions: int = 4) -> str:
    """A correlation key with which messages of this name belong to this partition."""
    return next(
        f"k-{n}" for n in count() if partition_of(f"message:{name}:k-{n}", partitions) == partition
    )


class Partition(MemoryPartition):
    """One partition, with what it has published. `now` is the clock of its owner, too."""

    def __init__(self, number: int, partitions: int, contents: Contents) -> None:
        super().__init__(contents)
        self.number = number
        self.partitions = partitions
        self.settings = Settings()
        self.offset = 0
        self.now = NOW
        self.published: list[Publication] = []
        self.sends_through_log = False

    def take(self, command: c.AnyCommand | InvalidCommand, **fields: Any) -> RecordOutcome:
        """Apply the next record of the log. `fields` are those of a `Stimulus`."""
        self.offset += 1
        fields = {"offset": self.offset, "timestamp_ms": self.now, **fields}
        outcome = self.would_do(Stimulus(command=command, **fields))
        self.keep(outcome)
        self.published.extend(outcome.publications)
        return outcome

    def take_sent(self, sent: SentCommand) -> RecordOutcome:
        """Apply a command that an aggregate sent, or that was forwarded."""
        return self.take(
            sent.command,
            command_id=sent.command_id,
            source_partition=sent.source_partition,
            number=sent.number,
            actor=sent.actor,
            reply=sent.reply,
            forwarded=sent.forwarded,
            traceparent=sent.traceparent,
        )

    def would_do(self, stimulus: Stimulus) -> RecordOutcome:
        """What the record would do; nothing of it is kept."""
        info = PartitionInfo(
            namespace="test",
            partition=self.number,
            partitions=self.partitions,
            generation=1,
            now=self.now,
            settings=self.settings,
            sends_through_log=self.sends_through_log,
        )
        return self.drive(info, stimulus)

    def due(self) -> list[c.FireTimer]:
        """What the partition's timers would publish now."""
        return [
            c.FireTimer(address=address, timer=timer, due_ms=due)
            for (address, timer), due in self.timers.items()
            if due <= self.now
        ]


class Partitions:
    """All partitions of a namespace, and the log between them."""

    def __init__(self, partitions: int = 4) -> None:
        contents = Contents()
        self.all = [Partition(number, partitions, contents) for number in range(partitions)]
        self._seen = [0] * partitions
        self.log: deque[tuple[int, SentCommand]] = deque()

    def __getitem__(self, number: int) -> Partition:
        return self.all[number]

    @property
    def deployments(self) -> Partition:
        return self.all[partition_of(DEPLOYMENTS, len(self.all))]

    def send(self, command: c.AnyCommand, **fields: Any) -> RecordOutcome:
        """Send a client's command to its partition, and let all that follows happen."""
        number = partition_of(kafka_key(address_of(command)), len(self.all))
        outcome = self.all[number].take(command, **fields)
        self.settle()
        return outcome

    def collect(self) -> None:
        """Bring what was published for the log into it."""
        for number, partition in enumerate(self.all):
            for publication in partition.published[self._seen[number] :]:
                if isinstance(publication.record, SentCommand):
                    assert publication.partition is not None
                    self.log.append((publication.partition, publication.record))
            self._seen[number] = len(partition.published)

    def settle(self, unless: Callable[[SentCommand], bool] = lambda _: False) -> list[SentCommand]:
        """Take what is in the log until nothing is left; the answer is what was left out."""
        held: list[SentCommand] = []
        self.collect()
        for _ in range(RECORDS_MAX):
            if not self.log:
                return held
            number, sent = self.log.popleft()
            if unless(sent):
                held.append(sent)
            else:
                self.all[number].take_sent(sent)
            self.collect()
        raise AssertionError(f"more than {RECORDS_MAX} records, and no end")

    def set_time(self, now: int) -> None:
        for partition in self.all:
            partition.now = now

    def fire_due(self) -> None:
        """Publish what is due everywhere, as the owners would."""
        for partition in self.all:
            for command in partition.due():
                partition.take(command)
        self.settle()

    def replies(self) -> list[Reply]:
        return [
            publication.record
            for partition in self.all
            for publication in partition.published
            if publication.topic is Topic.REPLIES and isinstance(publication.record, Reply)
        ]

    def effects(self, kind: str) -> list[Effect]:
        return [
            publication.record
            for partition in self.all
            for publication in partition.published
            if isinstance(publication.record, Effect) and publication.record.type == kind
        ]


def sent(outcome: RecordOutcome) -> list[SentCommand]:
    """The commands that a record published."""
    return [
        publication.record
        for publication in outcome.publications
        if isinstance(publication.record, SentCommand)
    ]


def replies(outcome: RecordOutcome) -> list[Reply]:
    """The replies that a record published; not what it told the rejections topic."""
    return [
        publication.record
        for publication in outcome.publications
        if publication.topic is Topic.REPLIES and isinstance(publication.record, Reply)
    ]
