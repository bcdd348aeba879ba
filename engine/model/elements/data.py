"""What goes into an element and comes out of it: texts, mappings, declared variables."""

from typing import TypeAlias

import msgspec

from engine.expressions import Expression

Text: TypeAlias = str | Expression
"""A static text, or an expression that yields one when the element activates."""


class Mapping(msgspec.Struct, frozen=True, kw_only=True):
    """One input or output mapping. `target` is a variable name or a dotted path into it.

    `outward`: a data association out of an element. It writes to the nearest scope that has the
    name, and not at all where its source is null. `takes` are the data outputs that it reads: what
    the element is given under these names is its own.
    """

    source: Expression
    target: tuple[str, ...]
    outward: bool = False
    takes: tuple[str, ...] = ()


class DataObject(msgspec.Struct, frozen=True, kw_only=True):
    """A variable that a scope declares: it is there, as `value` (JSON), when the scope begins."""

    name: str
    value: str = "null"
