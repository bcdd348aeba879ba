"""What a reader needs beside its element: report, compiler, dialect, root elements."""

import msgspec

from engine.expressions import Expression
from engine.model.correlation_keys import NO_KEYS, CorrelationKeys
from engine.model.data import NO_DATA, Data
from engine.model.dialects.dialect import Dialect
from engine.model.elements import Text
from engine.model.formulas import Formulas
from engine.model.parse import Catalogue
from engine.model.report import Report
from engine.model.source import ProcessSource


class Shared(msgspec.Struct, frozen=True, kw_only=True):
    """What many events may refer to, compiled once for each id: else a file could make it a square.

    A value of None: it was reported.
    """

    message_names: dict[str, Text | None] = {}
    correlation_keys: dict[tuple[str, str], Expression | None] = {}
    error_codes: dict[str, Text | None] = {}
    names: dict[str, Text | None] = {}


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """One process being compiled."""

    process: ProcessSource
    catalogue: Catalogue
    dialect: Dialect
    formulas: Formulas
    shared: Shared
    report: Report
    data: Data = NO_DATA
    correlation: CorrelationKeys = NO_KEYS
