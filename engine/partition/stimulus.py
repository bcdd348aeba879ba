"""What the record loop is given, what it asks for, and what it hands back."""

from collections.abc import Generator
from typing import Any, TypeAlias

import msgspec

from engine import commands as c
from engine.definitions import AnyVersions, DecisionFile
from engine.outcome import AggregateState, Content, TimerChange
from engine.records import Publication, ReplyAddress, ReplyStatus, SendNumber
from engine.rejections import Rejection, RejectionCode
from engine.settings import Settings


class InvalidCommand(msgspec.Struct, frozen=True, kw_only=True):
    """What a record held that names a command and is none: wrong fields, variables no object.

    `detail` says what was expected and found. It is rejected with that code, and answered.
    """

    detail: str
    code: RejectionCode = RejectionCode.INVALID_ARGUMENT


class Stimulus(msgspec.Struct, frozen=True, kw_only=True):
    """A decoded record of the command log. `number` and `source_partition`: the engine sent it.

    Not `trusted`: it is certainly a client's, has no number, and its command must not be internal.
    """

    offset: int
    timestamp_ms: int
    command: c.AnyCommand | InvalidCommand
    command_id: str | None = None
    actor: str | None = None
    reply: ReplyAddress | None = None
    source_partition: int | None = None
    number: SendNumber | None = None
    forwarded: bool = False
    traceparent: str | None = None
    trusted: bool = True

    def sent_from(self, partitions: int) -> tuple[int, SendNumber] | None:
        """Source and number of what an aggregate sent, so that it is taken once; None: no send."""
        number, source = self.number, self.source_partition
        if number is None or source is None or not 0 <= source < partitions:
            return None
        return source, number


class PartitionInfo(msgspec.Struct, frozen=True, kw_only=True):
    """Where the record is applied. `now` is the last now of the partition.

    `sends_through_log`: what is sent to this same partition travels as a later record, too, as if
    to another one. What comes of it all must not depend on that, so scenarios run both ways.
    """

    namespace: str
    partition: int
    partitions: int
    generation: int
    now: int
    settings: Settings
    sends_through_log: bool = False


class ReadState(msgspec.Struct, frozen=True):
    """Asks for the state at an address. Answer: AggregateState | None."""

    address: str


class ReadModel(msgspec.Struct, frozen=True):
    """Asks for a compiled model. Answer: ProcessModel; the driver waits for missing content."""

    checksum: str
    process_id: str
    semantics: int


class ReadDecisions(msgspec.Struct, frozen=True):
    """Asks for the compiled decisions of a file. Answer: DecisionModel; waits as `ReadModel`."""

    file: DecisionFile


class ReadCommand(msgspec.Struct, frozen=True):
    """Asks whether a client's command id is in the window. Answer: AppliedCommand | None."""

    command_id: str


class ReadSource(msgspec.Struct, frozen=True):
    """Asks for the last send number taken from a partition. Answer: SendNumber | None."""

    partition: int


class ReadDefinitions(msgspec.Struct, frozen=True):
    """Asks for the partition's table of versions. Answer: Definitions."""


class ReadSignals(msgspec.Struct, frozen=True, kw_only=True):
    """Asks for waits for a signal. Answer: tuple[tuple[int, str], ...], as `Context.signal_waits`.

    In ascending order, at most `limit` that began before the offset `before` and are behind
    (`after_since`, `after_wait`), if there is one: the index as it was before this record.
    """

    name: str
    before: int
    after_since: int | None
    after_wait: str
    limit: int


Read: TypeAlias = (
    ReadState | ReadModel | ReadDecisions | ReadCommand | ReadSource | ReadDefinitions | ReadSignals
)


class AppliedCommand(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """What the window keeps of a client's command: its first outcome. Fields are only appended."""

    status: ReplyStatus
    instance_id: str | None = None
    code: str | None = None
    detail: str | None = None
    result: str | None = None


class RecordOutcome(msgspec.Struct, kw_only=True):
    """All that one record changed. `now` is the partition's time after it."""

    now: int
    states: dict[str, AggregateState | None] = {}
    dirty: dict[str, frozenset[int]] = {}
    timers: list[TimerChange] = []
    publications: list[Publication] = []
    applied: tuple[str, AppliedCommand] | None = None
    source: tuple[int, SendNumber] | None = None
    versions: list[AnyVersions] = []
    contents: list[Content] = []
    rejection: Rejection | None = None


Driver: TypeAlias = Generator[Read, Any, RecordOutcome]
