"""What a handler is: plain functions for the steps of an element instance's life.

Each takes the step and says which comes next; None means that the element instance waits, or is
gone. A function evaluates all it needs before it emits anything: a StuckError leaves nothing half
done, and the loop makes it an incident that will take the very step again.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from engine.instances.advance import Advance
from engine.instances.arming import arm_events
from engine.instances.flows import leave_by_true
from engine.instances.mappings import map_inputs, map_outputs, to_texts
from engine.lifecycle import Step
from engine.model.elements import Element

E = TypeVar("E", bound=Element)
StepFunction: TypeAlias = Callable[[Advance, E, int], Step | None]


def run_nothing(advance: Advance, element: Element, key: int) -> Step:
    """A behaviour that does nothing and waits for nothing."""
    return Step.COMPLETE


def activate_nothing(advance: Advance, element: Element, key: int) -> Step:
    """Elements without inputs and boundary events have nothing to prepare."""
    return Step.RUN


def arm_events_inside(advance: Advance, element: Element, key: int) -> None:
    """Only a scope that something triggered arms its event sub-processes as a step of its own."""
    arm_events(advance, key)


def take_inputs(advance: Advance, element: Element, key: int) -> Step:
    """The inputs of what has occurred already; what came with that covers them."""
    scope = advance.instance(key).scope
    made = to_texts(map_inputs(advance, getattr(element, "inputs", ()), scope or key))
    own = advance.state.variables.get(key, {})
    advance.set_variables(key, {name: text for name, text in made.items() if name not in own})
    return Step.COMPLETE


def direct_nothing(advance: Advance, element: Element, key: int) -> None:
    """Only ad-hoc sub-processes may have a worker that directs them."""


def complete_with_outputs(advance: Advance, element: Element, key: int) -> Step:
    """The output mappings, where the element has some."""
    map_outputs(advance, getattr(element, "outputs", ()), key)
    return Step.LEAVE


@dataclass(frozen=True, kw_only=True)
class Handler(Generic[E]):
    """The behaviour of one kind of element.

    `first` is the first step of an instance that a flow or the start of its scope began. `joins`
    chooses the arrivals in a scope that an arriving flow lets an instance consume, None when it
    waits for more of them; without it each arrival begins an instance of its own.
    """

    first: Step = Step.RUN
    activate: StepFunction[E] = activate_nothing
    run: StepFunction[E] = run_nothing
    arm: StepFunction[E] = arm_events_inside
    direct: StepFunction[E] = direct_nothing
    take: StepFunction[E] = take_inputs
    complete: StepFunction[E] = complete_with_outputs
    leave: StepFunction[E] = leave_by_true
    joins: Callable[[Advance, E, int], tuple[str, ...] | None] | None = None
