"""Who waits for a trigger."""

from typing import NamedTuple

from engine.values import Value


class Waiter(NamedTuple):
    """The element instance `owner` waits for the event `element_id`: its own, or one beside it.

    `locals` are variables that its input mappings have made and that are not set yet.
    """

    owner: int
    element_id: str
    interrupting: bool = True
    locals: dict[str, Value] | None = None
