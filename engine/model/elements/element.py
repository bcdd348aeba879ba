"""What every flow element has."""

import msgspec

from engine.model.elements.work import JobDefinition

PROCESS = -1
"""The scope index of what lies directly in the process."""


class Element(msgspec.Struct, frozen=True, kw_only=True):
    """What every flow element has. `line` is the line of the source file.

    `listeners` are the jobs that an event of its life waits for, by the event: start, end; of a
    multi-instance activity beforeAll; of a user task creating, assigning, completing.
    """

    index: int
    id: str
    name: str | None = None
    scope: int = PROCESS
    incoming: tuple[int, ...] = ()
    outgoing: tuple[int, ...] = ()
    line: int = 0
    listeners: dict[str, tuple[JobDefinition, ...]] = {}
