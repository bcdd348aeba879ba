"""What must hold among all documents while all is quiet: each wait has its other side, and back.

A subscription stands at its message, a called instance runs for its caller, a job was given to
workers in its present attempt, a task is in its topic; and nobody is left who waits for nobody.
"""

from collections.abc import Collection, Mapping

from engine import records as r
from engine import state as s
from engine.aggregates import MessageState
from engine.outcome import AggregateState
from engine.routing import message_address

Jobs = Mapping[str, r.Job]
"""What was published last of each job, by its id."""


def assert_whole(states: Mapping[str, AggregateState], jobs: Jobs, tasks: Collection[str]) -> None:
    """`states` are those of all partitions by address, `tasks` the ids of those in the topic."""
    instances = [state for state in states.values() if isinstance(state, s.ProcessInstance)]
    for state in instances:
        _assert_called(state, states)
        for wait in state.waits.values():
            _assert_met(state, wait, states, jobs)
    _assert_no_subscription_is_left(states)
    waiting = {
        f"{state.instance_id}:{key}"
        for state in instances
        for key, wait in state.waits.items()
        if isinstance(wait, s.TaskWait) and wait.offered
    }
    assert set(tasks) == waiting, "the topic of tasks has others than wait"


def _assert_met(
    state: s.ProcessInstance, wait: s.Wait, states: Mapping[str, AggregateState], jobs: Jobs
) -> None:
    name = f"{state.instance_id}:{wait.key}"
    match wait:
        case s.SubscriptionWait():
            message = states.get(message_address(wait.name, wait.correlation_key))
            assert isinstance(message, MessageState), f"{name} is subscribed nowhere"
            assert (state.instance_id, wait.key) in _subscribed(message), f"{name} has no message"
        case s.CallWait():
            child = states.get(wait.child_id)
            assert isinstance(child, s.ProcessInstance), f"{name} waits for nobody"
            assert child.start.parent_id == state.instance_id
        case s.JobWait() if wait.stopped:
            beside = [state.waits[key] for key in state.elements[wait.owner].waits]
            assert any(isinstance(each, s.IncidentWait) for each in beside), f"{name} is forgotten"
        case s.JobWait() if wait.retry_at is None:
            job = jobs.get(name)
            assert job is not None, f"{name} was given to nobody"
            assert (job.attempt, job.canceled) == (wait.attempt, False)
        case _:
            pass


def _assert_called(state: s.ProcessInstance, states: Mapping[str, AggregateState]) -> None:
    """Whoever was called is waited for by the activity that called, unless it is to end."""
    if state.start.parent_id is None or state.ending is not None:
        return
    parent = states.get(state.start.parent_id)
    assert isinstance(parent, s.ProcessInstance), f"{state.instance_id} outlived its caller"
    calls = {wait.child_id for wait in parent.waits.values() if isinstance(wait, s.CallWait)}
    assert state.instance_id in calls, f"nobody waits for {state.instance_id}"


def _assert_no_subscription_is_left(states: Mapping[str, AggregateState]) -> None:
    for message in states.values():
        if not isinstance(message, MessageState):
            continue
        for instance_id, number in _subscribed(message):
            state = states.get(instance_id)
            wait = state.waits.get(number) if isinstance(state, s.ProcessInstance) else None
            assert isinstance(wait, s.SubscriptionWait), f"{instance_id}:{number} is subscribed"
        offers = [offer for each in message.messages for offer in each.offers]
        assert offers == [], "an offer was never settled"


def _subscribed(message: MessageState) -> set[tuple[str, int]]:
    return {(each.instance_id, each.subscription) for each in message.subscriptions}
