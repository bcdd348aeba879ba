"""The tests that a page names: `tests/file.py::test_name`, with `[pattern]` of its parameters."""

import re
from fnmatch import fnmatchcase
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[2]
_NAMED = re.compile(r"(tests/[\w/]+)\.py::((?:\w+\.)?\w+)(?:\[([\w*-]+)\])?")


def rows_of(page: str) -> list[str]:
    """The rows of the tables of a page in docs/ that name tests."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line.startswith("| ") and "::" in line]


def cells_of(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("| ").split(" | ")]


def assert_tests_exist(row: str) -> None:
    """Every test that a row names exists, and has such parameters."""
    shown = cells_of(row)[-1].split("<br>")
    for name in shown:
        found = _NAMED.fullmatch(name)
        assert found is not None, f"{name} names no test"
        test: Any = _module(found[1].replace("/", "."))
        for part in found[2].split("."):
            test = getattr(test, part)
        assert part.startswith("test_")
        if found[3] is not None:
            assert any(fnmatchcase(value, found[3]) for value in _parameters(test)), name


@cache
def _module(name: str) -> ModuleType:
    return import_module(name)


def _parameters(test: Any) -> list[str]:
    """The texts among the values with which a test is run."""
    marks = [mark for mark in test.pytestmark if mark.name == "parametrize"]
    return [value for mark in marks for value in mark.args[1] if isinstance(value, str)]
