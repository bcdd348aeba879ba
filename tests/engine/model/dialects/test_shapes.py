"""What stands inside of extension elements: a misspelt name is told what was meant."""

import pytest

from engine.errors import Finding
from engine.model.dialects import camunda7_audit, flowable_audit
from engine.model.dialects.audit import Vocabulary
from tests.support.findings import only_finding
from tests.support.models import chain, extensions, start, tag
from tests.support.vendor_models import vendor_resource

PLATFORM = "Camunda Platform"


def said(kind: str, part: str, platform: str | None, **attributes: str) -> Finding:
    node = tag(kind, extensions(part), id="x", **attributes)
    return only_finding(vendor_resource(start("s"), node, chain("s", "x"), platform=platform))


CALL = {"calledElement": "q"}
WORK = {"camunda:class": "A"}
ASKED = {"flowable:class": "A"}
FORM = '<camunda:formData><camunda:formField id="f" typ="string"/></camunda:formData>'
VALIDATED = (
    '<camunda:formData><camunda:formField id="f"><camunda:validation><camunda:constraint'
    ' nmae="required"/></camunda:validation></camunda:formField></camunda:formData>'
)


@pytest.mark.parametrize(
    ("kind", "part", "attributes", "unknown", "meant"),
    [
        ("callActivity", '<camunda:in sorce="a" source="a" target="b"/>', CALL, "sorce", "source"),
        (
            "task",
            '<camunda:inputOutput><camunda:inputParamter name="a">1</camunda:inputParamter>'
            "</camunda:inputOutput>",
            {},
            "camunda:inputParamter",
            "camunda:inputParameter",
        ),
        (
            "task",
            '<camunda:inputOutput><camunda:inputParameter name="a"><camunda:lst/>'
            "</camunda:inputParameter></camunda:inputOutput>",
            {},
            "camunda:lst",
            "camunda:list",
        ),
        (
            "task",
            '<camunda:inputOutput><camunda:inputParameter name="a"><camunda:map>'
            '<camunda:entry ky="k">1</camunda:entry></camunda:map></camunda:inputParameter>'
            "</camunda:inputOutput>",
            {},
            "ky",
            "key",
        ),
        (
            "serviceTask",
            '<camunda:field name="a" stringValu="b"/>',
            WORK,
            "stringValu",
            "stringValue",
        ),
    ],
)
def test_a_misspelt_name_in_camunda_7_is_an_error(
    kind: str, part: str, attributes: dict[str, str], unknown: str, meant: str
) -> None:
    finding = said(kind, part, PLATFORM, **attributes)
    assert (finding.severity, finding.code) == ("error", "unsupported-extension")
    assert finding.element == "x"
    assert unknown in finding.message
    assert f"Did you mean `{meant}`?" in finding.message


@pytest.mark.parametrize(
    ("kind", "part", "attributes", "unknown", "meant"),
    [
        ("callActivity", '<flowable:in sorceExpression="${a}" source="a" target="b"/>', CALL,
         "sorceExpression", "sourceExpression"),
        ("serviceTask", '<flowable:field name="a"><flowable:strng>b</flowable:strng>'
         "</flowable:field>", ASKED, "flowable:strng", "flowable:string"),
        ("serviceTask", '<activiti:field nam="a" stringValue="b"/>', ASKED, "nam", "name"),
    ],
)  # fmt: skip
def test_a_misspelt_name_in_flowable_is_an_error(
    kind: str, part: str, attributes: dict[str, str], unknown: str, meant: str
) -> None:
    finding = said(kind, part, None, **attributes)
    assert (finding.severity, finding.code) == ("error", "unsupported-extension")
    assert unknown in finding.message
    assert f"Did you mean `{meant}`?" in finding.message


def test_a_part_without_a_prefix_is_looked_at_too() -> None:
    loop = tag(
        "multiInstanceLoopCharacteristics",
        extensions(
            '<flowable:variableAggregation target="t"><variable sorce="a" source="a"/>'
            "</flowable:variableAggregation>"
        ),
        **{"flowable:collection": "c"},
    ).replace("<variable", "<bpmn:variable")
    node = tag("userTask", loop, id="x")
    finding = only_finding(vendor_resource(start("s"), node, chain("s", "x"), platform=None))
    assert "Did you mean `source`?" in finding.message


def test_what_stands_in_a_form_is_looked_at_although_forms_have_no_effect() -> None:
    for part, meant in ((FORM, "type"), (VALIDATED, "name")):
        node = tag("userTask", extensions(part), id="x")
        made = vendor_resource(start("s"), node, chain("s", "x"))
        errors = [found.message for found in made.findings if found.severity == "error"]
        assert len(errors) == 1
        assert f"Did you mean `{meant}`?" in errors[0]


def test_attributes_and_parts_of_other_namespaces_are_left_alone() -> None:
    part = (
        '<camunda:properties xmlns:o="urn:other"><camunda:property name="a" value="b" o:new="1"/>'
        "<o:thing/></camunda:properties>"
    )
    node = tag("task", extensions(part), id="x")
    assert vendor_resource(start("s"), node, chain("s", "x")).findings == ()


@pytest.mark.parametrize("vocabulary", [camunda7_audit.VOCABULARY, flowable_audit.VOCABULARY])
def test_every_element_that_is_not_refused_has_a_shape(vocabulary: Vocabulary) -> None:
    for name, rules in vocabulary.elements.items():
        always_refused = all(rule.effect == "refused" for rule in rules)
        assert always_refused or name in vocabulary.shapes, name


@pytest.mark.parametrize("vocabulary", [camunda7_audit.VOCABULARY, flowable_audit.VOCABULARY])
def test_every_part_that_may_stand_somewhere_has_a_shape(vocabulary: Vocabulary) -> None:
    shapes = [*vocabulary.shapes.values(), *vocabulary.parts.values()]
    assert {child for shape in shapes for child in shape.children} <= vocabulary.parts.keys()
