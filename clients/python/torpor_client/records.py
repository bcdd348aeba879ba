"""What the engine publishes, as values. Instants are UTC epoch milliseconds, variables are dicts.

Numbers in variables are int or Decimal, never rounded. Fields are only ever added.
"""

from typing import Any

import msgspec


class Position(msgspec.Struct, frozen=True, order=True):
    """What an effect is told apart by, within its partition: rising, never used again."""

    offset: int
    index: int


class EffectTask(msgspec.Struct, frozen=True, kw_only=True):
    """`denied`: the change that a listener did not let be (TaskChangeDenied), and its `reason`."""

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
    """A committed transition. `type` says which: InstanceStarted, JobCreated, TaskCompleted, ..."""

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
    variables: dict[str, Any] | None = None
    task: EffectTask | None = None
    job: EffectJob | None = None
    incident: EffectIncident | None = None
    message: EffectMessage | None = None
    signal: str | None = None
    error: EffectError | None = None

    @property
    def position(self) -> Position:
        return Position(self.offset, self.index)


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """Work for a worker. `headers` are the model's, for the handler."""

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
    variables: dict[str, Any]
    retries_left: int
    deadline: int | None = None
    created_at: int
    token: str | None = None
    canceled: bool = False

    @property
    def key(self) -> tuple[str, int]:
        """The idempotency key: give it to whatever must not happen twice."""
        return self.job_id, self.attempt


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """The current state of a user task."""

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
    variables: dict[str, Any]
    revision: int


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a command. `status` DUPLICATE: the first outcome of that command id stands.

    `result` is the text of a JSON value. Of a change of a user task, or a termination, that has to
    wait for listeners or called instances: `{"change": "assigning"}`; without it, it is done.
    """

    command_id: str
    status: str
    instance_id: str | None = None
    code: str | None = None
    detail: str | None = None
    result: str | None = None


class Resource(msgspec.Struct, frozen=True, kw_only=True):
    """A file to deploy."""

    name: str
    content: bytes


class Deployed(msgspec.Struct, frozen=True, kw_only=True):
    """One definition of a deployment. `new` False: the same content was deployed before."""

    kind: str
    id: str
    version: int
    new: bool


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Something about a deployed file that somebody may want to put right."""

    severity: str
    code: str
    message: str
    file: str = ""
    element: str | None = None
    name: str | None = None
    line: int | None = None


class Deployment(msgspec.Struct, frozen=True, kw_only=True):
    deployed: tuple[Deployed, ...] = ()
    findings: tuple[Finding, ...] = ()


class Started(msgspec.Struct, frozen=True, kw_only=True):
    """An instance that was started. `status` DUPLICATE: it was before, by the same command."""

    instance_id: str
    status: str


class Completion(msgspec.Struct, frozen=True, kw_only=True):
    """How an instance ended: COMPLETED, FAILED or TERMINATED. `effect` is what said so."""

    state: str
    effect: Effect

    @property
    def variables(self) -> dict[str, Any] | None:
        return self.effect.variables
