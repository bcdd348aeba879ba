"""From what the engine publishes to a record of Kafka: topic, key, partition, headers, value.

The same publication of the same position always becomes the same bytes: duplicates of effects are
byte-equal, and a replayed outbox equals the first.
"""

from typing import assert_never

import msgspec

from engine.commands import AnyCommand
from engine.records import (
    DeadLetter,
    Effect,
    Job,
    Publication,
    PublishedRecord,
    Reply,
    SentCommand,
    Task,
    Topic,
    Transition,
)
from schemas import headers as h
from schemas.derive import NAMESPACE
from schemas.frames import CONTENT_TYPES, AvroFrames, Frame
from schemas.topics import topic_name


class OutboxRecord(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """A record ready for Kafka. `partition` None leaves the choice to the key (murmur2).

    `value` None is a tombstone. Fields are only appended: entries of the outbox hold them in order.
    """

    topic: str
    key: bytes
    partition: int | None
    headers: tuple[tuple[str, bytes], ...]
    value: bytes | None


class PublicationWriter:
    """Encodes for one namespace, in its frame."""

    def __init__(self, namespace: str, frame: Frame, frames: AvroFrames) -> None:
        self._namespace = namespace
        self._is_json = frame is Frame.JSON
        self._frames = frames
        self._content_type = (h.CONTENT_TYPE, CONTENT_TYPES[frame])
        self._version = (h.SPEC_VERSION, b"1.0")
        self._source = (h.SOURCE, f"/torpor/{namespace}".encode())

    def write(self, publication: Publication, partition: int, offset: int) -> OutboxRecord:
        """The record for a publication that the command at (partition, offset) caused.

        Raises ValueError for a job type that fits no topic's name.
        """
        record = publication.record
        position = f"{partition}-{offset}-{publication.index}"
        headers = self._headers(record, position)
        if publication.traceparent is not None:
            headers.append((h.TRACEPARENT, publication.traceparent.encode()))
        headers.extend(_own_headers(publication))
        return OutboxRecord(
            topic=self._topic(publication),
            key=publication.key.encode(),
            partition=publication.partition,
            headers=tuple(headers),
            value=self._value(record),
        )

    def _topic(self, publication: Publication) -> str:
        if publication.topic is Topic.REPLIES and publication.reply is not None:
            return publication.reply.topic
        return topic_name(self._namespace, publication.topic, publication.suffix)

    def _headers(self, record: PublishedRecord, position: str) -> list[tuple[str, bytes]]:
        if record is None or isinstance(record, DeadLetter):
            return []
        number = record.command_id if isinstance(record, SentCommand) else position
        headers = [
            self._version,
            (h.ID, number.encode()),
            self._source,
            (h.TYPE, f"{NAMESPACE}.{_event_type(record)}".encode()),
            self._content_type,
        ]
        if not isinstance(record, SentCommand) and record.instance_id is not None:
            headers.append((h.SUBJECT, record.instance_id.encode()))
        return headers

    def _value(self, record: PublishedRecord) -> bytes | None:
        if record is None:
            return None
        if isinstance(record, DeadLetter):
            return record.value
        if isinstance(record, SentCommand):
            return self._command(record.command, record.command_id, record.actor)
        if self._is_json:
            return _JSON.encode(record)
        return self._frames.write(record)

    def _command(self, command: AnyCommand, command_id: str | None, actor: str | None) -> bytes:
        if not self._is_json:
            return self._frames.write_command(command, command_id, actor)
        body = msgspec.to_builtins(command, builtin_types=(bytes,))
        return _JSON.encode(
            {h.BODY_TYPE: type(command).__name__, "command_id": command_id, "actor": actor, **body}
        )


_JSON = msgspec.json.Encoder()


def _event_type(record: Effect | Job | Task | Reply | Transition | SentCommand) -> str:
    """The rest of `ce_type` after `torpor.`."""
    match record:
        case Effect():
            return f"effect.{record.type}"
        case Job():
            return f"job.{record.type}"
        case Task():
            return f"task.{record.state}"
        case Reply():
            return f"reply.{record.status}"
        case Transition():
            return f"history.{record.command_type}"
        case SentCommand():
            return f"command.{type(record.command).__name__}"
        case _:
            assert_never(record)


def _own_headers(publication: Publication) -> list[tuple[str, bytes]]:
    """What only one kind of record carries."""
    record = publication.record
    if isinstance(record, SentCommand):
        return _command_headers(record)
    if isinstance(record, DeadLetter):
        return _dead_letter_headers(record)
    if isinstance(record, Job) and publication.suffix is None:
        return [(h.JOB_TYPE, record.type.encode())]
    reply = publication.reply
    if publication.topic is Topic.REPLIES and reply and reply.correlation_id is not None:
        return [(h.CORRELATION_ID, reply.correlation_id)]
    return []


def _command_headers(sent: SentCommand) -> list[tuple[str, bytes]]:
    headers = [
        (h.SEND_SOURCE, b"%d" % sent.source_partition),
        (h.SEND_NUMBER, h.write_number(sent.number)),
    ]
    if sent.forwarded:
        headers.append((h.FORWARDED, b"1"))
    if sent.reply is not None:
        headers.extend(h.write_reply(sent.reply))
    return headers


def _dead_letter_headers(letter: DeadLetter) -> list[tuple[str, bytes]]:
    """The headers as found, and why and where."""
    found = [(name, value) for name, value in letter.headers if name not in _DEAD_LETTER_HEADERS]
    values = (
        letter.reason.encode(errors="replace"),
        letter.topic.encode(),
        b"%d" % letter.partition,
        b"%d" % letter.offset,
    )
    return [*found, *zip(_DEAD_LETTER_HEADERS, values, strict=True)]


_DEAD_LETTER_HEADERS = ("reason", "topic", "partition", "offset")
