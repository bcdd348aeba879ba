"""What a record publishes beside its aggregates' own: commands elsewhere, replies, rejections.

All publications of a record are numbered here, one after the other.
"""

from msgspec.structs import replace

from engine import commands as c
from engine.instances.limits import clip
from engine.partition.stimulus import AppliedCommand, PartitionInfo, RecordOutcome, Stimulus
from engine.records import Publication, Reply, ReplyStatus, SendNumber, SentCommand, Topic
from engine.rejections import Rejection
from engine.routing import is_instance, kafka_key


class Publishing:
    """Collects into the outcome of one record. `index` is the next free number."""

    def __init__(self, info: PartitionInfo, stimulus: Stimulus, outcome: RecordOutcome) -> None:
        self.info = info
        self.stimulus = stimulus
        self.outcome = outcome
        self.command_id = stimulus.command_id or f"{info.partition}-{stimulus.offset}"
        self.index = 0

    def take(self, publications: tuple[Publication, ...]) -> None:
        """Take what an aggregate published, numbered from `index` on."""
        for publication in publications:
            self.outcome.publications.append(publication)
            self.index = publication.index + 1

    def send(
        self, command: c.AnyCommand, address: str, partition: int, *, forwarded: bool = False
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

    def accept(self, address: str, result: str | None, *, answers_later: bool) -> None:
        """Remember that a client's command was accepted, and say so, or leave that for later."""
        applied = AppliedCommand(
            status=ReplyStatus.ACCEPTED,
            instance_id=address if is_instance(address) else None,
            result=result,
        )
        self._remember(applied)
        if not answers_later:
            self.reply(applied)

    def reject(self, rejection: Rejection, address: str | None = None) -> None:
        """Remember a rejection and say so, also to the rejections topic.

        `address` None: nobody knows for whom the command was.
        """
        rejection = replace(rejection, detail=clip(rejection.detail))
        self.outcome.rejection = rejection
        instance_id = address if address is not None and is_instance(address) else None
        applied = AppliedCommand(
            status=ReplyStatus.REJECTED,
            instance_id=instance_id,
            code=rejection.code,
            detail=rejection.detail,
            result=rejection.result,
        )
        self._remember(applied)
        key = self.command_id if address is None else kafka_key(address)
        record = self._reply_record(applied, applied.status)
        self._publish(Topic.REJECTIONS, key, record, partition=self.info.partition)
        self.reply(applied)

    def reply(self, applied: AppliedCommand, status: ReplyStatus | None = None) -> None:
        """Answer with an outcome; `status` DUPLICATE when it is not this record's own."""
        address = self.stimulus.reply
        if address is not None:
            self.outcome.publications.append(
                Publication(
                    topic=Topic.REPLIES,
                    key=self.command_id,
                    record=self._reply_record(applied, status or applied.status),
                    index=self.index,
                    partition=address.partition,
                    reply=address,
                    traceparent=self.stimulus.traceparent,
                )
            )
            self.index += 1

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

    def _publish(
        self, topic: Topic, key: str, record: SentCommand | Reply, *, partition: int
    ) -> None:
        self.outcome.publications.append(
            Publication(
                topic=topic,
                key=key,
                record=record,
                index=self.index,
                partition=partition,
                traceparent=self.stimulus.traceparent,
            )
        )
        self.index += 1
