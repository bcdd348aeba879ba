"""What goes wrong with a scenario: its file cannot be read, or what it says is not what happens."""

import difflib
from collections.abc import Iterable, Sequence

import msgspec


class Place(msgspec.Struct, frozen=True):
    """Where in a file something stands; lines begin at 1, and 0 is no line in particular."""

    file: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


class Problem(msgspec.Struct, frozen=True):
    """One thing wrong with a file of scenarios, in a sentence that says how to put it right."""

    place: Place
    message: str


class ScenarioFileError(Exception):
    """A file of scenarios cannot be used; carries all that was found wrong with it."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(f"{each.place}: {each.message}" for each in problems))
        self.problems = tuple(problems)


class Mismatch(Exception):  # noqa: N818 - what a step finds is not an error of ours
    """A step could not be done, or something was expected and is not so.

    `line` is that of the YAML, 0: the step's own. `expected` and `found` are texts, a line each.
    """

    def __init__(
        self,
        what: str,
        *,
        expected: Sequence[str] = (),
        found: Sequence[str] = (),
        hint: str = "",
        line: int = 0,
    ) -> None:
        super().__init__(what)
        self.what = what
        self.expected = tuple(expected)
        self.found = tuple(found)
        self.hint = hint
        self.line = line


BEGINNING_MIN = 3
"""Letters of a name that are enough to be taken for its beginning."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that was probably meant."""
    names = {each.casefold(): each for each in reversed(list(known))}
    given = name.casefold()
    found = difflib.get_close_matches(given, names, n=1, cutoff=0.6)
    if not found and len(given) >= BEGINNING_MIN:
        found = sorted(each for each in names if each.startswith(given))
    return names[found[0]] if found else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A question to add to a sentence, with a blank before it; empty when nothing is near."""
    found = nearest(name, known)
    return "" if found is None else f" Did you mean {found!r}?"
