"""What a compiled process model is made of: a Struct for each BPMN element.

An event is a position and a trigger. Everything here is immutable and dialect-free: the dialect
modules have translated extension elements into it, every reference is resolved to an index, every
expression is compiled. Indexes count the elements (`Element.index`) and flows
(`SequenceFlow.index`) of one process in document order; they are private to a compiled model. State
and events name elements by id.
"""

from functools import cached_property
from typing import Final, Literal, TypeAlias

import msgspec

from engine.expressions import Expression

PROCESS = -1
"""The scope index of what lies directly in the process."""

Text: TypeAlias = str | Expression
"""A static text, or an expression that yields one when the element activates."""


class Mapping(msgspec.Struct, frozen=True, kw_only=True):
    """One input or output mapping. `target` is a variable name or a dotted path into it.

    `outward`: a data association out of an element. It writes to the nearest scope that has the
    name, and not at all where its source is null. `takes` are the data outputs that it reads: what
    the element is given under these names is its own.
    """

    source: Expression
    target: tuple[str, ...]
    outward: bool = False
    takes: tuple[str, ...] = ()


class DataObject(msgspec.Struct, frozen=True, kw_only=True):
    """A variable that a scope declares: it is there, as `value` (JSON), when the scope begins."""

    name: str
    value: str = "null"


class SequenceFlow(msgspec.Struct, frozen=True, kw_only=True):
    index: int
    id: str
    source: int
    target: int
    condition: Expression | None = None
    name: str | None = None


# --- triggers (eventDefinitions): what an event waits for or does ---


class NoneTrigger(msgspec.Struct, frozen=True, kw_only=True, tag="none"):
    pass


class MessageTrigger(msgspec.Struct, frozen=True, kw_only=True, tag="message"):
    """`correlation_key` None: thrown without a key, or `begins`.

    `begins`: it starts an instance, whatever its key; one that waits for it has the key by which it
    was started. `ttl_ms`: how long a message that is thrown waits to be taken.
    """

    name: Text
    correlation_key: Expression | None = None
    ttl_ms: int = 0
    begins: bool = False


class TimerTrigger(msgspec.Struct, frozen=True, kw_only=True, tag="timer"):
    """Exactly one of the three is set."""

    date: Text | None = None
    duration: Text | None = None
    cycle: Text | None = None


class ErrorTrigger(msgspec.Struct, frozen=True, kw_only=True, tag="error"):
    """`code` None catches every error. An end event throws the code."""

    code: Text | None = None
    code_variable: str | None = None
    message_variable: str | None = None


class EscalationTrigger(msgspec.Struct, frozen=True, kw_only=True, tag="escalation"):
    """`code` None catches every escalation. Throw and end events throw the code."""

    code: Text | None = None
    code_variable: str | None = None


class SignalTrigger(msgspec.Struct, frozen=True, kw_only=True, tag="signal"):
    name: Text


class ConditionTrigger(msgspec.Struct, frozen=True, kw_only=True, tag="conditional"):
    """Occurs when the condition becomes true, or is true when the event begins to wait.

    `variable`: the condition that starts a process is asked only if this one is given.
    """

    condition: Expression
    variable: str | None = None


class LinkTrigger(msgspec.Struct, frozen=True, kw_only=True, tag="link"):
    """`target` is the index of the catch event to which a throw event jumps, in the same scope."""

    name: str
    target: int | None = None


class TerminateTrigger(msgspec.Struct, frozen=True, kw_only=True, tag="terminate"):
    pass


class CompensateTrigger(msgspec.Struct, frozen=True, kw_only=True, tag="compensate"):
    """`activity` is the id of the one to compensate, None: all of the scope.

    `wait`: the event waits for the handlers. At a boundary event both mean nothing.
    """

    activity: str | None = None
    wait: bool = True


class CancelTrigger(msgspec.Struct, frozen=True, kw_only=True, tag="cancel"):
    pass


class MultipleTrigger(msgspec.Struct, frozen=True, kw_only=True, tag="multiple"):
    """Any of these occurs, or with `parallel` all of them; one that throws throws each in turn."""

    triggers: tuple["Trigger", ...]
    parallel: bool = False


Trigger: TypeAlias = (
    NoneTrigger
    | MessageTrigger
    | TimerTrigger
    | ErrorTrigger
    | EscalationTrigger
    | SignalTrigger
    | ConditionTrigger
    | LinkTrigger
    | TerminateTrigger
    | CompensateTrigger
    | CancelTrigger
    | MultipleTrigger
)


def parts_of(trigger: Trigger) -> tuple[Trigger, ...]:
    """The triggers of which one consists: itself, unless it is several."""
    return trigger.triggers if isinstance(trigger, MultipleTrigger) else (trigger,)


