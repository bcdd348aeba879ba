"""docs/expressions.md names every method, function and fact that JUEL knows, and no others."""

import re
from pathlib import Path

from engine.expressions.juel.execution import FACTS, METHODS
from engine.expressions.juel.functions import FUNCTIONS
from engine.expressions.juel.methods import collections, json, moments, numbers, texts

PAGE = (Path(__file__).parents[2] / "docs" / "expressions.md").read_text(encoding="utf-8")
NAMES = set(re.findall(r"`(\w+)`", PAGE.partition("What there is to call:")[2].partition("##")[0]))
SHIFTS = re.compile(r"(plus|minus)(Years|Months|Weeks|Days|Hours|Minutes|Seconds)")
COMMON = {"compareTo", "equals", "toString"}


def test_every_method_and_fact_is_named() -> None:
    tables = (
        texts.METHODS,
        numbers.NUMBERS,
        numbers.BOOLEANS,
        collections.LISTS,
        collections.MAPS,
        moments.MOMENTS,
        json.JSON,
    )
    known = {name for table in tables for name in table if not SHIFTS.fullmatch(name)}
    functions = {name.partition(":")[2] for name in FUNCTIONS if ":" in name}
    named = {name for name in NAMES if not SHIFTS.fullmatch(name)}
    assert named == known | COMMON | functions | set(FACTS)


def test_every_function_and_method_with_arguments_is_shown() -> None:
    for name in ("now()", "dateTime()", "S(x)", "JSON(x)"):
        assert f"`{name}`" in PAGE
        assert name.partition("(")[0] in FUNCTIONS
    for name in METHODS:
        assert f"`execution.{name}(name)`" in PAGE
