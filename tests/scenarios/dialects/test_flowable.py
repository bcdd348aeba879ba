"""What models of Flowable and Activiti have that others do not."""

import pytest

from engine import commands as c
from engine.lifecycle import InstanceState
from engine.model.elements import ProcessModel
from engine.values import decode_object
from tests.scenarios.conftest import Scenario
from tests.support.decisions import decision, dmn, input_data, literal, needs, table
from tests.support.decisions import tag as dmn_tag
from tests.support.models import (
    boundary,
    chain,
    end,
    exclusive,
    extensions,
    flow,
    start,
    tag,
    timer,
)
from tests.support.runner import Runner
from tests.support.vendor_models import vendor_model

ENABLED = ("_FLOWABLE_SKIP_EXPRESSION_ENABLED", "_ACTIVITI_SKIP_EXPRESSION_ENABLED")


def own(**attributes: str) -> dict[str, str]:
    return {f"flowable:{name}": value for name, value in attributes.items()}


def model(*parts: str) -> ProcessModel:
    return vendor_model(*parts, platform=None)


def one_task(node: str, *more: str) -> ProcessModel:
    return model(start("s"), node, end("e"), chain("s", "x", "e"), *more)


def left(run: Runner) -> dict[str, str]:
    """The variables with which the instance has ended."""
    return decode_object(run.result() or "")


# --- skip expressions ---

TASKS = {
    "user task": ("userTask", {}),
    "worker": ("serviceTask", own(type="external-worker", topic="pay")),
    "expression": ("serviceTask", own(expression="${1}", resultVariable="done")),
    "decision": ("serviceTask", own(type="dmn")),
    "sending": ("sendTask", own(type="mail")),
    "script": ("scriptTask", {"scriptFormat": "groovy"}),
}


@pytest.mark.parametrize("kind", TASKS)
@pytest.mark.parametrize("enabled", ENABLED)
def test_a_task_is_skipped_where_its_expression_holds(
    scenario: Scenario, kind: str, enabled: str
) -> None:
    tag_name, attributes = TASKS[kind]
    key = '<flowable:field name="decisionTableReferenceKey" stringValue="Rate"/>'
    content = extensions(key) if kind == "decision" else ""
    node = tag(tag_name, content, id="x", **attributes, **own(skipExpression="${fast}"))
    run = scenario(one_task(node, boundary("late", "x", timer(duration="PT1H"))))
    run.start("p", variables=f'{{"{enabled}": true, "fast": true}}')
    assert run.state() is InstanceState.COMPLETED
    assert run.path() == ["s", "x", "e", "p"]
    assert "done" not in left(run)
    run.assert_nothing_left()


@pytest.mark.parametrize(
    "variables",
    [
        "{}",
        '{"fast": true}',
        '{"fast": true, "_FLOWABLE_SKIP_EXPRESSION_ENABLED": false}',
        '{"fast": false, "_FLOWABLE_SKIP_EXPRESSION_ENABLED": true}',
        '{"fast": true, "_ACTIVITI_SKIP_EXPRESSION_ENABLED": false,'
        ' "_FLOWABLE_SKIP_EXPRESSION_ENABLED": true}',
    ],
)
def test_a_task_is_done_where_nothing_may_be_skipped(scenario: Scenario, variables: str) -> None:
    node = tag("userTask", id="x", **own(skipExpression="${fast}"))
    run = scenario(one_task(node))
    run.start("p", variables=variables)
    run.complete_task("x")
    assert run.state() is InstanceState.COMPLETED


def test_a_skip_expression_that_is_neither_is_an_incident(scenario: Scenario) -> None:
    node = tag("userTask", id="x", **own(skipExpression="${fast}"))
    run = scenario(one_task(node))
    run.start("p", variables='{"_FLOWABLE_SKIP_EXPRESSION_ENABLED": true}')
    assert "${fast}" in run.incident().message
    run.resolve(variables='{"fast": true}')
    assert run.state() is InstanceState.COMPLETED