ENDINGS: Final = (ErrorTrigger, CancelTrigger, TerminateTrigger)
"""What ends, where it is thrown, more than the event that throws it."""


def needs_all(trigger: Trigger) -> bool:
    """Whether it has several parts that must all occur."""
    return isinstance(trigger, MultipleTrigger) and trigger.parallel


# --- elements ---


class Element(msgspec.Struct, frozen=True, kw_only=True):
    """What every flow element has. `line` is the line of the source file."""

    index: int
    id: str
    name: str | None = None
    scope: int = PROCESS
    incoming: tuple[int, ...] = ()
    outgoing: tuple[int, ...] = ()
    line: int = 0


class StartEvent(Element, frozen=True, kw_only=True, tag="startEvent"):
    trigger: Trigger = NoneTrigger()
    interrupting: bool = True
    outputs: tuple[Mapping, ...] = ()


class EndEvent(Element, frozen=True, kw_only=True, tag="endEvent"):
    """`outputs` only where it goes on to complete. `job`: a worker throws its message."""

    trigger: Trigger = NoneTrigger()
    inputs: tuple[Mapping, ...] = ()
    outputs: tuple[Mapping, ...] = ()
    job: "JobDefinition | None" = None


class IntermediateCatchEvent(Element, frozen=True, kw_only=True, tag="intermediateCatchEvent"):
    trigger: Trigger = NoneTrigger()
    outputs: tuple[Mapping, ...] = ()


class IntermediateThrowEvent(Element, frozen=True, kw_only=True, tag="intermediateThrowEvent"):
    trigger: Trigger = NoneTrigger()
    inputs: tuple[Mapping, ...] = ()
    outputs: tuple[Mapping, ...] = ()
    job: "JobDefinition | None" = None


class BoundaryEvent(Element, frozen=True, kw_only=True, tag="boundaryEvent"):
    trigger: Trigger = NoneTrigger()
    attached_to: int = 0
    interrupting: bool = True
    outputs: tuple[Mapping, ...] = ()


class MultiInstance(msgspec.Struct, frozen=True, kw_only=True, tag="multiInstance"):
    """An activity that runs once for each item of `collection`, or `cardinality` times.

    Exactly one of the two is set. `item` is the variable that holds an iteration's item. `output`
    gives what each iteration adds to `output_collection`; `output_variable` is a local of each
    iteration, null at first. The loop counter of the first iteration is `counter_first`.
    """

    sequential: bool = False
    cardinality: Expression | None = None
    collection: Expression | None = None
    item: str | None = None
    output: Expression | None = None
    output_collection: str | None = None
    output_variable: str | None = None
    completion: Expression | None = None
    counter_first: int = 1


class StandardLoop(msgspec.Struct, frozen=True, kw_only=True, tag="standardLoop"):
    """An activity that runs again while `condition` holds, at most `maximum` times.

    With `test_before` the condition is asked before the first time, too.
    """

    condition: Expression | None = None
    maximum: int | None = None
    test_before: bool = False
    counter_first: int = 1


Loop: TypeAlias = MultiInstance | StandardLoop


class Activity(Element, frozen=True, kw_only=True):
    """`boundary` are the indexes of the events attached; `default` is the index of a flow.

    `compensation` is the index of the activity that undoes this one. `listeners` are the jobs that
    an event of its life waits for, by the event: start, end; of a user task creating, assigning,
    completing.
    """

    boundary: tuple[int, ...] = ()
    default: int | None = None
    inputs: tuple[Mapping, ...] = ()
    outputs: tuple[Mapping, ...] = ()
    loop: Loop | None = None
    compensation: int | None = None
    listeners: dict[str, tuple["JobDefinition", ...]] = {}


class JobDefinition(msgspec.Struct, frozen=True, kw_only=True):
    """Work for a worker: the job's type, how often it may be tried, headers for the worker.

    `computed_headers` are evaluated when the job is made. `backoff_ms` are the waits after the
    first, second, ... failure, the last one from then on, unless the worker asks for another.
    """

    type: Text
    retries: int | Expression = 3
    headers: dict[str, str] = {}
    computed_headers: dict[str, Expression] = {}
    backoff_ms: tuple[int, ...] = ()


class ScriptDefinition(msgspec.Struct, frozen=True, kw_only=True):
    """An expression evaluated inline, its value written to a variable."""

    expression: Expression
    result_variable: str | None = None


DecisionResult: TypeAlias = Literal[
    "value", "single_entry", "single_result", "collect_entries", "result_list", "outputs"
]


