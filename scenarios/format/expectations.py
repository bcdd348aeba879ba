"""What may be expected of a scenario, after any of its steps."""

from typing import Annotated

from msgspec import Meta, field

from scenarios.errors import did_you_mean
from scenarios.format.parts import Condition, Instant, Part, Pattern, Variables

STATES = ("running", "suspended", "completed", "failed", "terminated")
EFFECTS = (
    "InstanceStarted", "InstanceSuspended", "InstanceResumed", "InstanceCompleted",
    "InstanceFailed", "InstanceTerminated", "JobCreated", "JobCompleted", "JobFailed",
    "JobCanceled", "TaskCreated", "TaskAssigned", "TaskUpdated", "TaskCompleted", "TaskCanceled",
    "TaskChangeDenied", "MessageThrown", "SignalThrown", "EscalationRaised", "IncidentRaised",
    "IncidentResolved",
)  # fmt: skip
"""The types of what the topic of effects tells."""


def check_state(state: str | None) -> None:
    """Raises ValueError unless it is the state of an instance."""
    if state is not None and state.casefold() not in STATES:
        expected = ", ".join(STATES)
        raise ValueError(f"No instance is {state!r}: a state is one of {expected}.")


class JobPattern(Pattern, frozen=True, kw_only=True):
    """An open job."""

    short = "type"
    type: Annotated[str | None, Meta(description="The job type.")] = None
    element: Annotated[str | None, Meta(description="Id or name of its element.")] = None
    headers: Annotated[dict[str, str] | None, Meta(description="Some of its headers.")] = None
    variables: Annotated[
        Variables | None, Meta(description="Some of the variables that the worker is given.")
    ] = None
    retries: Annotated[int | None, Meta(description="How many tries it has left.")] = None
    attempt: Annotated[int | None, Meta(description="Which try it is, from 1 on.")] = None


class RetryPattern(Pattern, frozen=True, kw_only=True):
    """A failed job that waits for its next try."""

    short = "type"
    type: Annotated[str | None, Meta(description="The job type.")] = None
    element: Annotated[str | None, Meta(description="Name or id of its element.")] = None
    next_try: Annotated[Instant | None, Meta(description="When it is tried again.")] = field(
        name="next try", default=None
    )
    retries: Annotated[int | None, Meta(description="How many tries it has left.")] = None


class TaskPattern(Pattern, frozen=True, kw_only=True):
    """An open user task."""

    short = "element"
    nullable = frozenset({"assignee", "due", "follow up", "form"})
    element: Annotated[str | None, Meta(description="Id or name of its element.")] = None
    assignee: str | None = None
    users: Annotated[
        tuple[str, ...] | None, Meta(description="All candidate users, in any order.")
    ] = field(name="candidate users", default=None)
    groups: Annotated[
        tuple[str, ...] | None, Meta(description="All candidate groups, in any order.")
    ] = field(name="candidate groups", default=None)
    due: Annotated[Instant | None, Meta(description="When it is due.")] = None
    follow_up: Annotated[Instant | None, Meta(description="When it is to be looked at again.")] = (
        field(name="follow up", default=None)
    )
    priority: int | None = None
    form: Annotated[str | None, Meta(description="The form key.")] = None
    variables: Annotated[
        Variables | None, Meta(description="Some of the variables that it shows.")
    ] = None


class IncidentPattern(Pattern, frozen=True, kw_only=True):
    """An open incident."""

    short = "element"
    element: Annotated[str | None, Meta(description="Id or name of the element.")] = None
    kind: Annotated[
        str | None, Meta(description="As in EXPRESSION_FAILED, JOB_RETRIES_EXHAUSTED.")
    ] = None
    message: Annotated[str | None, Meta(description="A part of the message.")] = None


class TimerPattern(Pattern, frozen=True, kw_only=True):
    """A timer that runs."""

    short = "element"
    element: Annotated[str | None, Meta(description="Id or name of the event.")] = None
    due: Annotated[Instant | None, Meta(description="When it fires.")] = None


class MessagePattern(Pattern, frozen=True, kw_only=True):
    """A wait for a message."""

    short = "name"
    nullable = frozenset({"key"})
    name: Annotated[str | None, Meta(description="The message name.")] = None
    key: Annotated[str | None, Meta(description="The correlation key.")] = None
    element: Annotated[str | None, Meta(description="Id or name of what waits.")] = None


class SignalPattern(Pattern, frozen=True, kw_only=True):
    """A wait for a signal."""

    short = "name"
    name: Annotated[str | None, Meta(description="The signal name.")] = None
    element: Annotated[str | None, Meta(description="Id or name of what waits.")] = None


