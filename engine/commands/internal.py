"""What the engine asks of itself: other aggregates, other partitions, its own timers."""

from typing import TypeAlias

from engine.commands.command import Command


class ActivateVersion(Command, frozen=True, kw_only=True):
    """Deployments to every partition: this version is the latest of its process from here on.

    `message_starts` are (message name, start element id) pairs, `signal_starts` the same of
    signals, `condition_starts` the ids of conditional start events; they replace the older
    version's. Of these elements the `joint_starts` need others, too, in the same instance, and of
    the `alternative_starts` one is taken for each key. `version_tag` is the model's name for the
    version. With the `kind` "decision" it is a version of the decision `process_id`, and `imports`
    are the checksums of the files that its own needs.
    """

    partition: int
    deployment: int
    process_id: str
    version: int
    checksum: str
    semantics: int
    message_starts: tuple[tuple[str, str], ...] = ()
    signal_starts: tuple[tuple[str, str], ...] = ()
    version_tag: str | None = None
    condition_starts: tuple[str, ...] = ()
    kind: str = "process"
    imports: tuple[str, ...] = ()
    joint_starts: tuple[str, ...] = ()
    alternative_starts: tuple[str, ...] = ()


class VersionActivated(Command, frozen=True, kw_only=True):
    """A partition's answer to `ActivateVersion`."""

    deployment: int
    process_id: str
    version: int
    partition: int
    kind: str = "process"


class FireTimer(Command, frozen=True, kw_only=True):
    """The timer `timer` of the aggregate at `address` is due. `due_ms` names the occurrence."""

    address: str
    timer: int
    due_ms: int


class Continue(Command, frozen=True, kw_only=True):
    """Carry on with an advance that was cut. `steps` counts those taken since the last stimulus.

    `unasked`: of the conditions that are waited for, those behind this wait have yet to be asked.
    """

    instance_id: str
    steps: int
    unasked: int | None = None


class StartChild(Command, frozen=True, kw_only=True):
    """A call activity starts its called instance, on the same partition.

    `steps`: as in `Continue`, so that calls that call on without a wait are bounded, too.
    """

    instance_id: str
    process_id: str
    version: int
    parent_id: str
    parent_element: int
    depth: int
    business_key: str | None = None
    variables: str = "{}"
    steps: int = 0


class ChildEnded(Command, frozen=True, kw_only=True):
    """A called instance tells its parent that it ended: COMPLETED with variables, or an error.

    `error_code` is set when an uncaught BPMN error left the child: it goes on in the parent, with
    the `error_variables` that came with it.
    """

    instance_id: str
    parent_element: int
    child_id: str
    state: str
    variables: str = "{}"
    error_code: str | None = None
    error_message: str | None = None
    steps: int = 0
    error_variables: str = "{}"


class ChildEscalated(Command, frozen=True, kw_only=True):
    """Nothing in a called instance caught an escalation: it goes on at the call activity."""

    instance_id: str
    parent_element: int
    child_id: str
    code: str
    variables: str = "{}"
    steps: int = 0


class TerminateChild(Command, frozen=True, kw_only=True):
    """The parent's call activity is gone: end the called instance."""

    instance_id: str
    parent_element: int


class OpenSubscription(Command, frozen=True, kw_only=True):
    """An instance waits for a message. `subscription` is a number of the instance, never reused."""

    name: str
    correlation_key: str
    instance_id: str
    process_id: str
    subscription: int
    interrupting: bool


class CloseSubscription(Command, frozen=True, kw_only=True):
    name: str
    correlation_key: str
    instance_id: str
    subscription: int


class DeliverMessage(Command, frozen=True, kw_only=True):
    """The message aggregate offers a message to one subscription; the instance settles it."""

    instance_id: str
    subscription: int
    message: int
    name: str
    correlation_key: str
    variables: str


class SettleMessage(Command, frozen=True, kw_only=True):
    """An instance's answer to `DeliverMessage`. Not `accepted`: offer it to the next."""

    name: str
    correlation_key: str
    instance_id: str
    subscription: int
    message: int
    accepted: bool
    still_open: bool = False