class DecisionCall(msgspec.Struct, frozen=True, kw_only=True):
    """A decision that is evaluated inline. Which version: as in `CallActivity`.

    `result` says what is made of it: the decision's own value; the one output of the one rule that
    matched; that rule's outputs by name; the one output of each rule; all rules' outputs; each
    output of the one rule as a variable of its own name. `result_variable` holds it; without one
    output mappings alone see it. `needs_hit`: that no rule matches is a failure.
    """

    decision_id: Text
    version: int | None = None
    version_tag: str | None = None
    same_deployment: bool = False
    result: DecisionResult = "value"
    result_variable: str | None = None
    needs_hit: bool = False


class ServiceTask(Activity, frozen=True, kw_only=True, tag="serviceTask"):
    """A `job`, else what needs no worker: a `script`, which is an expression, or a `decision`."""

    job: JobDefinition | None = None
    script: ScriptDefinition | None = None
    decision: DecisionCall | None = None


class SendTask(Activity, frozen=True, kw_only=True, tag="sendTask"):
    """As a service task."""

    job: JobDefinition | None = None
    script: ScriptDefinition | None = None
    decision: DecisionCall | None = None


class BusinessRuleTask(Activity, frozen=True, kw_only=True, tag="businessRuleTask"):
    """As a service task."""

    job: JobDefinition | None = None
    script: ScriptDefinition | None = None
    decision: DecisionCall | None = None


class ScriptTask(Activity, frozen=True, kw_only=True, tag="scriptTask"):
    """Inline `script`, else a `job`."""

    script: ScriptDefinition | None = None
    job: JobDefinition | None = None


class UserTask(Activity, frozen=True, kw_only=True, tag="userTask"):
    """Texts that are expressions are evaluated once, at activation."""

    assignee: Text | None = None
    candidate_users: Text | None = None
    candidate_groups: Text | None = None
    due_date: Text | None = None
    follow_up_date: Text | None = None
    priority: Text | None = None
    form_key: Text | None = None


class ReceiveTask(Activity, frozen=True, kw_only=True, tag="receiveTask"):
    """`instantiate`: its message starts an instance, in which the task is then done."""

    trigger: MessageTrigger
    instantiate: bool = False


class ManualTask(Activity, frozen=True, kw_only=True, tag="manualTask"):
    pass


class AbstractTask(Activity, frozen=True, kw_only=True, tag="task"):
    pass


class SubProcess(Activity, frozen=True, kw_only=True, tag="subProcess"):
    """`starts`: the indexes at which it begins (its none start event, or what has no incoming).

    `events`: the start events of the event sub-processes directly inside it, which wait while it
    lives. `by_event`: it is itself an event sub-process, and begins at its one start event. `data`
    are the variables that it declares.
    """

    starts: tuple[int, ...] = ()
    events: tuple[int, ...] = ()
    by_event: bool = False
    data: tuple[DataObject, ...] = ()


class Transaction(SubProcess, frozen=True, kw_only=True, tag="transaction"):
    """A sub-process that a cancel end event gives up as a whole."""


class AdHocSubProcess(SubProcess, frozen=True, kw_only=True, tag="adHocSubProcess"):
    """A sub-process whose activities are chosen while it runs.

    `offered` are the indexes of what can be chosen: all inside it that no flow leads to. `active`
    gives the ids of those that begin with it. With `sequential` one activity runs at a time. When
    `completion` holds after an activity, nothing more begins, and what still runs is ended if it
    `cancels_remaining`; without it, it completes when all that was chosen is over.

    `scoped`: what is chosen runs with all that follows it in a scope of its own, and counts as one.
    There `output` gives what it adds to `output_collection`; `output_variable` is a local of it,
    null at first. `shows_outputs`: something inside may ask for the collection before it is whole.
    """

    offered: tuple[int, ...] = ()
    active: Expression | None = None
    sequential: bool = False
    completion: Expression | None = None
    cancels_remaining: bool = True
    scoped: bool = False
    output: Expression | None = None
    output_collection: str | None = None
    output_variable: str | None = None
    shows_outputs: bool = False


class CallActivity(Activity, frozen=True, kw_only=True, tag="callActivity"):
    """Which version is called: this `version`, the latest with `version_tag`, the one that came
    with the caller's own deployment, else the latest at the time of the call.

    `passes`: with a tuple, the called process gets what these mappings make, and none of the
    activity's own variables. The called instance has the `business_key`, else it may inherit one.
    """

    process_id: Text
    version: int | None = None
    version_tag: str | None = None
    same_deployment: bool = False
    propagate_all_parent_variables: bool = True
    propagate_all_child_variables: bool = True
    passes: tuple[Mapping, ...] | None = None
    business_key: Text | None = None
    inherits_business_key: bool = True


class ExclusiveGateway(Element, frozen=True, kw_only=True, tag="exclusiveGateway"):
    default: int | None = None


