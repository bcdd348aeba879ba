"""What an instance's events cause outside of it, by a table: effects, jobs, tasks, sends, timers.

Each row sees the state as it is before its event: what closes is still there to be told about.
"""

from collections.abc import Callable, Mapping
from typing import Any, assert_never

from engine import commands as c
from engine import events as e
from engine import records as r
from engine import state as s
from engine import variables as v
from engine.expressions import Expression
from engine.lifecycle import InstanceState
from engine.model.elements import AnyElement, ProcessModel
from engine.outcome import Context, Send, TimerChange
from engine.values import encode_object


class Consequences:
    """Collects what the events of one transition cause, numbered from `Context.index`.

    Effects stay without digest until the transition is over: see `engine/history.py`.
    """

    __slots__ = ("context", "index", "model", "publications", "sends", "state", "steps", "timers")

    def __init__(self, context: Context, model: ProcessModel, state: s.ProcessInstance) -> None:
        self.context = context
        self.model = model
        self.state = state
        self.index = context.index
        self.publications: list[r.Publication] = []
        self.sends: list[Send] = []
        self.timers: list[TimerChange] = []
        self.steps = 0

    def handle(self, number: int) -> str:
        """The id of the element instance, job, task or incident with this number."""
        return f"{self.state.instance_id}:{number}"

    def element(self, owner: int) -> AnyElement:
        """The element of a living element instance that is not the process itself."""
        return self.model.element(self.state.elements[owner].element_id)

    def publish(
        self, topic: r.Topic, key: str, record: r.PublishedRecord, *, suffix: str | None = None
    ) -> None:
        """Add a record; those of the instance's own log go where its commands are."""
        follows_commands = topic in {r.Topic.EFFECTS, r.Topic.HISTORY}
        self.publications.append(
            r.Publication(
                topic=topic,
                key=key,
                record=record,
                index=self.index,
                partition=self.context.partition if follows_commands else None,
                suffix=suffix,
                traceparent=self.context.traceparent,
            )
        )
        self.index += 1

    def effect(self, kind: str, owner: int | None = None, **group: Any) -> None:
        """Add an effect; `owner` is the element instance that it is about, `group` its details."""
        context, state = self.context, self.state
        start = state.start
        effect = r.Effect(
            id=f"{context.partition}-{context.offset}-{self.index}",
            type=kind,
            partition=context.partition,
            offset=context.offset,
            index=self.index,
            time=context.now,
            instance_id=state.instance_id,
            root_id=start.root_id,
            process_id=start.process_id,
            version=start.version,
            business_key=start.business_key,
            element_id=None if owner is None else state.elements[owner].element_id,
            element_instance_id=None if owner is None else self.handle(owner),
            sequence=state.sequence + 1,
            digest="",
            causation=context.command_id,
            actor=context.actor,
            **group,
        )
        self.publish(r.Topic.EFFECTS, start.root_id, effect)

    def set_timer(self, timer: int, due_ms: int | None) -> None:
        self.timers.append(TimerChange(address=self.state.instance_id, timer=timer, due_ms=due_ms))

    def send(self, command: c.AnyCommand, *, through_log: bool = False) -> None:
        self.sends.append(Send(command=command, through_log=through_log))


# --- the instance ---


def _instance_changed(to: Consequences, event: e.InstanceChanged) -> None:
    if event.start is not None:
        to.effect("InstanceStarted")
        return
    match InstanceState(event.state):
        case InstanceState.RUNNING:
            to.effect("InstanceResumed")
        case InstanceState.SUSPENDED:
            to.effect("InstanceSuspended")
        case InstanceState.COMPLETED:
            to.effect("InstanceCompleted", variables=_result(to.state))
            _end(to, event)
        case InstanceState.FAILED:
            code = event.error_code or ""
            to.effect("InstanceFailed", error=r.EffectError(code=code, message=event.reason))
            _end(to, event)
        case InstanceState.TERMINATED:
            to.effect("InstanceTerminated")
            _end(to, event)
        case other:
            assert_never(other)


def _result(state: s.ProcessInstance) -> str:
    return encode_object(state.variables.get(state.root, {}))


def _end(to: Consequences, event: e.InstanceChanged) -> None:
    """Tell those who wait for the end: the message's key, and the instance that called."""
    state, start = to.state, to.state.start
    if start.conversation is not None:
        to.send(end_of_conversation(to.context, to.model, state))
    elif start.message_name is not None and start.message_key:
        to.send(
            c.ReleaseMessageKey(
                name=start.message_name,
                correlation_key=start.message_key,
                process_id=start.process_id,
                instance_id=state.instance_id,
            )
        )
    if start.parent_id is not None and start.parent_element is not None:
        completed = event.state == InstanceState.COMPLETED
        to.send(
            c.ChildEnded(
                instance_id=start.parent_id,
                parent_element=start.parent_element,
                child_id=state.instance_id,
                state=event.state,
                variables=_result(state) if completed else "{}",
                error_code=event.error_code,
                error_message=event.reason,
                steps=to.steps,
            )
        )


