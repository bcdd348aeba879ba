"""A version takes effect on each partition by its own log; after the last the deployer is told."""

import msgspec
from msgspec.structs import replace

from engine import commands as c
from engine.aggregates import Activation, DeploymentsState, PendingDeployment
from engine.definitions import (
    AnyVersions,
    DecisionVersions,
    DefinitionKind,
    Definitions,
    ProcessVersions,
    Starts,
    VersionRef,
)
from engine.history import chain
from engine.outcome import Context, Outcome, Send, TimerChange
from engine.records import (
    Effect,
    Publication,
    Reply,
    ReplyAddress,
    ReplyStatus,
    Topic,
)
from engine.routing import DEPLOYMENTS

REPEATS_MAX = 16
"""How many repetitions of one command wait for its answer; any more are answered at once."""

_ENCODER = msgspec.msgpack.Encoder()


def apply_partition_table(context: Context, command: c.ActivateVersion) -> Outcome:
    """Put a version into the partition's own table, and answer; the table has no other state."""
    ref = VersionRef(
        version=command.version,
        checksum=command.checksum,
        semantics=command.semantics,
        deployment=command.deployment,
        tag=command.version_tag,
        imports=command.imports,
    )
    before, after = _change(context.definitions, command, ref)
    answer = c.VersionActivated(
        deployment=command.deployment,
        process_id=command.process_id,
        version=command.version,
        partition=command.partition,
        kind=command.kind,
    )
    return Outcome(
        state=None,
        versions=None if after == before else after,
        sends=(Send(command=answer),),
    )


def _change(
    definitions: Definitions, command: c.ActivateVersion, ref: VersionRef
) -> tuple[AnyVersions, AnyVersions]:
    """The versions of the process or decision before and after."""
    name = command.process_id
    if command.kind == DefinitionKind.DECISION:
        decision = definitions.decision(name) or DecisionVersions(id=name)
        return decision, decision.activate(ref)
    process = definitions.get(name) or ProcessVersions(id=name)
    return process, process.activate(ref, _starts(command))


def _starts(command: c.ActivateVersion) -> Starts:
    return Starts(
        messages=command.message_starts,
        signals=command.signal_starts,
        conditions=command.condition_starts,
        joint=command.joint_starts,
        alternatives=command.alternative_starts,
    )


def activated(context: Context, state: DeploymentsState, command: c.VersionActivated) -> Outcome:
    """A partition has a version; deployments that waited for nothing else are over."""
    if all(_without(pending.waiting, command) == pending.waiting for pending in state.pending):
        return Outcome(state=state)
    over: list[PendingDeployment] = []
    kept: list[PendingDeployment] = []
    for pending in state.pending:
        waiting = _without(pending.waiting, command)
        (kept if waiting else over).append(replace(pending, waiting=waiting))
    state = replace(state, pending=tuple(kept))
    publisher = _Publisher(context, state.digest)
    timers: list[TimerChange] = []
    for pending in over:
        publisher.announce(pending)
        publisher.answer(pending, None)
        if pending.timer is not None:
            timers.append(TimerChange(address=DEPLOYMENTS, timer=pending.timer, due_ms=None))
    return Outcome(
        state=replace(state, digest=publisher.digest),
        publications=tuple(publisher.publications),
        timers=tuple(timers),
    )


def _without(
    waiting: tuple[Activation, ...], command: c.VersionActivated
) -> tuple[Activation, ...]:
    left: list[Activation] = []
    named = (command.kind, command.process_id, command.version)
    for activation in waiting:
        if (activation.kind, activation.process_id, activation.version) != named:
            left.append(activation)
            continue
        partitions = tuple(p for p in activation.partitions if p != command.partition)
        if partitions:
            left.append(replace(activation, partitions=partitions))
    return tuple(left)


