"""The tables of legal transitions: guards, and that each row is taken by some run."""

import pytest

from engine import commands as c
from engine import events as e
from engine.errors import InvariantError
from engine.lifecycle import (
    ELEMENT_TRANSITIONS,
    INSTANCE_TRANSITIONS,
    ElementState,
    InstanceState,
    guard_element,
    guard_instance,
)
from engine.settings import Settings
from tests.support.models import (
    call_activity,
    chain,
    compiled,
    end,
    error,
    error_event,
    start,
    user_task,
)
from tests.support.runner import Runner

NOT_YET = {
    (InstanceState.RUNNING, InstanceState.SUSPENDED),
    (InstanceState.SUSPENDED, InstanceState.RUNNING),
    (InstanceState.SUSPENDED, InstanceState.TERMINATED),
}
"""No command suspends an instance yet."""


@pytest.mark.parametrize("before", [None, *InstanceState])
@pytest.mark.parametrize("after", list(InstanceState))
def test_an_instance_goes_only_where_the_table_says(
    before: InstanceState | None, after: InstanceState
) -> None:
    if after in INSTANCE_TRANSITIONS[before]:
        guard_instance(before, after)
    else:
        with pytest.raises(InvariantError, match=f"to {after}"):
            guard_instance(before, after)


@pytest.mark.parametrize("before", [None, *ElementState])
@pytest.mark.parametrize("after", list(ElementState))
def test_an_element_instance_goes_only_where_the_table_says(
    before: ElementState | None, after: ElementState
) -> None:
    if after in ELEMENT_TRANSITIONS[before]:
        guard_element(before, after)
    else:
        with pytest.raises(InvariantError, match=f"to {after}"):
            guard_element(before, after)


def runs() -> list[Runner]:
    """Runs that complete, are terminated (also part by part), and whose called process fails."""
    asking = compiled(start("s"), user_task("t"), chain("s", "t"))
    completing, terminated = Runner(asking), Runner(asking)
    slowly = Runner(asking, settings=Settings(terminations_per_command_max=1))
    slowly.start("p")
    slowly.accept(c.TerminateInstance(instance_id="a"))
    completing.start("p")
    completing.complete_task("t")
    terminated.start("p")
    terminated.accept(c.TerminateInstance(instance_id="a"))
    failing = Runner(
        compiled(
            error("bad", "BAD"),
            start("s"),
            end("e", error_event("bad")),
            chain("s", "e"),
            process_id="called",
        ),
        compiled(start("s"), call_activity("call", "called"), chain("s", "call")),
    )
    failing.start("p")
    return [completing, terminated, slowly, failing]


def test_every_row_of_the_tables_is_taken() -> None:
    instance_rows: set[tuple[InstanceState | None, InstanceState]] = set()
    element_rows: set[tuple[ElementState | None, ElementState]] = set()
    for run in runs():
        for instance_id in run.history:
            state: InstanceState | None = None
            ending: list[int] = []
            for event in run.events(instance_id):
                if isinstance(event, e.InstanceChanged):
                    instance_rows.add((state, InstanceState(event.state)))
                    state = InstanceState(event.state)
                elif isinstance(event, e.ElementActivated):
                    element_rows.add((None, ElementState.ACTIVE))
                elif isinstance(event, e.ElementCompleted):
                    element_rows.add((ElementState.ACTIVE, ElementState.COMPLETED))
                elif isinstance(event, e.ElementTerminating):
                    ending.append(event.key)
                    element_rows.add((ElementState.ACTIVE, ElementState.TERMINATING))
                elif isinstance(event, e.ElementTerminated):
                    before = ElementState.ACTIVE
                    if event.key in ending:
                        before = ElementState.TERMINATING
                    element_rows.add((before, ElementState.TERMINATED))
    assert instance_rows | NOT_YET == {
        (before, after) for before, row in INSTANCE_TRANSITIONS.items() for after in row
    }
    assert not instance_rows & NOT_YET
    assert element_rows == {
        (before, after) for before, row in ELEMENT_TRANSITIONS.items() for after in row
    }
