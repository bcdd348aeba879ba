"""The types that the format is made of."""

from typing import Annotated, Any, ClassVar, TypeAlias

import msgspec
from msgspec import Meta

Json: TypeAlias = Annotated[Any, Meta(title="json")]
"""Any JSON value."""

Duration: TypeAlias = Annotated[str, Meta(title="duration", examples=["PT15M", "P3D"])]
"""An ISO 8601 duration."""

Instant: TypeAlias = Annotated[str, Meta(title="instant", examples=["2026-01-05T09:00:00Z"])]
"""A date (and time) of ISO 8601; without an offset in the scenario's time zone."""

Condition: TypeAlias = Annotated[str, Meta(title="condition", examples=["=amount > 100"])]
"""A condition in FEEL, with or without an equals sign before it."""

Variables: TypeAlias = dict[str, Json]

START_AT = "2026-01-05T09:00:00Z"
"""A Monday morning."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A mapping in a file. `lines` are those of its keys, "" that where it begins.

    Behind the keys in `nullable` null says that there must be nothing; behind others it says
    nothing, and is refused.
    """

    nullable: ClassVar[frozenset[str]] = frozenset()
    lines: dict[str, int] = {}

    def line(self, key: str = "") -> int:
        """The line of a key, or that where the mapping begins."""
        return self.lines.get(key, self.lines.get("", 0))

    def wants_nothing(self, key: str) -> bool:
        """Whether null stands behind a key that may be null."""
        return key in self.nullable and key in self.lines


class Pattern(Part, frozen=True, kw_only=True):
    """What something must be like; `short` is the key that a text alone stands for."""

    short: ClassVar[str]
