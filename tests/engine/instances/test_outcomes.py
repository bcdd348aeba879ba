"""What a transition hands on: numbers, order, digests, and nothing when nothing happened."""

from typing import Any

from engine import commands as c
from engine import records as r
from engine.apply import apply
from engine.definitions import Definitions, ProcessVersions, VersionRef
from engine.model.elements import ProcessModel
from engine.outcome import Context, Outcome
from engine.settings import Settings
from engine.state import ProcessInstance, TimerWait
from tests.support.models import (
    boundary,
    catch,
    chain,
    compiled,
    event_gateway,
    flow,
    message,
    message_event,
    start,
    task,
    timer,
    user_task,
)

NOW = 1_700_000_000_000
MODEL = compiled(
    message("m", "paid", key="=order"),
    message("n", "refunded", key="=order"),
    start("s"),
    event_gateway("first"),
    catch("paid", message_event("m")),
    catch("late", timer(duration="PT1H")),
    user_task("after"),
    boundary("refund", "after", message_event("n")),
    flow("s", "first"),
    chain("first", "paid", "after"),
    chain("first", "late", "after"),
)


def context(model: ProcessModel = MODEL, **fields: Any) -> Context:
    version = ProcessVersions(id="p", versions=(VersionRef(version=1, checksum="x", semantics=1),))
    given = {
        "now": NOW,
        "partition": 3,
        "offset": 7,
        "index": 0,
        "partitions": 4,
        "command_id": "cause",
        "settings": Settings(),
    }
    return Context(definitions=Definitions({"p": version}), model=model, **{**given, **fields})


def done(outcome: object) -> Outcome:
    assert isinstance(outcome, Outcome), outcome
    return outcome


def started(**fields: Any) -> Outcome:
    command = c.StartInstance(process_id="p", instance_id="a", variables='{"order": 7}')
    return done(apply(context(**fields), None, command))


def test_publications_are_numbered_from_the_contexts_index_on() -> None:
    publications = started(index=5).publications
    assert [item.index for item in publications] == list(range(5, 5 + len(publications)))
    effects = [item.record for item in publications if isinstance(item.record, r.Effect)]
    assert [(effect.id, effect.index) for effect in effects] == [("3-7-5", 5)]
    last = publications[-1].record
    assert isinstance(last, r.Transition)
    assert (last.index, last.offset, last.partition) == (publications[-1].index, 7, 3)


def test_effects_and_history_go_to_the_partition_of_the_command() -> None:
    for item in started().publications:
        assert item.topic in {r.Topic.EFFECTS, r.Topic.HISTORY}
        assert (item.partition, item.key) == (3, "a")


def test_sends_go_out_opens_before_settles_before_closes() -> None:
    state = started().state
    assert isinstance(state, ProcessInstance)
    (wait,) = (wait for wait in state.waits.values() if type(wait).__name__ == "SubscriptionWait")
    delivery = c.DeliverMessage(
        instance_id="a",
        subscription=wait.key,
        message=1,
        name="paid",
        correlation_key="7",
        variables="{}",
    )
    outcome = done(apply(context(offset=8), state, delivery))
    assert [type(send.command).__name__ for send in outcome.sends] == [
        "OpenSubscription",
        "SettleMessage",
    ]
    late = next(wait for wait in state.waits.values() if isinstance(wait, TimerWait))
    fired = c.FireTimer(address="a", timer=late.key, due_ms=late.due_ms)
    outcome = done(apply(context(offset=8, now=late.due_ms), state, fired))
    assert [type(send.command).__name__ for send in outcome.sends] == [
        "OpenSubscription",
        "CloseSubscription",
    ]


def test_a_command_without_events_leaves_the_very_same_state() -> None:
    state = started().state
    command = c.Continue(instance_id="a", steps=0)
    outcome = done(apply(context(offset=8), state, command))
    assert outcome.state is state
    assert (outcome.events, outcome.publications) == ((), ())


def test_the_same_command_at_the_same_position_gives_the_same_bytes() -> None:
    assert started() == started()
    other = started(now=NOW + 1)
    mine = [item.record for item in started().publications if isinstance(item.record, r.Effect)]
    theirs = [item.record for item in other.publications if isinstance(item.record, r.Effect)]
    assert mine[0].digest != theirs[0].digest


def test_dirty_names_the_scopes_whose_variables_changed_or_went() -> None:
    model = compiled(
        start("s"), task("t"), user_task("u", inputs={"x": "=1"}), chain("s", "t", "u")
    )
    outcome = started(model=model)
    state = outcome.state
    assert isinstance(state, ProcessInstance)
    (task_key,) = (item.key for item in state.elements.values() if item.element_id == "u")
    assert outcome.dirty == {state.root, task_key}
    task_id = f"a:{next(iter(state.waits))}"
    completed = c.CompleteTask(task_id=task_id, variables="{}")
    outcome = done(apply(context(model=model, offset=8), state, completed))
    assert outcome.dirty == {state.root, task_key}  # with the instance all of them went


def test_messages_and_timers_of_nobody_are_answered() -> None:
    delivery = c.DeliverMessage(
        instance_id="gone",
        subscription=1,
        message=4,
        name="paid",
        correlation_key="7",
        variables="{}",
    )
    outcome = done(apply(context(), None, delivery))
    (send,) = outcome.sends
    assert isinstance(send.command, c.SettleMessage)
    assert (send.command.accepted, send.command.message) == (False, 4)
    assert outcome.state is None
    fired = c.FireTimer(address="gone", timer=9, due_ms=NOW)
    assert [item.due_ms for item in done(apply(context(), None, fired)).timers] == [None]
    early = c.FireTimer(address="gone", timer=9, due_ms=NOW + 1)
    assert done(apply(context(), None, early)).timers == ()


def test_commands_of_the_engine_to_nobody_change_nothing() -> None:
    for command in (
        c.Continue(instance_id="gone", steps=1),
        c.TerminateChild(instance_id="gone", parent_element=1),
        c.RaiseIncident(instance_id="gone", kind="ENGINE_FAULT", message="x"),
        c.ChildEnded(instance_id="gone", parent_element=1, child_id="gone~1", state="COMPLETED"),
    ):
        assert apply(context(), None, command) == Outcome(state=None)
