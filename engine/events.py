"""Events: what happened to a process instance. Past participles, a small and lasting vocabulary.

An instance's state is the fold of its events (`evolve`), and they are its history: they only ever
gain fields with defaults. Elements and flows are named by the ids of the model, element instances
and what they wait for by the instance's own running numbers.
"""

from typing import TypeAlias

import msgspec


class Event(
    msgspec.Struct, frozen=True, kw_only=True, tag=True, tag_field="event", omit_defaults=True
):
    """The root of all events; the tag is the class name."""


class InstanceStart(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is fixed when an instance begins. `counter` is its start's offset << 16.

    `conversation` is the key of the conversation that it holds; None: of none.
    """

    process_id: str
    version: int
    root_id: str
    counter: int
    start_command_id: str
    started_at: int
    business_key: str | None = None
    parent_id: str | None = None
    parent_element: int | None = None
    depth: int = 0
    message_name: str | None = None
    message_key: str | None = None
    conversation: str | None = None


class InstanceChanged(Event, frozen=True, kw_only=True, omit_defaults=True):
    """The instance's state became `state`; the first of them carries `start`.

    `error_code` is that of the BPMN error that nothing inside the instance caught, and
    `error_variables` what came with it: a JSON object.
    """

    state: str
    start: InstanceStart | None = None
    reason: str | None = None
    error_code: str | None = None
    error_variables: str = "{}"


class ElementActivated(Event, frozen=True, kw_only=True, omit_defaults=True):
    """An element instance began, consuming one arrival of each flow in `consumed`.

    `scope` is the key of the element instance around it, 0 for the process itself. `ordinal`
    counts the iterations of a loop from 1: `scope` is then that of the loop; 0: it is none.
    `compensates` is the entry of the ledger whose handler this is. `ad_hoc` is the offer of the
    ad-hoc sub-process that counts it; with nothing consumed it is the next one chosen there.
    """

    key: int
    element_id: str
    scope: int
    consumed: tuple[str, ...] = ()
    ordinal: int = 0
    compensates: int = 0
    ad_hoc: int = 0


class ElementCompleted(Event, frozen=True, kw_only=True, omit_defaults=True):
    """`discarded` names, once each, the arrivals of its scope that a terminate end event ended."""

    key: int
    discarded: tuple[str, ...] = ()


class ElementTerminated(Event, frozen=True, kw_only=True, omit_defaults=True):
    key: int


class ElementTerminating(Event, frozen=True, kw_only=True, omit_defaults=True):
    """An element instance is over, and later transitions end it with what is left inside.

    That of the process itself names the `state` in which the instance then ends, and why.
    """

    key: int
    state: str | None = None
    reason: str | None = None
    error_code: str | None = None
    error_variables: str = "{}"


class FlowTaken(Event, frozen=True, kw_only=True, omit_defaults=True):
    """A flow was taken in the scope `scope`, and waits to be consumed by its target."""

    flow_id: str
    scope: int


class VariablesSet(Event, frozen=True, kw_only=True, omit_defaults=True):
    """Names to the JSON texts of their values, in the scope `scope`."""

    scope: int
    variables: dict[str, str]


class TimerArmed(Event, frozen=True, kw_only=True, omit_defaults=True):
    """The element instance `owner` waits until `due_ms`, an instant computed once, now.

    `element_id` is the event that fires (the owner's own, a boundary event, an arm). Repeating
    timers keep their `cycle` text and what is left of it (`repetitions`, None: for ever). `ahead`:
    it counts for an event that needs others, too, only when that begins to wait anew.
    """

    key: int
    owner: int
    element_id: str
    due_ms: int
    cycle: str | None = None
    repetitions: int | None = None
    ahead: bool = False


class TimerClosed(Event, frozen=True, kw_only=True, omit_defaults=True):
    """`fired`: it was due and taken; else it was withdrawn."""

    key: int
    fired: bool = False


class SubscriptionOpened(Event, frozen=True, kw_only=True, omit_defaults=True):
    """`owner` waits for a message, a signal or a condition (`kind`).

    `interrupting` False takes any number of them. `name` is that of the message or signal, or the
    text of the condition. `since` is the offset at which the wait for a signal began.
    """

    key: int
    owner: int
    element_id: str
    name: str
    correlation_key: str = ""
    interrupting: bool = True
    kind: str = "message"
    since: int = 0


class SubscriptionClosed(Event, frozen=True, kw_only=True, omit_defaults=True):
    """`message` is the number of the message that was taken; `taken`: a signal or condition was.

    Neither: withdrawn.
    """

    key: int
    message: int | None = None
    taken: bool = False


class EventThrown(Event, frozen=True, kw_only=True, omit_defaults=True):
    """`owner` threw a message, a signal or an escalation (`kind`), whose code is then the name.

    `variables` are the text of a JSON object. `caught`: an event of this instance caught the
    escalation; otherwise it went on to the caller, or nobody caught it. `message_id`: the
    message is not taken in while another one of this id counts.
    """

    owner: int
    kind: str
    name: str
    correlation_key: str = ""
    ttl_ms: int = 0
    variables: str = "{}"
    caught: bool = False
    message_id: str | None = None


class JobOpened(Event, frozen=True, kw_only=True, omit_defaults=True):
    """An attempt at a job. The key stays; the attempt counts up."""

    key: int
    owner: int
    type: str
    attempt: int
    retries_left: int
    headers: dict[str, str] = {}


class JobClosed(Event, frozen=True, kw_only=True, omit_defaults=True):
    """`reason`: completed, failed, error, canceled. A failed job may be opened again.

    `retry_at` is set when another attempt follows after a back-off. `error_code` is that of the
    BPMN error that the worker threw; nothing caught it when the job counts as failed.
    """

    key: int
    reason: str
    message: str | None = None
    retries_left: int | None = None
    retry_at: int | None = None
    error_code: str | None = None


class TaskDetails(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What people see of a user task. Dates are epoch milliseconds."""

    name: str | None = None
    assignee: str | None = None
    candidate_users: tuple[str, ...] = ()
    candidate_groups: tuple[str, ...] = ()
    due_at: int | None = None
    follow_up_at: int | None = None
    priority: int = 50
    form_key: str | None = None
    created_at: int = 0


class TaskChanged(Event, frozen=True, kw_only=True, omit_defaults=True):
    """`state`: created, assigned, updated, completed, canceled.

    Or a change that listeners are asked about first: creating, assigning, updating, completing,
    canceling; `details` are then those that the task is to have, `variables` (JSON texts) what it
    is completed with, or what is to be set, `local` in its own scope. Denied: it stays as it was.
    """

    key: int
    owner: int
    state: str
    details: TaskDetails | None = None
    variables: dict[str, str] = {}
    local: bool = False
    reason: str | None = None


class CallOpened(Event, frozen=True, kw_only=True, omit_defaults=True):
    """A call activity called the instance `child_id`."""

    key: int
    owner: int
    child_id: str


class CallClosed(Event, frozen=True, kw_only=True, omit_defaults=True):
    """`child_state` is the state in which the called instance ended; None: it was given up."""

    key: int
    child_state: str | None = None


class IncidentRaised(Event, frozen=True, kw_only=True, omit_defaults=True):
    """`owner` is stuck at `step` (see `engine/lifecycle.py`) until the incident is resolved.

    `variables`: what came with the step and found no room; they come with it again.
    """

    key: int
    owner: int
    kind: str
    message: str
    step: str
    element_id: str | None = None
    variables: dict[str, str] = {}


class IncidentResolved(Event, frozen=True, kw_only=True, omit_defaults=True):
    """`canceled`: its element was left by another way."""

    key: int
    canceled: bool = False


class LoopOpened(Event, frozen=True, kw_only=True, omit_defaults=True):
    """The element instance `key` is a loop, and its iterations live inside it.

    `count` is how often it runs (None: until it is stopped), `items` the JSON texts of a collection
    as it was now. Each iteration has a counter, from `counter_first` on, its item in the variable
    `item`, and `output` as a variable of its own.
    """

    key: int
    count: int | None = None
    items: tuple[str, ...] = ()
    item: str | None = None
    output: str | None = None
    counter_first: int = 1


class OutputCollected(Event, frozen=True, kw_only=True, omit_defaults=True):
    """What an iteration of the loop `key` adds to its outputs, as a JSON text.

    Or what a choice in the ad-hoc sub-process `key` does; there ordinals count the outputs.
    """

    key: int
    ordinal: int
    text: str


class LoopStopped(Event, frozen=True, kw_only=True, omit_defaults=True):
    """No further iteration begins, and those that still run are ended."""

    key: int


class ConditionEvaluated(Event, frozen=True, kw_only=True, omit_defaults=True):
    """One condition of a decision point, in the order of evaluation.

    With `key` it is that of an event, which has changed to `result`; `flow_id` is then empty.
    """

    scope: int
    flow_id: str
    expression: str
    result: bool
    key: int = 0


class CompensationRecorded(Event, frozen=True, kw_only=True, omit_defaults=True):
    """The element instance `key` is about to complete in `scope`, and can be compensated then.

    By its `handler`, which will see these `variables`; without one, by what completed inside it.
    `inside`: the handler is an event sub-process, which may compensate that itself.
    """

    key: int
    element_id: str
    scope: int
    handler: str = ""
    variables: dict[str, str] = {}
    inside: bool = False


class LedgerEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An entry of the ledger, and the scope in which it lies."""

    key: int
    scope: int


class CompensationStarted(Event, frozen=True, kw_only=True, omit_defaults=True):
    """A sweep began: the handlers of `entries` run one after the other, in the scope `scope`.

    `expanded` were in their place and completed with them. `owner` waits for the sweep; where it is
    the scope itself, only a transaction that is canceled (`cancels`) does.
    """

    key: int
    owner: int
    scope: int
    entries: tuple[LedgerEntry, ...]
    expanded: tuple[LedgerEntry, ...] = ()
    cancels: bool = False


class CompensationEnded(Event, frozen=True, kw_only=True, omit_defaults=True):
    """A sweep is over: all its handlers have ended, or it was given up."""

    key: int


class DecisionEvaluated(Event, frozen=True, kw_only=True, omit_defaults=True):
    """`owner` evaluated this version of a decision. What it gave was set just before."""

    owner: int
    decision_id: str
    version: int


class GateOpened(Event, frozen=True, kw_only=True, omit_defaults=True):
    """The complex gateway `owner` waits for its start."""

    key: int
    owner: int


class GateFired(Event, frozen=True, kw_only=True, omit_defaults=True):
    """A complex gateway fired and took one arrival of each of these flows; it waits for reset."""

    key: int
    consumed: tuple[str, ...]


class GateClosed(Event, frozen=True, kw_only=True, omit_defaults=True):
    """A complex gateway no longer waits."""

    key: int


class HoldOpened(Event, frozen=True, kw_only=True, omit_defaults=True):
    """`owner` goes on only when what it has interrupted is gone: listeners are asked at its end.

    That is the element instance `until`, or all that is left around `owner` (inside it, if it is a
    transaction). `start` is the event by which it begins, and `variables` what came with it.
    """

    key: int
    owner: int
    until: int = 0
    start: str = ""
    variables: dict[str, str] = {}


class HoldClosed(Event, frozen=True, kw_only=True, omit_defaults=True):
    """What was interrupted is gone, or what waited for that."""

    key: int


class AdHocOpened(Event, frozen=True, kw_only=True, omit_defaults=True):
    """The ad-hoc sub-process `owner` offers its activities."""

    key: int
    owner: int


class ActivitiesChosen(Event, frozen=True, kw_only=True, omit_defaults=True):
    """These are to begin in the ad-hoc sub-process with the offer `key`, in this order.

    `variables`, for each of them, are locals of what begins; without any there are none. `instead`:
    of what was chosen before, nothing more begins.
    """

    key: int
    element_ids: tuple[str, ...]
    variables: tuple[dict[str, str], ...] = ()
    instead: bool = False


class AdHocStopped(Event, frozen=True, kw_only=True, omit_defaults=True):
    """Nothing more begins in an ad-hoc sub-process: it completes once what runs in it is over.

    `discarded` names, once each, the arrivals in it that will not be consumed.
    """

    key: int
    discarded: tuple[str, ...] = ()


class AdHocClosed(Event, frozen=True, kw_only=True, omit_defaults=True):
    """An ad-hoc sub-process no longer offers anything: it is left, or was interrupted."""

    key: int


AnyEvent: TypeAlias = (
    InstanceChanged
    | ElementActivated
    | ElementCompleted
    | ElementTerminated
    | FlowTaken
    | VariablesSet
    | TimerArmed
    | TimerClosed
    | SubscriptionOpened
    | SubscriptionClosed
    | EventThrown
    | JobOpened
    | JobClosed
    | TaskChanged
    | CallOpened
    | CallClosed
    | IncidentRaised
    | IncidentResolved
    | ConditionEvaluated
    | CompensationRecorded
    | CompensationStarted
    | CompensationEnded
    | GateOpened
    | GateFired
    | GateClosed
    | LoopOpened
    | OutputCollected
    | LoopStopped
    | ElementTerminating
    | AdHocOpened
    | ActivitiesChosen
    | AdHocStopped
    | AdHocClosed
    | DecisionEvaluated
    | HoldOpened
    | HoldClosed
)