def end_of_conversation(
    context: Context, model: ProcessModel, state: s.ProcessInstance
) -> c.EndConversation:
    """The word that an instance no longer holds its conversation."""
    key = state.start.conversation or ""
    is_timed = not key and bool(set(model.joint_starts) & set(model.timer_starts))
    return c.EndConversation(
        process_id=state.start.process_id,
        key=key,
        instance_id=state.instance_id,
        ended_at=context.now if is_timed else None,
    )


def _call_closed(to: Consequences, event: e.CallClosed) -> None:
    call = to.state.waits[event.key]
    if event.child_state is None and isinstance(call, s.CallWait):
        to.send(c.TerminateChild(instance_id=call.child_id, parent_element=call.owner))


# --- timers and subscriptions ---


def _timer_armed(to: Consequences, event: e.TimerArmed) -> None:
    to.set_timer(event.key, event.due_ms)


def _timer_closed(to: Consequences, event: e.TimerClosed) -> None:
    to.set_timer(event.key, None)


def _subscription_opened(to: Consequences, event: e.SubscriptionOpened) -> None:
    """Signals are found by an index of the document, conditions by the transitions of variables."""
    if event.kind != "message":
        return
    to.send(
        c.OpenSubscription(
            name=event.name,
            correlation_key=event.correlation_key,
            instance_id=to.state.instance_id,
            process_id=to.state.start.process_id,
            subscription=event.key,
            interrupting=event.interrupting,
        )
    )


def _subscription_closed(to: Consequences, event: e.SubscriptionClosed) -> None:
    """One that took a message is closed by the settling: `SettleMessage.still_open`."""
    subscription = to.state.waits[event.key]
    if event.message is None and isinstance(subscription, s.SubscriptionWait):
        to.send(
            c.CloseSubscription(
                name=subscription.name,
                correlation_key=subscription.correlation_key,
                instance_id=to.state.instance_id,
                subscription=event.key,
            )
        )


# --- what an instance throws ---


def _event_thrown(to: Consequences, event: e.EventThrown) -> None:
    match event.kind:
        case "message":
            message = r.EffectMessage(name=event.name, correlation_key=event.correlation_key)
            to.effect("MessageThrown", event.owner, message=message, variables=event.variables)
            # Through the log: a process that starts itself by what it throws holds nobody up.
            to.send(
                c.PublishMessage(
                    name=event.name,
                    correlation_key=event.correlation_key,
                    ttl_ms=event.ttl_ms,
                    variables=event.variables,
                ),
                through_log=True,
            )
        case "signal":
            to.effect("SignalThrown", event.owner, signal=event.name, variables=event.variables)
            _broadcast(to, event)
        case "escalation" if not event.caught:
            _escalate(to, event)


def _broadcast(to: Consequences, event: e.EventThrown) -> None:
    """Through the log of every partition, this one too; the thrower itself has taken it."""
    for partition in range(to.context.partitions):
        to.send(
            c.DeliverSignal(
                partition=partition,
                name=event.name,
                variables=event.variables,
                thrown_by=to.state.instance_id,
            ),
            through_log=True,
        )


def _escalate(to: Consequences, event: e.EventThrown) -> None:
    """Nothing in this instance catches the escalation: its caller may, or it is only told of."""
    start = to.state.start
    if start.parent_id is not None and start.parent_element is not None:
        to.send(
            c.ChildEscalated(
                instance_id=start.parent_id,
                parent_element=start.parent_element,
                child_id=to.state.instance_id,
                code=event.name,
                variables=event.variables,
                steps=to.steps,
            )
        )
    else:
        error = r.EffectError(code=event.name)
        to.effect("EscalationRaised", event.owner, error=error, variables=event.variables)


# --- jobs ---


def _job_opened(to: Consequences, event: e.JobOpened) -> None:
    known = to.state.waits.get(event.key)
    if isinstance(known, s.JobWait) and known.retry_at is not None:
        to.set_timer(event.key, None)
    job = s.JobWait(
        key=event.key,
        owner=event.owner,
        type=event.type,
        attempt=event.attempt,
        retries_left=event.retries_left,
        headers=event.headers,
    )
    to.effect("JobCreated", event.owner, job=_effect_job(to, job))
    _publish_job(to, job, encode_object(v.visible(to.state, event.owner)))


_JOB_EFFECTS: Mapping[str, str] = {
    "completed": "JobCompleted",
    "failed": "JobFailed",
    "error": "JobFailed",
    "canceled": "JobCanceled",
}


def _job_closed(to: Consequences, event: e.JobClosed) -> None:
    job = to.state.waits[event.key]
    if not isinstance(job, s.JobWait):
        return
    error = None
    if event.message is not None or event.error_code is not None:
        error = r.EffectError(code=event.error_code or "", message=event.message)
    to.effect(_JOB_EFFECTS[event.reason], job.owner, job=_effect_job(to, job), error=error)
    if event.retry_at is not None:
        to.set_timer(event.key, event.retry_at)
    elif job.retry_at is not None:
        to.set_timer(event.key, None)
    if event.reason == "canceled" and job.retry_at is None and not job.stopped:
        _publish_job(to, job, "{}", canceled=True)


