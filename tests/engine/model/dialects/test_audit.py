"""No extension of a vendor is passed over."""

import pytest
from lxml import etree

from engine.errors import Finding
from engine.model.dialects import camunda7_audit, flowable_audit
from engine.model.dialects.audit import Rule, Vocabulary, audit
from engine.model.report import Report
from engine.model.source import source_element
from engine.model.xml import BPMN

VENDOR = "http://example.org/vendor"
VOCABULARY = Vocabulary(
    prefixes={VENDOR: "v"},
    attributes={
        "runs": (Rule("translated", frozenset({"task"})),),
        "fine": (Rule("accepted"),),
        "vain": (Rule("warned", None, "Remove it.", frozenset({"false"})),),
        "wrong": (Rule("refused", frozenset({"task"}), "Draw it."), Rule("accepted")),
    },
    elements={"part": (Rule("refused", None, "Draw it."),)},
)


def findings(inner: str) -> list[tuple[str, str, str | None]]:
    root = etree.fromstring(f'<process xmlns="{BPMN}" xmlns:v="{VENDOR}" id="p">{inner}</process>')
    report = Report("audit.bpmn")
    audit(VOCABULARY, [source_element(root, "process")], report)
    return [(found.severity, found.code, found.element) for found in report.findings()]


@pytest.mark.parametrize(
    ("inner", "found"),
    [
        ('<task id="t" v:runs="1" v:fine="1"/>', []),
        ('<task id="t" v:vain="false" v:wrong=" "/>', []),
        ('<gateway id="g" v:wrong="1"/>', []),
        ('<task id="t" v:vain="1"/>', [("warning", "no-effect", "t")]),
        ('<gateway id="g" v:runs="1"/>', [("warning", "no-effect", "g")]),
        ('<task id="t" v:wrong="1"/>', [("error", "unsupported-extension", "t")]),
        ('<task id="t" v:new="1"/>', [("error", "unsupported-extension", "t")]),
        (
            '<task id="t"><extensionElements><v:part>x</v:part></extensionElements></task>',
            [("error", "unsupported-extension", "t")],
        ),
        ('<task id="t"><extensionElements><v:part/></extensionElements></task>', []),
        (
            '<task id="t"><extensionElements><!-- a --><v:new a="1"/></extensionElements></task>',
            [("error", "unsupported-extension", "t")],
        ),
        (
            '<event id="e"><timerEventDefinition id="d" v:new="1"/></event>',
            [("error", "unsupported-extension", "e")],
        ),
        (
            '<extensionElements><v:new a="1"/></extensionElements>',
            [
                ("error", "unsupported-extension", "p"),
            ],
        ),
    ],
)
def test_each_extension_is_translated_accepted_or_reported(
    inner: str, found: list[tuple[str, str, str | None]]
) -> None:
    assert findings(inner) == found


def test_findings_say_what_to_do_and_where() -> None:
    root = etree.fromstring(
        f'<process xmlns="{BPMN}" xmlns:v="{VENDOR}" id="p">\n<task id="t" v:vain="1"/></process>'
    )
    report = Report("audit.bpmn")
    audit(VOCABULARY, [source_element(root, "process")], report)
    assert report.findings() == (
        Finding(
            severity="warning",
            code="no-effect",
            message="v:vain has no effect. Remove it.",
            resource="audit.bpmn",
            element="t",
            line=2,
        ),
    )


@pytest.mark.parametrize("vocabulary", [camunda7_audit.VOCABULARY, flowable_audit.VOCABULARY])
def test_whoever_is_refused_is_told_in_a_sentence(vocabulary: Vocabulary) -> None:
    rules = [*vocabulary.attributes.values(), *vocabulary.elements.values()]
    assert all(rule.advice.endswith(".") for each in rules for rule in each)


@pytest.mark.parametrize("inner", ["<v:part2/>", "<v:new/>"])
def test_an_unknown_element_is_reported_even_if_it_is_empty(inner: str) -> None:
    drawn = f'<task id="t"><extensionElements>{inner}</extensionElements></task>'
    assert findings(drawn) == [("error", "unsupported-extension", "t")]


@pytest.mark.parametrize(
    ("drawn", "meant"),
    [
        ('<task id="t" v:fin="1"/>', "v:fine"),
        ('<task id="t"><extensionElements><v:prat/></extensionElements></task>', "v:part"),
    ],
)
def test_a_misspelt_extension_is_told_what_was_meant(drawn: str, meant: str) -> None:
    root = etree.fromstring(f'<process xmlns="{BPMN}" xmlns:v="{VENDOR}" id="p">{drawn}</process>')
    report = Report("audit.bpmn")
    audit(VOCABULARY, [source_element(root, "process")], report)
    assert f"Did you mean `{meant}`?" in report.findings()[0].message
