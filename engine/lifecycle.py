"""The legal transitions of process instances and of element instances: one table each.

Every change of state passes `guard`, so an illegal one is a bug that shows at once.
"""

from collections.abc import Mapping
from enum import StrEnum

from engine.errors import InvariantError


class InstanceState(StrEnum):
    RUNNING = "RUNNING"
    SUSPENDED = "SUSPENDED"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    TERMINATED = "TERMINATED"


class Step(StrEnum):
    """What an element instance does next, and so what an incident makes it do again.

    An activity goes ACTIVATE (inputs, boundary events), RUN (its behaviour; here it may wait),
    COMPLETE (outputs), LEAVE (flows); others begin later. JOB: its job is opened again. CONTINUE:
    the instance carries on where its limit of steps stopped it. ARM: a scope arms the starts of its
    event sub-processes. REARM: events that have had all that they need wait for it anew. DIRECT:
    the worker that directs an ad-hoc sub-process is asked again. TAKE: what an element waits for
    has occurred before it began; its inputs come now. RUN_ON, LEAVE_ON: RUN and LEAVE after their
    listeners. CANCEL: a process is ended before its time, CANCEL_ON: after its listeners. TASK: the
    listeners at a change of a user task are called again. NOTHING: nothing is done again.
    """

    ACTIVATE = "activate"
    RUN = "run"
    COMPLETE = "complete"
    LEAVE = "leave"
    JOB = "job"
    ARM = "arm"
    REARM = "rearm"
    DIRECT = "direct"
    TAKE = "take"
    RUN_ON = "run-on"
    LEAVE_ON = "leave-on"
    CANCEL = "cancel"
    CANCEL_ON = "cancel-on"
    TASK = "task"
    CONTINUE = "continue"
    NOTHING = "nothing"


class ElementState(StrEnum):
    """TERMINATING: over, and with more inside than one transition ends, or with listeners at the
    end of a user task; nothing else there wakes."""

    ACTIVE = "ACTIVE"
    TERMINATING = "TERMINATING"
    COMPLETED = "COMPLETED"
    TERMINATED = "TERMINATED"


INSTANCE_TRANSITIONS: Mapping[InstanceState | None, frozenset[InstanceState]] = {
    None: frozenset({InstanceState.RUNNING}),
    InstanceState.RUNNING: frozenset(
        {
            InstanceState.SUSPENDED,
            InstanceState.COMPLETED,
            InstanceState.FAILED,
            InstanceState.TERMINATED,
        }
    ),
    InstanceState.SUSPENDED: frozenset({InstanceState.RUNNING, InstanceState.TERMINATED}),
    InstanceState.COMPLETED: frozenset(),
    InstanceState.FAILED: frozenset(),
    InstanceState.TERMINATED: frozenset(),
}

ELEMENT_TRANSITIONS: Mapping[ElementState | None, frozenset[ElementState]] = {
    None: frozenset({ElementState.ACTIVE}),
    ElementState.ACTIVE: frozenset(
        {ElementState.COMPLETED, ElementState.TERMINATING, ElementState.TERMINATED}
    ),
    ElementState.TERMINATING: frozenset({ElementState.TERMINATED}),
    ElementState.COMPLETED: frozenset(),
    ElementState.TERMINATED: frozenset(),
}


def guard_instance(before: InstanceState | None, after: InstanceState) -> None:
    """Raise InvariantError unless an instance may go from `before` to `after`."""
    if after not in INSTANCE_TRANSITIONS[before]:
        raise InvariantError(f"an instance cannot go from {before or 'nothing'} to {after}")


def guard_element(before: ElementState | None, after: ElementState) -> None:
    """Raise InvariantError unless an element instance may go from `before` to `after`."""
    if after not in ELEMENT_TRANSITIONS[before]:
        raise InvariantError(f"an element instance cannot go from {before or 'nothing'} to {after}")
