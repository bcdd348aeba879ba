"""Decision tables to code. DMN 1.5 chapter 8."""

from typing import Final

import msgspec

from engine.decisions.conversion import convert
from engine.decisions.errors import DecisionError
from engine.decisions.flowable import CELL_INPUT, is_juel
from engine.decisions.hit_policies import (
    AGGREGATIONS,
    HITS_MAX,
    LISTING,
    POLICIES,
    Hit,
    Outputs,
    Policy,
    aggregate,
)
from engine.decisions.items import check_type
from engine.decisions.place import Place
from engine.decisions.source import Source
from engine.expressions import Environment
from engine.expressions.environment import Code, Frame
from engine.model.report import quote
from engine.values import Value

INPUT: Final = "?"
_IRRELEVANT: Final = ("", "-")
_CAMUNDA_INPUT: Final = "cellInput"


class _Column(msgspec.Struct, frozen=True):
    """An input column: its value, the tests it must pass (if any), what cells call it, its type."""

    value: Code
    allowed: Code | None
    names: tuple[str, ...]
    kind: str | None = None

    def allows(self, env: Environment, frame: Frame) -> bool:
        """Whether its value is among the allowed ones."""
        return self.allowed is None or self.allowed(env, frame) is True


class _Rule(msgspec.Struct, frozen=True):
    """A row. `tests` are the cells that say anything, with the position of their column."""

    tests: tuple[tuple[int, Code], ...]
    outputs: tuple[Code, ...]


class _Table(msgspec.Struct, frozen=True, kw_only=True):
    """A compiled table. `otherwise` is the result if no rule matches."""

    columns: tuple[_Column, ...]
    rules: tuple[_Rule, ...]
    outputs: Outputs
    policy: Policy
    hits_max: int
    otherwise: Code

    def run(self, env: Environment, frame: Frame | None) -> Value:
        """The code of the table."""
        frames = []
        for number, column in enumerate(self.columns, 1):
            value = column.value(env, frame)
            inner = Frame(dict.fromkeys(column.names, value), frame)
            if value is not None and not column.allows(env, inner):
                raise DecisionError(f"The value of the input {number} is none of its input values.")
            frames.append(inner)
        hits = self._hits(env, frame, frames)
        if not hits:
            return self.otherwise(env, frame)
        return self.policy(hits, self.outputs, env)

    def _hits(self, env: Environment, frame: Frame | None, frames: list[Frame]) -> list[Hit]:
        hits: list[Hit] = []
        for number, rule in enumerate(self.rules, 1):
            env.spend(1)
            for position, test in rule.tests:
                if test(env, frames[position]) is not True:
                    break
            else:
                outputs = tuple(output(env, frame) for output in rule.outputs)
                hits.append(Hit(number, outputs))
                if len(hits) == self.hits_max:
                    break
        return hits


def output_names(source: Source) -> tuple[str, ...]:
    """The names of a table's outputs, as far as it has any."""
    return tuple(name for output in source.all("output") if (name := output.get("name")))


def collects(source: Source) -> bool:
    """Whether a table's result is a list of all hits."""
    policy = source.get("hitPolicy") or "UNIQUE"
    return policy in LISTING and source.get("aggregation") is None


def compile_table(source: Source, place: Place) -> Code | None:
    """The code of a decision table. None, and findings, if it cannot be compiled."""
    columns = [_column(column, place) for column in source.all("input")]
    outputs = _outputs(source, place)
    rules = _rules(source, place, columns)
    otherwise = None if outputs is None else _otherwise(source, place, outputs)
    if outputs is None or rules is None or otherwise is None:
        return None
    if not all(isinstance(column, _Column) for column in columns):
        return None
    name = source.get("hitPolicy") or "UNIQUE"
    table = _Table(
        columns=tuple(column for column in columns if column is not None),
        rules=rules,
        outputs=outputs,
        policy=POLICIES[name],
        hits_max=HITS_MAX.get(name, len(rules) + 1),
        otherwise=otherwise,
    )
    return table.run


def _column(source: Source, place: Place) -> _Column | None:
    expression = source.child("inputExpression")
    if expression is None:
        place.refuse(source, "missing-part", "An input has no expression. Add one.")
        return None
    value = place.expression(expression, "input expression")
    names = _names(source, place)
    allowed: Code | None = None
    values = source.child("inputValues")
    if values is not None and values.expression_text() and place.shared.platform.checks_inputs:
        allowed = place.binding(*names).tests(values, "list of input values")
        if allowed is None:
            return None
    if value is None:
        return None
    kind = expression.type_ref()
    check_type(kind, expression, place)
    return _Column(_converted(value, kind, place), allowed, names, kind)


def _names(source: Source, place: Place) -> tuple[str, ...]:
    """What the cells of a column may call its input value."""
    declared = source.get("camunda:inputVariable")
    if declared is None and place.shared.platform.converts:
        declared = _CAMUNDA_INPUT
    return (INPUT, CELL_INPUT if declared is None else declared)


def _converted(code: Code, kind: str | None, place: Place) -> Code:
    if kind is None or not place.shared.platform.converts:
        return code
    return lambda env, frame: convert(code(env, frame), kind, env)


