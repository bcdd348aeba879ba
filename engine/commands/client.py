"""What clients ask for."""

from typing import TypeAlias

import msgspec

from engine.commands.command import Command


class Resource(msgspec.Struct, frozen=True, kw_only=True):
    """A file to deploy. `content` may be gzip-compressed; 4 MB inflated at most."""

    name: str
    content: bytes


class DeployResources(Command, frozen=True, kw_only=True):
    """Deploy all resources or, when one has an error, none. Idempotent by content."""

    resources: tuple[Resource, ...]


class StartInstance(Command, frozen=True, kw_only=True):
    """Start a process at its none start event, or at `start_element`."""

    process_id: str
    version: int | None = None
    instance_id: str | None = None
    business_key: str | None = None
    variables: str = "{}"
    start_element: str | None = None


class TerminateInstance(Command, frozen=True, kw_only=True):
    instance_id: str
    reason: str | None = None


class SetVariables(Command, frozen=True, kw_only=True):
    """Set variables in the root scope, or in that of `element_instance_id`.

    `local` creates them there; otherwise each goes to the nearest scope that has the name.
    """

    instance_id: str
    element_instance_id: str | None = None
    variables: str = "{}"
    local: bool = False


class CompleteJob(Command, frozen=True, kw_only=True):
    """`result`: the text of a JSON object, what the job was asked to decide, where it was."""

    job_id: str
    attempt: int
    variables: str = "{}"
    token: str | None = None
    result: str | None = None


class FailJob(Command, frozen=True, kw_only=True):
    """`retries` None: one less than before."""

    job_id: str
    attempt: int
    message: str = ""
    retries: int | None = None
    backoff_ms: int | None = None
    variables: str | None = None
    token: str | None = None


class ThrowError(Command, frozen=True, kw_only=True):
    """Throw a BPMN error from a job or a user task."""

    code: str
    job_id: str | None = None
    task_id: str | None = None
    attempt: int | None = None
    message: str | None = None
    variables: str | None = None
    token: str | None = None


class ThrowEscalation(Command, frozen=True, kw_only=True):
    """Throw an escalation from a job or a user task, which stays open unless it is interrupted."""

    code: str
    job_id: str | None = None
    task_id: str | None = None
    attempt: int | None = None
    message: str | None = None
    variables: str | None = None
    token: str | None = None


class CompleteTask(Command, frozen=True, kw_only=True):
    task_id: str
    variables: str = "{}"


class PublishMessage(Command, frozen=True, kw_only=True):
    """Publish a message. With `ttl_ms` 0 it is now or never; else it is buffered so long."""

    name: str
    correlation_key: str = ""
    message_id: str | None = None
    ttl_ms: int = 0
    variables: str = "{}"
    instance_id: str | None = None


class BroadcastSignal(Command, frozen=True, kw_only=True):
    """Broadcast a signal to all who wait for it now, and start the processes that it starts."""

    name: str
    variables: str = "{}"


class EvaluateConditions(Command, frozen=True, kw_only=True):
    """Start every process that has a conditional start event whose condition these make true.

    The reply's result is `{"started": [...], "failed": [...]}`: process, version and element of
    each, with the id of the instance, or with the expression that gave neither true nor false.
    """

    variables: str = "{}"


class ResolveIncident(Command, frozen=True, kw_only=True):
    """Retry the very step that failed, after setting `variables` or a job's `retries`."""

    incident_id: str
    retries: int | None = None
    variables: str | None = None


class ActivateActivities(Command, frozen=True, kw_only=True):
    """Choose activities of the ad-hoc sub-process `element_instance_id`, to begin in this order.

    Or `complete` it, and choose none: no further activity begins, and what still runs is ended,
    or waited for, as the model says.
    """

    element_instance_id: str
    element_ids: tuple[str, ...] = ()
    complete: bool = False


class ClaimTask(Command, frozen=True, kw_only=True):
    """Take a user task on as `user`. Refused while somebody else has it; again is fine."""

    task_id: str
    user: str


class AssignTask(Command, frozen=True, kw_only=True):
    """Give a user task to somebody, whoever has it; to nobody with `assignee` None or empty."""

    task_id: str
    assignee: str | None = None


class UpdateTask(Command, frozen=True, kw_only=True):
    """Change what describes a user task; what is None stays as it is.

    `clear` names dates to take away, `due_at` or `follow_up_at`; lists are emptied by empty ones.
    Dates are epoch milliseconds.
    """

    task_id: str
    due_at: int | None = None
    follow_up_at: int | None = None
    priority: int | None = None
    candidate_users: tuple[str, ...] | None = None
    candidate_groups: tuple[str, ...] | None = None
    clear: tuple[str, ...] = ()


ClientCommand: TypeAlias = (
    DeployResources
    | StartInstance
    | TerminateInstance
    | SetVariables
    | CompleteJob
    | FailJob
    | ThrowError
    | ThrowEscalation
    | CompleteTask
    | PublishMessage
    | BroadcastSignal
    | ResolveIncident
    | EvaluateConditions
    | ActivateActivities
    | ClaimTask
    | AssignTask
    | UpdateTask
)
