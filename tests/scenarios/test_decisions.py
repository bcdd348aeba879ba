"""Decisions that tasks evaluate: versions, results, failures, in each dialect's way."""

import pytest

from engine import commands as c
from engine import events as e
from engine.lifecycle import InstanceState
from engine.model.elements import ProcessModel
from engine.settings import Settings
from tests.scenarios.conftest import Scenario
from tests.support.decisions import (
    camunda7,
    camunda8,
    decision,
    dmn,
    input_data,
    knowledge,
    knows,
    literal,
    needs,
    table,
    tag,
)
from tests.support.models import (
    chain,
    compiled,
    decision_task,
    end,
    looped,
    multi_instance,
    service_task,
    start,
    user_task,
)
from tests.support.runner import Runner
from tests.support.vendor_models import vendor_model

RATE = camunda8(
    input_data("amount"),
    decision(
        "Rate",
        table(["amount"], ["rate"], [["< 100", "0.1"], [">= 100", "0.25"]]),
        needs("(amount)"),
    ),
)


def rate(number: str, version_tag: str | None = None) -> bytes:
    """A decision that always gives a number."""
    content = camunda8(decision("Rate", literal(number)))
    if version_tag is None:
        return content
    mark = (
        '<extensionElements><zeebe:versionTag xmlns:zeebe="http://camunda.org/schema/zeebe/1.0"'
        f' value="{version_tag}"/></extensionElements><literalExpression'
    )
    return content.replace(b"<literalExpression", mark.encode(), 1)


def calling(*parts: str) -> ProcessModel:
    """A process that evaluates a decision at `decide`, and then asks somebody."""
    return compiled(
        start("s"), *parts, user_task("ask"), end("e"), chain("s", "decide", "ask", "e")
    )


CALLER = calling(decision_task("decide", "Rate", result="rate"))


def evaluated(run: Runner, instance_id: str = "a") -> list[tuple[str, int]]:
    """The decisions that history says were evaluated, with their versions."""
    return [
        (event.decision_id, event.version)
        for event in run.events(instance_id)
        if isinstance(event, e.DecisionEvaluated)
    ]


def test_a_task_evaluates_a_decision_with_the_variables_it_sees(scenario: Scenario) -> None:
    run = scenario(CALLER)
    run.deploy_decisions(RATE)
    run.start("p", "a", '{"amount": 99.5}')
    run.start("p", "b", '{"amount": 100}')
    assert run.variables("a") == {"amount": "99.5", "rate": "0.1"}
    assert run.variables("b")["rate"] == "0.25"
    assert run.jobs() == []
    assert evaluated(run) == [("Rate", 1)]
    run.complete_task("ask")
    assert run.state() is InstanceState.COMPLETED


def test_required_decisions_and_knowledge_are_evaluated_with_it(scenario: Scenario) -> None:
    run = scenario(CALLER)
    run.deploy_decisions(
        dmn(
            input_data("amount"),
            knowledge("Half", ["x"], literal("x / 2")),
            decision("Base", literal("Half(amount)"), needs("(amount)") + knows("Half")),
            decision("Rate", literal("Base + 1"), needs("Base")),
        )
    )
    run.start("p", variables='{"amount": 5}')
    assert run.variables()["rate"] == "3.5"


def test_a_model_that_was_deployed_with_another_is_imported(scenario: Scenario) -> None:
    run = scenario(CALLER)
    run.deploy_decisions(
        dmn(
            tag("import", name="lib", namespace="urn:lib"),
            decision(
                "Rate",
                literal("lib.Base * 2"),
                tag("informationRequirement", tag("requiredDecision", href="urn:lib#Base")),
            ),
        ),
        dmn(decision("Base", literal("21")), namespace="urn:lib"),
    )
    run.start("p")
    assert run.variables()["rate"] == "42"


def test_an_expression_may_name_the_decision(scenario: Scenario) -> None:
    run = scenario(calling(decision_task("decide", '="Ra" + suffix', result="rate")))
    run.deploy_decisions(rate("7"))
    run.start("p", variables='{"suffix": "te"}')
    assert run.variables()["rate"] == "7"


def test_inputs_are_the_decisions_own_and_outputs_choose_what_is_kept(scenario: Scenario) -> None:
    task = decision_task(
        "decide", "Rate", inputs={"amount": "=order.total"}, outputs={"kept": "=result * 100"}
    )
    run = scenario(calling(task))
    run.deploy_decisions(RATE)
    run.start("p", variables='{"order": {"total": 500}}')
    assert run.variables() == {"order": '{"total":500}', "kept": "25"}