class ParallelGateway(Element, frozen=True, kw_only=True, tag="parallelGateway"):
    pass


class InclusiveGateway(Element, frozen=True, kw_only=True, tag="inclusiveGateway"):
    default: int | None = None


class ComplexGateway(Element, frozen=True, kw_only=True, tag="complexGateway"):
    """`activation` None: only with a single incoming flow, which it passes on.

    `asks_data`: its activation asks for more than what has arrived.
    """

    default: int | None = None
    activation: Expression | None = None
    asks_data: bool = False


class EventBasedGateway(Element, frozen=True, kw_only=True, tag="eventBasedGateway"):
    """`instantiate`: each event behind it starts an instance; with `parallel` it needs them all."""

    instantiate: bool = False
    parallel: bool = False


AnyElement: TypeAlias = (
    StartEvent
    | EndEvent
    | IntermediateCatchEvent
    | IntermediateThrowEvent
    | BoundaryEvent
    | ServiceTask
    | SendTask
    | BusinessRuleTask
    | ScriptTask
    | UserTask
    | ReceiveTask
    | ManualTask
    | AbstractTask
    | SubProcess
    | Transaction
    | AdHocSubProcess
    | CallActivity
    | ExclusiveGateway
    | ParallelGateway
    | InclusiveGateway
    | ComplexGateway
    | EventBasedGateway
)


def trigger_of(element: AnyElement) -> Trigger:
    """What an event or a receive task waits for or does; nothing, where it is neither."""
    trigger: Trigger = getattr(element, "trigger", NoneTrigger())
    return trigger


class Reach(msgspec.Struct, frozen=True):
    """From where a join can be reached, without passing it.

    The masks are sets of its incoming flows: bit n stands for `incoming[n]`. An element that is
    not among `from_element` reaches none of them.
    """

    from_element: dict[int, int]


class ProcessModel(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One executable process, whole. `semantics` is the version of the rules it was deployed under.

    `starts`: the indexes at which a plain `StartInstance` begins; `message_starts`, `timer_starts`,
    `signal_starts` and `condition_starts` the elements that something else triggers: start events,
    instantiating receive tasks, what follows an instantiating gateway. Of these the `joint_starts`
    need others, too, in the same instance, and of the `alternative_starts` one is taken for each
    key. `events`: as in `SubProcess`. `conditional`: something waits for a condition of variables.
    `writes_outward`: whatever an activity writes goes to the nearest scope that has the name, else
    to the root, output mappings included. `quartz`: cron expressions are those of Quartz.
    `version_tag`: how the model names the version that it is. `fails_uncaught`: an error that
    nothing catches ends the instance. `data` are the variables that it declares. `input_sets`: it
    begins by itself when all variables of one of these are there; without any of them it needs
    none.
    """

    process_id: str
    name: str | None
    semantics: int
    elements: tuple[AnyElement, ...]
    flows: tuple[SequenceFlow, ...]
    starts: tuple[int, ...]
    message_starts: tuple[int, ...] = ()
    timer_starts: tuple[int, ...] = ()
    signal_starts: tuple[int, ...] = ()
    condition_starts: tuple[int, ...] = ()
    writes_outward: bool = False
    quartz: bool = False
    version_tag: str | None = None
    fails_uncaught: bool = False
    events: tuple[int, ...] = ()
    conditional: bool = False
    data: tuple[DataObject, ...] = ()
    input_sets: tuple[tuple[str, ...], ...] = ()
    joint_starts: tuple[int, ...] = ()
    alternative_starts: tuple[int, ...] = ()
    element_index: dict[str, int]
    flow_index: dict[str, int]

    @cached_property
    def has_complex_joins(self) -> bool:
        """Whether any complex gateway has to wait for its reset."""
        return any(
            isinstance(element, ComplexGateway) and len(element.incoming) > 1
            for element in self.elements
        )

    @cached_property
    def has_ad_hocs(self) -> bool:
        """Whether any sub-process is ad-hoc."""
        return any(isinstance(element, AdHocSubProcess) for element in self.elements)

    @cached_property
    def decision_ids(self) -> tuple[str, ...]:
        """The ids of the decisions that it evaluates, but for those that an expression names."""
        calls = [getattr(element, "decision", None) for element in self.elements]
        return tuple(
            dict.fromkeys(
                call.decision_id
                for call in calls
                if call is not None and isinstance(call.decision_id, str)
            )
        )

    @cached_property
    def reaches(self) -> dict[int, Reach]:
        """By join, filled as joins are met: `reachability.reach_of` alone reads and writes it."""
        return {}

    def element(self, element_id: str) -> AnyElement:
        """The element with this id. Raises KeyError: state and model do not belong together."""
        return self.elements[self.element_index[element_id]]
