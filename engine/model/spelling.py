"""What somebody who misspelt a name probably meant."""

from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache
from typing import Final

_LENGTH_MAX: Final = 60
"""Nobody misspells a name that is longer, and comparing takes time."""

_CUTOFF: Final = 0.75


def did_you_mean(name: str, known: Iterable[str], prefix: str = "") -> str:
    """A sentence with a blank before it, or nothing if no known name is near."""
    nearest = _nearest(name, tuple(known))
    return f" Did you mean `{prefix}{nearest}`?" if nearest else ""


@lru_cache(maxsize=1_024)
def _nearest(name: str, known: tuple[str, ...]) -> str | None:
    if len(name) > _LENGTH_MAX:
        return None
    # Blanks and case are what people get wrong first: `stringlength` for `string length`.
    folded = {_folded(each): each for each in known}
    matches = get_close_matches(_folded(name), folded, 1, _CUTOFF)
    return folded[matches[0]] if matches else None


def _folded(name: str) -> str:
    return "".join(name.split()).replace("_", "").casefold()
