"""From its history to the state of an instance: the fold of its transitions."""

from collections.abc import Iterable

from engine.events import InstanceChanged
from engine.history import bury, chain, encode, is_over
from engine.instances.evolve import create, evolve
from engine.records import Transition
from engine.state import ProcessInstance, Tombstone


def fold(
    transitions: Iterable[Transition], tombstone_ms: int
) -> ProcessInstance | Tombstone | None:
    """The state after an instance's transitions, given from its start on and in their order.

    Copies of a part are skipped; an ended instance that was started again begins anew.
    """
    state: ProcessInstance | None = None
    ended: Tombstone | None = None
    last = (-1, -1)
    for part in transitions:
        position = (part.offset, part.index)
        if position <= last:
            continue
        last = position
        first = part.events[0]
        if isinstance(first, InstanceChanged) and first.start is not None:
            state, ended = create(part.instance_id, first.start), None
        if state is None:
            raise ValueError(f"the history of {part.instance_id} does not begin with its start")
        for event in part.events:
            evolve(state, event, part.time)
        state.digest = chain(state.digest, encode(part.events))
        state.revision += part.part == 1
        if is_over(state):
            ended = bury(state, part.time, tombstone_ms)
    return ended if ended is not None else state