def test_each_iteration_may_be_skipped(scenario: Scenario) -> None:
    loop = tag("multiInstanceLoopCharacteristics", **own(collection="names", elementVariable="n"))
    node = tag("userTask", loop, id="x", **own(skipExpression="${n eq 'ann'}", assignee="${n}"))
    run = scenario(one_task(node))
    run.start("p", variables='{"names": ["ann", "bob"], "_FLOWABLE_SKIP_EXPRESSION_ENABLED": true}')
    assert run.task("x").assignee == "bob"
    run.complete_task("x")
    assert run.state() is InstanceState.COMPLETED


@pytest.mark.parametrize(
    ("variables", "path"),
    [
        ('{"n": 1}', ["s", "g", "low"]),
        ('{"n": 9}', ["s", "g", "high"]),
        ('{"n": 1, "any": true, "_FLOWABLE_SKIP_EXPRESSION_ENABLED": true}', ["s", "g", "high"]),
        ('{"n": 9, "any": false, "_FLOWABLE_SKIP_EXPRESSION_ENABLED": true}', ["s", "g", "low"]),
    ],
)
def test_the_condition_of_a_flow_may_be_skipped(
    scenario: Scenario, variables: str, path: list[str]
) -> None:
    high = tag(
        "sequenceFlow", tag("conditionExpression", "${n gt 5}"), id="g-high", sourceRef="g",
        targetRef="high", **own(skipExpression="${any}"),
    )  # fmt: skip
    run = scenario(
        model(
            start("s"), exclusive("g", default="g-low"), high, end("high"), end("low"),
            chain("s", "g"), flow("g", "low"),
        )
    )  # fmt: skip
    run.start("p", variables=variables)
    assert run.path()[:-1] == path


# --- loops ---


def aggregation(target: str, *names: str) -> str:
    parts = "".join(f'<variable source="{name}"/>' for name in names)
    return f'<flowable:variableAggregation target="{target}">{parts}</flowable:variableAggregation>'


def repeated(*content: str, condition: str = "", **attributes: str) -> str:
    loop = tag(
        "multiInstanceLoopCharacteristics",
        extensions(*content),
        tag("completionCondition", condition) if condition else "",
        **own(collection="names", elementVariable="n", **attributes),
    )
    return tag("serviceTask", loop, id="x", **own(type="external-worker", topic="ask"))


def test_each_aggregation_collects_what_it_names(scenario: Scenario) -> None:
    run = scenario(one_task(repeated(aggregation("votes", "n", "yes"), aggregation("ages", "age"))))
    run.start("p", variables='{"names": ["a", "b"]}')
    for vote in ('{"yes": true, "age": 7}', '{"yes": false, "age": 8}'):
        run.complete("ask", vote)
    assert left(run)["votes"] == '[{"n":"a","yes":true},{"n":"b","yes":false}]'
    assert left(run)["ages"] == '[{"age":7},{"age":8}]'


def test_the_completion_condition_sees_each_aggregation(scenario: Scenario) -> None:
    condition = "${ages.size() == 1}"
    node = repeated(aggregation("votes", "n"), aggregation("ages", "age"), condition=condition)
    run = scenario(one_task(node))
    run.start("p", variables='{"names": ["a", "b"]}')
    run.complete("ask", '{"age": 7}')
    assert run.state() is InstanceState.COMPLETED
    assert left(run)["ages"] == '[{"age":7}]'
    assert left(run)["votes"] == '[{"n":"a"}]'


def test_the_number_of_an_iteration_may_have_another_name(scenario: Scenario) -> None:
    run = scenario(one_task(repeated(elementIndexVariable="i")))
    run.start("p", variables='{"names": ["a", "b"]}')
    jobs = run.jobs("ask")
    assert ['"i":0' in jobs[0].variables, '"i":1' in jobs[1].variables] == [True, True]


# --- ids, workers ---


def test_the_id_of_a_task_is_a_variable(scenario: Scenario) -> None:
    node = tag("userTask", id="x", **own(taskIdVariableName="ticket"))
    run = scenario(one_task(node))
    run.start("p")
    assert run.variables()["ticket"] == f'"{run.task("x").task_id}"'


