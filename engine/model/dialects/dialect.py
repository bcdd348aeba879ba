"""What a dialect module provides."""

from collections.abc import Callable

import msgspec

from engine.model.extensions import Extensions, Formula
from engine.model.report import Report
from engine.model.source import SourceElement


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """A vendor's way to write executable models.

    `extensions` translates what one element carries and reports what it cannot translate.
    `formula` reads a text that may be an expression, with its line; `condition` one that always is.
    `platforms` are the values of the modeler's `executionPlatform`. `implied_names`: a task that
    names no job type gets its implementation, operation or id as one, a message its id as name.
    """

    name: str
    namespaces: tuple[str, ...]
    platforms: tuple[str, ...]
    extensions: Callable[[SourceElement, Report], Extensions]
    formula: Callable[[str, int], Formula]
    condition: Callable[[str, int], Formula]
    implied_names: bool = False
