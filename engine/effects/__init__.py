"""What an instance's events cause outside of it, by a table: effects, jobs, tasks, sends, timers.

Each row sees the state as it is before its event: what closes is still there to be told about.
"""

from collections.abc import Callable, Mapping
from typing import Any

from engine import events as e
from engine.effects.consequences import Consequences
from engine.effects.instances import call_closed, instance_changed
from engine.effects.jobs import job_closed, job_opened
from engine.effects.tasks import task_changed
from engine.effects.throwing import event_thrown
from engine.effects.waits import (
    incident_raised,
    incident_resolved,
    subscription_closed,
    subscription_opened,
    timer_armed,
    timer_closed,
)

# Any: a row takes its own kind of event, which the key names.
CONSEQUENCES: Mapping[type[e.AnyEvent], Callable[[Consequences, Any], None] | None] = {
    e.InstanceChanged: instance_changed,
    e.ElementActivated: None,
    e.ElementCompleted: None,
    e.ElementTerminated: None,
    e.ElementTerminating: None,
    e.FlowTaken: None,
    e.VariablesSet: None,
    e.TimerArmed: timer_armed,
    e.TimerClosed: timer_closed,
    e.SubscriptionOpened: subscription_opened,
    e.SubscriptionClosed: subscription_closed,
    e.EventThrown: event_thrown,
    e.JobOpened: job_opened,
    e.JobClosed: job_closed,
    e.TaskChanged: task_changed,
    e.CallOpened: None,
    e.CallClosed: call_closed,
    e.IncidentRaised: incident_raised,
    e.IncidentResolved: incident_resolved,
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
    e.HoldOpened: None,
    e.HoldClosed: None,
}
