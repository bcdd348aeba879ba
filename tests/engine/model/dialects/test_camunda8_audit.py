"""No extension of Camunda 8, and no part of one, is passed over."""

import pytest

from engine.model.dialects import camunda8, camunda8_audit
from tests.support.findings import only_finding
from tests.support.models import chain, extension, extensions, resource, start, tag

WORK = extension("taskDefinition", type="t")


def said(kind: str, *content: str, **attributes: str) -> tuple[str, str | None, str]:
    """The one finding about an element with these extensions."""
    drawn = tag(kind, extensions(*content), id="x", **attributes)
    finding = only_finding(resource(start("s"), drawn, chain("s", "x")))
    return finding.severity, finding.element, finding.message


@pytest.mark.parametrize(
    ("kind", "content", "unknown", "meant"),
    [
        ("serviceTask", [extension("taskDefinition", type="t", retires="5")], "retires", "retries"),
        (
            "userTask",
            [extension("assignmentDefinition", candidateGroup="x")],
            "candidateGroup",
            "candidateGroups",
        ),
        (
            "serviceTask",
            [WORK, extension("ioMapping", extension("input", sorce="=1", source="=1", target="a"))],
            "sorce",
            "source",
        ),
        ("serviceTask", [WORK, extension("ioMaping")], "zeebe:ioMaping", "zeebe:ioMapping"),
        (
            "serviceTask",
            [WORK, extension("ioMapping", extension("inptu", source="=1", target="a"))],
            "zeebe:inptu",
            "zeebe:input",
        ),
    ],
)
def test_a_misspelt_name_is_an_error_that_says_what_was_meant(
    kind: str, content: list[str], unknown: str, meant: str
) -> None:
    severity, element, message = said(kind, *content)
    assert (severity, element) == ("error", "x")
    assert unknown in message
    assert f"Did you mean `{meant}`?" in message


def test_an_unknown_element_is_an_error_even_if_it_is_empty() -> None:
    severity, element, message = said("serviceTask", WORK, extension("foo"))
    assert (severity, element) == ("error", "x")
    assert message == "zeebe:foo is not known to this engine. Remove it."


def test_an_unknown_attribute_of_an_element_is_an_error() -> None:
    severity, _, message = said("serviceTask", WORK, **{"zeebe:modelerTemplat": "x"})
    assert severity == "error"
    assert "Did you mean `zeebe:modelerTemplate`?" in message


def test_notes_of_the_modeler_are_no_finding() -> None:
    notes = {"zeebe:modelerConfigurationTemplate": "slack:1", "modelerConfigurationName": "Ours"}
    drawn = tag(
        "serviceTask",
        extensions(
            WORK,
            extension("agentDefinition", agentType="aiAgentTask"),
            extension("ioMapping", extension("input", source="=1", target="a", **notes)),
            extension("properties", extension("property", name="a", value="b", **notes)),
        ),
        id="x",
        **{"zeebe:modelerTemplate": "t", "zeebe:retryCounter": "3"},
    )
    assert resource(start("s"), drawn, chain("s", "x")).findings == ()


def test_the_binding_of_a_form_is_a_warning() -> None:
    form = extension("formDefinition", formId="f", bindingType="deployment")
    severity, element, message = said("userTask", form)
    assert (severity, element) == ("warning", "x")
    assert "bindingType" in message


MODDLE = {
    "adHoc": "activeElementsCollection outputCollection outputElement",
    "agentDefinition": "agentType",
    "assignmentDefinition": "assignee candidateGroups candidateUsers",
    "calledDecision": "decisionId resultVariable bindingType versionTag",
    "calledElement": "processId businessId propagateAllChildVariables propagateAllParentVariables"
    " bindingType versionTag",
    "conditionalFilter": "variableNames variableEvents",
    "executionListener": "eventType retries type",
    "executionListeners": "",
    "formDefinition": "formKey formId externalReference bindingType versionTag",
    "header": "id key value",
    "input": "source target modelerConfigurationTemplate modelerConfigurationName",
    "ioMapping": "",
    "jobPriorityDefinition": "priority",
    "linkedResource": "resourceId resourceType linkName bindingType versionTag",
    "linkedResources": "",
    "loopCharacteristics": "inputCollection inputElement outputCollection outputElement",
    "output": "source target",
    "priorityDefinition": "priority",
    "properties": "",
    "property": "name value modelerConfigurationTemplate modelerConfigurationName",
    "script": "expression resultVariable",
    "subscription": "correlationKey",
    "taskDefinition": "type retries",
    "taskHeaders": "",
    "taskListener": "eventType retries type",
    "taskListeners": "",
    "taskSchedule": "dueDate followUpDate",
    "userTask": "",
    "userTaskForm": "id",
    "versionTag": "value",
}
"""What zeebe-bpmn-moddle lets models of Camunda 8.10 say, but for `processIdExpression` of a called
element, which Zeebe does not read either."""


@pytest.mark.parametrize("name", MODDLE)
def test_all_that_the_modeler_writes_is_known(name: str) -> None:
    known = {**camunda8_audit.ELEMENTS, **camunda8_audit._PARTS}[name]
    assert {*MODDLE[name].split()} <= {*known.attributes, *known.warned}


def test_every_extension_that_is_translated_is_known() -> None:
    translated = camunda8._TRANSLATIONS.keys() | camunda8._SILENT | camunda8._WARNED
    assert translated <= camunda8_audit.ELEMENTS.keys()
