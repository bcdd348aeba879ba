"""The steps of a scenario: one Struct a verb."""

from typing import Annotated, ClassVar, TypeAlias

from msgspec import Meta, field

from scenarios.format.expectations import Expect, Rejected
from scenarios.format.parts import Duration, Instant, Part, Variables


class Step(Part, frozen=True, kw_only=True):
    """One step; `verb` is the key that names its kind."""

    verb: ClassVar[str]

    expect: Annotated[Expect | None, Meta(description="What must be so after the step.")] = None


class CommandStep(Step, frozen=True, kw_only=True):
    """A step that sends a command, which must be accepted unless it says otherwise."""

    rejected: Annotated[
        Rejected | None, Meta(description="The command must be refused, with this code.")
    ] = None


class OnInstance(CommandStep, frozen=True, kw_only=True):
    instance: Annotated[
        str | None, Meta(description="Which instance is meant, as in `expect`.")
    ] = None


class Start(CommandStep, frozen=True, kw_only=True):
    """Start an instance of a process."""

    verb = "start"
    start: Annotated[str, Meta(description="The process id.")]
    id: Annotated[
        str | None,
        Meta(
            description="The instance's id; else the process id, with a number from the second on."
        ),
    ] = None
    at: Annotated[str | None, Meta(description="Id or name of the start event.")] = None
    version: Annotated[int | None, Meta(description="The version; the latest by default.")] = None
    key: Annotated[str | None, Meta(description="The business key.")] = field(
        name="business key", default=None
    )
    variables: Variables | None = None


class Where(Part, frozen=True, kw_only=True):
    """Which of several jobs or user tasks is meant."""

    nullable = frozenset({"assignee"})
    variables: Annotated[
        Variables | None, Meta(description="Some of the variables that it is given.")
    ] = None
    headers: Annotated[dict[str, str] | None, Meta(description="Some headers of a job.")] = None
    assignee: Annotated[str | None, Meta(description="The assignee of a user task.")] = None
    users: Annotated[
        tuple[str, ...] | None, Meta(description="All candidate users, in any order.")
    ] = field(name="candidate users", default=None)
    groups: Annotated[
        tuple[str, ...] | None, Meta(description="All candidate groups, in any order.")
    ] = field(name="candidate groups", default=None)


class OnWork(OnInstance, frozen=True, kw_only=True):
    """A step about a job or a user task, of several the oldest that is as `where` says."""

    where: Annotated[Where | None, Meta(description="What it is like, where several are open.")] = (
        None
    )


class CompleteJob(OnWork, frozen=True, kw_only=True):
    """Complete the oldest open job of a type or at an element."""

    verb = "complete job"
    job: Annotated[str, Meta(description="Job type, or id or name of the element.")] = field(
        name="complete job"
    )
    variables: Variables | None = None
    result: Annotated[
        Variables | None, Meta(description="What the job asks to decide, where it does.")
    ] = None


class FailJob(OnWork, frozen=True, kw_only=True):
    """Fail a job, as a worker does that cannot do it now."""

    verb = "fail job"
    job: Annotated[str, Meta(description="Job type, or id or name of the element.")] = field(
        name="fail job"
    )
    message: str | None = None
    retries: Annotated[
        int | None, Meta(description="How often it may be tried again; one less by default.")
    ] = None
    backoff: Annotated[
        Duration | None, Meta(description="When it is tried again; at once by default.")
    ] = None
    variables: Variables | None = None


class Throw(OnWork, frozen=True, kw_only=True):
    """From a job or a user task; the only open one by default."""

    def __post_init__(self) -> None:
        if self.job is not None and self.task is not None:
            raise ValueError("Name a job or a task: only one of them throws.")

    job: Annotated[str | None, Meta(description="Job type, or id or name of the element.")] = None
    task: Annotated[str | None, Meta(description="Id or name of the user task.")] = None
    message: str | None = None
    variables: Variables | None = None


class ThrowError(Throw, frozen=True, kw_only=True):
    """Throw a BPMN error from a job or a user task."""

    verb = "throw error"
    code: Annotated[str, Meta(description="The code of the error.")] = field(name="throw error")


class ThrowEscalation(Throw, frozen=True, kw_only=True):
    """Throw an escalation from a job or a user task."""

    verb = "throw escalation"
    code: Annotated[str, Meta(description="The code of the escalation.")] = field(
        name="throw escalation"
    )


class CompleteTask(OnWork, frozen=True, kw_only=True):
    """Complete a user task."""

    verb = "complete task"
    task: Annotated[str, Meta(description="Id or name of the user task.")] = field(
        name="complete task"
    )
    variables: Variables | None = None


class ClaimTask(OnWork, frozen=True, kw_only=True):
    """Claim a user task, as somebody who will do it."""

    verb = "claim task"
    task: Annotated[str, Meta(description="Id or name of the user task.")] = field(
        name="claim task"
    )
    user: Annotated[str, Meta(description="Who claims it.")]


class AssignTask(OnWork, frozen=True, kw_only=True):
    """Give a user task to somebody, whoever has it."""

    verb = "assign task"
    task: Annotated[str, Meta(description="Id or name of the user task.")] = field(
        name="assign task"
    )
    assignee: Annotated[str | None, Meta(description="Who gets it; null: nobody has it.")]


