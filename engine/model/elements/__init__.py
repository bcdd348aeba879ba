"""What a compiled process model is made of: a Struct for each BPMN element.

An event is a position and a trigger. Everything here is immutable and dialect-free: the dialect
modules have translated extension elements into it, every reference is resolved to an index, every
expression is compiled. Indexes count the elements (`Element.index`) and flows
(`SequenceFlow.index`) of one process in document order; they are private to a compiled model. State
and events name elements by id.
"""

from engine.model.elements.activities import (
    AbstractTask,
    Activity,
    BusinessRuleTask,
    ManualTask,
    ReceiveTask,
    ScriptTask,
    SendTask,
    ServiceTask,
    Task,
    UserTask,
)
from engine.model.elements.composites import AdHocSubProcess, CallActivity, SubProcess, Transaction
from engine.model.elements.data import DataObject, Mapping, Text
from engine.model.elements.element import PROCESS, Element
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
from engine.model.elements.loops import Loop, MultiInstance, StandardLoop
from engine.model.elements.process import (
    AnyElement,
    Joins,
    ProcessModel,
    Reach,
    SequenceFlow,
    jobs_of,
    trigger_of,
)
from engine.model.elements.triggers import (
    ENDINGS,
    CancelTrigger,
    ChangeFilter,
    CompensateTrigger,
    ConditionTrigger,
    ErrorTrigger,
    EscalationTrigger,
    LinkTrigger,
    MessageTrigger,
    MultipleTrigger,
    NoneTrigger,
    SignalTrigger,
    TerminateTrigger,
    TimerTrigger,
    Trigger,
    leaves_at_once,
    needs_all,
    parts_of,
)
from engine.model.elements.work import DecisionCall, DecisionResult, JobDefinition, ScriptDefinition

__all__ = [
    "ENDINGS",
    "PROCESS",
    "AbstractTask",
    "Activity",
    "AdHocSubProcess",
    "AnyElement",
    "BoundaryEvent",
    "BusinessRuleTask",
    "CallActivity",
    "CancelTrigger",
    "ChangeFilter",
    "CompensateTrigger",
    "ComplexGateway",
    "ConditionTrigger",
    "DataObject",
    "DecisionCall",
    "DecisionResult",
    "Element",
    "EndEvent",
    "ErrorTrigger",
    "EscalationTrigger",
    "EventBasedGateway",
    "ExclusiveGateway",
    "InclusiveGateway",
    "IntermediateCatchEvent",
    "IntermediateThrowEvent",
    "JobDefinition",
    "Joins",
    "LinkTrigger",
    "Loop",
    "ManualTask",
    "Mapping",
    "MessageTrigger",
    "MultiInstance",
    "MultipleTrigger",
    "NoneTrigger",
    "ParallelGateway",
    "ProcessModel",
    "Reach",
    "ReceiveTask",
    "ScriptDefinition",
    "ScriptTask",
    "SendTask",
    "SequenceFlow",
    "ServiceTask",
    "SignalTrigger",
    "StandardLoop",
    "StartEvent",
    "SubProcess",
    "Task",
    "TerminateTrigger",
    "Text",
    "TimerTrigger",
    "Transaction",
    "Trigger",
    "UserTask",
    "jobs_of",
    "leaves_at_once",
    "needs_all",
    "parts_of",
    "trigger_of",
]
