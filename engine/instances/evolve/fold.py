"""From its history to the state of an instance: the fold of its transitions."""

from collections.abc import Iterable

from engine.events import InstanceChanged
from engine.history import bury, chain, encode, is_over
from engine.instances.evolve import close_draft, create, evolve
from engine.records import Transition
from engine.state import ProcessInstance, Tombstone


def fold(
    transitions: Iterable[Transition], tombstone_ms: int
) -> ProcessInstance | Tombstone | None:
    """The state after an instance's transitions, given from its start on and in their order.

    Copies of a part are skipped; an ended instance that was started again begins anew. Raises
    ValueError when the history does not begin with a start.
    """
    state: ProcessInstance | Tombstone | None = None
    last = (-1, -1)
    for part in transitions:
        position = (part.offset, part.index)
        if position > last:
            state = fold_part(state, part, tombstone_ms)
            last = position
    return state


def fold_part(
    before: ProcessInstance | Tombstone | None, part: Transition, tombstone_ms: int
) -> ProcessInstance | Tombstone:
    """The state after one more part of the history; a living `before` is changed in place."""
    first = part.events[0]
    state = before if isinstance(before, ProcessInstance) else None
    if isinstance(first, InstanceChanged) and first.start is not None:
        state = create(part.instance_id, first.start)
    if state is None:
        raise ValueError(f"the history of {part.instance_id} does not begin with its start")
    for event in part.events:
        evolve(state, event, part.time)
    state.digest = chain(state.digest, encode(part.events))
    if part.part == part.parts:  # only now: all parts of a transition are evolved as one revision
        state.revision += 1
        close_draft(state)
    return bury(state, part.time, tombstone_ms) if is_over(state) else state
