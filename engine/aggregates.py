"""The states of the aggregates that are no process instances: message subscriptions, deployments.

Fields are only appended, with defaults: see `engine/state.py` on `array_like`.
"""

import msgspec

from engine.records import ReplyAddress


class OpenSubscriptionState(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """One subscription of an instance. `busy` is the number of the message it is deciding on."""

    instance_id: str
    process_id: str
    subscription: int
    interrupting: bool
    busy: int | None = None


class BufferedMessage(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """A message that lives: buffered until `expires_at`, or held while a subscriber decides.

    `taken_by` are the process ids that it was correlated to, or is being offered to.
    """

    number: int
    variables: str
    expires_at: int
    taken_by: tuple[str, ...] = ()
    offered: int = 0
    instance_id: str | None = None


class MessageState(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """`message:<name>:<key>`: who waits, what is buffered, who was started by the key.

    `message_ids` maps ids seen to the instant until which they count; `started` process ids to the
    living instance that this key started; `timer_at` is the armed expiry, if any.
    """

    name: str
    correlation_key: str
    subscriptions: tuple[OpenSubscriptionState, ...] = ()
    messages: tuple[BufferedMessage, ...] = ()
    message_ids: dict[str, int] = {}
    started: dict[str, str] = {}
    timer_at: int | None = None


class DeployedVersion(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    version: int
    checksum: str
    semantics: int


class TimerStart(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """An armed timer start event of a process's latest version."""

    timer: int
    process_id: str
    version: int
    element_id: str
    due_ms: int
    cycle: str | None = None
    repetitions: int | None = None


class PendingDeployment(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """A deployment that not every partition has answered yet; `waiting` are (process, partition)."""

    number: int
    command_id: str
    reply: ReplyAddress | None
    result: str
    waiting: tuple[tuple[str, int], ...]
    timer: int | None = None


class DeploymentsState(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """The address `deployments`: versions by process id, timer starts, unanswered deployments."""

    versions: dict[str, tuple[DeployedVersion, ...]] = {}
    timer_starts: tuple[TimerStart, ...] = ()
    pending: tuple[PendingDeployment, ...] = ()
