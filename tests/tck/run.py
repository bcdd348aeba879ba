"""The literal FEEL cases of the DMN TCK, and what its values mean.

The test data is not part of this repository. It is read from ../shared/corpus/tck beside the
project, or from the directory that the environment variable TORPOR_TCK names.
"""

import gzip
import json
import os
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, NamedTuple

from engine.expressions import (
    MISSING,
    Environment,
    EvaluationError,
    ExpressionSyntaxError,
    Missing,
    compile_feel,
)
from engine.expressions.calendar.temporal import DateTime, Time
from engine.expressions.calendar.temporal_text import (
    parse_date,
    parse_date_time,
    parse_duration,
    parse_time,
)
from engine.expressions.operators import equals
from engine.expressions.parsing.syntax import TypeName
from engine.expressions.type_names import conform
from engine.values import Value, normalise

NOW_MS = 1_795_960_800_000  # 2026-11-29T14:00:00Z
STEPS_MAX = 200_000
NUMBER_TYPES = ("decimal", "double", "integer", "int", "number", "long", "float")
PARSERS = {
    "date": parse_date,
    "time": parse_time,
    "dateTime": parse_date_time,
    "duration": parse_duration,
}
RESULT_TYPES = (
    "string",
    "number",
    "boolean",
    "date",
    "time",
    "dateTime",
    "date and time",
    "days and time duration",
    "years and months duration",
)


class Failure(NamedTuple):
    """A case whose result is not the expected one."""

    suite: str
    case: str
    text: str
    expected: str
    found: str


def corpus() -> Path:
    """Where the cases are, whether or not the file exists."""
    default = Path(__file__).resolve().parents[3] / "shared" / "corpus" / "tck"
    return Path(os.environ.get("TORPOR_TCK", default)) / "cases.json.gz"


def all_cases() -> list[dict[str, Any]]:
    """Every result node of the TCK, with its case."""
    cases: list[dict[str, Any]] = json.loads(gzip.decompress(corpus().read_bytes()))
    return cases


def literal_cases() -> list[dict[str, Any]]:
    """The cases whose decision is one literal expression over nothing but inputs."""
    return [
        case
        for case in all_cases()
        if case.get("expr")
        and case["kinds"] == ["literalExpression"]
        and set(case["req"]) <= {"requiredInput"}
        and case["type"] == "decision"
    ]


def typed_value(typed: dict[str, Any] | None) -> Value:
    """The FEEL value of a TCK value with its XML Schema type."""
    if typed is None:
        return None
    kind, raw = typed["t"], typed["v"]
    if kind == "null" or raw is None:
        return "" if kind == "string" else None
    if kind == "list":
        return [typed_value(item) for item in raw]
    if kind == "context":
        return {name: typed_value(item) for name, item in raw.items()}
    return _typed_scalar(kind, raw)


def _typed_scalar(kind: str, raw: str) -> Value:
    if kind in NUMBER_TYPES:
        return normalise(Decimal(raw.strip()))
    if kind == "boolean":
        return raw.strip() == "true"
    if kind in PARSERS:
        parsed = PARSERS[kind](raw)
        return raw if parsed is None else parsed
    return raw


def same(found: Value, expected: Value) -> bool:
    """Whether the two are equal, numbers to eight digits as the TCK gives them."""
    if isinstance(found, bool) or isinstance(expected, bool):
        return found is expected
    if isinstance(found, (int, Decimal)) and isinstance(expected, (int, Decimal)):
        wanted = Decimal(expected)
        return abs(found - wanted) < Decimal("1e-8") * max(Decimal(1), abs(wanted))
    if isinstance(found, list) and isinstance(expected, list):
        return len(found) == len(expected) and all(map(same, found, expected))
    if isinstance(found, dict) and isinstance(expected, dict):
        return found.keys() == expected.keys() and all(same(found[k], expected[k]) for k in found)
    if isinstance(found, (Time, DateTime)) and type(found) is type(expected):
        return found == expected or equals(found, expected, Environment()) is True
    return equals(found, expected, Environment()) is True


def evaluate(case: dict[str, Any]) -> Value:
    """The result of a literal case, converted to the decision's type as DMN says."""
    variables = {name: typed_value(value) for name, value in case["inputs"].items()}

    def lookup(name: str) -> Value | Literal[Missing.MISSING]:
        return variables.get(name, MISSING)

    env = Environment(lookup, NOW_MS, steps_max=STEPS_MAX)
    found = compile_feel(case["expr"].strip(), variables).evaluate(env)
    wanted = (case["typeRef"] or "").split(":")[-1]
    if wanted not in RESULT_TYPES or case["itemdefs"]:
        return found
    return conform(found, TypeName("date and time" if wanted == "dateTime" else wanted))


def failures(cases: list[dict[str, Any]]) -> Iterator[Failure]:
    """The cases that fail. A syntax error counts as null."""
    for case in cases:
        expected = typed_value(case["expected"])
        try:
            found = evaluate(case)
            passed = same(found, expected)
            shown = repr(found)
        except ExpressionSyntaxError as error:
            passed, shown = expected is None, f"syntax: {error}"
        except EvaluationError as error:
            passed, shown = False, f"error: {error}"
        if not passed:
            text = " ".join(case["expr"].split())
            yield Failure(case["suite"], case["tc"], text, repr(expected), shown)
