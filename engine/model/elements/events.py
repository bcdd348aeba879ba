"""Events by position. What they wait for or do is their trigger."""

from engine.model.elements.data import Mapping
from engine.model.elements.element import Element
from engine.model.elements.triggers import NoneTrigger, Trigger
from engine.model.elements.work import JobDefinition


class StartEvent(Element, frozen=True, kw_only=True, tag="startEvent"):
    trigger: Trigger = NoneTrigger()
    interrupting: bool = True
    outputs: tuple[Mapping, ...] = ()


class EndEvent(Element, frozen=True, kw_only=True, tag="endEvent"):
    """`outputs` only where it goes on to complete. `job`: a worker throws its message."""

    trigger: Trigger = NoneTrigger()
    inputs: tuple[Mapping, ...] = ()
    outputs: tuple[Mapping, ...] = ()
    job: JobDefinition | None = None


class IntermediateCatchEvent(Element, frozen=True, kw_only=True, tag="intermediateCatchEvent"):
    trigger: Trigger = NoneTrigger()
    inputs: tuple[Mapping, ...] = ()
    outputs: tuple[Mapping, ...] = ()


class IntermediateThrowEvent(Element, frozen=True, kw_only=True, tag="intermediateThrowEvent"):
    trigger: Trigger = NoneTrigger()
    inputs: tuple[Mapping, ...] = ()
    outputs: tuple[Mapping, ...] = ()
    job: JobDefinition | None = None


class BoundaryEvent(Element, frozen=True, kw_only=True, tag="boundaryEvent"):
    trigger: Trigger = NoneTrigger()
    attached_to: int = 0
    interrupting: bool = True
    outputs: tuple[Mapping, ...] = ()
