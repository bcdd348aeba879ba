"""What one record of the log does to a partition: routing, duplicates, local sends, numbering.

`transact` is a generator that asks for what it must know (`Read...`) and is sent the answer, so it
does no I/O and the same code runs on Redis, on the in-memory twin and in tests. It yields reads
only; nothing it has done is visible before it returns a `RecordOutcome`, so a command that fails
is undone alone, together with its local sends.
"""

from collections import deque
from collections.abc import Generator
from typing import Any, TypeAlias
from uuid import UUID, uuid5

import msgspec

from engine import commands as c
from engine.apply import apply
from engine.definitions import Definitions, ProcessVersions
from engine.model.elements import ProcessModel
from engine.outcome import AggregateState, Content, Context, Outcome, TimerChange
from engine.records import (
    Publication,
    Reply,
    ReplyAddress,
    ReplyStatus,
    SendNumber,
    SentCommand,
    Topic,
)
from engine.rejections import Rejection, RejectionCode
from engine.routing import DEPLOYMENTS, PARTITION_TABLE, address_of, is_instance, kafka_key
from engine.routing import partition_of as partition_of_key
from engine.settings import Settings
from engine.state import ProcessInstance

ID_NAMESPACE = UUID("6f0a3a1c-8a5e-5f0e-9a55-746f72706f72")
"""The namespace of the ids that the engine derives (UUIDv5)."""


class InvalidCommand(msgspec.Struct, frozen=True, kw_only=True):
    """What a record held that names a command and is none: wrong fields, variables no object.

    `detail` says what was expected and found. It is rejected (INVALID_ARGUMENT), and answered.
    """

    detail: str


class Stimulus(msgspec.Struct, frozen=True, kw_only=True):
    """A decoded record of the command log. `number` and `source_partition`: the engine sent it."""

    offset: int
    timestamp_ms: int
    command: c.AnyCommand | InvalidCommand
    command_id: str | None = None
    actor: str | None = None
    reply: ReplyAddress | None = None
    source_partition: int | None = None
    number: SendNumber | None = None
    forwarded: bool = False
    traceparent: str | None = None


class PartitionInfo(msgspec.Struct, frozen=True, kw_only=True):
    """Where the record is applied. `now` is the last now of the partition."""

    namespace: str
    partition: int
    partitions: int
    generation: int
    now: int
    settings: Settings


class ReadState(msgspec.Struct, frozen=True):
    """Asks for the state at an address. Answer: AggregateState | None."""

    address: str


class ReadModel(msgspec.Struct, frozen=True):
    """Asks for a compiled model. Answer: ProcessModel; the driver waits for missing content."""

    checksum: str
    process_id: str
    semantics: int


class ReadCommand(msgspec.Struct, frozen=True):
    """Asks whether a client's command id is in the window. Answer: AppliedCommand | None."""

    command_id: str


class ReadSource(msgspec.Struct, frozen=True):
    """Asks for the last send number taken from a partition. Answer: SendNumber | None."""

    partition: int


class ReadDefinitions(msgspec.Struct, frozen=True):
    """Asks for the partition's table of versions. Answer: Definitions."""


Read: TypeAlias = ReadState | ReadModel | ReadCommand | ReadSource | ReadDefinitions


