"""What a record becomes that cannot be applied: no command at all, or one that meets a bug.

It is dead-lettered, and whoever asked is answered. Who waits inside must not wait for ever: a
message that was offered is refused, and the instance that it was for (or that asked) gets an
incident. These commands go through the log like any send, numbered, so they are taken once.
"""

import traceback

from consumers.errors import RecordTooLargeError
from consumers.log import LogRecord
from engine import commands as c
from engine.outcome import TimerChange
from engine.partition import InvalidCommand, PartitionInfo, RecordOutcome, Stimulus
from engine.partition.publishing import Publishing
from engine.records import (
    DeadLetter,
    Publication,
    Reply,
    ReplyAddress,
    ReplyStatus,
    SendNumber,
    SentCommand,
    Topic,
)
from engine.rejections import Rejection, RejectionCode
from engine.routing import address_of, is_instance, kafka_key, partition_of
from engine.settling import refused
from schemas.errors import UndecodableRecordError
from schemas.topics import topic_name

ENGINE_FAULT = "ENGINE_FAULT"
"""The kind of the incident, as the wire has it."""

INCIDENT_MAX = 1_000
"""Characters of the incident's message."""

REASON_MAX = 4_000
"""Characters of a dead letter's reason: a traceback's end says most."""


def refused_record(
    record: LogRecord, error: UndecodableRecordError, info: PartitionInfo
) -> RecordOutcome:
    """A record that is no command: dead-lettered as found."""
    outcome = RecordOutcome(now=max(info.now, record.timestamp_ms))
    _dead_letter(outcome, error.dead_letter)
    if error.reply is not None:
        command_id = error.command_id or f"{record.partition}-{record.offset}"
        reason = error.dead_letter.reason
        _answer(outcome, command_id, error.reply, (RejectionCode.INVALID_ARGUMENT, reason))
    return outcome


def undecodable(record: LogRecord, topic: str, error: Exception) -> UndecodableRecordError:
    """For a record that the decoder itself fails on, with the traceback of that bug."""
    return UndecodableRecordError(_letter(record, topic, error))


def failed_command(
    record: LogRecord, stimulus: Stimulus, info: PartitionInfo, error: Exception
) -> RecordOutcome:
    """A command that the engine cannot apply: dead-lettered with its traceback."""
    outcome = RecordOutcome(now=max(info.now, record.timestamp_ms))
    _dead_letter(outcome, _letter(record, topic_name(info.namespace, Topic.COMMANDS), error))
    command_id = stimulus.command_id or f"{record.partition}-{record.offset}"
    if stimulus.reply is not None:
        detail = f"The engine failed on this command, which is now a dead letter: {_text_of(error)}"
        _answer(outcome, command_id, stimulus.reply, (RejectionCode.INVALID_STATE, detail))
    outcome.source = stimulus.sent_from(info.partitions)
    may_be_applied = stimulus.trusted or isinstance(stimulus.command, c.ClientCommand)
    if may_be_applied and not isinstance(stimulus.command, InvalidCommand):
        outcome.timers.extend(_withdrawn_timer(stimulus.command))
        for command in stand_ins(stimulus.command, _text_of(error)[:INCIDENT_MAX]):
            _send(outcome, command, command_id, info, record.offset)
    return outcome


def too_large(
    record: LogRecord, stimulus: Stimulus, info: PartitionInfo, error: RecordTooLargeError
) -> RecordOutcome:
    """A client's command that leads to a record which no topic takes: rejected, as too large."""
    outcome = RecordOutcome(now=max(info.now, record.timestamp_ms))
    outcome.source = stimulus.sent_from(info.partitions)
    rejection = Rejection(RejectionCode.TOO_LARGE, str(error))
    Publishing(info, stimulus, outcome).reject(rejection)
    return outcome


def stand_ins(command: c.AnyCommand, reason: str) -> tuple[c.AnyCommand, ...]:
    """The commands that are sent in place of one that cannot be applied."""
    match command:
        case c.DeliverMessage():
            refusal = c.SettleMessage(
                name=command.name,
                correlation_key=command.correlation_key,
                instance_id=command.instance_id,
                subscription=command.subscription,
                message=command.message,
                accepted=False,
            )
            return refusal, _incident(command.instance_id, reason)
        case c.StartByMessage() | c.StartByTimer() | c.StartBySignal() | c.StartByCondition():
            return refused(command)
        case c.StartChild():
            return (_incident(command.parent_id, reason),)
        case c.StartInstance() | c.RaiseIncident():
            return ()
        case _:
            return _incident_at_address(command, reason)


def _withdrawn_timer(command: c.AnyCommand) -> list[TimerChange]:
    """A timer whose firing fails leaves the index: else it would be published for ever."""
    if not isinstance(command, c.FireTimer):
        return []
    return [TimerChange(address=command.address, timer=command.timer, due_ms=None)]


def _incident_at_address(command: c.AnyCommand, reason: str) -> tuple[c.AnyCommand, ...]:
    try:
        address = address_of(command)
    except ValueError:
        return ()
    return (_incident(address, reason),) if is_instance(address) else ()


def _incident(instance_id: str, reason: str) -> c.RaiseIncident:
    return c.RaiseIncident(instance_id=instance_id, kind=ENGINE_FAULT, message=reason)


def _letter(record: LogRecord, topic: str, error: Exception) -> DeadLetter:
    return DeadLetter(
        value=record.value,
        key=record.key,
        reason="".join(traceback.format_exception(error))[-REASON_MAX:],
        topic=topic,
        partition=record.partition,
        offset=record.offset,
        headers=record.headers,
    )


def _text_of(error: Exception) -> str:
    """What an exception says, as text that can be encoded whatever it quotes."""
    return str(error).encode(errors="replace").decode()


def _dead_letter(outcome: RecordOutcome, letter: DeadLetter) -> None:
    key = (letter.key or b"").decode(errors="replace")
    publication = Publication(
        topic=Topic.DEAD_LETTERS, key=key, record=letter, index=len(outcome.publications)
    )
    outcome.publications.append(publication)


def _answer(
    outcome: RecordOutcome,
    command_id: str,
    address: ReplyAddress,
    why: tuple[RejectionCode, str],
) -> None:
    reply = Reply(command_id=command_id, status=ReplyStatus.REJECTED, code=why[0], detail=why[1])
    publication = Publication(
        topic=Topic.REPLIES,
        key=command_id,
        record=reply,
        index=len(outcome.publications),
        partition=address.partition,
        reply=address,
    )
    outcome.publications.append(publication)


def _send(
    outcome: RecordOutcome,
    command: c.AnyCommand,
    command_id: str,
    info: PartitionInfo,
    offset: int,
) -> None:
    index = len(outcome.publications)
    key = kafka_key(address_of(command))
    sent = SentCommand(
        command=command,
        command_id=command_id,
        source_partition=info.partition,
        number=SendNumber(generation=info.generation, offset=offset, index=index),
    )
    publication = Publication(
        topic=Topic.COMMANDS,
        key=key,
        record=sent,
        index=index,
        partition=partition_of(key, info.partitions),
    )
    outcome.publications.append(publication)
