"""What stands in a simulation: open jobs and tasks, waits, the path that an instance has taken."""

from collections.abc import Iterable, Mapping
from typing import Any

from engine import events as e
from engine import records as r
from engine import state as s
from scenarios.simulation import Simulation

KINDS: Mapping[type[s.Waiting], str] = {
    s.JobWait: "job",
    s.TaskWait: "task",
    s.TimerWait: "timer",
    s.SubscriptionWait: "message",
    s.SignalWait: "signal",
    s.ConditionWait: "condition",
    s.CallWait: "call",
    s.SweepWait: "sweep",
    s.GateWait: "gate",
    s.AdHocWait: "ad-hoc",
    s.HoldWait: "interruption",
    s.IncidentWait: "incident",
}
"""What an instance may wait for, in the words of scenarios."""


def events(simulation: Simulation, instance_id: str) -> list[e.AnyEvent]:
    """The whole history of an instance."""
    return [event for part in simulation.history.get(instance_id, []) for event in part.events]


def completed(history: Iterable[e.AnyEvent]) -> list[str]:
    """The ids of the elements that completed, in order."""
    names: dict[int, str] = {}
    path = []
    for event in history:
        if isinstance(event, e.ElementActivated):
            names[event.key] = event.element_id
        elif isinstance(event, e.ElementCompleted):
            path.append(names[event.key])
    return path


def element_of(state: s.ProcessInstance, wait: s.Wait) -> str:
    """The id of the element that is waited for: a boundary event's own, an event gateway's arm."""
    return getattr(wait, "element_id", None) or state.elements[wait.owner].element_id


def waiting(state: s.ProcessInstance) -> list[tuple[str, str]]:
    """(element id, kind of wait) of all that an instance waits for, as it was armed."""
    return [(element_of(state, wait), KINDS[type(wait)]) for wait in state.waits.values()]


def active(state: s.ProcessInstance) -> list[str]:
    """The ids of the living elements, the process's own aside, as they were activated."""
    return [item.element_id for item in state.elements.values() if item.scope is not None]


def records(simulation: Simulation, topic: r.Topic) -> list[Any]:
    """All that was published on a kind of topic."""
    return [item.record for item in simulation.publications if item.topic is topic]


def open_jobs(simulation: Simulation, job_type: str | None = None) -> list[r.Job]:
    """The jobs that are open at workers, as they were published."""
    found = [job for job in simulation.published_jobs.values() if is_open(simulation, job)]
    simulation.published_jobs = {job.job_id: job for job in found}
    return [job for job in found if job_type in {None, job.type}]


def is_open(simulation: Simulation, job: r.Job) -> bool:
    """Whether a worker that has just read the job could still complete it."""
    state = simulation.document(job.instance_id)
    wait = None
    if isinstance(state, s.ProcessInstance):
        wait = state.waits.get(int(job.job_id.rpartition(":")[2]))
    return (
        isinstance(wait, s.JobWait)
        and wait.attempt == job.attempt
        and not wait.stopped
        and wait.retry_at is None
    )