def test_the_id_of_a_called_instance_is_a_variable(scenario: Scenario) -> None:
    called = vendor_model(
        start("s"), tag("userTask", id="u"), chain("s", "u"), process_id="q", platform=None
    )
    out = extensions('<flowable:out source="a" target="b"/>')
    node = tag("callActivity", out, id="x", calledElement="q", **own(idVariableName="child"))
    run = scenario(called, one_task(node))
    run.start("p", "a")
    assert run.variables("a")["child"] == f'"{run.task("u").instance_id}"'


def test_a_worker_gets_and_gives_what_its_parameters_name(scenario: Scenario) -> None:
    parameters = (
        '<flowable:externalWorkerInParameter sourceExpression="${a + 1}" target="b"/>',
        '<flowable:externalWorkerOutParameter source="x" target="y"/>',
    )
    node = tag(
        "serviceTask", extensions(*parameters), id="x", **own(type="external-worker", topic="t")
    )
    run = scenario(one_task(node))
    run.start("p", variables='{"a": 1}')
    assert run.job("t").variables == '{"a":1,"b":2}'
    run.complete("t", '{"x": 5, "other": true}')
    assert run.result() == '{"a":1,"y":5}'


def test_a_cycle_ends_by_its_end_date(scenario: Scenario) -> None:
    # The start is Tuesday, 14 November 2023, 22:13:20 UTC.
    cycle = tag("timeCycle", "R/PT1H", **own(endDate="2023-11-15T00:00:00Z"))
    run = scenario(
        one_task(
            tag("userTask", id="x"),
            boundary("late", "x", tag("timerEventDefinition", cycle), interrupting=False),
            tag("manualTask", id="note"),
            flow("late", "note"),
        )
    )
    run.start("p")
    run.elapse(10 * 3_600_000)
    assert run.path().count("note") == 1


# --- the event registry ---


def registered(name: str, *more: str) -> str:
    return extensions(f"<flowable:eventType>{name}</flowable:eventType>", *more)


def parameter(name: str, value: str, kind: str = "eventCorrelationParameter") -> str:
    return f'<flowable:{kind} name="{name}" value="{value}"/>'


def test_several_parameters_are_one_key(scenario: Scenario) -> None:
    keys = parameter("order", "${order}"), parameter("customer", "${customer}")
    run = scenario(one_task(tag("receiveTask", registered("paid", *keys), id="x")))
    run.start("p", variables='{"order": 7, "customer": "a|b"}')
    run.accept(c.PublishMessage(name="paid", correlation_key="7|a|b"))
    assert run.state() is InstanceState.RUNNING
    run.accept(c.PublishMessage(name="paid", correlation_key="a\\|b|7"))
    assert run.state() is InstanceState.COMPLETED


def test_a_parameter_without_a_value_is_an_incident_that_names_it(scenario: Scenario) -> None:
    keys = parameter("a", "${order}"), parameter("b", "${customer}")
    run = scenario(one_task(tag("receiveTask", registered("paid", *keys), id="x")))
    run.start("p", variables='{"order": 7}')
    assert "${customer}" in run.incident().message
    run.resolve(variables='{"customer": 8}')
    run.accept(c.PublishMessage(name="paid", correlation_key="7|8"))
    assert run.state() is InstanceState.COMPLETED


def asking() -> str:
    sent = registered(
        "ask",
        '<flowable:eventInParameter source="order" target="number"/>',
        "<flowable:triggerEventType>answer</flowable:triggerEventType>",
        parameter("order", "${order}", "triggerEventCorrelationParameter"),
        '<flowable:eventOutParameter source="yes" target="granted"/>',
    )
    return tag("serviceTask", sent, id="x", **own(type="send-event", triggerable="true"))


