"""The wire contract in one object: records of the log to engine values, and back.

codec = Codec("shop")
stimulus = codec.decode_command(record)
outbox_record = codec.encode_publication(publication, partition, offset)
"""

from collections.abc import Mapping, Sequence
from typing import TypeVar

import msgspec

from engine.partition import Stimulus
from engine.records import Effect, Job, Publication, Reply, Task, Topic, Transition
from schemas.command_reader import CommandReader, FoundRecord
from schemas.frames import AvroFrames, Body, Frame, FrameError, is_json
from schemas.publication_writer import OutboxRecord, PublicationWriter
from schemas.seals import Epoch, Seals
from schemas.topics import topic_name

Published = TypeVar("Published", bound=Effect | Job | Task | Reply | Transition)


class Codec:
    """Encodes and decodes for one namespace. Reads every frame, writes one.

    `schema_ids` are the ids of a schema registry by fingerprint, for the frame `confluent`.
    `epochs` are the namespace's secrets; none: commands are not sealed, and all are trusted.
    """

    def __init__(
        self,
        namespace: str,
        frame: Frame = Frame.SINGLE_OBJECT,
        schema_ids: Mapping[bytes, int] | None = None,
        epochs: Sequence[Epoch] = (),
    ) -> None:
        self._frames = AvroFrames(frame, schema_ids)
        self.seals = Seals(topic_name(namespace, Topic.COMMANDS), epochs)
        self._reader = CommandReader(namespace, self.seals, self._frames)
        self._writer = PublicationWriter(namespace, frame, self._frames)

    def decode_command(self, record: FoundRecord) -> Stimulus:
        """The stimulus that a record of the command topic is.

        What names a command and is none becomes a stimulus too (`InvalidCommand`), which is
        rejected and answered. Raises UndecodableRecordError (dead letter), NewerRecordError.
        """
        return self._reader.read(record)

    def encode_publication(
        self, publication: Publication, partition: int, offset: int
    ) -> OutboxRecord:
        """The record for a publication that the command at (partition, offset) caused.

        Raises ValueError for a job type that fits no topic's name.
        """
        return self._writer.write(publication, partition, offset)

    def decode_published(self, value: bytes, kind: type[Published]) -> Published:
        """A published record. Raises FrameError when the bytes are no such record."""
        try:
            if is_json(value):
                return msgspec.json.decode(value, type=kind)
            name, body = self._frames.read(value)
            if name != kind.__name__:
                raise FrameError(f"The record is a {name}, not a {kind.__name__}.")
            if "events" in body:
                body["events"] = [_untagged(name, event) for name, event in body["events"]]
            return msgspec.convert(body, kind)
        except (msgspec.DecodeError, RecursionError) as error:
            raise FrameError(f"The bytes are no {kind.__name__}: {error}") from None


def _untagged(full_name: str, fields: Body) -> Body:
    """An event as its Struct is told: by the tag, which is the record's name."""
    return {"event": full_name.rpartition(".")[2], **fields}
