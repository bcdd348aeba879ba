"""Who works on a user task, as BPMN itself says it, in every dialect."""

import pytest

from tests.scenarios.conftest import Scenario
from tests.support.models import chain, compiled_resource, end, process, start, tag
from tests.support.runner import Runner
from tests.support.vendor_models import vendor_file

DIALECTS = {
    "plain": {},
    "camunda 7": {"camunda:asyncBefore": "true"},
    "flowable": {"flowable:async": "true"},
    "camunda 8": {"zeebe:modelerTemplate": "none"},
}
"""What makes the file one of the dialect."""


def assigned(role: str, text: str, language: str | None = None) -> str:
    formal = tag("formalExpression", text, language=language)
    return tag(role, tag("resourceAssignmentExpression", formal))


def referred(role: str, resource: str, *bindings: str) -> str:
    return tag(role, tag("resourceRef", resource), *bindings)


def binding(parameter: str, expression: str) -> str:
    return tag(
        "resourceParameterBinding", tag("formalExpression", expression), parameterRef=parameter
    )


def model(*roles: str, resources: str = "", **attributes: str) -> bytes:
    node = tag("userTask", *roles, id="ask", **attributes)
    return vendor_file(resources, process("p", start("s"), node, end("e"), chain("s", "ask", "e")))


def running(scenario: Scenario, content: bytes, variables: str = "{}") -> Runner:
    made = compiled_resource(content)
    assert made.findings == ()
    run = scenario(made.process("p"))
    run.start("p", variables=variables)
    return run


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_human_performer_has_the_task(scenario: Scenario, dialect: str) -> None:
    run = running(scenario, model(assigned("humanPerformer", "ann"), **DIALECTS[dialect]))
    assert run.task("ask").assignee == "ann"
    run.complete_task("ask")
    run.assert_nothing_left()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_potential_owners_are_users_and_groups(scenario: Scenario, dialect: str) -> None:
    owners = assigned("potentialOwner", "user(ann), group(sales), bosses ,user( bob )")
    found = running(scenario, model(owners, **DIALECTS[dialect])).task("ask")
    assert (found.assignee, found.candidate_users) == (None, ("ann", "bob"))
    assert found.candidate_groups == ("sales", "bosses")


def test_owners_may_be_expressions_beside_others(scenario: Scenario) -> None:
    owners = assigned("potentialOwner", "user(${users}), group(${g}), sales")
    content = model(owners, assigned("potentialOwner", "${more}"))
    variables = '{"users": ["ann", "bob"], "g": "x, y", "more": null}'
    found = running(scenario, content, variables).task("ask")
    assert found.candidate_users == ("ann", "bob")
    assert found.candidate_groups == ("x", "y", "sales")


@pytest.mark.parametrize(
    ("text", "language"),
    [("=if big then boss else clerk", None), ("if big then boss else clerk", "feel")],
)
def test_an_expression_in_feel_names_the_one_who_has_it(
    scenario: Scenario, text: str, language: str | None
) -> None:
    content = model(assigned("performer", text, language))
    run = running(scenario, content, '{"big": true, "boss": "ann", "clerk": "bob"}')
    assert run.task("ask").assignee == "ann"


def test_what_the_dialect_says_and_what_bpmn_says_are_one_list(scenario: Scenario) -> None:
    own = {"camunda:candidateGroups": "a, ${b}", "camunda:candidateUsers": "ann,bob"}
    content = model(assigned("potentialOwner", "user(cid), group(c)"), **own)
    found = running(scenario, content, '{"b": "b"}').task("ask")
    assert found.candidate_users == ("ann", "bob", "cid")
    assert found.candidate_groups == ("a", "b", "c")


def test_a_resource_is_a_group_by_its_name(scenario: Scenario) -> None:
    resources = tag("resource", id="r", name="Sales, North") + tag("resource", id="q")
    roles = [referred("potentialOwner", "r"), referred("performer", "q")]
    found = running(scenario, model(*roles, resources=resources)).task("ask")
    assert found.candidate_groups == ("Sales, North", "q")
    assert found.assignee is None


def test_parameters_of_a_resource_make_it_another_group(scenario: Scenario) -> None:
    parameters = tag("resourceParameter", id="p1", name="region") + tag(
        "resourceParameter", id="p2", name="level"
    )
    resources = tag("resource", parameters, id="r", name="Buyer")
    role = referred("humanPerformer", "r", binding("p1", "order.region"), binding("p2", "2"))
    run = running(
        scenario, model(role, resources=resources), '{"order": {"region": "north, east"}}'
    )
    assert run.task("ask").candidate_groups == ("Buyer(region=north, east;level=2)",)


def test_a_parameter_without_a_value_is_an_incident_that_names_it(scenario: Scenario) -> None:
    resources = tag("resource", tag("resourceParameter", id="p1", name="region"), id="r", name="B")
    role = referred("potentialOwner", "r", binding("p1", "region"))
    run = running(scenario, model(role, resources=resources))
    assert "'region'" in run.incident().message
    run.resolve(variables='{"region": "north"}')
    assert run.task("ask").candidate_groups == ("B(region=north)",)
