"""Extensions of vendors whose dialect is not executed."""

import pytest

from engine.model.compile import CompiledResource, compile_resource
from engine.model.xml import BPMN
from engine.settings import Settings
from tests.support.findings import codes, only_finding

CAMUNDA_7 = "http://camunda.org/schema/1.0/bpmn"
FLOWABLE = "http://flowable.org/bpmn"
ZEEBE = "http://camunda.org/schema/zeebe/1.0"


def model(inner: str, *, namespace: str = CAMUNDA_7, process: str = "") -> CompiledResource:
    content = (
        f'<definitions xmlns="{BPMN}" xmlns:v="{namespace}" xmlns:z="{ZEEBE}">'
        f'<process id="p" isExecutable="true" {process}><startEvent id="s"/>{inner}'
        '<sequenceFlow id="f" sourceRef="s" targetRef="t"/></process></definitions>'
    )
    return compile_resource("foreign.bpmn", content.encode(), Settings())


@pytest.mark.parametrize("namespace", [CAMUNDA_7, FLOWABLE, "http://activiti.org/bpmn"])
@pytest.mark.parametrize(
    "task",
    [
        '<serviceTask id="t" v:class="com.example.Pay"/>',
        '<serviceTask id="t"><extensionElements><v:inputOutput/></extensionElements></serviceTask>',
    ],
)
def test_a_model_made_for_another_engine_is_an_error(namespace: str, task: str) -> None:
    finding = only_finding(model(task, namespace=namespace))
    assert (finding.code, finding.severity, finding.element) == ("foreign-extension", "error", "t")


def test_the_process_itself_may_carry_them_too() -> None:
    made = model('<task id="t"/>', process='v:historyTimeToLive="5"')
    assert codes(made) == [("foreign-extension", "p")]


def test_leftovers_in_a_model_of_camunda_8_are_a_warning() -> None:
    definition = '<extensionElements><z:taskDefinition type="t"/></extensionElements>'
    made = model(f'<serviceTask id="t" v:topic="pay">{definition}</serviceTask>')
    assert made.deployable
    assert codes(made) == [("foreign-extension", "t")]


def test_a_namespace_that_is_only_declared_is_silent() -> None:
    assert model('<task id="t"/>').findings == ()


def test_graphics_of_other_vendors_are_silent() -> None:
    label = "<extensionElements><v:label/></extensionElements>"
    task = f'<task id="t" v:color="red">{label}</task>'
    made = model(task, namespace="http://example.org/graphics")
    assert made.findings == ()
