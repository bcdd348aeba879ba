"""What one file may ask the expression compiler for."""

from lxml import etree

from engine.expressions import Expression
from engine.model.extensions import Formula
from engine.model.formulas import COUNT_MAX, LENGTH_MAX, TOTAL_LENGTH_MAX, Formulas
from engine.model.report import Report
from engine.model.source import SourceElement

TASK = SourceElement(tag="task", id="t", name=None, line=1, xml=etree.Element("task"))


def test_an_expression_is_bounded_in_length() -> None:
    report = Report("x")
    formulas = Formulas(report)
    long = "1+" * (LENGTH_MAX // 2) + "11"
    assert formulas.expression(Formula(long, "feel"), TASK, "condition") is None
    (finding,) = report.findings()
    assert finding.code == "expression-syntax"
    assert str(LENGTH_MAX) in finding.message


def test_all_expressions_of_a_file_are_bounded_together() -> None:
    report = Report("x")
    formulas = Formulas(report)
    text = '"' + "x" * (TOTAL_LENGTH_MAX // 10 - 20) + '"'
    for i in range(11):
        formulas.expression(Formula(f"{text}+{i}", "feel"), TASK, f"condition {i}")
    assert report.errors == 1
    assert str(TOTAL_LENGTH_MAX) in report.findings()[0].message


def test_the_number_of_different_expressions_is_bounded_but_not_of_equal_ones() -> None:
    report = Report("x")
    formulas = Formulas(report)
    for i in range(COUNT_MAX):
        assert isinstance(formulas.expression(Formula(str(i), "feel"), TASK, "c"), Expression)
    assert isinstance(formulas.expression(Formula("1", "feel"), TASK, "c"), Expression)
    assert formulas.expression(Formula("a", "feel"), TASK, "c") is None


def test_a_text_that_says_nothing_is_none() -> None:
    formulas = Formulas(Report("x"))
    assert formulas.text(None, TASK, "assignee") is None
    assert formulas.text(Formula("", "static"), TASK, "assignee") is None
