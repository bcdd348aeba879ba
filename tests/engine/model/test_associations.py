"""Data associations as mappings, and what of them is a finding."""

import pytest

from engine.model import elements as e
from engine.model.compile import CompiledResource
from tests.support.findings import codes, only_finding
from tests.support.models import (
    chain,
    resource,
    service_task,
    start,
    tag,
)

DMN = "https://www.omg.org/spec/DMN/20191111/MODEL/"
LITERAL = (
    "&lt;d:literalExpression xmlns:d='u' expressionLanguage='{}'&gt;&lt;d:text&gt;a + 1"
    "&lt;/d:text&gt;&lt;/d:literalExpression&gt;"
)


def moving(*content: str, source: str = "a", target: str = "in") -> CompiledResource:
    """A task with one input association."""
    drawn = tag(
        "dataInputAssociation", tag("sourceRef", source), tag("targetRef", target), *content
    )
    task = tag("task", tag("ioSpecification", tag("dataInput", id="in", name="x")), drawn, id="t")
    return resource(tag("dataObject", id="a"), tag("dataObject", id="b"), start("s"), task,
                    chain("s", "t"))  # fmt: skip


def inputs(made: CompiledResource) -> tuple[e.Mapping, ...]:
    assert made.findings == ()
    found = made.process("p").element("t")
    assert isinstance(found, e.AbstractTask)
    return found.inputs


def test_an_arrow_to_an_input_copies() -> None:
    (mapping,) = inputs(moving())
    assert mapping.target == ("x",)
    assert not mapping.outward


@pytest.mark.parametrize("target", ["t", "in"])
def test_what_the_element_sees_anyway_is_not_copied(target: str) -> None:
    made = moving(source="t" if target == "in" else "a", target=target)
    assert inputs(made) == ()


def test_an_end_that_a_tool_put_there_for_want_of_data_is_an_arrow() -> None:
    drawn = tag("dataInputAssociation", tag("sourceRef", "a"), tag("targetRef", "q"))
    task = tag("task", tag("property", id="q", name="__targetRef_placeholder"), drawn, id="t")
    made = resource(tag("dataObject", id="a"), start("s"), task, chain("s", "t"))
    assert inputs(made) == ()


def test_a_transformation_may_be_a_literal_expression_of_dmn() -> None:
    text = LITERAL.format("https://www.omg.org/spec/DMN/20191111/FEEL/")
    (mapping,) = inputs(moving(tag("transformation", text, language=DMN)))
    assert mapping.source.text == "a + 1"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (
            tag("transformation", "a", language="http://www.w3.org/1999/XPath"),
            "expression-language",
        ),
        (tag("transformation", LITERAL.format("XPath"), language=DMN), "expression-language"),
        (tag("transformation", "no xml", language=DMN), "expression-language"),
        (tag("transformation", "=1 +"), "expression-syntax"),
        (tag("sourceRef", "b"), "several-sources"),
        (tag("assignment", tag("from", "1")), "bad-assignment"),
        (tag("assignment", tag("from", "1"), tag("to", "a b")), "bad-mapping-target"),
    ],
)
def test_what_cannot_be_moved_is_an_error(content: str, code: str) -> None:
    finding = only_finding(moving(content))
    assert (finding.severity, finding.code, finding.element) == ("error", code, "t")


def test_an_end_without_data_is_a_warning() -> None:
    made = moving(source="nothing")
    assert made.deployable
    assert codes(made) == [("no-effect", "t")]


def test_in_a_dialect_that_only_draws_data_what_would_move_is_a_warning() -> None:
    drawn = tag("dataInputAssociation", tag("targetRef", "in"), tag("transformation", "a"))
    arrow = tag("dataInputAssociation", tag("targetRef", "in"))
    task = tag("task", drawn, arrow, id="t")
    made = resource(start("s"), service_task("of-camunda-8"), task, chain("s", "of-camunda-8", "t"))
    assert made.deployable
    assert codes(made) == [("no-effect", "t")]
