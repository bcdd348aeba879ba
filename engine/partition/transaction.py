"""`transact`: one record, from the question whether it was taken before to all that it leads to."""

from collections import deque
from collections.abc import Generator
from typing import Any

from msgspec.structs import replace

from engine import commands as c
from engine.aggregates import DeploymentsState
from engine.apply import apply
from engine.conversations import is_asked
from engine.decisions import DecisionModel
from engine.definitions import AnyVersions, DecisionFile, Definitions, ProcessVersions, VersionRef
from engine.deployments import await_answer
from engine.errors import DecisionUnreadError, InvariantError
from engine.ids import id_for_command
from engine.model.elements import ProcessModel
from engine.outcome import AggregateState, Context, Outcome
from engine.partition.publishing import Publishing
from engine.partition.stimulus import (
    AppliedCommand,
    Driver,
    InvalidCommand,
    PartitionInfo,
    Read,
    ReadCommand,
    ReadDecisions,
    ReadDefinitions,
    ReadModel,
    ReadSignals,
    ReadSource,
    ReadState,
    RecordOutcome,
    Stimulus,
)
from engine.records import ReplyStatus, SendNumber
from engine.rejections import Rejection, RejectionCode
from engine.routing import DEPLOYMENTS, PARTITION_TABLE, address_of, kafka_key
from engine.routing import partition_of as partition_of_key
from engine.state import ProcessInstance

LOCAL_COMMANDS_MAX = 50_000
"""How many commands a record may lead to on its own partition. Long before, an instance carries on
through the log; and `Context.step` must stay below 2**16."""

Reading = Generator[Read, Any, None]


def transact(info: PartitionInfo, stimulus: Stimulus) -> Driver:
    """Apply one record. Raises InvariantError (or any other bug) with nothing done."""
    return (yield from _Transaction(info, stimulus).run())


