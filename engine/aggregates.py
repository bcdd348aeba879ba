"""The states of the aggregates that are no process instances: message subscriptions, deployments.

Fields are only appended, with defaults: see `engine/state.py` on `array_like`.
"""

from collections.abc import MutableMapping

import msgspec

from engine.records import ReplyAddress


class OpenSubscriptionState(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """One subscription of an instance; (instance, number) names it and is never used again."""

    instance_id: str
    process_id: str
    subscription: int
    interrupting: bool


class Offer(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """A message is offered to a subscription, or (None) to an instance that it starts.

    It stays until the instance has settled it; meanwhile the process id counts as served.
    """

    process_id: str
    instance_id: str
    subscription: int | None


class BufferedMessage(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """A message that is buffered (`alive`), or held until those who may still take it decide.

    When its time ends, `kept_for` are the processes that were subscribed at that instant: for them
    alone it stays, as long as an offer of theirs is open or all their subscriptions are busy.
    `taken_by` are the processes that took it, `starts` those that had a start event for its name
    when it was published.
    """

    number: int
    variables: str
    expires_at: int
    alive: bool = True
    instance_id: str | None = None
    starts: tuple[str, ...] = ()
    offers: tuple[Offer, ...] = ()
    taken_by: tuple[str, ...] = ()
    kept_for: tuple[str, ...] = ()
    refused_starts: int = 0


class MessageState(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """`message:<name>:<key>`: who waits, what is buffered, who was started by the key.

    `message_ids` maps ids seen to the instant until which they count, in pages when they are many;
    `started` process ids to the
    living instance that this key started; `timer_at` is the armed expiry, if any.
    """

    name: str
    correlation_key: str
    subscriptions: tuple[OpenSubscriptionState, ...] = ()
    messages: tuple[BufferedMessage, ...] = ()
    message_ids: MutableMapping[str, int] = {}
    started: dict[str, str] = {}
    timer_at: int | None = None


class ConversationState(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """`conversation:<process>:<key>`: the instance that what belongs together starts, and joins.

    `names` are those of the messages that came here: they are told when it is over. Without a
    `holder` all that is left is when the last one ended.
    """

    process_id: str
    key: str
    holder: str
    names: tuple[str, ...] = ()
    ended_at: int | None = None


class DeployedVersion(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """A version of a process or decision; `imports` as in `VersionRef`."""

    version: int
    checksum: str
    semantics: int
    imports: tuple[str, ...] = ()


class TimerStart(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """An armed timer start event of a process's latest version.

    `part` is its place among the definitions of the event; `joint`: it needs others, too.
    """

    timer: int
    process_id: str
    version: int
    element_id: str
    due_ms: int
    cycle: str | None = None
    repetitions: int | None = None
    part: int = 0
    joint: bool = False


class Activation(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """A version that the partitions `partitions` have not activated yet.

    `process_id` is the id of a decision where the `kind` says so.
    """

    process_id: str
    version: int
    partitions: tuple[int, ...]
    kind: str = "process"


class PendingDeployment(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """A deployment that not every partition has answered yet.

    `result` is the text of the reply's JSON. `reply` is where it goes, `repeats` where it goes as
    a DUPLICATE, `timer` is armed: all three are empty once it was given. `new` are the (process id,
    version) that it added, `new_decisions` the same of decisions.
    """

    number: int
    command_id: str
    result: str
    waiting: tuple[Activation, ...]
    new: tuple[tuple[str, int], ...] = ()
    reply: ReplyAddress | None = None
    repeats: tuple[ReplyAddress, ...] = ()
    timer: int | None = None
    actor: str | None = None
    traceparent: str | None = None
    new_decisions: tuple[tuple[str, int], ...] = ()


class DeploymentsState(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """The address `deployments`: versions by process id, timer starts, unanswered deployments.

    `digest` is chained over the effects. `decisions` are versions by decision id.
    """

    versions: dict[str, tuple[DeployedVersion, ...]] = {}
    timer_starts: tuple[TimerStart, ...] = ()
    pending: tuple[PendingDeployment, ...] = ()
    digest: str = ""
    decisions: dict[str, tuple[DeployedVersion, ...]] = {}
