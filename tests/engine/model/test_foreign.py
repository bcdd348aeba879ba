"""Extensions of vendors whose dialect is not the file's."""

import pytest
from lxml import etree

from engine.errors import Finding
from engine.model.compile import CompiledResource, compile_resource
from engine.model.dialects.plain import DIALECT
from engine.model.foreign import check_foreign_extensions
from engine.model.parse import read_definitions
from engine.model.readers import KINDS
from engine.model.report import Report
from engine.model.xml import BPMN
from engine.settings import Settings
from tests.support.findings import codes

CAMUNDA_7 = "http://camunda.org/schema/1.0/bpmn"
ZEEBE = "http://camunda.org/schema/zeebe/1.0"


def model(inner: str, *, namespace: str = CAMUNDA_7, process: str = "") -> CompiledResource:
    content = (
        f'<definitions xmlns="{BPMN}" xmlns:v="{namespace}" xmlns:z="{ZEEBE}">'
        f'<process id="p" isExecutable="true" {process}><startEvent id="s"/>{inner}'
        '<sequenceFlow id="f" sourceRef="s" targetRef="t"/></process></definitions>'
    )
    return compile_resource("foreign.bpmn", content.encode(), Settings())


def plain(inner: str, *, process: str = "") -> tuple[list[Finding], int]:
    """The findings of a file that is read as plain although it has vendors' extensions."""
    content = (
        f'<definitions xmlns="{BPMN}" xmlns:v="{CAMUNDA_7}">'
        f'<process id="p" isExecutable="true" {process}>{inner}</process></definitions>'
    ).encode()
    report = Report("foreign.bpmn")
    root = etree.fromstring(content)
    processes = read_definitions(root, report, KINDS).processes
    check_foreign_extensions(processes, DIALECT, content, report)
    return list(report.findings()), report.errors


@pytest.mark.parametrize(
    "task",
    [
        '<serviceTask id="t" v:class="com.example.Pay"/>',
        '<serviceTask id="t"><extensionElements><v:inputOutput/></extensionElements></serviceTask>',
    ],
)
def test_a_model_without_a_dialect_that_was_made_for_one_is_an_error(task: str) -> None:
    ((finding,), errors) = plain(task)
    assert (finding.code, finding.element, errors) == ("foreign-extension", "t", 1)


def test_the_process_itself_may_carry_them_too() -> None:
    ((finding,), _) = plain('<task id="t"/>', process='v:historyTimeToLive="5"')
    assert (finding.code, finding.element) == ("foreign-extension", "p")


def test_leftovers_in_a_model_of_camunda_8_are_a_warning() -> None:
    definition = '<extensionElements><z:taskDefinition type="t"/></extensionElements>'
    made = model(f'<serviceTask id="t" v:topic="pay">{definition}</serviceTask>')
    assert made.deployable
    assert codes(made) == [("foreign-extension", "t")]


def test_a_namespace_that_is_only_declared_is_silent() -> None:
    assert model('<task id="t"/>').findings == ()


def test_what_no_dialect_knows_is_a_warning_once_for_its_namespace() -> None:
    label = "<extensionElements><v:label/></extensionElements>"
    tasks = f'<task id="t" v:color="red">{label}</task><task id="u">{label}</task>'
    made = model(tasks, namespace="http://example.org/graphics")
    assert made.deployable
    assert ("unknown-namespace", "t") in codes(made)
    assert [code for code, _ in codes(made)].count("unknown-namespace") == 1


def test_a_vendors_namespace_that_is_misspelt_is_told() -> None:
    definition = '<extensionElements><v:taskDefinition type="t"/></extensionElements>'
    made = model(f'<task id="t">{definition}</task>', namespace=f"{ZEEBE}.0")
    assert codes(made) == [("unknown-namespace", "t")]
    assert "http://camunda.org/schema/zeebe/1.0.0" in made.findings[0].message
