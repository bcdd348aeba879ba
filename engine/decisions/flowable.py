"""Cells as Flowable writes them: JUEL, of which the input and the first operator are left out.

They are read as FEEL where that means the same. What only JUEL can say is told by what it calls.
"""

import re
from typing import Final

CELL_INPUT: Final = "flowable_cell_input"
"""What such a cell calls the input value once it is whole."""

_CALLS: Final = re.compile(r"\b(?:date:(?:toDate|addDate|subtractDate|now)|collection:\w+)\s*\(")
_OPERATORS: Final = ("==", "!=", "<", ">")


def is_juel(text: str) -> bool:
    """Whether an expression calls what only Flowable's tables know, or a method of the input."""
    return _CALLS.search(text) is not None or (text.startswith(".") and "(" in text)


def whole_test(text: str, kind: str | None) -> str:
    """The JUEL text of a cell, complete; `kind` is the type of its column."""
    operand = f"date:toDate({CELL_INPUT})" if kind == "date" else CELL_INPUT
    if text.startswith("collection:"):
        return text  # it names what it looks at
    if text.startswith("."):
        return f"{CELL_INPUT}{text}"
    return f"{operand} {text}" if text.startswith(_OPERATORS) else f"{operand} == {text}"
