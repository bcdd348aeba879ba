"""What every flow element has."""

import msgspec

PROCESS = -1
"""The scope index of what lies directly in the process."""


class Element(msgspec.Struct, frozen=True, kw_only=True):
    """What every flow element has. `line` is the line of the source file."""

    index: int
    id: str
    name: str | None = None
    scope: int = PROCESS
    incoming: tuple[int, ...] = ()
    outgoing: tuple[int, ...] = ()
    line: int = 0