class EffectPattern(Pattern, frozen=True, kw_only=True):
    """Something that happened in the step before, as the topic of effects tells it."""

    def __post_init__(self) -> None:
        if self.type is not None and self.type not in EFFECTS:
            meant = did_you_mean(self.type, EFFECTS) or f" There are: {', '.join(EFFECTS)}."
            raise ValueError(f"There is no effect {self.type!r}.{meant}")

    short = "type"
    nullable = frozenset({"element", "message", "key", "signal", "error"})
    type: Annotated[
        str | None,
        Meta(
            description="As in JobCreated, MessageThrown.",
            extra_json_schema={"enum": list(EFFECTS)},
        ),
    ] = None
    element: Annotated[str | None, Meta(description="Id or name of the element.")] = None
    message: Annotated[str | None, Meta(description="The message name.")] = None
    key: Annotated[str | None, Meta(description="The message's correlation key.")] = None
    signal: Annotated[str | None, Meta(description="The signal name.")] = None
    error: Annotated[str | None, Meta(description="The code of the error or escalation.")] = None
    variables: Annotated[Variables | None, Meta(description="Some of its variables.")] = None


class InstancePattern(Pattern, frozen=True, kw_only=True):
    """An instance, living or ended."""

    def __post_init__(self) -> None:
        check_state(self.state)

    short = "process"
    nullable = frozenset({"business key"})
    process: Annotated[str | None, Meta(description="The process id.")] = None
    id: Annotated[str | None, Meta(description="The instance id.")] = None
    state: Annotated[
        str | None,
        Meta(description="Its state, as in `expect`.", extra_json_schema={"enum": list(STATES)}),
    ] = None
    key: Annotated[str | None, Meta(description="The business key.")] = field(
        name="business key", default=None
    )


class Expect(Part, frozen=True, kw_only=True):
    """What must be so now. Lists are complete, in any order, unless said otherwise; [] is nothing.

    Elements are named by id or by name.
    """

    def __post_init__(self) -> None:
        check_state(self.state)

    instance: Annotated[
        str | None,
        Meta(
            description="Which instance is meant: its id, its business key, or the"
            " id of its process (the last that began). The first by default."
        ),
    ] = None
    state: Annotated[
        str | None,
        Meta(
            description="running, suspended, completed, failed or terminated.",
            extra_json_schema={"enum": list(STATES)},
        ),
    ] = None
    waiting_at: Annotated[
        tuple[str, ...] | None, Meta(description="All elements at which the instance sleeps.")
    ] = field(name="waiting at", default=None)
    active: Annotated[
        tuple[str, ...] | None,
        Meta(description="Some of the elements that are active, sub-processes too."),
    ] = None
    path: Annotated[
        tuple[str, ...] | None, Meta(description="All elements that completed, in this order.")
    ] = None
    path_contains: Annotated[
        tuple[str, ...] | None, Meta(description="Some elements that completed, in this order.")
    ] = field(name="path contains", default=None)
    completed: Annotated[
        tuple[str, ...] | None, Meta(description="Some elements that completed, in any order.")
    ] = None
    not_completed: Annotated[
        tuple[str, ...] | None, Meta(description="Elements that have not completed.")
    ] = field(name="not completed", default=None)
    variables: Annotated[
        Variables | None, Meta(description="Some variables of the instance, or of its result.")
    ] = None
    no_variables: Annotated[
        tuple[str, ...] | None, Meta(description="Variables that the instance does not have.")
    ] = field(name="no variables", default=None)
    holds: Annotated[
        tuple[Condition, ...] | None,
        Meta(description="FEEL conditions on its variables, as in `=amount > 100`."),
    ] = None
    jobs: Annotated[
        tuple[JobPattern, ...] | None,
        Meta(description="All open jobs of the instance and of what it calls."),
    ] = None
    retrying: Annotated[
        tuple[RetryPattern, ...] | None,
        Meta(description="All failed jobs that wait for their next try, likewise."),
    ] = None
    tasks: Annotated[
        tuple[TaskPattern, ...] | None, Meta(description="All open user tasks, likewise.")
    ] = None
    incidents: Annotated[
        tuple[IncidentPattern, ...] | None, Meta(description="All open incidents, likewise.")
    ] = None
    timers: Annotated[
        tuple[TimerPattern, ...] | None, Meta(description="All timers that run, likewise.")
    ] = None
    messages: Annotated[
        tuple[MessagePattern, ...] | None, Meta(description="All messages waited for, likewise.")
    ] = None
    signals: Annotated[
        tuple[SignalPattern, ...] | None, Meta(description="All signals waited for, likewise.")
    ] = None
    instances: Annotated[
        tuple[InstancePattern, ...] | None,
        Meta(description="All instances of the scenario, called ones and ended ones too."),
    ] = None
    effects: Annotated[
        tuple[EffectPattern, ...] | None,
        Meta(description="Some of what happened in the last step, in this order."),
    ] = None


class Rejected(Pattern, frozen=True, kw_only=True):
    """That a command is refused."""

    short = "code"
    code: Annotated[str, Meta(description="As in NOT_FOUND, INVALID_STATE.")]
    detail: Annotated[str | None, Meta(description="A part of the sentence.")] = None
