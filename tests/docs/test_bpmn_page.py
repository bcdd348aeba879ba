"""docs/bpmn.md tells the truth: its tests exist, nothing lacks a row, "not yet" is refused."""

from typing import get_args

import pytest

from engine.model import compile_resource
from engine.model.elements import AnyElement
from engine.settings import Settings
from tests.docs.named_tests import assert_tests_exist, cells_of, rows_of

ROWS = rows_of("bpmn.md")

NOT_YET = [
    '<bpmn:boundaryEvent id="x" attachedToRef="s" cancelActivity="false" parallelMultiple="true">'
    "<bpmn:signalEventDefinition/><bpmn:timerEventDefinition/></bpmn:boundaryEvent>",
]

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


@pytest.mark.parametrize("element", NOT_YET)
def test_what_does_not_run_yet_is_refused_at_deployment(element: str) -> None:
    model = f"""<bpmn:definitions xmlns:bpmn="http://www.omg.org/spec/BPMN/20100524/MODEL">
      <bpmn:process id="p" isExecutable="true">
        <bpmn:startEvent id="s"/>
        <bpmn:sequenceFlow id="f" sourceRef="s" targetRef="x"/>
        {element}
      </bpmn:process>
    </bpmn:definitions>"""
    resource = compile_resource("model.bpmn", model.encode(), Settings())
    assert not resource.deployable
    assert any(
        finding.code == "unsupported-element" and finding.element == "x"
        for finding in resource.findings
    )