class AppliedCommand(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """What the window keeps of a client's command: its first outcome. Fields are only appended."""

    status: ReplyStatus
    instance_id: str | None = None
    code: str | None = None
    detail: str | None = None
    result: str | None = None


class RecordOutcome(msgspec.Struct, kw_only=True):
    """All that one record changed. `now` is the partition's time after it."""

    now: int
    states: dict[str, AggregateState | None] = {}
    dirty: dict[str, frozenset[int]] = {}
    timers: list[TimerChange] = []
    publications: list[Publication] = []
    applied: tuple[str, AppliedCommand] | None = None
    source: tuple[int, SendNumber] | None = None
    process_versions: list[ProcessVersions] = []
    contents: list[Content] = []
    rejection: Rejection | None = None


Driver: TypeAlias = Generator[Read, Any, RecordOutcome]


def transact(info: PartitionInfo, stimulus: Stimulus) -> Driver:
    """Apply one record. Raises InvariantError (or any other bug) with nothing done."""
    return (yield from _Transaction(info, stimulus).run())


class _Transaction:
    """The state of one `transact` while it runs."""

    def __init__(self, info: PartitionInfo, stimulus: Stimulus) -> None:
        self.info = info
        self.stimulus = stimulus
        self.outcome = RecordOutcome(now=max(info.now, stimulus.timestamp_ms))
        self.command_id = stimulus.command_id or f"{info.partition}-{stimulus.offset}"
        self.queue: deque[c.AnyCommand] = deque()
        self.index = 0
        self.definitions = Definitions()

    def run(self) -> Driver:
        stimulus = self.stimulus
        command = stimulus.command
        if isinstance(command, InvalidCommand):
            yield from self._refuse(command.detail)
            return self.outcome
        if stimulus.number is not None and stimulus.source_partition is not None:
            last = yield ReadSource(stimulus.source_partition)
            if last is not None and stimulus.number <= last:
                return self.outcome
            self.outcome.source = (stimulus.source_partition, stimulus.number)
        if isinstance(command, c.ClientCommand):
            yield from self._run_client_command(command)
        elif self._is_trusted(command):
            yield from self._run_queue(command)
        else:
            kind = type(command).__name__
            self._reject(
                Rejection(RejectionCode.UNAUTHORIZED, f"{kind} is sent by the engine only"), None
            )
        return self.outcome

    def _refuse(self, detail: str) -> Generator[Read, Any, None]:
        """Reject a record that is no command, also one whose id was seen before as one."""
        if not (yield from self._is_duplicate()):
            self._reject(Rejection(RejectionCode.INVALID_ARGUMENT, detail), None)

    def _is_duplicate(self) -> Generator[Read, Any, bool]:
        """Whether a client's command id is in the window; if so its first outcome is repeated."""
        if self.stimulus.command_id is None:
            return False
        applied = yield ReadCommand(self.stimulus.command_id)
        if applied is None:
            return False
        self._answer_duplicate(applied)
        return True

    def _is_trusted(self, command: c.AnyCommand) -> bool:
        return self.stimulus.number is not None or isinstance(
            command, c.FireTimer | c.RaiseIncident
        )

    def _run_client_command(self, found: c.AnyCommand) -> Generator[Read, Any, None]:
        command = self._with_instance_id(found)
        try:
            address = address_of(command)
        except ValueError as error:
            self._reject(Rejection(RejectionCode.INVALID_ARGUMENT, str(error)), None)
            return
        if self._partition_of(command, address) != self.info.partition:
            self._forward(command, address)
            return
        if not (yield from self._is_duplicate()):
            yield from self._run_queue(command)

    def _with_instance_id(self, command: c.AnyCommand) -> c.AnyCommand:
        """A start without an id gets one that a repetition of the same command gets again."""
        if not isinstance(command, c.StartInstance) or command.instance_id is not None:
            return command
        name = f"{self.info.namespace}/{self.command_id}"
        return msgspec.structs.replace(command, instance_id=str(uuid5(ID_NAMESPACE, name)))

    def _partition_of(self, command: c.AnyCommand, address: str) -> int:
        if isinstance(command, c.ActivateVersion):
            return command.partition
        return partition_of_key(kafka_key(address), self.info.partitions)

    def _run_queue(self, first: c.AnyCommand) -> Generator[Read, Any, None]:
        """Apply the command, then what it sends to this partition, first in, first out."""
        self.definitions = yield ReadDefinitions()
        self.queue.append(first)
        is_first = True
        while self.queue:
            command = self.queue.popleft()
            outcome = yield from self._apply(command)
            if is_first:
                self._answer(command, outcome)
                is_first = False

    def _apply(self, command: c.AnyCommand) -> Generator[Read, Any, Outcome | Rejection]:
        address = address_of(command)
        if address in self.outcome.states:
            state = self.outcome.states[address]
        elif address == PARTITION_TABLE:
            state = None
        else:
            state = yield ReadState(address)
        model = yield from self._model_for(command, state)
        context = Context(
            now=self.outcome.now,
            partition=self.info.partition,
            offset=self.stimulus.offset,
            index=self.index,
            partitions=self.info.partitions,
            command_id=self.command_id,
            actor=self.stimulus.actor,
            reply=self.stimulus.reply,
            traceparent=self.stimulus.traceparent,
            definitions=self.definitions,
            model=model,
            settings=self.info.settings,
        )
        outcome = apply(context, state, command)
        if isinstance(outcome, Outcome):
            self._absorb(address, state, outcome)
        return outcome

    def _model_for(
        self, command: c.AnyCommand, state: AggregateState | None
    ) -> Generator[Read, Any, ProcessModel | None]:
        """The model of the instance at hand or, where a command starts one, of its process."""
        if isinstance(state, ProcessInstance):
            process_id, version = state.start.process_id, state.start.version
        elif isinstance(
            command, c.StartInstance | c.StartChild | c.StartByMessage | c.StartByTimer
        ):
            process_id, version = command.process_id, command.version
        else:
            return None
        ref = self.definitions.find(process_id, version)
        if ref is None:
            return None
        model: ProcessModel = yield ReadModel(ref.checksum, process_id, ref.semantics)
        return model

    def _absorb(self, address: str, before: AggregateState | None, outcome: Outcome) -> None:
        if outcome.state is not before:
            self.outcome.states[address] = outcome.state
        if outcome.dirty:
            known = self.outcome.dirty.get(address, frozenset())
            self.outcome.dirty[address] = known | outcome.dirty
        self.outcome.timers.extend(outcome.timers)
        self.outcome.contents.extend(outcome.contents)
        if outcome.process_versions is not None:
            self.outcome.process_versions.append(outcome.process_versions)
            self.definitions = self.definitions.with_process(outcome.process_versions)
        for publication in outcome.publications:
            self.outcome.publications.append(publication)
            self.index = publication.index + 1
        for send in outcome.sends:
            self._send(send.command, through_log=send.through_log)

    def _send(self, command: c.AnyCommand, *, through_log: bool) -> None:
        address = address_of(command)
        partition = self._partition_of(command, address)
        if partition == self.info.partition and not through_log:
            self.queue.append(command)
        else:
            self._publish_command(command, address, partition, forwarded=False)

    def _publish_command(
        self, command: c.AnyCommand, address: str, partition: int, *, forwarded: bool
    ) -> None:
        """Number a command and publish it to its partition of the log."""
        number = SendNumber(
            generation=self.info.generation, offset=self.stimulus.offset, index=self.index
        )
        sent = SentCommand(
            command=command,
            command_id=self.command_id,
            source_partition=self.info.partition,
            number=number,
            actor=self.stimulus.actor,
            reply=self.stimulus.reply if forwarded else None,
            forwarded=forwarded,
            traceparent=self.stimulus.traceparent,
        )
        self._publish(Topic.COMMANDS, kafka_key(address), sent, partition=partition)

    def _forward(self, command: c.AnyCommand, address: str) -> None:
        """Send a misrouted client command to the partition that its body names, once."""
        partition = self._partition_of(command, address)
        if self.stimulus.forwarded:
            detail = f"expected on partition {partition}, found again on {self.info.partition}"
            self._reject(Rejection(RejectionCode.INVALID_ARGUMENT, detail), None)
            return
        self._publish_command(command, address, partition, forwarded=True)

    def _publish(
        self,
        topic: Topic,
        key: str,
        record: SentCommand | Reply,
        *,
        partition: int | None,
        reply: ReplyAddress | None = None,
    ) -> None:
        self.outcome.publications.append(
            Publication(
                topic=topic,
                key=key,
                record=record,
                index=self.index,
                partition=partition,
                reply=reply,
                traceparent=self.stimulus.traceparent,
            )
        )
        self.index += 1

    # --- answers ---

    def _answer(self, command: c.AnyCommand, outcome: Outcome | Rejection) -> None:
        """Answer the record's own command; those it sent on have nobody who waits."""
        if not isinstance(command, c.ClientCommand):
            return
        address = address_of(command)
        instance_id = address if is_instance(address) else None
        if isinstance(outcome, Rejection):
            self._reject(outcome, instance_id)
            return
        applied = AppliedCommand(
            status=ReplyStatus.ACCEPTED, instance_id=instance_id, result=outcome.result
        )
        self._remember(applied)
        if not outcome.answers_later:
            self._reply(self._reply_record(applied, applied.status))

    def _reject(self, rejection: Rejection, instance_id: str | None) -> None:
        """Answer with a rejection, and publish it to the rejections topic too."""
        self.outcome.rejection = rejection
        applied = AppliedCommand(
            status=ReplyStatus.REJECTED,
            instance_id=instance_id,
            code=rejection.code,
            detail=rejection.detail,
            result=rejection.result,
        )
        self._remember(applied)
        reply = self._reply_record(applied, applied.status)
        self._publish(
            Topic.REJECTIONS,
            instance_id or self.command_id,
            reply,
            partition=self.info.partition,
        )
        self._reply(reply)

    def _answer_duplicate(self, applied: AppliedCommand) -> None:
        self._reply(self._reply_record(applied, ReplyStatus.DUPLICATE))

    def _remember(self, applied: AppliedCommand) -> None:
        if self.stimulus.command_id is not None:
            self.outcome.applied = (self.stimulus.command_id, applied)

    def _reply_record(self, applied: AppliedCommand, status: ReplyStatus) -> Reply:
        return Reply(
            command_id=self.command_id,
            status=status,
            instance_id=applied.instance_id,
            code=applied.code,
            detail=applied.detail,
            result=applied.result,
        )

    def _reply(self, reply: Reply) -> None:
        address = self.stimulus.reply
        if address is not None:
            self._publish(
                Topic.REPLIES,
                reply.command_id,
                reply,
                partition=address.partition,
                reply=address,
            )


__all__ = [
    "DEPLOYMENTS",
    "AppliedCommand",
    "Driver",
    "InvalidCommand",
    "PartitionInfo",
    "Read",
    "ReadCommand",
    "ReadDefinitions",
    "ReadModel",
    "ReadSource",
    "ReadState",
    "RecordOutcome",
    "Stimulus",
    "transact",
]
