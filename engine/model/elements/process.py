"""A process as a whole: its elements and the flows between them."""

from collections.abc import Hashable, Iterator
from functools import cached_property
from typing import Any, TypeAlias

import msgspec

from engine.expressions import Expression
from engine.model.elements.activities import (
    AbstractTask,
    BusinessRuleTask,
    ManualTask,
    ReceiveTask,
    ScriptTask,
    SendTask,
    ServiceTask,
    UserTask,
)
from engine.model.elements.composites import AdHocSubProcess, CallActivity, SubProcess, Transaction
from engine.model.elements.data import DataObject
from engine.model.elements.events import (
    BoundaryEvent,
    EndEvent,
    IntermediateCatchEvent,
    IntermediateThrowEvent,
    StartEvent,
)
from engine.model.elements.gateways import (
    ComplexGateway,
    EventBasedGateway,
    ExclusiveGateway,
    InclusiveGateway,
    ParallelGateway,
)
from engine.model.elements.triggers import (
    ConditionTrigger,
    NoneTrigger,
    Trigger,
    parts_of,
)
from engine.model.elements.work import JobDefinition


class SequenceFlow(msgspec.Struct, frozen=True, kw_only=True):
    index: int
    id: str
    source: int
    target: int
    condition: Expression | None = None
    name: str | None = None


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


class Joins(msgspec.Struct, frozen=True):
    """Which joins a token may hold up by being where it is: those that wait for what may come.

    The masks are sets of `indexes`: bit n stands for the n-th. `from_element`: those that can be
    reached from the element with this id, itself included. `at_flow`: the one that the flow with
    this id leads to.
    """

    indexes: tuple[int, ...]
    from_element: dict[str, int]
    at_flow: dict[str, int]


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
    none. `listeners` are the jobs that its start and its end wait for, as those of an element.
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
    listeners: dict[str, tuple[JobDefinition, ...]] = {}
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
    def hears_cancellations(self) -> bool:
        """Whether any user task has listeners at its end by something else."""
        return any(
            isinstance(element, UserTask) and "canceling" in element.listeners
            for element in self.elements
        )

    @cached_property
    def has_directed_ad_hocs(self) -> bool:
        """Whether a worker directs any of them."""
        return any(
            isinstance(element, AdHocSubProcess) and element.job is not None
            for element in self.elements
        )

    @cached_property
    def jobs(self) -> tuple[JobDefinition, ...]:
        """All work for workers in it, that of listeners included."""
        return tuple(job for each in (self, *self.elements) for job in jobs_of(each))

    @cached_property
    def filters_changes(self) -> bool:
        """Whether a condition is asked only after some changes of variables."""
        return any(
            isinstance(part, ConditionTrigger) and part.filter is not None
            for element in self.elements
            for part in parts_of(getattr(element, "trigger", NoneTrigger()))
        )

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

    @cached_property
    def computed(self) -> dict[Hashable, Any]:
        """What is computed of it once, when it is first asked for: each has a key of its own."""
        return {}

    def element(self, element_id: str) -> AnyElement:
        """The element with this id. Raises KeyError: state and model do not belong together."""
        return self.elements[self.element_index[element_id]]


def jobs_of(listened: AnyElement | ProcessModel) -> Iterator[JobDefinition]:
    """The work that an element, or the process as a whole, is or waits for."""
    job = getattr(listened, "job", None)
    if isinstance(job, JobDefinition):
        yield job
    for listeners in listened.listeners.values():
        yield from listeners
