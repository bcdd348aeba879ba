"""People that are drawn as BPMN draws them: what cannot be read is a finding."""

import pytest

from engine.model import elements as e
from engine.model.compile import CompiledResource
from tests.support.findings import codes, only_finding
from tests.support.models import bpmn, chain, compiled_resource, process, start, tag
from tests.support.vendor_models import vendor_resource


def assigned(role: str, text: str, **attributes: str) -> str:
    formal = tag("formalExpression", text, **attributes)
    return tag(role, tag("resourceAssignmentExpression", formal))


def plain(kind: str, *roles: str, resources: str = "") -> CompiledResource:
    node = tag(kind, *roles, id="ask")
    return compiled_resource(bpmn(resources, process("p", start("s"), node, chain("s", "ask"))))


def user_task(made: CompiledResource) -> e.UserTask:
    found = made.process("p").element("ask")
    assert isinstance(found, e.UserTask)
    return found


@pytest.mark.parametrize(
    ("text", "users", "groups"),
    [
        ("user(kermit), group(management)", "kermit", "management"),
        ("management", None, "management"),
        (" , user() ", None, None),
        ("user(a),user(b)", "a,b", None),
        ("group(a", None, "group(a"),
        ("a),b", None, "a),b"),
    ],
)
def test_owners_are_written_as_in_activiti(
    text: str, users: str | None, groups: str | None
) -> None:
    found = user_task(plain("userTask", assigned("potentialOwner", text)))
    assert (found.candidate_users, found.candidate_groups) == (users, groups)


def test_commas_in_expressions_do_not_part_names() -> None:
    found = user_task(plain("userTask", assigned("potentialOwner", "${who.replace('a', 'b')}")))
    assert not isinstance(found.candidate_groups, str | None)
    assert found.candidate_groups.text == "${who.replace('a', 'b')}"


def test_an_empty_role_says_nothing() -> None:
    found = user_task(plain("userTask", tag("potentialOwner"), assigned("humanPerformer", " ")))
    assert (found.assignee, found.candidate_users, found.candidate_groups) == (None, None, None)


@pytest.mark.parametrize(
    "roles",
    [
        [assigned("humanPerformer", "a"), assigned("performer", "b")],
        [assigned("humanPerformer", "a"), assigned("humanPerformer", "b")],
    ],
)
def test_only_one_can_have_a_task(roles: list[str]) -> None:
    finding = only_finding(plain("userTask", *roles))
    assert (finding.severity, finding.code, finding.element) == (
        "error", "several-assignees", "ask",
    )  # fmt: skip


def test_an_assignee_of_the_dialect_counts_and_not_the_performer() -> None:
    node = tag("userTask", assigned("humanPerformer", "a"), id="ask", **{"camunda:assignee": "b"})
    made = vendor_resource(start("s"), node, chain("s", "ask"))
    assert codes(made) == [("several-assignees", "ask")]
    assert user_task(made).assignee == "b"


def test_another_language_is_an_error() -> None:
    role = assigned("potentialOwner", "x", language="http://www.w3.org/1999/XPath")
    assert codes(plain("userTask", role)) == [("expression-language", "ask")]


def test_a_resource_that_is_not_there_is_a_group_and_a_warning() -> None:
    made = plain("userTask", tag("potentialOwner", tag("resourceRef", "t:clerks")))
    finding = only_finding(made)
    assert (finding.severity, finding.code) == ("warning", "unknown-resource")
    assert user_task(made).candidate_groups == "t:clerks"


@pytest.mark.parametrize(
    ("kind", "role", "advice"),
    [
        ("manualTask", "potentialOwner", "Only user tasks have people"),
        ("task", "humanPerformer", "Only user tasks have people"),
        ("userTask", "resourceRole", "performer"),
    ],
)
def test_people_elsewhere_are_a_warning(kind: str, role: str, advice: str) -> None:
    finding = only_finding(plain(kind, assigned(role, "a")))
    assert (finding.severity, finding.code) == ("warning", "no-effect")
    assert advice in finding.message
