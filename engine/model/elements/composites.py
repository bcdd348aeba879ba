"""Activities that have others inside: sub-processes, and calls of processes."""

from engine.expressions import Expression
from engine.model.elements.activities import (
    Activity,
)
from engine.model.elements.data import DataObject, Mapping, Text
from engine.model.elements.work import JobDefinition


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

    With a `job` a worker chooses, by what it completes that with, and says when it completes; then
    there is neither `active` nor `completion`.
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
    job: JobDefinition | None = None


class CallActivity(Activity, frozen=True, kw_only=True, tag="callActivity"):
    """Which version is called: this `version`, the latest with `version_tag`, the one that came
    with the caller's own deployment, else the latest at the time of the call.

    `passes`: with a tuple, the called process gets what these mappings make, and none of the
    activity's own variables. The called instance has the `business_key`, else it may inherit one;
    its id is written to the variable `id_variable`. With `returns_on_errors` the first `returned`
    outputs, or all its variables, are taken even when an error leaves the called process.
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
    id_variable: str | None = None
    returned: int = 0
    returns_on_errors: bool = False
