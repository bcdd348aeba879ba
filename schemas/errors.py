"""What can be wrong with bytes that were read: records of the log, documents of the store.

SchemaError
    RecordError
        UndecodableRecordError   a record that nobody can take: the loop dead-letters it
        NewerRecordError         of a newer engine: the loop gives up the partition, goes unready
    DocumentError
        NewerDocumentError       of a newer engine: the loop gives up the partition, goes unready
        CorruptDocumentError     that nobody can read: one incident, one dead letter
"""

from engine.records import DeadLetter, ReplyAddress


class SchemaError(Exception):
    """The root of the exceptions about bytes."""


class RecordError(SchemaError):
    """A record that is no command that this process can take.

    `dead_letter` is the record as found, where, and why. `command_id` and `reply` say who waits for
    an answer, as far as the headers can be read.
    """

    def __init__(
        self,
        dead_letter: DeadLetter,
        *,
        command_id: str | None = None,
        reply: ReplyAddress | None = None,
    ) -> None:
        super().__init__(
            f"{dead_letter.reason} ({dead_letter.topic}, partition {dead_letter.partition},"
            f" offset {dead_letter.offset})"
        )
        self.dead_letter = dead_letter
        self.command_id = command_id
        self.reply = reply


class UndecodableRecordError(RecordError):
    """Undecodable, truncated or of an unknown type. The loop publishes the dead letter, goes on."""


class NewerRecordError(RecordError):
    """Sent by an engine that knows more than this one. The loop gives up the partition."""


class DocumentError(SchemaError):
    """The root of the exceptions about stored documents."""


class NewerDocumentError(DocumentError):
    """Written in a newer format than this process knows. The loop gives up the partition."""


class CorruptDocumentError(DocumentError):
    """No document, or one that does not fit together. One incident and one dead letter follow."""
