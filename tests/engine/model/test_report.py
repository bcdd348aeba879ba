"""Findings: where they point, in which order, each once."""

from lxml import etree

from engine.model.report import FINDINGS_MAX, Report, quote
from engine.model.source import SourceElement


def element(element_id: str = "pay", line: int = 7) -> SourceElement:
    return SourceElement(
        tag="task", id=element_id, name="Pay", line=line, xml=etree.Element("task")
    )


def test_a_finding_names_resource_element_name_and_line() -> None:
    report = Report("order.bpmn")
    report.error("code", "Sentence.", element())
    (finding,) = report.findings()
    assert (finding.severity, finding.code, finding.message) == ("error", "code", "Sentence.")
    assert (finding.resource, finding.element, finding.name) == ("order.bpmn", "pay", "Pay")
    assert finding.line == 7


def test_a_closer_line_wins_over_that_of_the_element() -> None:
    report = Report("order.bpmn")
    report.warning("code", "Sentence.", element(), 9)
    report.error("code", "Sentence.", line=3)
    report.error("code", "Of the file.")
    assert [finding.line for finding in report.findings()] == [None, 3, 9]


def test_an_element_without_an_id_is_named_by_its_line_only() -> None:
    report = Report("order.bpmn")
    report.error("missing-id", "Sentence.", element(""))
    assert report.findings()[0].element is None


def test_findings_come_in_the_order_of_their_lines() -> None:
    report = Report("order.bpmn")
    for line in (9, 2, 5):
        report.error("code", "Sentence.", element(line=line))
    assert [finding.line for finding in report.findings()] == [2, 5, 9]


def test_what_is_found_twice_is_said_once() -> None:
    report = Report("order.bpmn")
    report.error("code", "Sentence.", element())
    report.error("code", "Sentence.", element())
    assert len(report.findings()) == 1


def test_findings_are_bounded_and_the_cut_is_an_error() -> None:
    report = Report("order.bpmn")
    for line in range(1, 2 * FINDINGS_MAX):
        report.warning("code", "Sentence.", element(line=line))
    findings = report.findings()
    assert len(findings) == FINDINGS_MAX + 1
    assert [finding.code for finding in findings if finding.severity == "error"] == [
        "too-many-findings"
    ]
    assert report.errors == 1


def test_a_quotation_is_short_and_on_one_line() -> None:
    assert quote("a\n  b") == "'a b'"
    assert len(quote("long " * 1000)) == 82


def test_a_finding_stays_small_whatever_the_file_is_called() -> None:
    report = Report("order.bpmn")
    report.error("code", "x" * 5_000, element("i" * 5_000))
    (finding,) = report.findings()
    assert len(finding.message) == 1_000
    assert len(finding.element or "") == 255
