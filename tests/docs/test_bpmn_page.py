"""docs/bpmn.md tells the truth: its tests exist, every element has a row, "not yet" is refused."""

import ast
import re
from pathlib import Path
from typing import get_args

import pytest

from engine.model import compile_resource
from engine.model.elements import AnyElement
from engine.settings import Settings

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "bpmn.md").read_text(encoding="utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| ") and "::" in line]

NOT_YET = [
    '<bpmn:adHocSubProcess id="x"/>',
    '<bpmn:receiveTask id="x" instantiate="true"/>',
    '<bpmn:eventBasedGateway id="x" instantiate="true"/>',
    '<bpmn:eventBasedGateway id="x" eventGatewayType="Parallel"/>',
    '<bpmn:startEvent id="x" parallelMultiple="true"><bpmn:conditionalEventDefinition/>'
    "<bpmn:conditionalEventDefinition/></bpmn:startEvent>",
]


@pytest.mark.parametrize("row", ROWS)
def test_the_test_that_a_row_names_exists(row: str) -> None:
    found = re.search(r"(tests/[\w/]+\.py)::(\w+)", row)
    assert found is not None
    tree = ast.parse((ROOT / found[1]).read_text(encoding="utf-8"))
    names = {
        node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert found[2] in names


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
