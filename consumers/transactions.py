"""The records of the log, one after the other, applied to a batch.

Nothing of a record is in the batch before all of it is known and encoded. A record that nobody can
take, and a command that meets a bug, becomes a dead letter; the next record is applied as ever.
"""

import logging
from typing import Any

import msgspec
from msgspec.structs import replace

from consumers.clock import Clock
from consumers.errors import EngineFaultError, RecordTooLargeError
from consumers.faults import failed_command, refused_record, too_large, undecodable
from consumers.log import LogRecord
from consumers.metrics import Metrics
from engine import commands as c
from engine.partition import (
    InvalidCommand,
    PartitionInfo,
    Read,
    ReadSource,
    RecordOutcome,
    Stimulus,
    transact,
)
from engine.records import DeadLetter, Publication, SendNumber, SentCommand
from engine.routing import address_of, is_instance
from schemas import headers as h
from schemas.codec import Codec
from schemas.command_reader import COMMAND_BYTES_MAX
from schemas.errors import (
    CorruptDocumentError,
    NewerRecordError,
    SchemaError,
    UndecodableRecordError,
)
from schemas.publication_writer import OutboxRecord
from schemas.snapshot import encode
from storage.batch import Batch
from storage.errors import ContentMissingError, StorageError

log = logging.getLogger(__name__)

CONTENT_WAIT_MS = 250
"""Between two looks for content that another partition has yet to store (again)."""


class Received(msgspec.Struct, frozen=True, kw_only=True):
    """A record, and what it was decoded to. `poison`: why it is not even tried."""

    record: LogRecord
    decoded: Stimulus | UndecodableRecordError
    poison: str | None = None


