"""One event at a time changes a draft, and nothing else."""

import msgspec
import pytest

from engine import events as e
from engine.errors import InvariantError
from engine.instances.evolve import create, evolve, make_draft
from engine.lifecycle import InstanceState
from engine.state import JobWait, ProcessInstance, TaskWait

NOW = 1_700_000_000_000
ROOT = (5 << 16) + 1


def instance(*events: e.AnyEvent) -> ProcessInstance:
    """An instance of the process p with a task t (number 2 after the root), after more events."""
    start = e.InstanceStart(
        process_id="p",
        version=1,
        root_id="a",
        counter=5 << 16,
        start_command_id="c",
        started_at=NOW,
    )
    state = create("a", start)
    first = (
        e.InstanceChanged(state="RUNNING", start=start),
        e.ElementActivated(key=ROOT, element_id="p", scope=0),
        e.ElementActivated(key=ROOT + 1, element_id="t", scope=ROOT),
    )
    for event in (*first, *events):
        evolve(state, event, NOW)
    return state


def test_each_event_is_counted_and_numbers_follow_the_keys() -> None:
    state = instance()
    assert state.sequence == (5 << 16) + 3
    assert state.counter == ROOT + 1
    assert state.root == ROOT


def test_a_draft_leaves_the_document_that_it_was_made_of_alone() -> None:
    state = instance(
        e.FlowTaken(flow_id="f", scope=ROOT),
        e.VariablesSet(scope=ROOT, variables={"x": "1"}),
        e.TimerArmed(key=ROOT + 2, owner=ROOT + 1, element_id="b", due_ms=NOW),
    )
    before = msgspec.msgpack.encode(state)
    draft = make_draft(state)
    for event in (
        e.VariablesSet(scope=ROOT, variables={"x": "2", "y": "3"}),
        e.TimerClosed(key=ROOT + 2),
        e.FlowTaken(flow_id="f", scope=ROOT),
        e.ElementActivated(key=ROOT + 3, element_id="u", scope=ROOT, consumed=("f",)),
        e.ElementTerminated(key=ROOT + 1),
    ):
        evolve(draft, event, NOW)
    assert msgspec.msgpack.encode(state) == before
    assert draft.variables == {ROOT: {"x": "2", "y": "3"}}


def test_a_scope_counts_element_instances_and_arrivals() -> None:
    flow = e.FlowTaken(flow_id="f", scope=ROOT)
    state = instance(flow, flow)
    assert state.elements[ROOT].open == 3
    evolve(state, e.ElementActivated(key=ROOT + 2, element_id="u", scope=ROOT, consumed=("f",)), 0)
    assert state.elements[ROOT].open == 3
    assert state.arrivals == {ROOT: {"f": 1}}
    evolve(state, e.ElementCompleted(key=ROOT + 2, discarded=("f",)), NOW)
    assert state.elements[ROOT].open == 1
    assert state.arrivals == {}


def test_what_an_element_owns_must_be_closed_before_it_ends() -> None:
    state = instance(e.TimerArmed(key=ROOT + 2, owner=ROOT + 1, element_id="t", due_ms=NOW))
    with pytest.raises(InvariantError, match="t ends and still waits"):
        evolve(state, e.ElementCompleted(key=ROOT + 1), NOW)


def test_an_ended_scope_takes_its_variables_and_arrivals_along() -> None:
    state = instance(
        e.VariablesSet(scope=ROOT + 1, variables={"local": '"ü"'}),
        e.FlowTaken(flow_id="inside", scope=ROOT + 1),
    )
    assert state.variables_bytes == len("local") + 4
    evolve(state, e.ElementTerminated(key=ROOT + 1), NOW)
    assert (state.variables, state.arrivals, state.variables_bytes) == ({}, {}, 0)


def test_the_process_keeps_its_variables_when_it_completes() -> None:
    state = instance(
        e.VariablesSet(scope=ROOT, variables={"x": "1"}),
        e.ElementCompleted(key=ROOT + 1),
        e.ElementCompleted(key=ROOT),
        e.InstanceChanged(state="COMPLETED"),
    )
    assert state.variables == {ROOT: {"x": "1"}}
    assert state.state is InstanceState.COMPLETED


def test_variables_of_a_scope_that_is_not_there_are_a_bug() -> None:
    with pytest.raises(InvariantError, match="99"):
        evolve(instance(), e.VariablesSet(scope=99, variables={"x": "1"}), NOW)


def test_a_number_is_never_used_twice() -> None:
    armed = e.TimerArmed(key=ROOT + 2, owner=ROOT + 1, element_id="t", due_ms=NOW)
    with pytest.raises(InvariantError, match="used twice"):
        instance(armed, armed)


def test_an_ended_instance_cannot_go_on() -> None:
    state = instance(e.InstanceChanged(state="TERMINATED"))
    with pytest.raises(InvariantError, match="cannot go from TERMINATED to RUNNING"):
        evolve(state, e.InstanceChanged(state="RUNNING"), NOW)


def job_events() -> tuple[e.AnyEvent, ...]:
    return (
        e.JobOpened(key=ROOT + 2, owner=ROOT + 1, type="pay", attempt=1, retries_left=3),
        e.JobClosed(key=ROOT + 2, reason="failed", retries_left=2, retry_at=NOW + 5),
    )


def test_a_failed_job_stays_and_waits_for_its_retry() -> None:
    state = instance(*job_events())
    job = state.waits[ROOT + 2]
    assert isinstance(job, JobWait)
    assert (job.attempt, job.retries_left, job.retry_at, job.stopped) == (1, 2, NOW + 5, False)
    evolve(
        state,
        e.JobOpened(key=ROOT + 2, owner=ROOT + 1, type="pay", attempt=2, retries_left=2),
        NOW,
    )
    job = state.waits[ROOT + 2]
    assert isinstance(job, JobWait)
    assert (job.attempt, job.retry_at) == (2, None)
    assert state.elements[ROOT + 1].waits == (ROOT + 2,)


@pytest.mark.parametrize("reason", ["completed", "error", "canceled"])
def test_a_job_that_is_over_is_gone(reason: str) -> None:
    state = instance(*job_events(), e.JobClosed(key=ROOT + 2, reason=reason))
    assert state.waits == {}
    assert state.elements[ROOT + 1].waits == ()


def test_a_change_of_a_task_counts_its_revision() -> None:
    created = e.TaskChanged(
        key=ROOT + 2, owner=ROOT + 1, state="created", details=e.TaskDetails(created_at=NOW)
    )
    assigned = e.TaskChanged(
        key=ROOT + 2,
        owner=ROOT + 1,
        state="assigned",
        details=e.TaskDetails(created_at=NOW, assignee="eve"),
    )
    state = instance(created, assigned)
    task = state.waits[ROOT + 2]
    assert isinstance(task, TaskWait)
    assert (task.details.assignee, task.revision) == ("eve", 2)
    evolve(state, e.TaskChanged(key=ROOT + 2, owner=ROOT + 1, state="completed"), NOW)
    assert state.waits == {}


def test_an_event_about_another_kind_of_wait_is_a_bug() -> None:
    armed = e.TimerArmed(key=ROOT + 2, owner=ROOT + 1, element_id="t", due_ms=NOW)
    with pytest.raises(InvariantError, match="expected a JobWait"):
        instance(armed, e.JobClosed(key=ROOT + 2, reason="failed"))
