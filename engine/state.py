"""The state of a process instance: what `evolve` makes of its events, and nothing else.

A `ProcessInstance` is changed only by `evolve`, and only on a draft of its own: `make_draft` copies
the maps of an instance once a command, so that what came in stays as it was. A map with many
entries is kept in pages (`engine/pages.py`), of which a copy shares all that no command touches:
what a command costs does not depend on how wide its instance is. What is inside is never changed,
but replaced.

`array_like`: stored documents hold the fields without their names, in this order. So fields are
only appended, with defaults, and with a new format of the documents (`schemas/snapshot.py`).
"""

from collections.abc import MutableMapping
from typing import TypeAlias

import msgspec

from engine.events import InstanceStart, JobOpened, TaskDetails
from engine.lifecycle import ElementState, InstanceState

TASK_CHANGES = frozenset({"creating", "assigning", "updating", "completing", "canceling"})
"""Changes of a user task that wait for listeners."""

OUTPUTS_PER_PAGE = 128
"""How many ordinals share an entry of `ProcessInstance.outputs`."""


class ElementInstance(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """A living element instance: the token, when it has no inner ones.

    `scope` is the key of the element instance around it (None: it is the process itself). `waits`
    are the keys of what it owns in `ProcessInstance.waits`. `open` counts what lives directly
    inside it: element instances, and flows taken and not yet consumed. `ordinal` counts the
    iterations of the loop that it lies in, from 1; 0: it is none. `compensates` is the entry of the
    ledger whose handler it is; 0: of none. `ad_hoc` is the `AdHocWait` that counts it; 0: none.
    """

    key: int
    element_id: str
    scope: int | None
    since_ms: int
    state: ElementState = ElementState.ACTIVE
    waits: tuple[int, ...] = ()
    open: int = 0
    ordinal: int = 0
    compensates: int = 0
    ad_hoc: int = 0


class Ending(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """In which state the instance ends once all inside it is ended, and why."""

    state: InstanceState
    reason: str | None = None
    error_code: str | None = None
    error_variables: str = "{}"


class Loop(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """An activity that runs several times: what the element instance around its iterations knows.

    `count` None: until it is stopped. `items` are the JSON texts of its collection, fixed when it
    opened. `begun`, `completed` and `terminated` count iterations. `item` and `output` name
    variables of each iteration, and `counter_first` is the first one's loop counter.
    """

    count: int | None = None
    items: tuple[str, ...] = ()
    item: str | None = None
    output: str | None = None
    counter_first: int = 1
    begun: int = 0
    completed: int = 0
    terminated: int = 0
    stopped: bool = False

    @property
    def wants_more(self) -> bool:
        """Whether a further iteration is still to begin."""
        return not self.stopped and (self.count is None or self.begun < self.count)


class Compensable(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """An entry of the ledger: an activity that completed as the element instance `key`.

    `handler` is the element that undoes it, with these `variables`; empty: what completed inside it
    is compensated in its place. `inside`: the handler may do that itself. `sweep` is the sweep that
    has claimed it.
    """

    key: int
    element_id: str
    handler: str = ""
    variables: dict[str, str] = {}
    sweep: int = 0
    inside: bool = False


class Waiting(msgspec.Struct, frozen=True, kw_only=True, array_like=True, tag_field="wait"):
    """The root of all waits: what an element instance sleeps on."""


class JobWait(Waiting, frozen=True, kw_only=True, tag="job"):
    """`retry_at` set: failed, the next attempt waits for that instant. `stopped`: none is left."""

    key: int
    owner: int
    type: str
    attempt: int
    retries_left: int
    headers: dict[str, str] = {}
    retry_at: int | None = None
    stopped: bool = False

    @classmethod
    def opened(cls, event: JobOpened) -> "JobWait":
        """The job as workers get it."""
        return cls(
            key=event.key,
            owner=event.owner,
            type=event.type,
            attempt=event.attempt,
            retries_left=event.retries_left,
            headers=event.headers,
        )


class TaskChange(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """What a user task is to become once its listeners are done: see `TaskChanged`."""

    state: str
    details: TaskDetails
    variables: dict[str, str] = {}
    local: bool = False


class TaskWait(Waiting, frozen=True, kw_only=True, tag="task"):
    """`change` is under way. `offered`: people see it; listeners at its creation come before."""

    key: int
    owner: int
    details: TaskDetails
    revision: int = 1
    change: TaskChange | None = None
    offered: bool = True


class TimerWait(Waiting, frozen=True, kw_only=True, tag="timer"):
    """`ahead`: it has fired for the event already, which waits for others; this is the next."""

    key: int
    owner: int
    element_id: str
    due_ms: int
    cycle: str | None = None
    repetitions: int | None = None
    ahead: bool = False


class SubscriptionWait(Waiting, frozen=True, kw_only=True, tag="subscription"):
    key: int
    owner: int
    element_id: str
    name: str
    correlation_key: str
    interrupting: bool = True


class SignalWait(Waiting, frozen=True, kw_only=True, tag="signal"):
    """`since` is the offset of the record in which the wait began."""

    key: int
    owner: int
    element_id: str
    name: str
    interrupting: bool = True
    since: int = 0


class ConditionWait(Waiting, frozen=True, kw_only=True, tag="condition"):
    """`holds`: what the condition, by its text, gave when it was last evaluated."""

    key: int
    owner: int
    element_id: str
    interrupting: bool = True
    holds: bool = False
    condition: str = ""


class CallWait(Waiting, frozen=True, kw_only=True, tag="call"):
    key: int
    owner: int
    child_id: str


class SweepWait(Waiting, frozen=True, kw_only=True, tag="sweep"):
    """The handlers of some entries run one after the other in `scope`; `begun` counts them.

    `cancels`: after the last one the transaction, which owns the sweep, is left as canceled.
    """

    key: int
    owner: int
    scope: int
    entries: tuple[int, ...]
    begun: int = 0
    cancels: bool = False


class GateWait(Waiting, frozen=True, kw_only=True, tag="gate"):
    """A complex gateway waits for its start, or for its reset having `taken` one of these flows."""

    key: int
    owner: int
    waiting_for_start: bool = True
    taken: tuple[str, ...] = ()


class AdHocWait(Waiting, frozen=True, kw_only=True, tag="ad_hoc"):
    """An ad-hoc sub-process offers its activities; `chosen` are those still to begin, in order.

    `begun`, `completed` and `active` count what was chosen, and the activities that flows led to.
    `stopped`: nothing more begins. `variables`, for each of `chosen`, are the locals with which it
    begins; empty: none has any.
    """

    key: int
    owner: int
    chosen: tuple[str, ...] = ()
    begun: int = 0
    completed: int = 0
    active: int = 0
    stopped: bool = False
    variables: tuple[dict[str, str], ...] = ()


class HoldWait(Waiting, frozen=True, kw_only=True, tag="hold"):
    """What an element instance goes on with when what it has interrupted is gone: `HoldOpened`."""

    key: int
    owner: int
    until: int = 0
    start: str = ""
    variables: dict[str, str] = {}


class IncidentWait(Waiting, frozen=True, kw_only=True, tag="incident"):
    key: int
    owner: int
    kind: str
    message: str
    step: str
    element_id: str | None = None
    since_ms: int = 0
    variables: dict[str, str] = {}


Wait: TypeAlias = (
    JobWait
    | TaskWait
    | TimerWait
    | SubscriptionWait
    | SignalWait
    | ConditionWait
    | CallWait
    | SweepWait
    | GateWait
    | AdHocWait
    | IncidentWait
    | HoldWait
)


class ProcessInstance(msgspec.Struct, kw_only=True, array_like=True):
    """The document of one process instance.

    `start` is fixed. `counter` and `sequence` are the last number given to a handle and to an
    event; both begin at the start's offset << 16. `digest` is chained over the effects. `arrivals`
    counts flows taken and not consumed, by scope key and flow id. `variables` holds JSON texts by
    scope key and name; a scope without variables has no entry. `variables_bytes` is the size of
    all names and texts in UTF-8, with those of waits (chosen, asked for, held). `revision` counts
    the commands that changed the document. `loops` are by the key of the element instance around
    the iterations; `outputs` what these, and the choices of ad-hoc sub-processes, have given, by
    the key of what is around them, page (`OUTPUTS_PER_PAGE` ordinals) and ordinal, so that one more
    output changes little; `loops_bytes` is the size of all items and outputs. `ledger` holds what
    completed and can be compensated, by scope and key, each scope in the order of completion;
    `ledger_bytes` is the size of the variables in it. `ending` is set once the instance only waits
    to be ended.
    """

    instance_id: str
    start: InstanceStart
    state: InstanceState
    counter: int
    sequence: int
    digest: str
    revision: int
    elements: MutableMapping[int, ElementInstance]
    waits: MutableMapping[int, Wait]
    arrivals: MutableMapping[int, MutableMapping[str, int]]
    variables: MutableMapping[int, dict[str, str]]
    variables_bytes: int = 0
    loops: MutableMapping[int, Loop] = {}
    outputs: MutableMapping[int, dict[int, dict[int, str]]] = {}
    loops_bytes: int = 0
    ledger: MutableMapping[int, MutableMapping[int, Compensable]] = {}
    ledger_bytes: int = 0
    ending: Ending | None = None

    @property
    def root(self) -> int:
        """The key of the process's own element instance: the root scope."""
        return self.start.counter + 1


class Tombstone(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """What is left of an ended instance until `expires_at`, an instant of log time.

    `started_at` None: written before it was kept.
    """

    instance_id: str
    process_id: str
    version: int
    business_key: str | None
    state: InstanceState
    start_command_id: str
    ended_at: int
    expires_at: int
    started_at: int | None = None
