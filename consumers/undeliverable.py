"""What becomes of an entry of the outbox that Kafka refuses: no topic, no permission, too large.

kind           tried again for  then
-------------  ---------------  ---------------------------------------------------------------
send, command  ever             (its loss could not be made up for)
dead letter    ever             (its topic is ours: somebody has to put it right)
reply          seconds          dropped, with a log line
all else       minutes          dead-lettered, and a command in the log raises an incident

The time is that for which the topic has taken nothing, however many entries it has refused.
"""

import logging

from consumers.log import Publisher, PublishRefusedError
from consumers.services import Limits, Services
from consumers.wire import kind_of, outgoing, unnumbered_command
from engine import commands as c
from engine.records import DeadLetter, Publication, Topic
from schemas import headers as h
from schemas.publication_writer import OutboxRecord
from schemas.topics import topic_name

log = logging.getLogger(__name__)

EFFECT_UNDELIVERABLE = "EFFECT_UNDELIVERABLE"
"""The kind of the incident, as the wire has it."""

NOWHERE = -1
"""Partition and offset of a record that was never written."""


def patience_ms(kind: Topic, limits: Limits) -> int | None:
    """How long a refused entry is tried again; None: for ever."""
    match kind:
        case Topic.COMMANDS | Topic.DEAD_LETTERS:
            return None
        case Topic.REPLIES:
            return limits.reply_patience_ms
        case _:
            return limits.effect_patience_ms


class Undeliverable:
    """Waits with the refused entries of one partition, and in the end gives them up."""

    def __init__(self, services: Services, partition: int) -> None:
        self._services = services
        self._partition = partition

    async def endure(
        self,
        record: OutboxRecord,
        refused_for_ms: int,
        publisher: Publisher,
        error: PublishRefusedError,
    ) -> bool:
        """Wait before the next try, or give the entry up: whether it is done with.

        The waits grow with the time for which the topic has refused everything. Raises
        PublishFailedError.
        """
        services = self._services
        kind = kind_of(services.namespace, record.topic)
        # Clients choose the names of topics for replies: labels must not become ever more by them.
        label = topic_name(services.namespace, kind) if kind is Topic.REPLIES else record.topic
        services.metrics.count("torpor_refused_sends_total", topic=label)
        patience = patience_ms(kind, services.limits)
        if patience is not None and refused_for_ms >= patience:
            return await self._give_up(record, kind, publisher, error)
        if refused_for_ms == 0:
            log.warning("refused: %s: %s", record.topic, error, extra=self._context(record))
        low, high = services.limits.backoff_ms_min, services.limits.backoff_ms_max
        await services.clock.sleep(min(max(refused_for_ms, low), high))
        return False

    async def _give_up(
        self,
        record: OutboxRecord,
        kind: Topic,
        publisher: Publisher,
        error: PublishRefusedError,
    ) -> bool:
        text = "given up: %s: %s"
        log.error(text, record.topic, error, extra=self._context(record))
        if kind is Topic.REPLIES:
            self._services.metrics.count("torpor_replies_dropped_total")
            return True
        try:
            letter = self._dead_letter(record, str(error))
            await publisher.send([outgoing(letter, self._services.codec.seals)])
            await self._raise_incident(record, publisher, str(error))
        except PublishRefusedError as refused:
            log.warning("no dead letter: %s", refused, extra=self._context(record))
            await self._services.clock.sleep(self._services.limits.backoff_ms_max)
            return False
        self._services.metrics.count("torpor_dead_letters_total", reason="undeliverable")
        return True

    def _dead_letter(self, record: OutboxRecord, reason: str) -> OutboxRecord:
        letter = DeadLetter(
            value=record.value,
            key=record.key,
            reason=reason,
            topic=record.topic,
            partition=NOWHERE if record.partition is None else record.partition,
            offset=NOWHERE,
            headers=record.headers,
        )
        key = record.key.decode(errors="replace")
        publication = Publication(topic=Topic.DEAD_LETTERS, key=key, record=letter, index=0)
        return self._services.codec.encode_publication(publication, self._partition, NOWHERE)

    async def _raise_incident(
        self, record: OutboxRecord, publisher: Publisher, reason: str
    ) -> None:
        instance_id = subject_of(record)
        if instance_id is None:
            return
        message = f"{record.topic} does not take a record: {reason}"
        command = c.RaiseIncident(
            instance_id=instance_id, kind=EFFECT_UNDELIVERABLE, message=message
        )
        seals = self._services.codec.seals
        await publisher.send([unnumbered_command(seals, self._partition, command)])

    def _context(self, record: OutboxRecord) -> dict[str, object]:
        return {"partition": self._partition, "instance": subject_of(record)}


def subject_of(record: OutboxRecord) -> str | None:
    """The instance that a record is about, as its header says."""
    values = [value for name, value in record.headers if name == h.SUBJECT]
    return values[-1].decode() if values else None
