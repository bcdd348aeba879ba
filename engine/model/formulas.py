"""Texts of the file become compiled expressions, identical ones once; failures are findings."""

import re
from typing import Final

from engine.expressions import Expression, ExpressionSyntaxError, compile_feel
from engine.model.elements import Mapping, Text
from engine.model.extensions import Formula, MappingSource
from engine.model.report import Placed, Report, quote

LENGTH_MAX: Final = 16_384
"""Of one expression, in characters."""
TOTAL_LENGTH_MAX: Final = 100_000
COUNT_MAX: Final = 4_000
"""Of all different expressions of a file: what can be compiled within a second."""

_TARGET: Final = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_NUMBER: Final = re.compile(r"-?\d{1,34}(?:\.\d{1,34})?", re.ASCII)
_TEMPLATE: Final = re.compile(r"[$#]\{")


class Formulas:
    """Compiles the formulas of one resource. Every method reports what is wrong and gives None."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._compiled: dict[str, Expression | str] = {}
        self._length = 0

    def text(self, formula: Formula | None, at: Placed, what: str) -> Text | None:
        """A static text, or an expression. None also where the file says nothing."""
        if formula is None or not formula.text:
            return None
        if formula.language != "static":
            return self.expression(formula, at, what)
        if _TEMPLATE.match(formula.text):
            self._report.warning(
                "not-evaluated",
                f"The {what} {quote(formula.text)} is taken literally. To have it evaluated,"
                " write a FEEL expression that begins with '='.",
                at,
                formula.line,
            )
        return formula.text

    def expression(self, formula: Formula, at: Placed, what: str) -> Expression | None:
        """The formula compiled; a static one is an error."""
        if formula.language == "static":
            self._report.error(
                "not-an-expression",
                f"The {what} {quote(formula.text)} must be an expression. Write it with '=' in"
                f" front, for example {quote('=' + formula.text)}.",
                at,
                formula.line,
            )
            return None
        compiled = self._compile(formula.text)
        if isinstance(compiled, Expression):
            return compiled
        self._report.error(
            "expression-syntax",
            f"The {what} {quote(formula.text)} is no FEEL expression: {compiled}."
            " Put the expression right.",
            at,
            formula.line,
        )
        return None

    def mappings(
        self, sources: tuple[MappingSource, ...], at: Placed, what: str
    ) -> tuple[Mapping, ...]:
        """Input or output mappings; those in error are left out."""
        mappings = []
        for source in sources:
            expression = self._mapping_source(source, at, what)
            target = source.target.strip()
            if not _TARGET.fullmatch(target):
                self._report.error(
                    "bad-mapping-target",
                    f"The {what} mapping's target {quote(target)} is no variable name or dotted"
                    " path. Use letters, digits and underscores.",
                    at,
                    source.line,
                )
            elif expression is not None:
                mappings.append(Mapping(source=expression, target=tuple(target.split("."))))
        return tuple(mappings)

    def _mapping_source(self, source: MappingSource, at: Placed, what: str) -> Expression | None:
        # Camunda 8 reads the static source of an input as a number if it is one, else as a string.
        formula = source.source
        if formula.language == "static" and what == "input":
            literal = formula.text if _NUMBER.fullmatch(formula.text) else _literal(formula.text)
            formula = Formula(literal, "feel", formula.line)
        return self.expression(formula, at, f"source of the {what} mapping to {source.target}")

    def _compile(self, text: str) -> Expression | str:
        compiled = self._compiled.get(text)
        if compiled is None:
            compiled = self._compiled[text] = self._compile_new(text)
        return compiled

    def _compile_new(self, text: str) -> Expression | str:
        if len(text) > LENGTH_MAX:
            return f"it is longer than {LENGTH_MAX} characters"
        self._length += len(text)
        if self._length > TOTAL_LENGTH_MAX:
            return f"the expressions of one file may have {TOTAL_LENGTH_MAX} characters in all"
        if len(self._compiled) >= COUNT_MAX:
            return f"one file may have {COUNT_MAX} different expressions"
        try:
            return compile_feel(text)
        except ExpressionSyntaxError as error:
            return str(error)


def _literal(text: str) -> str:
    """A FEEL string literal with this value."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t") + '"'
