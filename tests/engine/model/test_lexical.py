"""Attributes that must be true or false, or a number."""

import pytest
from lxml import etree

from engine.model.compile import compile_resource
from engine.model.lexical import check_values
from engine.model.report import Report
from engine.model.source import source_element
from engine.model.xml import BPMN
from engine.settings import Settings
from tests.support.findings import codes


def found(inner: str) -> list[tuple[str, str | None]]:
    content = f'<process xmlns="{BPMN}" id="p">{inner}</process>'.encode()
    report = Report("values.bpmn")
    check_values([source_element(etree.fromstring(content), "process")], content, report)
    return [(finding.code, finding.element) for finding in report.findings()]


@pytest.mark.parametrize(
    "inner",
    [
        '<task id="t"><multiInstanceLoopCharacteristics isSequential="x"/></task>',
        '<subProcess id="t" triggeredByEvent="True"/>',
        '<startEvent id="t" isInterrupting=""/>',
        '<boundaryEvent id="t" cancelActivity="no"/>',
        '<dataStore id="t" capacity="many"/>',
    ],
)
def test_what_is_no_value_of_its_type_is_an_error(inner: str) -> None:
    assert found(inner) == [("bad-attribute", "t")]


@pytest.mark.parametrize("value", ["true", "false", "1", "0", " true "])
def test_what_is_true_or_false_is_fine(value: str) -> None:
    assert found(f'<task id="t" isForCompensation="{value}"/>') == []


def test_attributes_of_others_may_have_any_value() -> None:
    assert (
        found('<task id="t" xmlns:v="urn:v" v:isSequential="x"><v:a isSequential="x"/></task>')
        == []
    )


def test_a_process_that_is_executable_perhaps_is_an_error() -> None:
    content = f'<definitions xmlns="{BPMN}"><process id="p" isExecutable="yes"/></definitions>'
    assert ("bad-attribute", "p") in codes(
        compile_resource("values.bpmn", content.encode(), Settings())
    )
