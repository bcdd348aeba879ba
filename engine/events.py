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
    """What is fixed when an instance begins. `counter` is its start's offset << 16."""

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


class InstanceChanged(Event, frozen=True, kw_only=True, omit_defaults=True):
    """The instance's state became `state`; the first of them carries `start`.

    `error_code` is that of the BPMN error that nothing inside the instance caught.
    """

    state: str
    start: InstanceStart | None = None
    reason: str | None = None
    error_code: str | None = None


class ElementActivated(Event, frozen=True, kw_only=True, omit_defaults=True):
    """An element instance began, consuming one arrival of each flow in `consumed`.

    `scope` is the key of the element instance around it, 0 for the process itself.
    """

    key: int
    element_id: str
    scope: int
    consumed: tuple[str, ...] = ()


class ElementCompleted(Event, frozen=True, kw_only=True, omit_defaults=True):
    """`discarded` names, once each, the arrivals of its scope that a terminate end event ended."""

    key: int
    discarded: tuple[str, ...] = ()


class ElementTerminated(Event, frozen=True, kw_only=True, omit_defaults=True):
    key: int


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
    timers keep their `cycle` text and what is left of it (`repetitions`, None: for ever).
    """

    key: int
    owner: int
    element_id: str
    due_ms: int
    cycle: str | None = None
    repetitions: int | None = None


class TimerClosed(Event, frozen=True, kw_only=True, omit_defaults=True):
    """`fired`: it was due and taken; else it was withdrawn."""

    key: int
    fired: bool = False


class SubscriptionOpened(Event, frozen=True, kw_only=True, omit_defaults=True):
    """`owner` waits for a message; `interrupting` False takes any number of them."""

    key: int
    owner: int
    element_id: str
    name: str
    correlation_key: str
    interrupting: bool = True


class SubscriptionClosed(Event, frozen=True, kw_only=True, omit_defaults=True):
    """`message` is the number of the message that was taken, None: withdrawn."""

    key: int
    message: int | None = None


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
    """`state`: created, assigned, updated, completed, canceled."""

    key: int
    owner: int
    state: str
    details: TaskDetails | None = None


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
    """`owner` is stuck at `step` (see `engine/lifecycle.py`) until the incident is resolved."""

    key: int
    owner: int
    kind: str
    message: str
    step: str
    element_id: str | None = None


class IncidentResolved(Event, frozen=True, kw_only=True, omit_defaults=True):
    """`canceled`: its element was left by another way."""

    key: int
    canceled: bool = False


class ConditionEvaluated(Event, frozen=True, kw_only=True, omit_defaults=True):
    """One condition of a decision point, in the order of evaluation."""

    scope: int
    flow_id: str
    expression: str
    result: bool


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
    | JobOpened
    | JobClosed
    | TaskChanged
    | CallOpened
    | CallClosed
    | IncidentRaised
    | IncidentResolved
    | ConditionEvaluated
)