class UpdateTask(OnWork, frozen=True, kw_only=True):
    """Change what describes a user task; what is not named stays as it is."""

    verb = "update task"
    task: Annotated[str, Meta(description="Id or name of the user task.")] = field(
        name="update task"
    )
    due: Annotated[Instant | None, Meta(description="When it is due.")] = None
    follow_up: Annotated[Instant | None, Meta(description="When it is to be looked at again.")] = (
        field(name="follow up", default=None)
    )
    priority: int | None = None
    users: Annotated[
        tuple[str, ...] | None, Meta(description="All candidate users; [] takes them away.")
    ] = field(name="candidate users", default=None)
    groups: Annotated[
        tuple[str, ...] | None, Meta(description="All candidate groups; [] takes them away.")
    ] = field(name="candidate groups", default=None)
    clear: Annotated[
        tuple[str, ...], Meta(description="Dates that are taken away: due, follow up.")
    ] = ()

    def __post_init__(self) -> None:
        for name in self.clear:
            if name not in ("due", "follow up"):
                raise ValueError("Dates that can be cleared are `due` and `follow up`.")


class PublishMessage(CommandStep, frozen=True, kw_only=True):
    """Publish a message, for whoever waits for its name and key."""

    verb = "publish message"
    name: Annotated[str, Meta(description="The message name.")] = field(name="publish message")
    key: Annotated[str, Meta(description="The correlation key.")] = ""
    id: Annotated[str | None, Meta(description="The message's id: it counts once.")] = None
    ttl: Annotated[
        Duration | None, Meta(description="How long it waits to be taken; by default now or never.")
    ] = None
    variables: Variables | None = None


class BroadcastSignal(CommandStep, frozen=True, kw_only=True):
    """Broadcast a signal, to all who wait for its name now."""

    verb = "broadcast signal"
    name: Annotated[str, Meta(description="The signal name.")] = field(name="broadcast signal")
    variables: Variables | None = None


class SetVariables(OnInstance, frozen=True, kw_only=True):
    """Set variables of an instance."""

    verb = "set variables"
    variables: Annotated[Variables, Meta(description="Names and values.")] = field(
        name="set variables"
    )
    element: Annotated[
        str | None, Meta(description="The active element at which to begin; else the instance.")
    ] = None
    local: Annotated[
        bool, Meta(description="Set them in just this scope, and in none around it.")
    ] = False


class ResolveIncident(OnInstance, frozen=True, kw_only=True):
    """Resolve an incident: what failed is tried again."""

    verb = "resolve incident"
    element: Annotated[
        str | None, Meta(description="Id or name of the element; null: the only incident.")
    ] = field(name="resolve incident")
    retries: Annotated[int | None, Meta(description="How often the job may be tried again.")] = None
    variables: Variables | None = None


class Terminate(CommandStep, frozen=True, kw_only=True):
    """End an instance, and all that it called."""

    verb = "terminate"
    instance: Annotated[
        str | None, Meta(description="Which instance is meant, as in `expect`; null: the first.")
    ] = field(name="terminate")
    reason: str | None = None


class EvaluateConditions(CommandStep, frozen=True, kw_only=True):
    """Start every process with a start condition that these variables make true."""

    verb = "evaluate conditions"
    variables: Annotated[Variables, Meta(description="Names and values.")] = field(
        name="evaluate conditions"
    )
    failed: Annotated[
        tuple[str, ...], Meta(description="The processes whose conditions cannot be evaluated.")
    ] = ()


class Activate(OnInstance, frozen=True, kw_only=True):
    """Begin activities of an ad-hoc sub-process, in this order."""

    verb = "activate"
    elements: Annotated[
        tuple[str, ...], Meta(description="Ids or names of activities in the sub-process.")
    ] = field(name="activate")
    inside: Annotated[
        str | None,
        Meta(description="Id or name of the sub-process; the only active one by default."),
    ] = field(name="in", default=None)


class CompleteAdHoc(OnInstance, frozen=True, kw_only=True):
    """Complete an ad-hoc sub-process."""

    verb = "complete ad-hoc"
    element: Annotated[
        str | None,
        Meta(description="Id or name of the sub-process; null: the only active one."),
    ] = field(name="complete ad-hoc")


class Send(CommandStep, frozen=True, kw_only=True):
    """Send any command of a client, in the JSON form of the wire."""

    verb = "send"
    command: Annotated[Variables, Meta(description="The command, with its `type`.")] = field(
        name="send"
    )


class Deploy(CommandStep, frozen=True, kw_only=True):
    """Deploy more files, as one deployment: newer versions for example."""

    verb = "deploy"
    files: Annotated[tuple[str, ...], Meta(description="Files, relative to this one.")] = field(
        name="deploy"
    )


class Elapse(Step, frozen=True, kw_only=True):
    """Let time pass. Timers fire at their instants, one after the other."""

    verb = "elapse"
    duration: Annotated[Duration, Meta(description="How long.")] = field(name="elapse")


class AdvanceTo(Step, frozen=True, kw_only=True):
    """Let time pass until an instant."""

    verb = "advance to"
    instant: Annotated[Instant, Meta(description="Until when.")] = field(name="advance to")


class FireTimer(Step, frozen=True, kw_only=True):
    """Let time pass until a timer fires."""

    verb = "fire timer"
    element: Annotated[str, Meta(description="Id or name of the timer event.")] = field(
        name="fire timer"
    )
    instance: Annotated[
        str | None, Meta(description="Which instance is meant, as in `expect`.")
    ] = None


class ExpectOnly(Part, frozen=True, kw_only=True):
    """Look at what there is."""

    verb: ClassVar[str] = "expect"
    expect: Annotated[Expect, Meta(description="What must be so now.")]


AnyStep: TypeAlias = (
    Start
    | CompleteJob
    | FailJob
    | ThrowError
    | ThrowEscalation
    | CompleteTask
    | ClaimTask
    | AssignTask
    | UpdateTask
    | PublishMessage
    | BroadcastSignal
    | SetVariables
    | ResolveIncident
    | Terminate
    | EvaluateConditions
    | Activate
    | CompleteAdHoc
    | Send
    | Deploy
    | Elapse
    | AdvanceTo
    | FireTimer
    | ExpectOnly
)
