"""Runs models on the real core without servers: partitions in memory, a virtual clock.

    runner = Runner(compiled(process("order", ...)))
    runner.send(StartInstance(process_id="order", instance_id="a"))
    runner.complete("payment", '{"paid": true}')
    runner.elapse(3_600_000)
    assert runner.state("a") is InstanceState.COMPLETED

A record goes through `transact` exactly as in production: sends of one partition to another travel
through the log with their numbers, timers fire by `FireTimer`. After each record the documents are
compared with the fold of their history. Variants repeat every record, encode and decode every
document between records, send what stays on a partition through its log, too, or cut transitions
short.
"""

from collections import deque
from collections.abc import Sequence
from itertools import count
from typing import Any, assert_never

import msgspec

from engine import commands as c
from engine import events as e
from engine import records as r
from engine.definitions import Conversations, Definitions, ProcessVersions, VersionRef
from engine.instances.fold import fold_part
from engine.lifecycle import InstanceState
from engine.model.elements import (
    MessageTrigger,
    NoneTrigger,
    ProcessModel,
    SignalTrigger,
    parts_of,
)
from engine.outcome import AggregateState
from engine.partition import (
    AppliedCommand,
    PartitionInfo,
    Read,
    ReadCommand,
    ReadDefinitions,
    ReadModel,
    ReadSignals,
    ReadSource,
    ReadState,
    RecordOutcome,
    Stimulus,
    transact,
)
from engine.routing import address_of, kafka_key, partition_of, split_message_address
from engine.settings import Settings
from engine.state import (
    ConditionWait,
    GateWait,
    IncidentWait,
    JobWait,
    ProcessInstance,
    SignalWait,
    SubscriptionWait,
    SweepWait,
    TaskWait,
    TimerWait,
    Tombstone,
    Wait,
)
from tests.support.documents import assert_asleep, assert_consistent
from tests.support.signals import signal_waits

START_MS = 1_700_000_000_000
RECORDS_MAX = 100_000
_DECODER = msgspec.msgpack.Decoder(ProcessInstance)


def _starts(
    model: ProcessModel, indexes: tuple[int, ...], kind: type[MessageTrigger | SignalTrigger]
) -> tuple[tuple[str, str], ...]:
    """(name, start element id) of what messages or signals start."""
    pairs = []
    for index in indexes:
        element = model.elements[index]
        for trigger in parts_of(getattr(element, "trigger", NoneTrigger())):
            if isinstance(trigger, kind):
                assert isinstance(trigger.name, str)
                pairs.append((trigger.name, element.id))
    return tuple(pairs)


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


class Partition:
    """One partition: its log, and what Redis would hold of it."""

    def __init__(self) -> None:
        self.log: deque[Stimulus] = deque()
        self.offsets = count(1)
        self.now = 0
        self.states: dict[str, AggregateState] = {}
        self.applied: dict[str, AppliedCommand] = {}
        self.sources: dict[int, r.SendNumber] = {}
        self.definitions = Definitions()
        self.timers: dict[tuple[str, int], int] = {}


