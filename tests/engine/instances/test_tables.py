"""The literal tables have a row for each member of the union that they are about."""

from typing import get_args

from engine import commands as c
from engine import events as e
from engine import state as s
from engine.effects import CONSEQUENCES
from engine.instances.decide import COMMANDS
from engine.instances.elements import HANDLERS
from engine.instances.endings import CLOSED
from engine.instances.evolve import EVOLUTIONS
from engine.instances.starts import STARTS
from engine.instances.starts.joining import JOINS
from engine.instances.triggers import ARM, THROW
from engine.lifecycle import Step
from engine.model import elements as m

ELSEWHERE = {
    c.DeployResources,
    c.PublishMessage,
    c.ActivateVersion,
    c.VersionActivated,
    c.OpenSubscription,
    c.CloseSubscription,
    c.SettleMessage,
    c.MessageStartSettled,
    c.ReleaseMessageKey,
    c.BroadcastSignal,
    c.DeliverSignal,
    c.EvaluateConditions,
    c.EndConversation,
}
"""Commands for the other aggregates."""


def test_every_element_has_a_handler() -> None:
    assert set(HANDLERS) == set(get_args(m.AnyElement))


def test_every_handler_has_a_function_for_each_step_that_an_element_takes() -> None:
    steps = [Step.ACTIVATE, Step.RUN, Step.COMPLETE, Step.LEAVE]
    for handler in HANDLERS.values():
        assert handler.first in steps
        assert all(callable(getattr(handler, step)) for step in steps)


def test_every_trigger_has_a_row_for_waiting_and_for_throwing() -> None:
    assert set(ARM) == set(THROW) == set(get_args(m.Trigger))


def test_every_event_has_a_row_for_its_consequences() -> None:
    assert set(CONSEQUENCES) == set(get_args(e.AnyEvent))


def test_every_event_has_a_row_for_what_it_changes() -> None:
    assert set(EVOLUTIONS) == set(get_args(e.AnyEvent))


def test_every_wait_has_a_row_for_its_closing() -> None:
    assert set(CLOSED) == set(get_args(s.Wait))


def test_every_command_is_taken_by_one_aggregate() -> None:
    taken = [*COMMANDS, *STARTS, *ELSEWHERE]
    assert len(taken) == len(set(taken))
    everything = {
        *get_args(c.ClientCommand),
        *get_args(c.InternalCommand),
    }
    assert set(taken) == everything


def test_every_triggered_start_may_join_an_instance() -> None:
    assert set(JOINS) == set(get_args(c.TriggeredStart))
