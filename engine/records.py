"""What the engine publishes: effects, jobs, tasks, replies and history, as values of the core.

Field for field the wire's records; the bytes are made in `schemas`. Instants are UTC epoch
milliseconds, variables the text of a JSON object. Fields are only ever appended, with defaults.
"""

from enum import StrEnum
from typing import TypeAlias

import msgspec

from engine.commands import AnyCommand
from engine.events import AnyEvent


class EffectTask(msgspec.Struct, frozen=True, kw_only=True):
    """`denied`: the change that a listener did not let be, and its `reason`."""

    task_id: str
    assignee: str | None = None
    denied: str | None = None
    reason: str | None = None


class EffectJob(msgspec.Struct, frozen=True, kw_only=True):
    job_id: str
    attempt: int
    type: str


class EffectIncident(msgspec.Struct, frozen=True, kw_only=True):
    incident_id: str
    kind: str
    message: str
    element_id: str | None = None


class EffectMessage(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    correlation_key: str


class EffectError(msgspec.Struct, frozen=True, kw_only=True):
    code: str
    message: str | None = None


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """A committed transition, told to whoever subscribes. `id` is the text of its position."""

    id: str
    type: str
    partition: int
    offset: int
    index: int
    time: int
    instance_id: str
    root_id: str
    process_id: str
    version: int
    business_key: str | None = None
    element_id: str | None = None
    element_instance_id: str | None = None
    sequence: int
    digest: str
    causation: str
    actor: str | None = None
    variables: str | None = None
    task: EffectTask | None = None
    job: EffectJob | None = None
    incident: EffectIncident | None = None
    message: EffectMessage | None = None
    signal: str | None = None
    error: EffectError | None = None


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """Work for a worker; (`job_id`, `attempt`) is its idempotency key."""

    job_id: str
    attempt: int
    type: str
    instance_id: str
    root_id: str
    process_id: str
    version: int
    business_key: str | None = None
    element_id: str
    headers: dict[str, str]
    variables: str
    retries_left: int
    deadline: int | None = None
    created_at: int
    token: str | None = None
    canceled: bool = False


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """The current state of a user task; a tombstone follows when it is over."""

    task_id: str
    state: str
    instance_id: str
    root_id: str
    process_id: str
    version: int
    business_key: str | None = None
    element_id: str
    name: str | None = None
    assignee: str | None = None
    candidate_users: tuple[str, ...] = ()
    candidate_groups: tuple[str, ...] = ()
    due_at: int | None = None
    follow_up_at: int | None = None
    priority: int = 50
    form_key: str | None = None
    created_at: int
    variables: str
    revision: int


class ReplyStatus(StrEnum):
    ACCEPTED = "ACCEPTED"
    REJECTED = "REJECTED"
    DUPLICATE = "DUPLICATE"


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a command. `result` is the text of a JSON value."""

    command_id: str
    status: ReplyStatus
    instance_id: str | None = None
    code: str | None = None
    detail: str | None = None
    result: str | None = None


class Transition(msgspec.Struct, frozen=True, kw_only=True):
    """History: the events of one command on one instance, in `parts` parts of at most 256 KB."""

    instance_id: str
    root_id: str
    process_id: str
    version: int
    partition: int
    offset: int
    index: int
    time: int
    command_id: str
    command_type: str
    actor: str | None = None
    first_sequence: int
    part: int
    parts: int
    events: tuple[AnyEvent, ...]


class SendNumber(msgspec.Struct, frozen=True, kw_only=True, order=True, array_like=True):
    """The number of a send: rising per source partition, so that a copy is told by comparison."""

    generation: int
    offset: int
    index: int


class ReplyAddress(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """Where a command's reply goes: the headers reply-to, reply-partition and correlation-id."""

    topic: str
    partition: int | None = None
    correlation_id: bytes | None = None


class SentCommand(msgspec.Struct, frozen=True, kw_only=True):
    """A command for another partition (or later, for this one), with what identifies it."""

    command: AnyCommand
    command_id: str
    source_partition: int
    number: SendNumber
    actor: str | None = None
    reply: ReplyAddress | None = None
    forwarded: bool = False
    traceparent: str | None = None


class DeadLetter(msgspec.Struct, frozen=True, kw_only=True):
    """A record that nobody could take: its bytes and headers as found, and why."""

    value: bytes | None
    key: bytes | None
    reason: str
    topic: str
    partition: int
    offset: int
    headers: tuple[tuple[str, bytes], ...] = ()


class Topic(StrEnum):
    """The kinds of topics; `Publication.suffix` completes a name where one kind has many."""

    COMMANDS = "commands"
    EFFECTS = "effects"
    JOBS = "jobs"
    TASKS = "tasks"
    HISTORY = "history"
    REJECTIONS = "rejections"
    REPLIES = "replies"
    DEAD_LETTERS = "dead-letters"


PublishedRecord: TypeAlias = (
    Effect | Job | Task | Reply | Transition | SentCommand | DeadLetter | None
)


class Publication(msgspec.Struct, frozen=True, kw_only=True):
    """One record for the outbox. `record` None is a tombstone for `key`.

    `suffix` is the job type of a JOBS publication. `partition` None leaves the choice to the key.
    `index` is the record's number among those that its command caused.
    """

    topic: Topic
    key: str
    record: PublishedRecord
    index: int
    partition: int | None = None
    suffix: str | None = None
    reply: ReplyAddress | None = None
    traceparent: str | None = None