def _effect_job(to: Consequences, job: s.JobWait) -> r.EffectJob:
    return r.EffectJob(job_id=to.handle(job.key), attempt=job.attempt, type=job.type)


def _publish_job(
    to: Consequences, job: s.JobWait, variables: str, *, canceled: bool = False
) -> None:
    """Types that are known only at run time have no topic of their own: their suffix is None."""
    state, start = to.state, to.state.start
    element = to.element(job.owner)
    definition = getattr(element, "job", None)
    at_run_time = isinstance(getattr(definition, "type", None), Expression)
    record = r.Job(
        job_id=to.handle(job.key),
        attempt=job.attempt,
        type=job.type,
        instance_id=state.instance_id,
        root_id=start.root_id,
        process_id=start.process_id,
        version=start.version,
        business_key=start.business_key,
        element_id=element.id,
        headers=job.headers,
        variables=variables,
        retries_left=job.retries_left,
        created_at=to.context.now,
        canceled=canceled,
    )
    to.publish(r.Topic.JOBS, start.root_id, record, suffix=None if at_run_time else job.type)


# --- user tasks ---

_TASK_EFFECTS: Mapping[str, str] = {
    "created": "TaskCreated",
    "assigned": "TaskAssigned",
    "updated": "TaskUpdated",
    "completed": "TaskCompleted",
    "canceled": "TaskCanceled",
}


def _task_changed(to: Consequences, event: e.TaskChanged) -> None:
    known = to.state.waits.get(event.key)
    task = known if isinstance(known, s.TaskWait) else None
    details = event.details or (task.details if task is not None else e.TaskDetails())
    task_id = to.handle(event.key)
    ends = event.state in {"completed", "canceled"}
    variables = None if ends else encode_object(v.visible(to.state, event.owner))
    to.effect(
        _TASK_EFFECTS[event.state],
        event.owner,
        task=r.EffectTask(task_id=task_id, assignee=details.assignee),
        variables=variables,
    )
    if variables is None:
        to.publish(r.Topic.TASKS, task_id, None)
        return
    state, start = to.state, to.state.start
    record = r.Task(
        task_id=task_id,
        state=event.state,
        instance_id=state.instance_id,
        root_id=start.root_id,
        process_id=start.process_id,
        version=start.version,
        business_key=start.business_key,
        element_id=state.elements[event.owner].element_id,
        name=details.name,
        assignee=details.assignee,
        candidate_users=details.candidate_users,
        candidate_groups=details.candidate_groups,
        due_at=details.due_at,
        follow_up_at=details.follow_up_at,
        priority=details.priority,
        form_key=details.form_key,
        created_at=details.created_at,
        variables=variables,
        revision=1 if task is None else task.revision + 1,
    )
    to.publish(r.Topic.TASKS, task_id, record)


# --- incidents ---


def _incident_raised(to: Consequences, event: e.IncidentRaised) -> None:
    to.effect(
        "IncidentRaised",
        event.owner,
        incident=r.EffectIncident(
            incident_id=to.handle(event.key),
            kind=event.kind,
            message=event.message,
            element_id=event.element_id,
        ),
    )


def _incident_resolved(to: Consequences, event: e.IncidentResolved) -> None:
    incident = to.state.waits[event.key]
    if not isinstance(incident, s.IncidentWait):
        return
    to.effect(
        "IncidentResolved",
        incident.owner,
        incident=r.EffectIncident(
            incident_id=to.handle(event.key),
            kind=incident.kind,
            message=incident.message,
            element_id=incident.element_id,
        ),
    )


# Each row is called before its event changes the state. Any: a row takes its own kind of event,
# which the key names.
CONSEQUENCES: Mapping[type[e.AnyEvent], Callable[[Consequences, Any], None] | None] = {
    e.InstanceChanged: _instance_changed,
    e.ElementActivated: None,
    e.ElementCompleted: None,
    e.ElementTerminated: None,
    e.ElementTerminating: None,
    e.FlowTaken: None,
    e.VariablesSet: None,
    e.TimerArmed: _timer_armed,
    e.TimerClosed: _timer_closed,
    e.SubscriptionOpened: _subscription_opened,
    e.SubscriptionClosed: _subscription_closed,
    e.EventThrown: _event_thrown,
    e.JobOpened: _job_opened,
    e.JobClosed: _job_closed,
    e.TaskChanged: _task_changed,
    e.CallOpened: None,
    e.CallClosed: _call_closed,
    e.IncidentRaised: _incident_raised,
    e.IncidentResolved: _incident_resolved,
    e.ConditionEvaluated: None,
    e.CompensationRecorded: None,
    e.CompensationStarted: None,
    e.CompensationEnded: None,
    e.GateOpened: None,
    e.GateFired: None,
    e.GateClosed: None,
    e.LoopOpened: None,
    e.OutputCollected: None,
    e.LoopStopped: None,
    e.AdHocOpened: None,
    e.ActivitiesChosen: None,
    e.AdHocStopped: None,
    e.AdHocClosed: None,
    e.DecisionEvaluated: None,
}