def test_each_iteration_of_a_loop_evaluates_it(scenario: Scenario) -> None:
    many = multi_instance(over="=amounts", item="amount", output="=rate", into="rates")
    run = scenario(calling(looped(decision_task("decide", "Rate", result="rate"), many)))
    run.deploy_decisions(RATE)
    run.start("p", variables='{"amounts": [1, 200, 3]}')
    assert run.variables()["rates"] == "[0.1,0.25,0.1]"
    assert evaluated(run) == [("Rate", 1)] * 3


def test_several_decisions_of_several_files_are_evaluated_in_one_transition(
    scenario: Scenario,
) -> None:
    model = compiled(
        start("s"),
        *(decision_task(name, name, result=name) for name in ("A", "B", "C")),
        user_task("ask"),
        chain("s", "A", "B", "C", "ask"),
    )
    run = scenario(model)
    run.deploy_decisions(*(camunda8(decision(name, literal(f'"{name}"'))) for name in "ABC"))
    run.start("p")
    assert run.variables() == {"A": '"A"', "B": '"B"', "C": '"C"'}


# --- versions ---


def test_the_latest_version_is_that_of_the_moment(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            user_task("first"),
            decision_task("decide", "Rate", result="rate"),
            user_task("ask"),
            chain("s", "first", "decide", "ask"),
        )
    )
    run.deploy_decisions(rate("1"))
    run.start("p")
    run.deploy_decisions(rate("2"))
    run.complete_task("first")
    assert run.variables()["rate"] == "2"
    assert evaluated(run) == [("Rate", 2)]


def test_a_version_tag_names_the_latest_version_that_has_it(scenario: Scenario) -> None:
    task = decision_task("decide", "Rate", binding="versionTag", version_tag="stable")
    run = scenario(calling(task))
    for content in (rate("1", "stable"), rate("2", "stable"), rate("3")):
        run.deploy_decisions(content)
    run.start("p")
    assert run.variables()["result"] == "2"


def test_the_callers_deployment_is_as_it_was_when_that_was_complete(scenario: Scenario) -> None:
    run = scenario()
    run.deploy_decisions(rate("1"))
    run.deploy(calling(decision_task("decide", "Rate", binding="deployment")))
    run.deploy_decisions(rate("2"))
    run.start("p")
    assert run.variables()["result"] == "1"


# --- failures ---


def test_an_unknown_decision_is_an_incident_until_it_is_deployed(scenario: Scenario) -> None:
    run = scenario(CALLER)
    run.start("p")
    incident = run.incident()
    assert (incident.kind, incident.step) == ("DECISION_FAILED", "run")
    assert "'Rate'" in incident.message
    assert "'decide'" in incident.message
    run.deploy_decisions(rate("5"))
    run.resolve()
    assert run.variables()["rate"] == "5"


def test_a_version_tag_that_none_has_is_an_incident(scenario: Scenario) -> None:
    run = scenario(calling(decision_task("decide", "Rate", binding="versionTag", version_tag="x")))
    run.deploy_decisions(rate("1"))
    run.start("p")
    assert "with the version tag 'x'" in run.incident().message


def test_a_failed_evaluation_names_decision_element_and_what_is_missing(
    scenario: Scenario,
) -> None:
    run = scenario(CALLER)
    run.deploy_decisions(
        dmn(
            input_data("amount"),
            decision(
                "Rate",
                table(["amount"], ["rate"], [["-", "1"], ["null", "2"]]),
                needs("(amount)"),
            ),
        )
    )
    run.start("p")
    incident = run.incident()
    assert incident.kind == "DECISION_FAILED"
    assert "'Rate' version 1" in incident.message
    assert "'decide'" in incident.message
    assert incident.message.endswith("both match; missing: amount.")
    assert evaluated(run) == []
    run.accept(c.SetVariables(instance_id="a", variables='{"amount": 3}'))
    run.resolve()
    assert run.variables()["rate"] == "1"


def test_a_failed_evaluation_is_repaired_by_another_version(scenario: Scenario) -> None:
    run = scenario(CALLER)
    run.deploy_decisions(dmn(decision("Rate", table(["1"], ["rate"], [["1", "1"], ["1", "2"]]))))
    run.start("p")
    assert run.incident().kind == "DECISION_FAILED"
    run.deploy_decisions(rate("5"))
    run.resolve()
    assert run.variables()["rate"] == "5"
    assert evaluated(run) == [("Rate", 2)]


