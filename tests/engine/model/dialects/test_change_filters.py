"""Which changes of variables a conditional event heeds, in the dialects that say it."""

import pytest

from engine.model.elements import ChangeFilter, ConditionTrigger, ProcessModel, trigger_of
from tests.support.findings import codes, only_finding
from tests.support.models import (
    catch,
    chain,
    compiled,
    conditional_event,
    resource,
    start,
)
from tests.support.vendor_models import vendor_model


def heeded(model: ProcessModel, element_id: str) -> ChangeFilter | None:
    trigger = trigger_of(model.element(element_id))
    assert isinstance(trigger, ConditionTrigger)
    return trigger.filter


@pytest.mark.parametrize(
    ("heeds", "on", "expected"),
    [
        (None, None, None),
        ("a", None, ChangeFilter(names=("a",))),
        ("b, a", "create,update", None),  # nothing else can make it true
        ("a, b", "create", ChangeFilter(names=("a", "b"), updated=False)),
        (None, "update", ChangeFilter(created=False)),
        (None, "update, create", None),
    ],
)
def test_a_filter_is_kept_where_it_tells_changes_apart(
    heeds: str | None, on: str | None, expected: ChangeFilter | None
) -> None:
    event = catch("wait", conditional_event("=a > b", heeds=heeds, on=on))
    assert heeded(compiled(start("s"), event, chain("s", "wait")), "wait") == expected


@pytest.mark.parametrize(("heeds", "on"), [("1st", None), ("a b", None), ("a", "created")])
def test_what_is_misspelt_is_an_error(heeds: str, on: str | None) -> None:
    event = catch("wait", conditional_event("=a > b", heeds=heeds, on=on))
    finding = only_finding(resource(start("s"), event, chain("s", "wait")))
    assert (finding.code, finding.severity, finding.element) == (
        "bad-change-filter",
        "error",
        "wait",
    )


def test_where_a_condition_starts_a_process_only_names_have_an_effect() -> None:
    made = resource(start("s", conditional_event("=a > b", heeds="a, b", on="create")))
    assert codes(made) == [("no-effect", "s")]
    assert heeded(made.processes[0], "s") == ChangeFilter(names=("a", "b"))


def test_camunda_7_writes_it_otherwise() -> None:
    event = (
        '<bpmn:intermediateCatchEvent id="wait"><bpmn:conditionalEventDefinition'
        ' camunda:variableName="a" camunda:variableEvents="create, delete">'
        "<bpmn:condition>${a &gt; b}</bpmn:condition>"
        "</bpmn:conditionalEventDefinition></bpmn:intermediateCatchEvent>"
    )
    model = vendor_model("camunda", start("s"), event, chain("s", "wait"))
    assert heeded(model, "wait") == ChangeFilter(names=("a",), updated=False)