def wait_is_over(context: Context, state: DeploymentsState, pending: PendingDeployment) -> Outcome:
    """Answer although some partitions have not; the answer names them, and activation goes on."""
    publisher = _Publisher(context, state.digest)
    missing = dict.fromkeys(p for activation in pending.waiting for p in activation.partitions)
    names = ", ".join(map(str, sorted(missing)))
    publisher.answer(pending, f"deployed; not activated yet by partitions {names}: it goes on")
    answered = replace(pending, reply=None, repeats=(), timer=None)
    kept = tuple(answered if known is pending else known for known in state.pending)
    assert pending.timer is not None
    return Outcome(
        state=replace(state, pending=kept),
        publications=tuple(publisher.publications),
        timers=(TimerChange(address=DEPLOYMENTS, timer=pending.timer, due_ms=None),),
    )


def await_answer(
    state: DeploymentsState | None, command_id: str, reply: ReplyAddress
) -> DeploymentsState | None:
    """Let a repeated deployment wait for the answer of the first; None: it waits no more."""
    for pending in state.pending if state is not None else ():
        if pending.command_id == command_id and pending.timer is not None:
            if len(pending.repeats) >= REPEATS_MAX:
                return None
            waits = replace(pending, repeats=(*pending.repeats, reply))
            assert state is not None
            kept = tuple(waits if known is pending else known for known in state.pending)
            return replace(state, pending=kept)
    return None


class _Publisher:
    """Collects the effects and replies of deployments, numbered from the context's index."""

    def __init__(self, context: Context, digest: str) -> None:
        self.context = context
        self.digest = digest
        self.publications: list[Publication] = []

    @property
    def index(self) -> int:
        return self.context.index + len(self.publications)

    def announce(self, pending: PendingDeployment) -> None:
        """One effect a new version. What is deployed stands where effects have their instance.

        A decision belongs to no process: it stands where effects have their element, too.
        """
        for named in pending.new:
            self._announce(pending, *named, DefinitionKind.PROCESS)
        for named in pending.new_decisions:
            self._announce(pending, *named, DefinitionKind.DECISION)

    def _announce(
        self, pending: PendingDeployment, name: str, version: int, kind: DefinitionKind
    ) -> None:
        is_process = kind is DefinitionKind.PROCESS
        context = self.context
        effect = Effect(
            id=f"{context.partition}-{context.offset}-{self.index}",
            type="ResourcesDeployed",
            partition=context.partition,
            offset=context.offset,
            index=self.index,
            time=context.now,
            instance_id=name,
            root_id=DEPLOYMENTS,
            process_id=name if is_process else "",
            version=version,
            element_id=None if is_process else name,
            sequence=(context.offset << 16) + self.index,
            digest="",
            causation=pending.command_id,
            actor=pending.actor,
        )
        self.digest = chain(self.digest, _ENCODER.encode(effect))
        self.publications.append(
            Publication(
                topic=Topic.EFFECTS,
                key=DEPLOYMENTS,
                record=replace(effect, digest=self.digest),
                index=self.index,
                partition=context.partition,
                traceparent=pending.traceparent,
            )
        )

    def answer(self, pending: PendingDeployment, detail: str | None) -> None:
        """Answer whoever waits: the first as ACCEPTED, its repetitions as DUPLICATE."""
        if pending.reply is not None:
            self._reply(pending, pending.reply, ReplyStatus.ACCEPTED, detail)
        for address in pending.repeats:
            self._reply(pending, address, ReplyStatus.DUPLICATE, detail)

    def _reply(
        self,
        pending: PendingDeployment,
        address: ReplyAddress,
        status: ReplyStatus,
        detail: str | None,
    ) -> None:
        reply = Reply(
            command_id=pending.command_id, status=status, detail=detail, result=pending.result
        )
        self.publications.append(
            Publication(
                topic=Topic.REPLIES,
                key=pending.command_id,
                record=reply,
                index=self.index,
                partition=address.partition,
                reply=address,
                traceparent=pending.traceparent,
            )
        )
