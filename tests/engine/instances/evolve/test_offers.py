"""What an ad-hoc sub-process offers and counts, event by event."""

import pytest

from engine import events as e
from engine.errors import InvariantError
from engine.instances.evolve import create, evolve
from engine.state import AdHocWait, ProcessInstance

NOW = 1_700_000_000_000
ROOT = (5 << 16) + 1
POOL, OFFER = ROOT + 1, ROOT + 2
ONE, TWO = ROOT + 3, ROOT + 4


def pool(*events: e.AnyEvent) -> ProcessInstance:
    """An ad-hoc sub-process that offers its activities, after more events."""
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
        e.ElementActivated(key=POOL, element_id="pool", scope=ROOT),
        e.AdHocOpened(key=OFFER, owner=POOL),
    )
    for event in (*first, *events):
        evolve(state, event, NOW)
    return state


def offer(state: ProcessInstance) -> AdHocWait:
    wait = state.waits[OFFER]
    assert isinstance(wait, AdHocWait)
    return wait


CHOSEN = e.ActivitiesChosen(key=OFFER, element_ids=("one", "two"))
BEGUN = e.ElementActivated(key=ONE, element_id="one", scope=POOL, ad_hoc=OFFER)


def test_what_is_chosen_begins_in_its_order() -> None:
    state = pool(CHOSEN, e.ActivitiesChosen(key=OFFER, element_ids=("one",)), BEGUN)
    assert offer(state) == AdHocWait(
        key=OFFER, owner=POOL, chosen=("two", "one"), begun=1, active=1
    )


def test_what_a_flow_leads_to_counts_and_takes_nothing_of_what_was_chosen() -> None:
    state = pool(
        CHOSEN,
        BEGUN,
        e.ElementCompleted(key=ONE),
        e.FlowTaken(flow_id="f", scope=POOL),
        e.ElementActivated(key=TWO, element_id="behind", scope=POOL, consumed=("f",), ad_hoc=OFFER),
    )
    assert offer(state) == AdHocWait(
        key=OFFER, owner=POOL, chosen=("two",), begun=2, completed=1, active=1
    )


def test_what_is_terminated_is_not_completed() -> None:
    counts = offer(pool(CHOSEN, BEGUN, e.ElementTerminated(key=ONE)))
    assert (counts.begun, counts.completed, counts.active) == (1, 0, 0)


def test_one_that_is_stopped_forgets_what_was_chosen_and_what_arrived() -> None:
    state = pool(
        CHOSEN,
        BEGUN,
        e.FlowTaken(flow_id="f", scope=POOL),
        e.FlowTaken(flow_id="f", scope=POOL),
        e.AdHocStopped(key=OFFER, discarded=("f", "f")),
    )
    assert offer(state) == AdHocWait(key=OFFER, owner=POOL, begun=1, active=1, stopped=True)
    assert state.arrivals == {}
    assert state.elements[POOL].open == 1


def test_what_ends_after_its_offer_is_counted_by_nobody() -> None:
    state = pool(CHOSEN, BEGUN, e.AdHocClosed(key=OFFER), e.ElementTerminated(key=ONE))
    assert state.waits == {}
    assert state.elements[POOL].waits == ()


def test_only_an_offer_counts() -> None:
    state = pool(e.TimerArmed(key=TWO, owner=POOL, element_id="late", due_ms=NOW))
    with pytest.raises(InvariantError):
        evolve(state, e.ActivitiesChosen(key=TWO, element_ids=("one",)), NOW)