class StartByMessage(Command, frozen=True, kw_only=True):
    """A message starts an instance; the instance settles by `MessageStartSettled`.

    `checksum` and `semantics` are the version's: the partition may not have activated it yet.
    A start that belongs to a `conversation` (its key) goes there first, without a `holder`, and
    from there to the instance that holds it: `instance_id`, or one that was started before.
    """

    instance_id: str
    process_id: str
    version: int
    start_element: str
    name: str
    correlation_key: str
    message: int
    variables: str
    checksum: str = ""
    semantics: int = 0
    conversation: str | None = None
    holder: str = ""


class MessageStartSettled(Command, frozen=True, kw_only=True):
    """Not `accepted`, and the process has a `holder`: this instance holds the key until it ends."""

    name: str
    correlation_key: str
    process_id: str
    instance_id: str
    message: int
    accepted: bool
    holder: str = ""


class ReleaseMessageKey(Command, frozen=True, kw_only=True):
    """An instance that a message with a key started has ended: its key may start another."""

    name: str
    correlation_key: str
    process_id: str
    instance_id: str


class DeliverSignal(Command, frozen=True, kw_only=True):
    """A signal comes to a partition: to all that wait there since before, in chunks.

    `before` is the offset of the first of these commands there (None: this is it): only waits that
    began at an earlier one count. The chunk begins behind (`after_since`, `after_wait`), as the
    index orders waits. `thrown_by` is the instance that threw it and has taken it already.

    With `spreads` it is for the partition of the signal's name alone, which settles what the signal
    starts and sends it to all of them. Of these starts the `joint` ones, (process id, element id),
    reach the instances that wait at their beginning for the signal.
    """

    partition: int
    name: str
    variables: str
    thrown_by: str | None = None
    before: int | None = None
    after_since: int | None = None
    after_wait: str = ""
    spreads: bool = False
    joint: tuple[tuple[str, str], ...] = ()


class TakeSignal(Command, frozen=True, kw_only=True):
    """A signal reaches one wait for it. A wait that is over has no use for it.

    `joint`: as in `DeliverSignal`. `thrown`: by the instance itself, which has left to this what it
    waits for at its beginning, and has taken all else.
    """

    instance_id: str
    subscription: int
    variables: str
    joint: tuple[tuple[str, str], ...] = ()
    thrown: bool = False


class StartBySignal(Command, frozen=True, kw_only=True):
    """The signal `name` starts an instance. From `checksum` on as in `StartByMessage`."""

    instance_id: str
    process_id: str
    version: int
    start_element: str
    variables: str
    checksum: str = ""
    semantics: int = 0
    name: str = ""
    conversation: str | None = None
    holder: str = ""


class StartByTimer(Command, frozen=True, kw_only=True):
    """A timer that was due starts an instance, by the `part` of its event.

    Else as in `StartByMessage`.
    """

    instance_id: str
    process_id: str
    version: int
    start_element: str
    checksum: str = ""
    semantics: int = 0
    part: int = 0
    due_ms: int = 0
    conversation: str | None = None
    holder: str = ""


class StartByCondition(Command, frozen=True, kw_only=True):
    """A condition starts an instance, the `part` of its event. Else as in `StartByMessage`."""

    instance_id: str
    process_id: str
    version: int
    start_element: str
    variables: str
    checksum: str = ""
    semantics: int = 0
    part: int = 0
    conversation: str | None = None
    holder: str = ""


class RaiseIncident(Command, frozen=True, kw_only=True):
    """Raise an incident on the instance itself: an engine fault, an effect Kafka refuses."""

    instance_id: str
    kind: str
    message: str


class EndConversation(Command, frozen=True, kw_only=True):
    """The instance that holds a conversation has ended, or has all that it waited for.

    `ended_at`: what its timers were due at until then was its own.
    """

    process_id: str
    key: str
    instance_id: str
    ended_at: int | None = None


TriggeredStart: TypeAlias = StartByMessage | StartBySignal | StartByTimer | StartByCondition
"""What comes from outside and starts an instance, or joins one of its conversation."""


InternalCommand: TypeAlias = (
    ActivateVersion
    | VersionActivated
    | FireTimer
    | Continue
    | StartChild
    | ChildEnded
    | ChildEscalated
    | TerminateChild
    | OpenSubscription
    | CloseSubscription
    | DeliverMessage
    | SettleMessage
    | StartByMessage
    | MessageStartSettled
    | ReleaseMessageKey
    | DeliverSignal
    | TakeSignal
    | StartBySignal
    | StartByTimer
    | RaiseIncident
    | StartByCondition
    | EndConversation
)
