"""What people see of an instance: pure functions from its document to JSON.

Values of variables are their JSON texts as stored: numbers keep all their digits.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from consumers.waiting import detail
from engine.model.elements import AdHocSubProcess, EventBasedGateway, ProcessModel
from engine.routing import root_of
from engine.state import (
    AdHocWait,
    CallWait,
    ConditionWait,
    GateWait,
    HoldWait,
    IncidentWait,
    JobWait,
    ProcessInstance,
    SignalWait,
    SubscriptionWait,
    SweepWait,
    TaskWait,
    TimerWait,
    Tombstone,
    Wait,
)
from engine.variables import visible

Json = dict[str, Any]


def show_instance(state: ProcessInstance | Tombstone, model: ProcessModel | None = None) -> Json:
    """One instance, whole. Instants are epoch milliseconds.

    The model tells joins and event gateways; without it they are left out.
    """
    if isinstance(state, Tombstone):
        return _show_tombstone(state)
    return {
        **list_instance(state),
        "waiting": [
            *_waiting(state),
            *_ad_hocs(state, model),
            *_gateways(state, model),
            *_joins(state, model),
        ],
        "variables": _values(state.variables.get(state.root, {})),
        "incidents": [
            _incident(state, wait)
            for wait in state.waits.values()
            if isinstance(wait, IncidentWait)
        ],
        "revision": state.revision,
    }


def _show_tombstone(state: Tombstone) -> Json:
    return {
        "id": state.instance_id,
        "process_id": state.process_id,
        "version": state.version,
        "business_key": state.business_key,
        "state": state.state,
        "started_at": state.started_at,
        "ended_at": state.ended_at,
        "waiting": [],
        "variables": None,
        "incidents": [],
        "revision": None,
    }


def _incident(state: ProcessInstance, wait: IncidentWait) -> Json:
    return {
        "id": _handle(state, wait.key),
        "kind": wait.kind,
        "element": _incident_element(state, wait),
        "message": wait.message,
    }


def list_instance(state: ProcessInstance) -> Json:
    """One line of a list of instances."""
    return {
        "id": state.instance_id,
        "process_id": state.start.process_id,
        "version": state.start.version,
        "business_key": state.start.business_key,
        "state": state.state,
        "started_at": state.start.started_at,
        "open_incidents": sum(isinstance(wait, IncidentWait) for wait in state.waits.values()),
    }


def list_task(state: ProcessInstance, wait: TaskWait) -> Json:
    """One open task, as the topic `tasks` has it. `change`: what its listeners are asked about."""
    details = msgspec.structs.asdict(wait.details)
    return {
        "task_id": _handle(state, wait.key),
        "instance_id": state.instance_id,
        "root_id": root_of(state.instance_id),
        "process_id": state.start.process_id,
        "version": state.start.version,
        "business_key": state.start.business_key,
        "element_id": state.elements[wait.owner].element_id,
        **details,
        "variables": _values(visible(state, wait.owner)),
        "revision": wait.revision,
        "change": None if wait.change is None else wait.change.state,
    }


def list_incident(state: ProcessInstance, wait: IncidentWait) -> Json:
    """One open incident, and whose it is. `since` is in epoch milliseconds."""
    return {
        **_incident(state, wait),
        "instance_id": state.instance_id,
        "process_id": state.start.process_id,
        "version": state.start.version,
        "business_key": state.start.business_key,
        "since": wait.since_ms,
    }


def find_task(state: ProcessInstance, number: int) -> TaskWait | None:
    """The open task with this number."""
    wait = state.waits.get(number)
    return wait if isinstance(wait, TaskWait) and wait.offered else None


def find_incident(state: ProcessInstance, number: int) -> IncidentWait | None:
    """The open incident with this number."""
    wait = state.waits.get(number)
    return wait if isinstance(wait, IncidentWait) else None


# --- what an instance waits for ---


def _waiting(state: ProcessInstance) -> Iterator[Json]:
    for wait in state.waits.values():
        if isinstance(wait, AdHocWait | HoldWait):
            continue
        if isinstance(wait, JobWait) and wait.stopped:
            continue  # it waits for its incident to be resolved, and that is there, too
        yield {
            "element": _element(state, wait),
            "id": _handle(state, wait.key),
            "kind": _kind(wait),
            "since": _since(state, wait),
            **detail(state, wait),
        }


_KINDS: Mapping[type[Wait], str] = {
    JobWait: "JOB",
    TaskWait: "USER_TASK",
    TimerWait: "TIMER",
    SubscriptionWait: "MESSAGE",
    SignalWait: "SIGNAL",
    ConditionWait: "CONDITION",
    CallWait: "CALL",
    SweepWait: "COMPENSATION",
    GateWait: "JOIN",
    IncidentWait: "INCIDENT",
}


def _kind(wait: Wait) -> str:
    if isinstance(wait, JobWait) and wait.retry_at is not None:
        return "RETRY"
    return _KINDS[type(wait)]


def _element(state: ProcessInstance, wait: Wait) -> str | None:
    if isinstance(wait, IncidentWait):
        return _incident_element(state, wait)
    if isinstance(wait, TimerWait | SubscriptionWait | SignalWait | ConditionWait):
        return wait.element_id  # of a boundary event, not of the activity it is attached to
    return state.elements[wait.owner].element_id


def _incident_element(state: ProcessInstance, wait: IncidentWait) -> str | None:
    owner = state.elements.get(wait.owner)
    return wait.element_id or (None if owner is None else owner.element_id)


def _since(state: ProcessInstance, wait: Wait) -> int:
    if isinstance(wait, IncidentWait):
        return wait.since_ms
    return state.elements[wait.owner].since_ms


def _ad_hocs(state: ProcessInstance, model: ProcessModel | None) -> Iterator[Json]:
    """Ad-hoc sub-processes in which activities can be chosen, and which; `id` is what a command
    names: that of the element instance."""
    for wait in state.waits.values():
        if not isinstance(wait, AdHocWait) or wait.stopped:
            continue
        owner = state.elements[wait.owner]
        yield {
            "element": owner.element_id,
            "id": _handle(state, wait.owner),
            "kind": "AD_HOC",
            "since": owner.since_ms,
            "offers": _offers(wait, owner.element_id, model),
        }


def _offers(wait: AdHocWait, element_id: str, model: ProcessModel | None) -> list[str]:
    """The ids that may be chosen now; none while a sequential one is busy."""
    index = None if model is None else model.element_index.get(element_id)
    element = None if model is None or index is None else model.elements[index]
    if model is None or not isinstance(element, AdHocSubProcess):
        return []
    if element.sequential and (wait.active or wait.chosen):
        return []
    return [model.elements[offered].id for offered in element.offered]


def _gateways(state: ProcessInstance, model: ProcessModel | None) -> Iterator[Json]:
    """Event-based gateways; what each of them waits for is told besides."""
    if model is None:
        return
    for key, element in state.elements.items():
        index = model.element_index.get(element.element_id)
        if index is not None and isinstance(model.elements[index], EventBasedGateway):
            yield {
                "element": element.element_id,
                "id": _handle(state, key),
                "kind": "EVENT_GATEWAY",
                "since": element.since_ms,
            }


def _joins(state: ProcessInstance, model: ProcessModel | None) -> Iterator[Json]:
    """Joins to which flows have come that still wait for others. They are no element instances:
    `id` is that of the scope, and since when is not kept."""
    if model is None:
        return
    for scope, flows in state.arrivals.items():
        indexes = [model.flow_index[name] for name, count in flows.items() if count]
        for target in dict.fromkeys(model.flows[index].target for index in indexes):
            yield {
                "element": model.elements[target].id,
                "id": _handle(state, scope),
                "kind": "JOIN",
                "since": None,
            }


def _handle(state: ProcessInstance, number: int) -> str:
    return f"{state.instance_id}:{number}"


def _values(texts: dict[str, str]) -> dict[str, msgspec.Raw]:
    return {name: msgspec.Raw(text.encode()) for name, text in texts.items()}