def _outputs(source: Source, place: Place) -> Outputs | None:
    policy = source.get("hitPolicy") or "UNIQUE"
    aggregation = source.get("aggregation")
    columns = tuple(source.all("output"))
    for column in columns:
        check_type(column.type_ref(), column, place)
    if not columns:
        place.refuse(source, "missing-part", "A decision table has no output. Add one.")
        return None
    if policy not in POLICIES:
        place.refuse(
            source,
            "hit-policy",
            f"There is no hit policy {quote(policy)}. Use one of: {', '.join(POLICIES)}.",
        )
        return None
    if len(columns) > 1 and not all(column.get("name") for column in columns):
        place.refuse(
            source, "unnamed-output", "A table of several outputs has one without a name. Name it."
        )
        return None
    names = [column.get("name") for column in columns]
    if len(set(names)) < len(names):
        place.refuse(
            source,
            "duplicate-output",
            "Two outputs of a table have the same name, so that one would hide the other. Rename"
            " one.",
        )
        return None
    if policy != "COLLECT":
        aggregation = None
    if aggregation is not None and (aggregation not in AGGREGATIONS or len(columns) > 1):
        place.refuse(
            source,
            "aggregation",
            f"The outputs cannot be aggregated by {quote(aggregation)}. Use SUM, MIN, MAX or COUNT,"
            " and one output.",
        )
        return None
    return _with_priorities(columns, place, aggregation)


def _with_priorities(
    columns: tuple[Source, ...], place: Place, aggregation: str | None
) -> Outputs | None:
    priorities = []
    for column in columns:
        values = column.child("outputValues")
        listed = _listed_values(values, place) if values is not None else ()
        if listed is None:
            return None
        priorities.append(listed)
    names = tuple(column.get("name") or "" for column in columns)
    return Outputs(names, tuple(priorities), aggregation)


def _listed_values(source: Source, place: Place) -> tuple[Value, ...] | None:
    """The values of `"A", "B"`, evaluated now: they are literals. None, and a finding, if not."""
    text = source.expression_text()
    if not text:
        return ()
    listed = place.constant_list(source, "list of output values")
    return None if listed is None else tuple(listed)


def _otherwise(source: Source, place: Place, outputs: Outputs) -> Code | None:
    """What the table gives if no rule matches: its default outputs, or nothing."""
    defaults = []
    for column in source.all("output"):
        entry = column.child("defaultOutputEntry")
        code = None if entry is None else place.expression(entry, "default output")
        if entry is not None and code is None:
            return None
        defaults.append(None if code is None else _converted(code, column.type_ref(), place))
    if any(code is not None for code in defaults):
        return lambda env, frame: outputs.value(
            Hit(0, tuple(None if code is None else code(env, frame) for code in defaults))
        )
    return _without_defaults(source, place, outputs)


def _without_defaults(source: Source, place: Place, outputs: Outputs) -> Code:
    aggregation = outputs.aggregation
    if place.shared.platform.null_without_hit or (source.get("hitPolicy") not in LISTING):
        return lambda _env, _frame: None
    if aggregation is not None:
        return lambda env, _frame: aggregate(aggregation, [], env)
    return lambda _env, _frame: []


def _rules(source: Source, place: Place, columns: list[_Column | None]) -> tuple[_Rule, ...] | None:
    kinds = [output.type_ref() for output in source.all("output")]
    cells = _Cells(place, columns, kinds)
    rules = [cells.rule(row, number) for number, row in enumerate(source.all("rule"), 1)]
    compiled = tuple(rule for rule in rules if rule is not None)
    return compiled if len(compiled) == len(rules) else None


class _Cells:
    """Compiles the cells of one table: identical ones of a column once."""

    def __init__(
        self, place: Place, columns: list[_Column | None], kinds: list[str | None]
    ) -> None:
        self._place = place
        self._columns = columns
        self._kinds = kinds
        self._inside = [
            place.binding(*(() if column is None else column.names)) for column in columns
        ]
        self._known: dict[tuple[int, str, str], Code | None] = {}

    def rule(self, row: Source, number: int) -> _Rule | None:
        """A row. None, and findings, if it cannot be compiled."""
        inputs, outputs = list(row.all("inputEntry")), list(row.all("outputEntry"))
        if len(inputs) != len(self._inside) or len(outputs) != len(self._kinds):
            self._place.refuse(
                row,
                "cells",
                f"The rule {number} has {len(inputs)} input and {len(outputs)} output cells, the"
                f" table {len(self._inside)} and {len(self._kinds)} columns. Put the rule right.",
            )
            return None
        tests = [
            (position, self._test(position, cell))
            for position, cell in enumerate(inputs)
            if cell.expression_text() not in _IRRELEVANT
        ]
        codes = [self._output(position, cell) for position, cell in enumerate(outputs)]
        passed = tuple((position, test) for position, test in tests if test is not None)
        given = tuple(code for code in codes if code is not None)
        if len(passed) != len(tests) or len(given) != len(codes):
            return None
        return _Rule(passed, given)

    def _test(self, position: int, cell: Source) -> Code | None:
        key = (position, cell.get("expressionLanguage") or "", cell.expression_text())
        if key not in self._known:
            self._known[key] = self._test_new(position, cell)
        return self._known[key]

    def _test_new(self, position: int, cell: Source) -> Code | None:
        place, column = self._inside[position], self._columns[position]
        text, language = cell.expression_text(), cell.get("expressionLanguage")
        silent = language is None and place.shared.language is None
        if silent and is_juel(text) and not text.startswith(("${", "#{")):
            return place.flowable_test(cell, column.kind if column else None, "input entry")
        return place.tests(cell, "input entry")

    def _output(self, position: int, cell: Source) -> Code | None:
        key = (~position, cell.get("expressionLanguage") or "", cell.expression_text())
        if key not in self._known:
            code = self._place.expression(cell, "output entry")
            kind = self._kinds[position]
            self._known[key] = None if code is None else _converted(code, kind, self._place)
        return self._known[key]
