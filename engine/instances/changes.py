"""What has changed in a transition since conditions were asked last, and which are still to be."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

CREATED: Final = "+"
UPDATED: Final = "~"


def marks_of(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    """What else stands for a change, beside the name, for conditions that tell changes apart.

    `+` and `+a`: the variable a was created; `~` and `~a`: it got another value.
    """
    for name, text in after.items():
        if before.get(name) != text:
            mark = UPDATED if name in before else CREATED
            yield mark
            yield f"{mark}{name}"


class Changes:
    """`by_scope`: the names of the variables that were set, by scope. `armed`: waits that are new.

    `behind`: all conditions are to be asked whose wait has a higher number; None: only those that
    something has changed for. `unasked`: the transition is cut, and its rest asks those behind.
    `asked` counts.
    """

    __slots__ = ("armed", "asked", "behind", "by_scope", "unasked")

    def __init__(self) -> None:
        self.by_scope: dict[int, dict[str, None]] = {}
        self.armed: dict[int, None] = {}
        self.behind: int | None = None
        self.unasked: int | None = None
        self.asked = 0

    def __bool__(self) -> bool:
        return bool(self.by_scope or self.armed) or self.behind is not None

    def set(self, scope: int, names: Iterable[str]) -> None:
        """Variables of a scope were set."""
        self.by_scope.setdefault(scope, {}).update(dict.fromkeys(names))

    def ask_behind(self, wait: int) -> None:
        """Have all conditions asked whose wait has a higher number than this."""
        self.behind = wait if self.behind is None else min(wait, self.behind)

    def cut(self, wait: int) -> None:
        """Leave those with a higher number than this to the rest of the transition."""
        self.unasked = wait if self.unasked is None else min(wait, self.unasked)

    def forget(self) -> None:
        """They are asked now."""
        self.by_scope, self.armed, self.behind = {}, {}, None
