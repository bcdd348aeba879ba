"""What goes into `apply` beside state and command, and what comes out of it.

A command is either applied (`Outcome`) or not applicable (`Rejection`, nothing changed): both are
values. What is published (`Publication`) is still an engine value here; the wire's bytes are made
outside the core.
"""

from collections.abc import Mapping
from typing import TypeAlias

import msgspec

from engine.aggregates import ConversationState, DeploymentsState, MessageState
from engine.commands import AnyCommand
from engine.decisions import DecisionModel
from engine.definitions import AnyVersions, DecisionFile, Definitions
from engine.events import AnyEvent
from engine.model.elements import ProcessModel
from engine.records import Publication, ReplyAddress
from engine.settings import Settings
from engine.state import ProcessInstance, Tombstone

AggregateState: TypeAlias = (
    ProcessInstance | Tombstone | MessageState | DeploymentsState | ConversationState
)


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """All that `apply` may know: the log's time and position, models, tables, settings.

    `now` is the later of the record's timestamp and the partition's last now. `index` is the first
    number free for what this command causes; `step` counts the commands that the record has led to
    on this partition, itself being 0. `model` is the one that the state (or a start)
    names; None when the process or version is unknown. `reply` is where the command's answer
    goes, for those who answer later. `signal_waits` are a chunk of the index of signals: since when
    each waits, and "<instance id>:<number>". `condition_models` are the models of the processes in
    `Definitions.condition_starts`, for who asks their conditions. `decisions` are those that were
    read for this record: `apply` raises DecisionUnreadError when it needs another, and is to be
    called again with it.
    """

    namespace: str = ""
    now: int
    partition: int
    offset: int
    index: int
    step: int = 0
    partitions: int
    command_id: str
    actor: str | None = None
    reply: ReplyAddress | None = None
    traceparent: str | None = None
    definitions: Definitions
    model: ProcessModel | None = None
    signal_waits: tuple[tuple[int, str], ...] = ()
    condition_models: tuple[ProcessModel, ...] = ()
    decisions: Mapping[DecisionFile, DecisionModel] = {}
    settings: Settings


class Send(msgspec.Struct, frozen=True, kw_only=True):
    """A command for another aggregate, or with `through_log` for a later record of this one."""

    command: AnyCommand
    through_log: bool = False


class TimerChange(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of the partition's timer index. `due_ms` None removes it."""

    address: str
    timer: int
    due_ms: int | None


class Content(msgspec.Struct, frozen=True, kw_only=True):
    """A deployed resource, kept by the checksum of its inflated bytes for as long as it is used."""

    checksum: str
    resource: bytes


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What an applied command did.

    `state` is the aggregate after it (None: gone). `dirty` are the scopes whose variables changed.
    `result` is the text of a JSON value for the reply; `answers_later` leaves the reply to a later
    command, which publishes it.
    """

    state: AggregateState | None
    events: tuple[AnyEvent, ...] = ()
    publications: tuple[Publication, ...] = ()
    sends: tuple[Send, ...] = ()
    timers: tuple[TimerChange, ...] = ()
    dirty: frozenset[int] = frozenset()
    versions: AnyVersions | None = None
    contents: tuple[Content, ...] = ()
    result: str | None = None
    answers_later: bool = False