class Runner:
    """See the module. `publications` are all that was published, in order, copies not counted."""

    def __init__(
        self,
        *models: ProcessModel,
        variant: Variant = VARIANTS[0],
        settings: Settings | None = None,
    ) -> None:
        self.variant = variant
        self.settings = settings or Settings()
        if variant.steps_per_command_max is not None:
            self.settings = msgspec.structs.replace(
                self.settings,
                steps_per_command_max=variant.steps_per_command_max,
                terminations_per_command_max=variant.steps_per_command_max,
            )
        self.now = START_MS
        self.partitions = [Partition() for _ in range(variant.partitions)]
        self.models: dict[tuple[str, str], ProcessModel] = {}
        self.publications: list[r.Publication] = []
        self.history: dict[str, list[r.Transition]] = {}
        self.folded: dict[str, ProcessInstance | Tombstone] = {}
        self.outcomes: list[RecordOutcome] = []
        self.posting = False
        """Whether accepted commands are only put on the log, so that they meet others there."""
        self._loaded: dict[str, tuple[AggregateState, bytes]] = {}
        self._command_ids = count(1)
        self._offset = count(1)
        for model in models:
            self.deploy(model)

    # --- what a scenario does ---

    def deploy(self, model: ProcessModel) -> int:
        """Add the next version of a process to every partition's table: one deployment."""
        known = self.partitions[0].definitions.get(model.process_id)
        version = 1 if known is None else known.versions[-1].version + 1
        ref = VersionRef(
            version=version,
            checksum=f"{model.process_id}-{version}",
            semantics=model.semantics,
            deployment=len(self.models) + 1,
            tag=model.version_tag,
        )
        starts = _starts(model, model.message_starts, MessageTrigger)
        signals = _starts(model, model.signal_starts, SignalTrigger)
        conversations = Conversations(
            joint=tuple(model.elements[index].id for index in model.joint_starts),
            alternatives=tuple(model.elements[index].id for index in model.alternative_starts),
        )
        self.models[ref.checksum, model.process_id] = model
        for partition in self.partitions:
            before = partition.definitions.get(model.process_id) or ProcessVersions(
                process_id=model.process_id
            )
            after = before.activate(ref, starts, signals, conversations)
            partition.definitions = partition.definitions.with_process(after)
        return version

    def send(self, command: c.AnyCommand, *, command_id: str | None = None) -> r.Reply | None:
        """Send a command as a client does, run all that follows, give the answer to it."""
        command_id = command_id or f"command-{next(self._command_ids)}"
        reply = r.ReplyAddress(topic="test.replies", correlation_id=command_id.encode())
        before = len(self.publications)
        self._append(self._partition_for(command), command, command_id=command_id, reply=reply)
        self.settle()
        replies = [
            publication.record
            for publication in self.publications[before:]
            if publication.topic is r.Topic.REPLIES and isinstance(publication.record, r.Reply)
        ]
        if self.variant.twice and replies:
            assert [reply.status for reply in replies[1:]] == [r.ReplyStatus.DUPLICATE]
        return replies[0] if replies else None

    def internal(self, command: c.AnyCommand) -> None:
        """Send a command as another partition of the engine does, and run all that follows."""
        number = r.SendNumber(generation=0, offset=next(self._offset), index=0)
        target = self._partition_for(command)
        self._append(target, command, number=number, source_partition=0)
        self.settle()

    def start(self, process_id: str, instance_id: str = "a", variables: str = "{}") -> None:
        reply = self.send(
            c.StartInstance(process_id=process_id, instance_id=instance_id, variables=variables)
        )
        assert reply is not None
        assert reply.status is r.ReplyStatus.ACCEPTED, reply

    def complete(self, job_type: str, variables: str = "{}") -> None:
        """Complete the oldest open job of a type."""
        job = self.job(job_type)
        self.accept(c.CompleteJob(job_id=job.job_id, attempt=job.attempt, variables=variables))

    def complete_task(self, element_id: str, variables: str = "{}") -> None:
        self.accept(c.CompleteTask(task_id=self.task(element_id).task_id, variables=variables))

    def post(self, command: c.AnyCommand) -> None:
        """Put a command on the log, behind whatever is there; `settle` applies it."""
        command_id = f"command-{next(self._command_ids)}"
        self._append(self._partition_for(command), command, command_id=command_id)

    def accept(self, command: c.AnyCommand) -> None:
        if self.posting:
            self.post(command)
            return
        reply = self.send(command)
        assert reply is not None
        assert reply.status is r.ReplyStatus.ACCEPTED, reply

    def reject(self, command: c.AnyCommand, *, command_id: str | None = None) -> tuple[str, str]:
        """Send a command that must be rejected; give the code and the detail."""
        reply = self.send(command, command_id=command_id)
        assert reply is not None
        assert reply.status is r.ReplyStatus.REJECTED, reply
        return reply.code or "", reply.detail or ""

    def elapse(self, duration_ms: int) -> None:
        """Let time pass; timers fire at their instants, one after the other."""
        if self.posting:
            self.sleep(duration_ms)
            return
        until = self.now + duration_ms
        for _ in range(RECORDS_MAX):
            due = min((at for p in self.partitions for at in p.timers.values()), default=None)
            if due is None or due > until:
                break
            self.now = max(self.now, due)
            self.fire_due()
        self.now = until

    def sleep(self, duration_ms: int) -> None:
        """Let time pass while no engine runs; then all that is due fires."""
        self.now += duration_ms
        self.fire_due()

    def fire_due(self) -> None:
        """Publish what is due, as the owner of each partition does, and run all that follows."""
        for partition in self.partitions:
            due = sorted((at, *key) for key, at in partition.timers.items() if at <= self.now)
            for at, address, timer in due:
                self._append(partition, c.FireTimer(address=address, timer=timer, due_ms=at))
        if not self.posting:
            self.settle()

    # --- what a scenario looks at ---

    def state(self, instance_id: str = "a") -> InstanceState | None:
        state = self.document(instance_id)
        return None if state is None else state.state

    def document(self, instance_id: str = "a") -> ProcessInstance | Tombstone | None:
        partition = self.partitions[partition_of(kafka_key(instance_id), len(self.partitions))]
        state = partition.states.get(instance_id)
        assert state is None or isinstance(state, ProcessInstance | Tombstone)
        return state

    def living(self, instance_id: str = "a") -> ProcessInstance:
        state = self.document(instance_id)
        assert isinstance(state, ProcessInstance), state
        return state

    def waits(self, kind: type[Any], instance_id: str = "a") -> list[Any]:
        """The waits of a kind, as they were armed."""
        waits: Sequence[Wait] = list(self.living(instance_id).waits.values())
        return [wait for wait in waits if isinstance(wait, kind)]

    def waiting(self, instance_id: str = "a") -> list[tuple[str, str]]:
        """(element id, kind of wait) of all that an instance waits for, as it was armed."""
        state = self.living(instance_id)
        kinds: dict[type[Any], str] = {
            JobWait: "job",
            TaskWait: "task",
            TimerWait: "timer",
            SubscriptionWait: "message",
            SignalWait: "signal",
            ConditionWait: "condition",
            SweepWait: "sweep",
            GateWait: "gate",
            IncidentWait: "incident",
        }
        return [
            (
                getattr(wait, "element_id", None) or state.elements[wait.owner].element_id,
                kinds.get(type(wait), "call"),
            )
            for wait in state.waits.values()
        ]

    def active(self, instance_id: str = "a") -> list[str]:
        """The ids of the living elements, the process's own aside, as they were activated."""
        state = self.living(instance_id)
        return [item.element_id for item in state.elements.values() if item.scope is not None]

    def variables(self, instance_id: str = "a", scope: int | None = None) -> dict[str, str]:
        state = self.living(instance_id)
        return state.variables.get(scope or state.root, {})

    def incident(self, instance_id: str = "a") -> IncidentWait:
        incidents = self.waits(IncidentWait, instance_id)
        assert len(incidents) == 1, incidents
        found = incidents[0]
        assert isinstance(found, IncidentWait)
        return found

    def resolve(self, instance_id: str = "a", **fields: Any) -> None:
        key = self.incident(instance_id).key
        self.accept(c.ResolveIncident(incident_id=f"{instance_id}:{key}", **fields))

    def records(self, topic: r.Topic) -> list[Any]:
        return [item.record for item in self.publications if item.topic is topic]

    def effects(self, kind: str | None = None) -> list[r.Effect]:
        effects: list[r.Effect] = self.records(r.Topic.EFFECTS)
        return [effect for effect in effects if kind is None or effect.type == kind]

    def result(self, instance_id: str = "a") -> str | None:
        """The variables with which an instance completed."""
        ended = [e for e in self.effects("InstanceCompleted") if e.instance_id == instance_id]
        assert len(ended) == 1, ended
        return ended[0].variables

    def jobs(self, job_type: str | None = None) -> list[r.Job]:
        """The jobs that are open at workers."""
        published: dict[str, r.Job] = {job.job_id: job for job in self.records(r.Topic.JOBS)}
        return [
            job
            for job in published.values()
            if not job.canceled and job_type in {None, job.type} and self._is_open(job)
        ]

    def _is_open(self, job: r.Job) -> bool:
        state = self.document(job.instance_id)
        wait = None
        if isinstance(state, ProcessInstance):
            wait = state.waits.get(int(job.job_id.rpartition(":")[2]))
        return (
            isinstance(wait, JobWait)
            and wait.attempt == job.attempt
            and not wait.stopped
            and wait.retry_at is None
        )

    def job(self, job_type: str) -> r.Job:
        jobs = self.jobs(job_type)
        assert jobs, f"no open job of type {job_type}"
        return jobs[0]

    def tasks(self) -> list[r.Task]:
        """What a compacted topic of tasks holds."""
        current: dict[str, r.Task | None] = {
            item.key: item.record  # type: ignore[misc]  # the topic holds tasks only
            for item in self.publications
            if item.topic is r.Topic.TASKS
        }
        return [task for task in current.values() if task is not None]

    def task(self, element_id: str) -> r.Task:
        found = [task for task in self.tasks() if task.element_id == element_id]
        assert found, f"no open task {element_id}"
        return found[0]

    def path(self, instance_id: str = "a") -> list[str]:
        """The ids of the elements that completed, in order."""
        names: dict[int, str] = {}
        path = []
        for event in self.events(instance_id):
            if isinstance(event, e.ElementActivated):
                names[event.key] = event.element_id
            elif isinstance(event, e.ElementCompleted):
                path.append(names[event.key])
        return path

    def events(self, instance_id: str = "a") -> list[e.AnyEvent]:
        """The whole history of an instance."""
        return [event for part in self.history.get(instance_id, []) for event in part.events]

    # --- how it runs ---

    def settle(self) -> None:
        """Apply records until every log is empty."""
        for _ in range(RECORDS_MAX):
            if not self.step():
                self._assert_asleep()
                return
        raise AssertionError(f"more than {RECORDS_MAX} records, and no end")

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
        driver = transact(info, stimulus)
        answer: Any = None
        self._loaded = {}
        while True:
            try:
                read = driver.send(answer)
            except StopIteration as stop:
                self._assert_untouched()
                self._absorb(partition, stop.value)
                return
            answer = self._read(partition, read)

    def _read(self, partition: Partition, read: Read) -> Any:
        match read:
            case ReadState(address):
                return self._load(partition, address)
            case ReadModel(checksum, process_id, _):
                return self.models[checksum, process_id]
            case ReadCommand(command_id):
                return partition.applied.get(command_id)
            case ReadSource(source):
                return partition.sources.get(source)
            case ReadDefinitions():
                return partition.definitions
            case ReadSignals():
                return signal_waits(partition.states.values(), read)
            case _:
                assert_never(read)

    def _load(self, partition: Partition, address: str) -> AggregateState | None:
        state = partition.states.get(address)
        if isinstance(state, ProcessInstance) and self.variant.encoded:
            state = _DECODER.decode(msgspec.msgpack.encode(state))
        if state is not None:
            self._loaded[address] = (state, msgspec.msgpack.encode(state))
        return state

    def _assert_asleep(self) -> None:
        for partition in self.partitions:
            for state in partition.states.values():
                if isinstance(state, ProcessInstance):
                    assert_asleep(state)

    def _assert_untouched(self) -> None:
        """`apply` must not change what it is given."""
        for address, (state, encoded) in self._loaded.items():
            assert msgspec.msgpack.encode(state) == encoded, f"{address} was changed"

    def _absorb(self, partition: Partition, outcome: RecordOutcome) -> None:
        self.outcomes.append(outcome)
        partition.now = outcome.now
        for timer in outcome.timers:
            if timer.due_ms is None:
                partition.timers.pop((timer.address, timer.timer), None)
            else:
                partition.timers[timer.address, timer.timer] = timer.due_ms
        if outcome.applied is not None:
            partition.applied[outcome.applied[0]] = outcome.applied[1]
        if outcome.source is not None:
            partition.sources[outcome.source[0]] = outcome.source[1]
        for versions in outcome.process_versions:
            partition.definitions = partition.definitions.with_process(versions)
        for publication in outcome.publications:
            self._publish(publication)
        for address, state in outcome.states.items():
            if state is None:
                partition.states.pop(address, None)
                continue
            partition.states[address] = state
            if isinstance(state, ProcessInstance | Tombstone):
                assert state == self.folded[address], f"{address} is not the fold of its history"
                assert_consistent(state, _timers_of(partition, address))

    def _publish(self, publication: r.Publication) -> None:
        self.publications.append(publication)
        record = publication.record
        if isinstance(record, r.Transition):
            self.history.setdefault(record.instance_id, []).append(record)
            self.folded[record.instance_id] = fold_part(
                self.folded.get(record.instance_id), record, self.settings.tombstone_ms
            )
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

    # --- what must hold when all is quiet ---

    def assert_nothing_left(self) -> None:
        """No timer, subscription, living instance or open task is left anywhere."""
        for partition in self.partitions:
            assert partition.timers == {}
            left = {
                address: state
                for address, state in partition.states.items()
                if not isinstance(state, Tombstone)
            }
            assert left == {}
        assert self.tasks() == []


def _timers_of(partition: Partition, address: str) -> dict[int, int]:
    return {timer: at for (owner, timer), at in partition.timers.items() if owner == address}


def subscriptions(runner: Runner) -> list[tuple[str, str]]:
    """(name, key) of every message aggregate that somebody waits at."""
    return [
        split_message_address(address)
        for partition in runner.partitions
        for address, state in partition.states.items()
        if getattr(state, "subscriptions", ())
    ]
