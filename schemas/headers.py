"""Headers of records: CloudEvents' Kafka binding (binary mode), replies, and the engine's own.

header           on                     value
---------------  ---------------------  -----------------------------------------------------------
ce_specversion   what the engine sends  `1.0`
ce_id            all                    the command id; of what is published, the text of its
                                        position `<partition>-<offset>-<index>`
ce_type          all                    `torpor.command.<Type>`, `torpor.effect.<type>`, ...
ce_source        what the engine sends  `/torpor/<namespace>`
ce_subject       optional               the instance id
content-type     what the engine sends  `application/avro` or `application/json`
traceparent      optional               carried from a command to all that it causes
reply-to         commands               topic for the reply: `<ns>.replies` or `<ns>.replies.*`
reply-partition  commands, optional     partition there, decimal
correlation-id   commands, replies      any bytes, repeated in the reply
job-type         jobs on `<ns>.jobs`    the job's type, which no topic's name holds
torpor-source    engine's commands      the partition whose command caused this one, decimal
torpor-number    engine's commands      `<generation>:<offset>:<index>`: rising per source
torpor-forwarded engine's commands      `1`: a client's command that was found on another partition
torpor-seal      engine's commands      16 bytes that prove it (`seals.py`)

All values but the seal's are UTF-8. A command that the engine sent is told by `torpor-number` and
`torpor-source`, under a valid seal; everything else is a client's.
"""

from collections.abc import Sequence
from contextlib import suppress

import msgspec
from msgspec.structs import replace

from engine.records import ReplyAddress, SendNumber
from schemas.topics import is_reply_topic

SPEC_VERSION = "ce_specversion"
ID = "ce_id"
TYPE = "ce_type"
SOURCE = "ce_source"
SUBJECT = "ce_subject"
CONTENT_TYPE = "content-type"
TRACEPARENT = "traceparent"
REPLY_TO = "reply-to"
REPLY_PARTITION = "reply-partition"
CORRELATION_ID = "correlation-id"
JOB_TYPE = "job-type"
SEND_SOURCE = "torpor-source"
SEND_NUMBER = "torpor-number"
FORWARDED = "torpor-forwarded"
SEAL = "torpor-seal"
ENGINE = frozenset((SEND_SOURCE, SEND_NUMBER, FORWARDED, SEAL))
"""What only the engine's commands carry."""

BODY_TYPE = "type"
"""Not a header: the member that names a command in a JSON object, where headers may be missing."""

COMMAND_TYPE_PREFIX = "torpor.command."
COMMAND_ID_MAX = 100
TRACEPARENT_MAX = 512
"""Ten times what it may have. A longer one is left out, as the standard has it of what is none."""
CORRELATION_ID_MAX = 1_000
_NUMBER_MAX = 2**63 - 1

Headers = Sequence[tuple[str, bytes]]


class HeaderError(ValueError):
    """A header that holds what it must not. The command is rejected."""


class CommandHeaders(msgspec.Struct, frozen=True, kw_only=True):
    """What the headers of a command say. `type` is the command's name, None: the body says it."""

    command_id: str | None = None
    type: str | None = None
    reply: ReplyAddress | None = None
    source_partition: int | None = None
    number: SendNumber | None = None
    forwarded: bool = False
    traceparent: str | None = None

    @property
    def is_from_engine(self) -> bool:
        return self.number is not None


def read_command_headers(namespace: str, headers: Headers) -> CommandHeaders:
    """The headers of a command; of two with one name the last counts.

    Raises HeaderError with a sentence about the first that is wrong.
    """
    if not headers:
        return CommandHeaders()
    found = dict(headers)
    number, source = _number(found), _decimal(found, SEND_SOURCE)
    if (number is None) != (source is None):
        raise HeaderError(
            f"The headers {SEND_SOURCE} and {SEND_NUMBER} come together or not at all."
        )
    return CommandHeaders(
        command_id=checked_command_id(_text(found, ID)),
        type=_type(found),
        reply=_reply(namespace, found),
        source_partition=source,
        number=number,
        forwarded=number is not None and FORWARDED in found,
        traceparent=_traceparent(found),
    )


