"""What one file may ask the expression compiler for."""

import pytest
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


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("a == b", "Write equality as `=`."),
        ("a && b", "Write `and`."),
        ("a || b", "Write `or`."),
        ("a = 'b'", 'Write texts in double quotes: "a".'),
        ("1 +", "Correct it at that character."),
    ],
)
def test_an_expression_in_error_ends_with_what_to_do(text: str, advice: str) -> None:
    report = Report("x")
    assert Formulas(report).expression(Formula(text, "feel"), TASK, "condition") is None
    assert report.findings()[0].message.endswith(f". {advice}")


def test_a_call_into_java_is_told_to_be_a_job() -> None:
    report = Report("x")
    called = Formula("${orders.check(a)}", "juel")
    assert Formulas(report).expression(called, TASK, "condition") is None
    assert "Compute it in a job before" in report.findings()[0].message


def test_a_function_that_does_not_exist_is_a_warning_that_says_what_was_meant() -> None:
    report = Report("x")
    text = Formula("stringlength(a) = 3", "feel")
    assert Formulas(report).expression(text, TASK, "condition") is not None
    (finding,) = report.findings()
    assert (finding.severity, finding.code) == ("warning", "unknown-function")
    assert "Did you mean `string length`?" in finding.message


def test_functions_that_the_expression_makes_are_known() -> None:
    report = Report("x")
    text = Formula("{f: function(x) x + 1, y: f(1)}.y + count([1])", "feel")
    assert Formulas(report).expression(text, TASK, "source") is not None
    assert report.findings() == ()
