"""Texts of the file become compiled expressions, identical ones once; failures are findings."""

import re
from typing import Final

from engine.expressions import (
    Expression,
    ExpressionSyntaxError,
    UnsupportedCallError,
    compile_feel,
)
from engine.expressions.builtins import BUILTINS
from engine.expressions.juel import compile_juel
from engine.model.composites import compose_key, compose_list, compose_map
from engine.model.elements import Mapping, Text
from engine.model.extensions import Formula, KeySource, ListSource, MappingSource, Source
from engine.model.report import Placed, Report, quote
from engine.model.spelling import did_you_mean

LENGTH_MAX: Final = 16_384
"""Of one expression, in characters."""
TOTAL_LENGTH_MAX: Final = 100_000
COUNT_MAX: Final = 4_000
"""Of all different expressions of a file: what can be compiled within a second."""

_TARGET: Final = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_NUMBER: Final = re.compile(r"-?\d{1,34}(?:\.\d{1,34})?", re.ASCII)
_TEMPLATE: Final = re.compile(r"[$#]\{")


class Formulas:
    """Compiles the formulas of one resource. Every method reports what is wrong and gives None.

    `names` are those of several words that its variables have, for FEEL to know.
    """

    def __init__(self, report: Report, example: str = "={}", names: tuple[str, ...] = ()) -> None:
        self._report = report
        self._names = names
        self._example = example
        self._compiled: dict[tuple[str, str], Expression | ExpressionSyntaxError | str] = {}
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
            self._report_static(formula, at, what)
            return None
        compiled = self._compile(formula)
        if isinstance(compiled, Expression):
            for message in unknown_functions(compiled, what):
                self._report.warning("unknown-function", message, at, formula.line)
            return compiled
        self._report.error(
            "expression-syntax",
            f"The {what} {quote(formula.text)} is no {formula.language.upper()} expression:"
            f" {compiled}. {advice(compiled)}",
            at,
            formula.line,
        )
        return None

    def _report_static(self, formula: Formula, at: Placed, what: str) -> None:
        if not formula.text:
            self._report.error(
                "not-an-expression", f"The {what} is empty. Fill it in.", at, formula.line
            )
            return
        example = self._example.format(formula.text)
        if not self._is_valid(example):
            example = self._example.format("amount > 100")
        self._report.error(
            "not-an-expression",
            f"The {what} {quote(formula.text)} must be an expression. Write it as one, for"
            f" example {quote(example)}.",
            at,
            formula.line,
        )

    def _is_valid(self, example: str) -> bool:
        """Whether what is only advised could be compiled."""
        formula = (
            Formula(example, "juel") if _TEMPLATE.match(example) else Formula(example[1:], "feel")
        )
        return isinstance(self._compile(formula), Expression)

    def foreign_call(self, formula: Formula) -> str | None:
        """What the expression calls that exists only in Java, without its arguments."""
        if formula.language == "static":
            return None
        compiled = self._compile(formula)
        return compiled.call if isinstance(compiled, UnsupportedCallError) else None

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
        formula = source.source
        where = f"source of the {what} mapping to {source.target}"
        if not isinstance(formula, Formula):
            return self.composite(formula, at, where)
        # Camunda 8 reads the static source of an input as a number if it is one, else as a string.
        if formula.language == "static" and what == "input":
            literal = formula.text if _NUMBER.fullmatch(formula.text) else _literal(formula.text)
            formula = Formula(literal, "feel", formula.line)
        return self.expression(formula, at, where)

    def composite(self, source: Source, at: Placed, what: str) -> Expression | None:
        """A list or an object of expressions; None if one of them is in error."""
        if isinstance(source, Formula):
            return self.expression(source, at, what)
        if isinstance(source, ListSource):
            items = [self.composite(item, at, what) for item in source.items]
            return compose_list([item for item in items if item is not None])
        entries = {key: self.composite(entry, at, what) for key, entry in source.entries}
        return compose_map({key: entry for key, entry in entries.items() if entry is not None})

    def key(self, source: Formula | KeySource, at: Placed) -> Expression | None:
        """A correlation key, of one value or of several; None if one of them is in error."""
        formulas = source.parts if isinstance(source, KeySource) else (source,)
        parts = [self.expression(each, at, "correlation key") for each in formulas]
        found = [part for part in parts if part is not None]
        return compose_key(found) if len(found) == len(parts) else None

    def _compile(self, formula: Formula) -> Expression | ExpressionSyntaxError | str:
        key = (formula.language, formula.text)
        compiled = self._compiled.get(key)
        if compiled is None:
            compiled = self._compiled[key] = self._compile_new(formula)
        return compiled

    def _compile_new(self, formula: Formula) -> Expression | ExpressionSyntaxError | str:
        text = formula.text
        if len(text) > LENGTH_MAX:
            return f"it is longer than {LENGTH_MAX} characters"
        self._length += len(text)
        if self._length > TOTAL_LENGTH_MAX:
            return f"the expressions of one file may have {TOTAL_LENGTH_MAX} characters in all"
        if len(self._compiled) >= COUNT_MAX:
            return f"one file may have {COUNT_MAX} different expressions"
        try:
            if formula.language == "juel":
                return compile_juel(text)
            return compile_feel(text, [name for name in self._names if name in text])
        except ExpressionSyntaxError as error:
            return error


def advice(error: ExpressionSyntaxError | str) -> str:
    """What to do about an error, or about a bound that is exceeded."""
    return "Use fewer or shorter ones." if isinstance(error, str) else error.advice


def unknown_functions(expression: Expression, what: str) -> list[str]:
    """A sentence about each function that the expression calls and that does not exist."""
    return [
        f"The {what} {quote(expression.text)} calls {quote(name)}, which is no function: that is"
        f" always null.{did_you_mean(name, BUILTINS) or ' Call one of FEEL.'}"
        for name in expression.unknown_functions
    ]


def _literal(text: str) -> str:
    """A FEEL string literal with this value."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t") + '"'