def test_a_decision_that_takes_too_long_is_stopped(scenario: Scenario) -> None:
    run = scenario(CALLER, settings=Settings(expression_steps_max=1_000))
    run.deploy_decisions(
        dmn(decision("Rate", literal("count(for i in 1..1000, j in 1..1000 return i * j)")))
    )
    run.start("p")
    assert run.incident().kind == "DECISION_FAILED"
    assert "1000 steps" in run.incident().message


def test_now_is_the_commands_and_the_zone_the_namespaces(scenario: Scenario) -> None:
    run = scenario(CALLER, settings=Settings(zone="Europe/Berlin"))
    run.deploy_decisions(dmn(decision("Rate", literal("string(now())"))))
    run.start("p")
    assert run.variables()["rate"] == '"2023-11-14T23:13:20@Europe/Berlin"'


def test_a_result_that_is_too_large_is_an_incident_and_leaves_nothing(scenario: Scenario) -> None:
    run = scenario(CALLER, settings=Settings(variables_bytes_max=1_000))
    run.deploy_decisions(dmn(decision("Rate", literal("for i in 1..999 return i"))))
    run.start("p")
    assert run.incident().kind == "TOO_LARGE"
    assert evaluated(run) == []


# --- Camunda 7 ---

HITS = camunda7(
    decision(
        "Rate",
        table(
            ["amount"],
            ["rate", "level"],
            [["> 0", "1", '"low"'], ["> 10", "2", '"high"']],
            policy="COLLECT",
        ),
    ),
    decision(
        "Level", table(["amount"], ["level"], [["> 0", "1"], ["> 10", "2"]], policy="COLLECT")
    ),
)


def by_reference(decision_id: str = "Rate", **attributes: str) -> ProcessModel:
    """Camunda 7: a decision by reference, evaluated into `result`."""
    given = {"camunda:decisionRef": decision_id, "camunda:resultVariable": "result"}
    given |= {f"camunda:{name}": value for name, value in attributes.items()}
    return vendor_model(
        start("s"),
        tag("bpmn:businessRuleTask", id="decide", **given),
        user_task("ask"),
        chain("s", "decide", "ask"),
    )


@pytest.mark.parametrize(
    ("mapping", "decision_id", "amount", "result"),
    [
        (None, "Rate", 5, '[{"rate":1,"level":"low"}]'),
        ("resultList", "Rate", 0, "[]"),
        ("singleResult", "Rate", 5, '{"rate":1,"level":"low"}'),
        ("singleResult", "Rate", 0, "null"),
        ("singleEntry", "Level", 5, "1"),
        ("singleEntry", "Level", 0, "null"),
        ("collectEntries", "Level", 50, "[1,2]"),
        ("collectEntries", "Level", 0, "[]"),
    ],
)
def test_camunda_7_maps_the_result(
    mapping: str | None, decision_id: str, amount: int, result: str
) -> None:
    given = {} if mapping is None else {"mapDecisionResult": mapping}
    run = Runner(by_reference(decision_id, **given))
    run.deploy_decisions(HITS)
    run.start("p", variables=f'{{"amount": {amount}}}')
    assert run.variables()["result"] == result


@pytest.mark.parametrize(
    ("mapping", "decision_id", "said"),
    [
        ("singleResult", "Rate", "one rule"),
        ("singleEntry", "Level", "one rule"),
        ("collectEntries", "Rate", "one output"),
    ],
)
def test_a_result_that_does_not_fit_its_mapping_is_an_incident(
    mapping: str, decision_id: str, said: str
) -> None:
    run = Runner(by_reference(decision_id, mapDecisionResult=mapping))
    run.deploy_decisions(HITS)
    run.start("p", variables='{"amount": 50}')
    assert run.incident().kind == "DECISION_FAILED"
    assert said in run.incident().message


def test_camunda_7_binds_to_a_version_by_its_number(scenario: Scenario) -> None:
    run = scenario(
        by_reference(
            decisionRefBinding="version", decisionRefVersion="1", mapDecisionResult="singleEntry"
        )
    )
    run.deploy_decisions(rate("1"))
    run.deploy_decisions(rate("2"))
    run.start("p")
    assert run.variables()["result"] == "1"