class _Transaction:
    """The state of one `transact` while it runs."""

    def __init__(self, info: PartitionInfo, stimulus: Stimulus) -> None:
        self.info = info
        self.stimulus = stimulus
        self.outcome = RecordOutcome(now=max(info.now, stimulus.timestamp_ms))
        self.publishing = Publishing(info, stimulus, self.outcome)
        self.queue: deque[tuple[c.AnyCommand, str]] = deque()
        """Commands for this partition that are still to be applied, with their addresses."""
        self.definitions = Definitions()
        self.decisions: dict[DecisionFile, DecisionModel] = {}

    def run(self) -> Driver:
        command, sent = self.stimulus.command, self.stimulus.sent_from(self.info.partitions)
        is_send = sent is not None
        if sent is not None and (yield from self._was_taken(*sent)):
            return self.outcome
        if isinstance(command, InvalidCommand):
            yield from self._refuse(command.code, command.detail)
        elif is_send and not self.stimulus.forwarded:
            yield from self._run_queue(command, address_of(command))
        elif isinstance(command, c.ClientCommand):
            yield from self._run_client_command(self._with_instance_id(command))
        elif isinstance(command, c.FireTimer | c.RaiseIncident) and self.stimulus.trusted:
            yield from self._run_owners_command(command)
        else:
            detail = f"{type(command).__name__} is sent by the engine only"
            yield from self._refuse(RejectionCode.UNAUTHORIZED, detail)
        return self.outcome

    # --- sends ---

    def _was_taken(self, source: int, number: SendNumber) -> Generator[Read, Any, bool]:
        """Whether the send is a copy. First copies arrive in order, so the last number suffices.

        A copy can come arbitrarily late: a window of the last few would let it through.
        """
        last = yield ReadSource(source)
        if last is not None and number <= last:
            return True
        self.outcome.source = (source, number)
        return False

    def _run_owners_command(self, command: c.FireTimer | c.RaiseIncident) -> Reading:
        """A command that the partition's owner publishes by itself: it has no number."""
        try:
            address = address_of(command)
        except ValueError as error:
            yield from self._refuse(RejectionCode.INVALID_ARGUMENT, str(error))
            return
        yield from self._run_queue(command, address)

    # --- client commands ---

    def _run_client_command(self, command: c.ClientCommand) -> Reading:
        try:
            address = address_of(command)
        except ValueError as error:
            yield from self._refuse(RejectionCode.INVALID_ARGUMENT, str(error))
            return
        partition = self._partition_of(command, address)
        if partition != self.info.partition:
            yield from self._forward(command, address, partition)
            return
        first = yield from self._first_outcome()
        if first is None:
            yield from self._run_queue(command, address, answered=True)
        elif not (yield from self._waits_for_answer(command)):
            self.publishing.reply(first, ReplyStatus.DUPLICATE)

    def _with_instance_id(self, command: c.ClientCommand) -> c.ClientCommand:
        """A start without an id gets one that a repetition of the same command gets again."""
        if not isinstance(command, c.StartInstance) or command.instance_id is not None:
            return command
        instance_id = id_for_command(self.info.namespace, self.publishing.command_id)
        return replace(command, instance_id=instance_id)

    def _forward(self, command: c.ClientCommand, address: str, partition: int) -> Reading:
        """Send a misrouted client command to the partition that its body names, once."""
        if self.stimulus.forwarded:
            detail = f"expected on partition {partition}, found again on {self.info.partition}"
            yield from self._refuse(RejectionCode.INVALID_ARGUMENT, detail)
            return
        self.publishing.send(command, address, partition, forwarded=True)

    def _refuse(self, code: RejectionCode, detail: str) -> Reading:
        """Reject what cannot be brought to an aggregate, unless its id was seen before."""
        first = yield from self._first_outcome()
        if first is None:
            self.publishing.reject(Rejection(code, detail))
        else:
            self.publishing.reply(first, ReplyStatus.DUPLICATE)

    def _first_outcome(self) -> Generator[Read, Any, AppliedCommand | None]:
        """The outcome of the client's command if its id is in the window."""
        if self.stimulus.command_id is None:
            return None
        first: AppliedCommand | None = yield ReadCommand(self.stimulus.command_id)
        return first

    def _waits_for_answer(self, command: c.ClientCommand) -> Generator[Read, Any, bool]:
        """Whether the answer to the first of these commands is yet to come, and serves for this."""
        reply = self.stimulus.reply
        if not isinstance(command, c.DeployResources) or reply is None:
            return False
        state: AggregateState | None = yield ReadState(DEPLOYMENTS)
        assert state is None or isinstance(state, DeploymentsState)
        waiting = await_answer(state, self.publishing.command_id, reply)
        if waiting is None:
            return False
        self.outcome.states[DEPLOYMENTS] = waiting
        return True

    # --- the queue ---

    def _run_queue(
        self, first: c.AnyCommand, first_address: str, *, answered: bool = False
    ) -> Reading:
        """Apply the command, then what it sends to this partition, first in, first out."""
        self.definitions = yield ReadDefinitions()
        self.queue.append((first, first_address))
        for step in range(LOCAL_COMMANDS_MAX):
            command, address = self.queue.popleft()
            outcome = yield from self._apply(command, address, step)
            if step == 0 and answered:
                self._answer(address, outcome)
            if not self.queue:
                return
        following = [type(command).__name__ for command, _ in self.queue]
        raise InvariantError(
            f"one record led to more than {LOCAL_COMMANDS_MAX} commands; next: {following[:5]}"
        )

    def _answer(self, address: str, outcome: Outcome | Rejection) -> None:
        if isinstance(outcome, Rejection):
            self.publishing.reject(outcome, address)
        else:
            self.publishing.accept(address, outcome.result, answers_later=outcome.answers_later)

    def _apply(
        self, command: c.AnyCommand, address: str, step: int
    ) -> Generator[Read, Any, Outcome | Rejection]:
        state: AggregateState | None = None
        if address in self.outcome.states:
            state = self.outcome.states[address]
        elif address != PARTITION_TABLE:
            state = yield ReadState(address)
        model = yield from self._model_for(command, state)
        if model is not None:
            yield from self._foresee(model)
        context = self._context(model, step)
        if isinstance(command, c.DeliverSignal) and not command.spreads:
            context = replace(context, signal_waits=(yield self._chunk_of(command)))
        elif isinstance(command, c.EvaluateConditions):
            context = replace(context, condition_models=(yield from self._condition_models()))
        outcome = yield from self._apply_with_decisions(context, state, command)
        if isinstance(outcome, Outcome):
            self._absorb(address, state, outcome)
        return outcome

    def _foresee(self, model: ProcessModel) -> Reading:
        """Read the decisions that a process names: else it had to be applied again for them."""
        for decision_id in model.decision_ids:
            versions = self.definitions.decision(decision_id)
            latest = None if versions is None else versions.find(None)
            if latest is not None and latest.file not in self.decisions:
                self.decisions[latest.file] = yield ReadDecisions(latest.file)

    def _apply_with_decisions(
        self, context: Context, state: AggregateState | None, command: c.AnyCommand
    ) -> Generator[Read, Any, Outcome | Rejection]:
        """Apply, and again with each file of decisions that it turns out to need.

        Only the transition knows those that an expression names, and older versions. `apply`
        changes nothing that it is given, so what it did until then is forgotten.
        """
        while True:
            try:
                return apply(context, state, command)
            except DecisionUnreadError as unread:
                file = unread.file
            self.decisions[file] = yield ReadDecisions(file)

    def _chunk_of(self, command: c.DeliverSignal) -> ReadSignals:
        return ReadSignals(
            name=command.name,
            before=self.stimulus.offset if command.before is None else command.before,
            after_since=command.after_since,
            after_wait=command.after_wait,
            limit=self.info.settings.fan_out_chunk,
        )

    def _condition_models(self) -> Generator[Read, Any, tuple[ProcessModel, ...]]:
        """The latest models of all processes that have conditional start events."""
        models: list[ProcessModel] = []
        for process in self.definitions.condition_starts():
            ref = process.versions[-1]
            models.append((yield ReadModel(ref.checksum, process.id, ref.semantics)))
        return tuple(models)

    def _context(self, model: ProcessModel | None, step: int) -> Context:
        info, stimulus = self.info, self.stimulus
        return Context(
            namespace=info.namespace,
            now=self.outcome.now,
            partition=info.partition,
            offset=stimulus.offset,
            index=self.publishing.index,
            step=step,
            partitions=info.partitions,
            command_id=self.publishing.command_id,
            actor=stimulus.actor,
            reply=stimulus.reply,
            traceparent=stimulus.traceparent,
            definitions=self.definitions,
            model=model,
            decisions=self.decisions,
            settings=info.settings,
        )

    def _model_for(
        self, command: c.AnyCommand, state: AggregateState | None
    ) -> Generator[Read, Any, ProcessModel | None]:
        """The model of the instance at hand or, where a command starts one, of its process."""
        if isinstance(state, ProcessInstance):
            process_id = state.start.process_id
            ref = self.definitions.find(process_id, state.start.version)
        elif isinstance(command, c.StartInstance | c.StartChild):
            process_id = command.process_id
            ref = self.definitions.find(process_id, command.version)
        elif is_asked(command):
            return None
        elif isinstance(command, c.TriggeredStart):
            process_id = command.process_id
            ref = self._met(command)
        else:
            return None
        if ref is None:
            return None
        model: ProcessModel = yield ReadModel(ref.checksum, process_id, ref.semantics)
        return model

    def _met(self, command: c.TriggeredStart) -> VersionRef | None:
        """The version that a start from elsewhere names: it may be ahead of its activation here."""
        process_id = command.process_id
        known = self.definitions.get(process_id) or ProcessVersions(id=process_id)
        if known.find(command.version) is None and command.checksum:
            ref = VersionRef(
                version=command.version, checksum=command.checksum, semantics=command.semantics
            )
            known = known.meet(ref)
            self._define(known)
        return known.find(command.version)

    def _define(self, versions: AnyVersions) -> None:
        self.outcome.versions.append(versions)
        self.definitions = self.definitions.with_versions(versions)

    def _absorb(self, address: str, before: AggregateState | None, outcome: Outcome) -> None:
        if outcome.state is not before:
            self.outcome.states[address] = outcome.state
        if outcome.dirty:
            known = self.outcome.dirty.get(address, frozenset())
            self.outcome.dirty[address] = known | outcome.dirty
        self.outcome.timers.extend(outcome.timers)
        self.outcome.contents.extend(outcome.contents)
        if outcome.versions is not None:
            self._define(outcome.versions)
        self.publishing.take(outcome.publications)
        for send in outcome.sends:
            self._send(send.command, through_log=send.through_log)

    def _send(self, command: c.AnyCommand, *, through_log: bool) -> None:
        address = address_of(command)
        partition = self._partition_of(command, address)
        stays = partition == self.info.partition and not self.info.sends_through_log
        if stays and not through_log:
            self.queue.append((command, address))
        else:
            self.publishing.send(command, address, partition)

    def _partition_of(self, command: c.AnyCommand, address: str) -> int:
        if isinstance(command, c.ActivateVersion | c.DeliverSignal):
            return command.partition
        return partition_of_key(kafka_key(address), self.info.partitions)
