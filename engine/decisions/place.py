"""Where in the file an expression stands: what it can see, and how its text becomes code."""

from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from engine.decisions.flowable import is_juel, whole_test
from engine.decisions.platform import Language, Platform, language_of
from engine.decisions.source import Source
from engine.decisions.types import Types
from engine.expressions import (
    Environment,
    EvaluationError,
    Expression,
    ExpressionSyntaxError,
    compile_feel,
    compile_unary_tests,
)
from engine.expressions.environment import Code, Frame
from engine.expressions.juel import compile_juel, compile_juel_expression, holds_expression
from engine.expressions.surroundings import Surroundings
from engine.model.formulas import advice, unknown_functions
from engine.model.report import Placed, Report, quote
from engine.values import Value

LENGTH_MAX: Final = 16_384
"""Of one expression, in characters."""
TOTAL_LENGTH_MAX: Final = 400_000
COUNT_MAX: Final = 8_000
"""Of all expressions of a file; identical cells of a column count once."""


class Shared:
    """What all expressions of a file have in common."""

    def __init__(
        self, report: Report, types: Types, platform: Platform, language: str | None
    ) -> None:
        self.report = report
        self.types = types
        self.platform = platform
        self.language = language
        self._length = 0
        self._count = 0

    def compile(
        self, text: str, kind: "_Kind", surroundings: Surroundings
    ) -> Expression | ExpressionSyntaxError | str:
        """The expression, or what is wrong with it."""
        self._length += len(text)
        self._count += 1
        if len(text) > LENGTH_MAX:
            return f"it is longer than {LENGTH_MAX} characters"
        if self._length > TOTAL_LENGTH_MAX:
            return f"the expressions of one file may have {TOTAL_LENGTH_MAX} characters in all"
        if self._count > COUNT_MAX:
            return f"one file may have {COUNT_MAX} expressions"
        try:
            if kind == "juel":
                wrapped = holds_expression(text)
                return compile_juel(text) if wrapped else compile_juel_expression(text)
            compile_kind = compile_unary_tests if kind == "tests" else compile_feel
            return compile_kind(text, (), surroundings)
        except ExpressionSyntaxError as error:
            return error


class Gauge:
    """How deep the expressions of one function are: what a call of it nests."""

    __slots__ = ("levels",)

    def __init__(self) -> None:
        self.levels = 1

    def note(self, levels: int) -> None:
        """Keep the largest."""
        self.levels = max(self.levels, levels)


_Kind = Literal["feel", "tests", "juel"]


class Place(msgspec.Struct, frozen=True):
    """A place in the file: inside of which element, and of which frames."""

    owner: Placed
    shared: Shared
    surroundings: Surroundings
    gauge: Gauge
    depth: int = 0

    def deeper(self) -> "Place":
        """One more expression inside."""
        return replace(self, depth=self.depth + 1)

    def binding(self, *names: str) -> "Place":
        """Inside of a frame with these names."""
        return replace(self, surroundings=self.surroundings.binding(*names))

    def in_function(self) -> "Place":
        """Inside of the body of a function, which is measured by itself."""
        return replace(self, gauge=Gauge())

    def refuse(self, source: Source, code: str, message: str) -> None:
        """Report an error; there is no code."""
        self.shared.report.error(code, message, self.owner, source.line)

    def typed(self, code: Code, kind: str | None) -> Code:
        """The code, its result converted to a type of the file."""
        if kind is None:
            return code
        types = self.shared.types
        return lambda env, frame: types.conform(code(env, frame), kind, env)

    def expression(self, source: Source, what: str) -> Code | None:
        """The code of an element with a text. None, and a finding, if it is no expression."""
        text = source.expression_text()
        if not text:
            return _null
        language = self._language(source, text, self.shared.platform.language)
        if language is None:
            return None
        return self._code(source, text, language, what)

    def tests(self, source: Source, what: str) -> Code | None:
        """The code of unary tests of the name `?`: true or not."""
        text = source.expression_text()
        language = self._language(source, text, "feel")
        if language is None:
            return None
        if language == "juel":
            return self._code(source, text, "juel", what)
        # Flowable writes `== 5` where FEEL has `= 5`, and nothing else begins with two signs.
        return self._code(source, text[text.startswith("==") :], "tests", what)

    def flowable_test(self, source: Source, kind: str | None, what: str) -> Code | None:
        """The code of a cell that only Flowable could have written; `kind`: its column's type."""
        return self._code(source, whole_test(source.expression_text(), kind), "juel", what)

    def constant_list(self, source: Source, what: str) -> list[Value] | None:
        """The values of a text such as `"A", "B"`, which needs no variables."""
        code = self._code(source, f"[{source.expression_text()}]", "feel", what)
        if code is None:
            return None
        try:
            values = code(Environment(), Frame({}, None))
        except EvaluationError as error:
            self.refuse(source, "bad-values", f"The {what} has no value: {error}")
            return None
        return values if isinstance(values, list) else []

    def _language(self, source: Source, text: str, default: Language) -> Language | None:
        declared = source.get("expressionLanguage") or self.shared.language
        if declared is None and is_juel(text):
            return "juel"
        language = language_of(declared, text, default)
        if language is None:
            self.refuse(
                source,
                "expression-language",
                f"An expression is written in {quote(declared or '')}. Rewrite it in FEEL and"
                " remove the language.",
            )
        return language

    def _code(self, source: Source, text: str, kind: _Kind, what: str) -> Code | None:
        compiled = self.shared.compile(text, kind, self.surroundings)
        if isinstance(compiled, Expression):
            for message in unknown_functions(compiled, what):
                self.shared.report.warning("unknown-function", message, self.owner, source.line)
            self.gauge.note(2 * self.depth + compiled.levels)
            return compiled.code
        name = "JUEL" if kind == "juel" else "FEEL"
        self.refuse(
            source,
            "expression-syntax",
            f"The {what} {quote(text)} is no {name} expression: {compiled}. {advice(compiled)}",
        )
        return None


def _null(_env: Environment, _frame: Frame | None) -> Value:
    return None
