"""What a reader needs beside its element: report, compiler, dialect, root elements."""

import msgspec

from engine.model.dialects.dialect import Dialect
from engine.model.formulas import Formulas
from engine.model.parse import Catalogue
from engine.model.report import Report
from engine.model.source import ProcessSource


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """One process being compiled."""

    process: ProcessSource
    catalogue: Catalogue
    dialect: Dialect
    formulas: Formulas
    report: Report