def name_engine(headers: Headers) -> bool:
    """Whether a record has any of the engine's own headers."""
    return any(name in ENGINE for name, _ in headers)


def without_engine(headers: Headers) -> Headers:
    """The headers of a record that has no valid seal: as if it had never named the engine."""
    return [header for header in headers if header[0] not in ENGINE]


def read_reply(namespace: str, headers: Headers) -> CommandHeaders:
    """What can be read of who sent a record and waits for an answer, whatever else is wrong."""
    found = dict(headers)
    readable = CommandHeaders()
    with suppress(HeaderError):
        readable = replace(readable, command_id=checked_command_id(_text(found, ID)))
    with suppress(HeaderError):
        readable = replace(readable, reply=_reply(namespace, found))
    return readable


def checked_command_id(command_id: str | None) -> str | None:
    """The same, if it may be one: 1 to 100 characters. Raises HeaderError."""
    if command_id is not None and not 0 < len(command_id) <= COMMAND_ID_MAX:
        raise HeaderError(
            f"The command id must have 1 to {COMMAND_ID_MAX} characters; it has {len(command_id)}."
        )
    return command_id


def write_reply(address: ReplyAddress) -> list[tuple[str, bytes]]:
    """The headers that ask for a reply."""
    headers = [(REPLY_TO, address.topic.encode())]
    if address.partition is not None:
        headers.append((REPLY_PARTITION, b"%d" % address.partition))
    if address.correlation_id is not None:
        headers.append((CORRELATION_ID, address.correlation_id))
    return headers


def write_number(number: SendNumber) -> bytes:
    return b"%d:%d:%d" % (number.generation, number.offset, number.index)


def _text(found: dict[str, bytes], name: str) -> str | None:
    value = found.get(name)
    if value is None:
        return None
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise HeaderError(f"The header {name} is not UTF-8.") from None


def _traceparent(found: dict[str, bytes]) -> str | None:
    if len(found.get(TRACEPARENT, b"")) > TRACEPARENT_MAX:
        return None
    return _text(found, TRACEPARENT)


def _decimal(found: dict[str, bytes], name: str) -> int | None:
    value = found.get(name)
    return None if value is None else _natural(name, value)


def _natural(name: str, value: bytes) -> int:
    if not value.isdigit() or len(value) > 19 or int(value) > _NUMBER_MAX:
        raise HeaderError(f"The header {name} must hold a decimal number; it is {value[:40]!r}.")
    return int(value)


def _number(found: dict[str, bytes]) -> SendNumber | None:
    value = found.get(SEND_NUMBER)
    if value is None:
        return None
    parts = value.split(b":")
    if len(parts) != 3:
        raise HeaderError(
            f"The header {SEND_NUMBER} must hold three numbers; it is {value[:60]!r}."
        )
    generation, offset, index = (_natural(SEND_NUMBER, part) for part in parts)
    return SendNumber(generation=generation, offset=offset, index=index)


def _type(found: dict[str, bytes]) -> str | None:
    """The command's name; a type that is none of ours is left to the body."""
    text = _text(found, TYPE)
    if text is None or not text.startswith(COMMAND_TYPE_PREFIX):
        return None
    return text.removeprefix(COMMAND_TYPE_PREFIX)


def _reply(namespace: str, found: dict[str, bytes]) -> ReplyAddress | None:
    topic = _text(found, REPLY_TO)
    if topic is None:
        return None
    if not is_reply_topic(namespace, topic):
        allowed = f"{namespace}.replies"
        raise HeaderError(
            f"The header {REPLY_TO} must name {allowed} or {allowed}.*; it is {topic[:80]!r}."
        )
    correlation_id = found.get(CORRELATION_ID)
    if correlation_id is not None and len(correlation_id) > CORRELATION_ID_MAX:
        raise HeaderError(f"The header {CORRELATION_ID} is over {CORRELATION_ID_MAX} bytes.")
    partition = _decimal(found, REPLY_PARTITION)
    if partition is not None and partition >= 2**31:
        raise HeaderError(f"The header {REPLY_PARTITION} is no partition: {partition}.")
    return ReplyAddress(topic=topic, partition=partition, correlation_id=correlation_id)
