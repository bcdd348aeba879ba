"""The state of a process instance: what `evolve` makes of its events, and nothing else.

A `ProcessInstance` is changed only by `evolve`, and only on a draft of its own: `make_draft` copies
the dictionaries of an instance once a command, so that what came in stays as it was and a fan-out
of n costs n, not n squared. Everything inside the dictionaries is frozen.

`array_like`: stored documents hold the fields without their names, in this order. So fields are
only appended, with defaults, and with a new format of the documents (`schemas/snapshot.py`).
"""

from typing import TypeAlias

import msgspec

from engine.events import InstanceStart, TaskDetails
from engine.lifecycle import ElementState, InstanceState


class ElementInstance(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """A living element instance: the token, when it has no inner ones.

    `scope` is the key of the element instance around it (None: it is the process itself). `waits`
    are the keys of what it owns in `ProcessInstance.waits`. `open` counts what lives directly
    inside it: element instances, and flows taken and not yet consumed.
    """

    key: int
    element_id: str
    scope: int | None
    since_ms: int
    state: ElementState = ElementState.ACTIVE
    waits: tuple[int, ...] = ()
    open: int = 0


class Waiting(msgspec.Struct, frozen=True, kw_only=True, array_like=True, tag_field="wait"):
    """The root of all waits: what an element instance sleeps on."""


class JobWait(Waiting, frozen=True, kw_only=True, tag="job"):
    """`retry_at` set: failed, the next attempt waits for that instant. `stopped`: none is left."""

    key: int
    owner: int
    type: str
    attempt: int
    retries_left: int
    headers: dict[str, str] = {}
    retry_at: int | None = None
    stopped: bool = False


class TaskWait(Waiting, frozen=True, kw_only=True, tag="task"):
    key: int
    owner: int
    details: TaskDetails
    revision: int = 1


class TimerWait(Waiting, frozen=True, kw_only=True, tag="timer"):
    key: int
    owner: int
    element_id: str
    due_ms: int
    cycle: str | None = None
    repetitions: int | None = None


class SubscriptionWait(Waiting, frozen=True, kw_only=True, tag="subscription"):
    key: int
    owner: int
    element_id: str
    name: str
    correlation_key: str
    interrupting: bool = True


class CallWait(Waiting, frozen=True, kw_only=True, tag="call"):
    key: int
    owner: int
    child_id: str


class IncidentWait(Waiting, frozen=True, kw_only=True, tag="incident"):
    key: int
    owner: int
    kind: str
    message: str
    step: str
    element_id: str | None = None
    since_ms: int = 0


Wait: TypeAlias = JobWait | TaskWait | TimerWait | SubscriptionWait | CallWait | IncidentWait


class ProcessInstance(msgspec.Struct, kw_only=True, array_like=True):
    """The document of one process instance.

    `start` is fixed. `counter` and `sequence` are the last number given to a handle and to an
    event; both begin at the start's offset << 16. `digest` is chained over the effects. `arrivals`
    counts flows taken and not consumed, by scope key and flow id. `variables` holds JSON texts by
    scope key and name; a scope without variables has no entry. `variables_bytes` is the size of
    all names and texts in UTF-8. `revision` counts the commands that changed the document.
    """

    instance_id: str
    start: InstanceStart
    state: InstanceState
    counter: int
    sequence: int
    digest: str
    revision: int
    elements: dict[int, ElementInstance]
    waits: dict[int, Wait]
    arrivals: dict[int, dict[str, int]]
    variables: dict[int, dict[str, str]]
    variables_bytes: int = 0

    @property
    def root(self) -> int:
        """The key of the process's own element instance: the root scope."""
        return self.start.counter + 1


class Tombstone(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """What is left of an ended instance until `expires_at`, an instant of log time."""

    instance_id: str
    process_id: str
    version: int
    business_key: str | None
    state: InstanceState
    start_command_id: str
    ended_at: int
    expires_at: int