class Transactions:
    """Applies records of the command topic `topic`."""

    def __init__(self, codec: Codec, topic: str, clock: Clock, metrics: Metrics) -> None:
        self._codec = codec
        self._topic = topic
        self._clock = clock
        self._metrics = metrics

    def receive(self, record: LogRecord) -> Received:
        """Decode a record. Raises NewerRecordError."""
        try:
            return Received(record=record, decoded=self._codec.decode_command(record))
        except UndecodableRecordError as error:
            return Received(record=record, decoded=error)
        except NewerRecordError:
            raise
        except Exception as error:
            text = "record that the decoder fails on"
            log.exception(text, extra={"partition": record.partition})
            return Received(record=record, decoded=undecodable(record, self._topic, error))

    async def apply(self, batch: Batch, received: Received, info: PartitionInfo) -> int:
        """Apply one record; answer: the partition's time after it.

        Raises StorageError and NewerDocumentError: the batch is then to be dropped.
        """
        record, stimulus = received.record, received.decoded
        if isinstance(stimulus, UndecodableRecordError):
            log.warning("record dead-lettered: %s", stimulus, extra={"partition": info.partition})
            self._metrics.count("torpor_dead_letters_total", reason="undecodable")
            outcome = refused_record(record, stimulus, info)
            self._add(batch, outcome, record)
            return outcome.now
        self._notice_forged(record, stimulus, info)
        if received.poison is not None:
            if await _is_copy(batch, stimulus, info):
                return max(info.now, record.timestamp_ms)
            return self._give_up(batch, received, info, EngineFaultError(received.poison))
        try:
            outcome = await self._transact(batch, info, stimulus)
            self._add(batch, outcome, record)
        except RecordTooLargeError as error:
            if not isinstance(stimulus.command, c.ClientCommand):
                return self._give_up(batch, received, info, error)
            outcome = too_large(record, stimulus, info, error)
            self._add(batch, outcome, record)
        except (EngineFaultError, CorruptDocumentError) as error:
            return self._give_up(batch, received, info, error)
        if log.isEnabledFor(logging.DEBUG):
            kind = type(stimulus.command).__name__
            log.debug("applied %s", kind, extra=_context(stimulus, info))
        return outcome.now

    def _notice_forged(self, record: LogRecord, stimulus: Stimulus, info: PartitionInfo) -> None:
        """A client's record that says it is the engine's, by its headers or its command."""
        if stimulus.trusted:
            return
        is_internal = not isinstance(stimulus.command, c.ClientCommand | InvalidCommand)
        if is_internal or h.name_engine(record.headers):
            text = "no valid seal, so a client's: %s"
            kind = type(stimulus.command).__name__
            log.warning(text, kind, extra=_context(stimulus, info))
            self._metrics.count("torpor_forged_total", partition=info.partition)

    async def _transact(
        self, batch: Batch, info: PartitionInfo, stimulus: Stimulus
    ) -> RecordOutcome:
        """Drive the core. Raises EngineFaultError, StorageError, DocumentError."""
        driver = transact(info, stimulus)
        answer: Any = None
        while True:
            try:
                request = driver.send(answer)
            except StopIteration as done:
                outcome: RecordOutcome = done.value
                return outcome
            except Exception as error:
                raise EngineFaultError(f"{type(error).__name__}: {error}") from error
            answer = await self._answer(batch, request)

    async def _answer(self, batch: Batch, request: Read) -> Any:
        while True:
            try:
                return await batch.answer(request)
            except ContentMissingError as error:
                log.warning("waiting: %s", error)
                await self._clock.sleep(CONTENT_WAIT_MS)
            except (StorageError, SchemaError):
                raise
            except Exception as error:
                raise EngineFaultError(f"{type(error).__name__}: {error}") from error

    def _give_up(
        self,
        batch: Batch,
        received: Received,
        info: PartitionInfo,
        error: Exception,
    ) -> int:
        """Dead-letter a command that cannot be applied."""
        stimulus = received.decoded
        assert isinstance(stimulus, Stimulus)
        text = "command dead-lettered at offset %d"
        log.error(text, stimulus.offset, exc_info=error, extra=_context(stimulus, info))
        self._metrics.count("torpor_dead_letters_total", reason=type(error).__name__)
        self._metrics.count("torpor_engine_faults_total", partition=info.partition)
        outcome = failed_command(received.record, stimulus, info, error)
        self._add(batch, outcome, received.record)
        return outcome.now

    def _add(self, batch: Batch, outcome: RecordOutcome, record: LogRecord) -> None:
        """Encode what is published, then take the outcome. Raises EngineFaultError."""
        try:
            entries = [self._encode(each, record) for each in outcome.publications]
        except RecordTooLargeError:
            raise
        except Exception as error:
            raise EngineFaultError(f"{type(error).__name__}: {error}") from error
        batch.add(outcome, entries)
        forwarded = sum(_is_forwarding(each) for each in outcome.publications)
        if forwarded:
            self._metrics.count("torpor_forwarded_total", forwarded)

    def _encode(self, publication: Publication, record: LogRecord) -> bytes:
        entry = self._codec.encode_publication(publication, record.partition, record.offset)
        if isinstance(publication.record, DeadLetter):
            entry = replace(entry, key=publication.record.key or b"")
        elif (size := _size_of(entry)) > COMMAND_BYTES_MAX:
            raise RecordTooLargeError(
                f"Expected to lead to records of at most {COMMAND_BYTES_MAX} bytes, found one of"
                f" {size} for {entry.topic}."
            )
        return encode(entry)


async def _is_copy(batch: Batch, stimulus: Stimulus, info: PartitionInfo) -> bool:
    """Whether it is a send that was taken before: nothing must happen for it a second time, and the
    number of the last that was taken must not fall."""
    sent = stimulus.sent_from(info.partitions)
    if sent is None:
        return False
    source, number = sent
    last: SendNumber | None = await batch.answer(ReadSource(source))
    return last is not None and number <= last


def _size_of(entry: OutboxRecord) -> int:
    headers = sum(len(name) + len(value) for name, value in entry.headers)
    return len(entry.key) + len(entry.value or b"") + headers


def _is_forwarding(publication: Publication) -> bool:
    return isinstance(publication.record, SentCommand) and publication.record.forwarded


def _context(stimulus: Stimulus, info: PartitionInfo) -> dict[str, object]:
    """What a line of the log says beside its text."""
    return {
        "partition": info.partition,
        "instance": instance_of(stimulus),
        "command": stimulus.command_id or f"{info.partition}-{stimulus.offset}",
    }


def instance_of(stimulus: Stimulus) -> str | None:
    """The instance that a command is for, for logs; None when it is for none."""
    if isinstance(stimulus.command, InvalidCommand):
        return None
    try:
        address = address_of(stimulus.command)
    except ValueError:
        return None
    return address if is_instance(address) else None
