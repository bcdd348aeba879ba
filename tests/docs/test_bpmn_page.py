"""docs/bpmn.md tells the truth: its tests exist, nothing lacks a row, and all of it runs."""

from typing import get_args

import pytest

from engine.model.elements import AnyElement
from tests.docs.named_tests import assert_tests_exist, cells_of, rows_of

ROWS = rows_of("bpmn.md")

POSITIONS = {
    "S": "`startEvent`",
    "I": "event sub-process, interrupting",
    "N": "event sub-process, not interrupting",
    "C": "`intermediateCatchEvent`",
    "B": "`boundaryEvent`, interrupting",
    "b": "`boundaryEvent`, not interrupting",
    "T": "`intermediateThrowEvent`",
    "E": "`endEvent`",
}
LEGAL = {
    "none": "S     TE",
    "message": "SINCBbTE",
    "timer": "SINCBb  ",
    "signal": "SINCBbTE",
    "conditional": "SINCBb  ",
    "error": " I  B  E",
    "escalation": " IN BbTE",
    "compensation": " I    TE",
    "compensation (its handler)": "    B   ",
    "cancel (of a transaction)": "    B  E",
    "link": "   C  T ",
    "multiple": "SINCBbTE",
    "parallel multiple": "SINCBb  ",
    "terminate": "       E",
}
"""Trigger -> the positions in which BPMN 2.0.2, 10.5, lets it stand."""


@pytest.mark.parametrize("row", ROWS)
def test_the_tests_that_a_row_names_exist(row: str) -> None:
    assert_tests_exist(row)


def test_every_legal_cell_of_the_table_of_events_has_one_row() -> None:
    cells = [tuple(cells_of(row)[:2]) for row in ROWS if len(cells_of(row)) == 4]
    legal = [
        (POSITIONS[position], trigger)
        for trigger, positions in LEGAL.items()
        for position in positions
        if position != " "
    ]
    assert sorted(cells) == sorted(legal)


@pytest.mark.parametrize("element", get_args(AnyElement), ids=lambda element: element.__name__)
def test_every_element_that_runs_has_a_row(element: type[AnyElement]) -> None:
    tag = element.__struct_config__.tag
    assert any(f"`{tag}`" in row and "| yes" in row for row in ROWS), tag


def test_nothing_is_left_that_does_not_run_yet() -> None:
    assert [row for row in ROWS if "| not yet" in row] == []