@pytest.mark.parametrize("answered_first", [False, True])
def test_a_task_sends_an_event_and_waits_for_the_answer(
    scenario: Scenario, *, answered_first: bool
) -> None:
    run = scenario(one_task(asking()))
    run.start("p", variables='{"order": "o-1"}')
    answer = c.PublishMessage(
        name="answer", correlation_key="o-1", variables='{"yes": true, "more": 1}'
    )
    if answered_first:
        run.accept(answer)
    assert run.state() is InstanceState.RUNNING
    run.complete("send-event")
    if not answered_first:
        run.accept(answer)
    assert run.result() == '{"order":"o-1","granted":true}'
    run.assert_nothing_left()


def test_what_is_attached_to_such_a_task_ends_the_sending_and_the_waiting(
    scenario: Scenario,
) -> None:
    run = scenario(one_task(asking(), boundary("late", "x", timer(duration="PT1H"))))
    run.start("p", variables='{"order": "o-1"}')
    run.elapse(3_600_000)
    assert run.state() is InstanceState.COMPLETED
    assert run.jobs() == []
    run.assert_nothing_left()


# --- decision services ---


def service(service_id: str, outputs: list[str], *inputs: str) -> str:
    drawn = [dmn_tag("outputDecision", href=f"#{each}") for each in outputs]
    drawn += [dmn_tag("inputDecision", href=f"#{each}") for each in inputs]
    return dmn_tag("decisionService", *drawn, id=service_id, name=service_id)


def decides(name: str = "decisionServiceReferenceKey", *more: str) -> ProcessModel:
    field = f'<flowable:field name="{name}" stringValue="Offer"/>'
    node = tag("serviceTask", extensions(field, *more), id="x", **own(type="dmn"))
    return one_task(node)


RATES = (
    input_data("amount"),
    decision("Rate", table(["amount"], ["rate"], [["< 100", "1"], [">= 100", "2"]]),
             needs("(amount)")),
    decision("Fee", literal("Rate * 10"), needs("Rate")),
)  # fmt: skip


@pytest.mark.parametrize("field", ["decisionServiceReferenceKey", "decisionTableReferenceKey"])
def test_a_service_gives_the_outputs_of_its_decisions(scenario: Scenario, field: str) -> None:
    run = scenario(decides(field))
    run.deploy_decisions(dmn(*RATES, service("Offer", ["Rate", "Fee"])))
    run.start("p", variables='{"amount": 500}')
    assert left(run) == {"amount": "500", "rate": "2", "Fee": "20"}


def test_an_input_decision_of_a_service_is_a_variable(scenario: Scenario) -> None:
    run = scenario(decides())
    run.deploy_decisions(dmn(*RATES, service("Offer", ["Fee"], "Rate")))
    run.start("p", variables='{"amount": 500, "Rate": 7}')
    assert left(run)["Fee"] == "70"


def test_several_rules_of_a_service_are_one_object(scenario: Scenario) -> None:
    hits = decision(
        "Gifts", table(["amount"], ["gift"], [["> 1", '"pen"'], ["> 2", '"cup"']], "COLLECT"),
        needs("(amount)"),
    )  # fmt: skip
    run = scenario(decides())
    run.deploy_decisions(dmn(*RATES, hits, service("Offer", ["Rate", "Gifts"])))
    run.start("p", variables='{"amount": 50}')
    assert left(run)["Offer"] == ('{"Rate":[{"rate":1}],"Gifts":[{"gift":"pen"},{"gift":"cup"}]}')


@pytest.mark.parametrize("said", ['stringValue="true"', 'expression="${strict}"'])
def test_a_service_without_a_hit_may_be_a_failure(scenario: Scenario, said: str) -> None:
    throws = f'<flowable:field name="decisionTaskThrowErrorOnNoHits" {said}/>'
    run = scenario(decides("decisionServiceReferenceKey", throws))
    run.deploy_decisions(
        dmn(
            input_data("amount"),
            decision("Rate", table(["amount"], ["rate"], [["> 9", "1"]]), needs("(amount)")),
            service("Offer", ["Rate"]),
        )
    )
    run.start("p", variables='{"amount": 5, "strict": true}')
    assert "No rule matches" in run.incident().message
    run.resolve(variables='{"amount": 10}')
    assert left(run)["rate"] == "1"
