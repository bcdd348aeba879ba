"""The table of contents of BPMN's behaviours: one handler a kind of element."""

from collections.abc import Mapping
from typing import Any

from engine.instances.elements import (
    ad_hoc_sub_processes,
    call_activities,
    complex_gateway,
    events,
    gateways,
    jobs,
    subprocesses,
    tasks,
)
from engine.instances.elements.handler import Handler
from engine.model import elements as m

# Any: a handler takes its own kind of element, which the key names.
HANDLERS: Mapping[type[m.AnyElement], Handler[Any]] = {
    # events, by position
    m.StartEvent: events.START,
    m.IntermediateCatchEvent: events.CATCH,
    m.IntermediateThrowEvent: events.THROW,
    m.BoundaryEvent: events.BOUNDARY,
    m.EndEvent: events.END,
    # tasks
    m.ServiceTask: jobs.SERVICE_TASK,
    m.SendTask: jobs.SEND_TASK,
    m.BusinessRuleTask: jobs.BUSINESS_RULE_TASK,
    m.ScriptTask: jobs.SCRIPT_TASK,
    m.UserTask: tasks.USER_TASK,
    m.ReceiveTask: tasks.RECEIVE_TASK,
    m.ManualTask: tasks.MANUAL_TASK,
    m.AbstractTask: tasks.ABSTRACT_TASK,
    # containers
    m.SubProcess: subprocesses.SUB_PROCESS,
    m.Transaction: subprocesses.SUB_PROCESS,
    m.AdHocSubProcess: ad_hoc_sub_processes.AD_HOC_SUB_PROCESS,
    m.CallActivity: call_activities.CALL_ACTIVITY,
    # gateways
    m.ExclusiveGateway: gateways.EXCLUSIVE,
    m.ParallelGateway: gateways.PARALLEL,
    m.InclusiveGateway: gateways.INCLUSIVE,
    m.ComplexGateway: complex_gateway.COMPLEX,
    m.EventBasedGateway: gateways.EVENT_BASED,
}