def test_camunda_7_tags_a_decision_by_an_attribute(scenario: Scenario) -> None:
    tagged = rate("1").replace(
        b'id="Rate"', b'id="Rate" xmlns:c7="http://camunda.org/schema/1.0/dmn" c7:versionTag="v1"'
    )
    run = scenario(
        by_reference(
            decisionRefBinding="versionTag",
            decisionRefVersionTag="v1",
            mapDecisionResult="singleEntry",
        )
    )
    run.deploy_decisions(tagged)
    run.deploy_decisions(rate("2"))
    run.start("p")
    assert run.variables()["result"] == "1"


def test_camunda_7_lets_output_mappings_choose_from_the_whole_result(scenario: Scenario) -> None:
    outputs = (
        '<camunda:inputOutput><camunda:outputParameter name="best">'
        "${decisionResult.getFirstResult().rate}</camunda:outputParameter></camunda:inputOutput>"
    )
    run = scenario(
        vendor_model(
            start("s"),
            tag(
                "bpmn:businessRuleTask",
                tag("bpmn:extensionElements", outputs),
                id="decide",
                **{"camunda:decisionRef": "Rate"},
            ),
            user_task("ask"),
            chain("s", "decide", "ask"),
        )
    )
    run.deploy_decisions(HITS)
    run.start("p", variables='{"amount": 50}')
    assert run.variables() == {"amount": "50", "best": "1"}


@pytest.mark.parametrize(
    ("outputs", "value"), [(["Fee"], "50"), (["Rate", "Fee"], '{"Rate":5,"Fee":50}')]
)
def test_a_decision_service_is_evaluated_with_its_inputs(
    scenario: Scenario, outputs: list[str], value: str
) -> None:
    drawn = [tag("outputDecision", href=f"#{each}") for each in outputs]
    run = scenario(calling(decision_task("decide", "Offer", result="rate")))
    run.deploy_decisions(
        dmn(
            input_data("amount"),
            decision("Rate", literal("amount / 100"), needs("(amount)")),
            decision("Fee", literal("Rate * 10"), needs("Rate")),
            tag(
                "decisionService",
                *drawn,
                tag("inputData", href="#amount"),
                id="Offer",
                name="Offer",
            ),
        )
    )
    run.start("p", variables='{"amount": 500}')
    assert run.variables()["rate"] == value
    assert evaluated(run) == [("Offer", 1)]


# --- Flowable ---


def decision_service_task(**fields: str) -> ProcessModel:
    """Flowable: a decision task."""
    drawn = "".join(
        tag("flowable:field", tag("flowable:string", value), name=name)
        for name, value in fields.items()
    )
    return vendor_model(
        start("s"),
        tag(
            "bpmn:serviceTask",
            tag("bpmn:extensionElements", drawn),
            id="decide",
            **{"flowable:type": "dmn"},
        ),
        tag("bpmn:userTask", id="ask"),
        chain("s", "decide", "ask"),
        platform=None,
    )


def test_flowable_makes_variables_of_the_outputs_of_one_rule(scenario: Scenario) -> None:
    run = scenario(decision_service_task(decisionTableReferenceKey="Rate"))
    run.deploy_decisions(
        dmn(decision("Rate", table(["amount"], ["rate", "level"], [["> 0", "1", '"low"']])))
    )
    run.start("p", "a", '{"amount": 5}')
    assert run.variables("a") == {"amount": "5", "rate": "1", "level": '"low"'}
    run.start("p", "b", '{"amount": 0}')
    assert run.variables("b") == {"amount": "0"}


def test_flowable_keeps_several_rules_under_the_decisions_key(scenario: Scenario) -> None:
    run = scenario(decision_service_task(decisionTableReferenceKey="Level"))
    run.deploy_decisions(HITS)
    run.start("p", variables='{"amount": 50}')
    assert run.variables()["Level"] == '[{"level":1},{"level":2}]'


def test_flowable_may_ask_for_a_rule_that_matches(scenario: Scenario) -> None:
    run = scenario(
        decision_service_task(
            decisionTableReferenceKey="Rate", decisionTaskThrowErrorOnNoHits="true"
        )
    )
    run.deploy_decisions(dmn(decision("Rate", table(["amount"], ["rate"], [["> 0", "1"]]))))
    run.start("p", variables='{"amount": 0}')
    assert "No rule matches" in run.incident().message


def test_a_business_rule_task_without_a_decision_is_a_job(scenario: Scenario) -> None:
    run = scenario(calling(service_task("decide", type="rules", kind="businessRuleTask")))
    run.start("p")
    run.complete("rules", '{"rate": 1}')
    assert run.variables()["rate"] == "1"
