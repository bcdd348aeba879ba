"""The `camunda:` extensions, as Camunda Modeler writes them and as Camunda 7 reads them."""

import pytest
from lxml import etree

from engine.expressions import Environment
from engine.model import elements as e
from engine.model.compile import CompiledResource
from engine.model.dialects import camunda7, choose
from tests.support.findings import codes, only_finding
from tests.support.models import (
    boundary,
    chain,
    compiled_resource,
    error,
    extensions,
    flow,
    message,
    start,
    sub_process,
    tag,
    task,
)
from tests.support.vendor_models import vendor_file, vendor_model, vendor_resource

PLATFORM = "Camunda Platform"


def camunda(**attributes: str) -> dict[str, str]:
    return {f"camunda:{name}": value for name, value in attributes.items()}


def beside(kind: str, *content: str, **attributes: str) -> CompiledResource:
    """One element of this kind, with camunda attributes, behind a start event."""
    inner = extensions(*content)
    return vendor_resource(
        start("s"), tag(kind, inner, id="x", **camunda(**attributes)), chain("s", "x")
    )


def element(kind: str, *content: str, **attributes: str) -> e.AnyElement:
    made = beside(kind, *content, **attributes)
    assert made.findings == ()
    return made.process("p").element("x")


def job_of(found: e.AnyElement) -> e.JobDefinition:
    assert isinstance(found, e.ServiceTask | e.SendTask | e.BusinessRuleTask | e.ScriptTask)
    assert found.job is not None
    return found.job


def script_of(found: e.AnyElement) -> e.ScriptDefinition:
    assert isinstance(found, e.ServiceTask | e.SendTask | e.BusinessRuleTask | e.ScriptTask)
    assert found.script is not None
    return found.script


def written(text: e.Text | None) -> str | None:
    return text if isinstance(text, str | None) else f"={text.text}"


# --- which dialect ---


@pytest.mark.parametrize(
    "content",
    [
        vendor_file(platform=PLATFORM),
        vendor_file(tag("process", id="p", **camunda(historyTimeToLive="1"))),
        vendor_file(tag("process", extensions("<camunda:properties/>"), id="p")),
    ],
)
def test_a_file_is_read_as_camunda_7_by_its_platform_attributes_or_elements(content: bytes) -> None:
    assert choose(etree.fromstring(content)) is camunda7.DIALECT


def test_a_process_runs_only_if_it_says_so() -> None:
    made = compiled_resource(vendor_file(tag("process", start("s"), id="p"), platform=PLATFORM))
    assert codes(made) == [("not-executable", "p"), ("no-executable-process", "p")]


# --- jobs ---


@pytest.mark.parametrize("kind", ["serviceTask", "sendTask", "businessRuleTask"])
@pytest.mark.parametrize(
    ("attributes", "job_type"),
    [
        ({"type": "external", "topic": "pay"}, "pay"),
        ({"type": "external", "topic": "pay-${region}"}, "=pay-${region}"),
        ({"class": "com.example.Pay"}, "com.example.Pay"),
        ({"delegateExpression": "${payment}"}, "payment"),
        ({"delegateExpression": "#{ payment }"}, "payment"),
        ({"expression": "${payment.charge(execution, amount)}"}, "payment.charge"),
        ({"expression": "${amount + rates.of(currency)}"}, "amount + rates.of(currency)"),
        ({"type": "mail"}, "mail"),
    ],
)
def test_work_that_the_engine_cannot_do_is_a_job(
    kind: str, attributes: dict[str, str], job_type: str
) -> None:
    assert written(job_of(element(kind, **attributes)).type) == job_type


@pytest.mark.parametrize(
    ("expression", "job_type"),
    [
        ("${execution.getEngineServices().getTaskService().complete(id)}",
         "execution.getEngineServices().getTaskService().complete(id)"),
        ("${runtimeService.correlateMessage('paid')}", "runtimeService.correlateMessage"),
    ],
)  # fmt: skip
def test_a_call_of_another_engine_is_a_job_and_a_warning(expression: str, job_type: str) -> None:
    made = beside("serviceTask", expression=expression)
    finding = only_finding(made)
    assert (finding.severity, finding.code) == ("warning", "not-evaluated")
    assert f"a job of the type '{job_type}', so a worker of that type must do it" in finding.message
    assert job_of(made.process("p").element("x")).type == job_type


def test_a_call_of_a_bean_is_a_job_without_a_warning() -> None:
    assert codes(beside("serviceTask", expression="${payment.charge(execution)}")) == []


def test_the_worker_of_an_expression_is_told_all_of_it() -> None:
    found = element("serviceTask", expression="${a.b(c)}", resultVariable="r")
    assert job_of(found).headers == {"expression": "${a.b(c)}", "resultVariable": "r"}


@pytest.mark.parametrize(
    "attributes",
    [
        {"class": "A", "expression": "${b}"},
        {"class": "A", "topic": "t"},
        {"type": "external", "topic": "t", "delegateExpression": "${b}"},
    ],
)
def test_of_several_implementations_the_first_counts(attributes: dict[str, str]) -> None:
    made = beside("serviceTask", **attributes)
    assert codes(made) == [("no-effect", "x")]
    expected = "t" if attributes.get("type") == "external" else "A"
    assert job_of(made.process("p").element("x")).type == expected


def test_an_external_task_without_a_topic_is_an_error() -> None:
    assert codes(beside("serviceTask", type="external")) == [("job-type-missing", "x")]


def test_an_expression_that_needs_no_java_is_evaluated_inline() -> None:
    found = element("serviceTask", expression="${amount * 2}", resultVariable="double")
    script = script_of(found)
    assert (script.expression.text, script.result_variable) == ("${amount * 2}", "double")


def test_a_task_without_any_implementation_is_an_error() -> None:
    assert codes(beside("serviceTask")) == [("job-type-missing", "x")]


def test_an_expression_that_does_not_compile_is_an_error() -> None:
    finding = only_finding(beside("serviceTask", expression="${1 +}"))
    assert finding.code == "expression-syntax"
    assert "JUEL" in finding.message


def test_properties_and_fields_are_headers() -> None:
    found = element(
        "serviceTask",
        '<camunda:properties><camunda:property name="a" value="1"/>'
        '<camunda:property name="b" value="2"/></camunda:properties>'
        '<camunda:field name="b" stringValue="3"/>'
        '<camunda:field name="c"><camunda:string>four</camunda:string></camunda:field>'
        '<camunda:field name="d"><camunda:expression>${five}</camunda:expression></camunda:field>',
        type="external",
        topic="t",
    )
    job = job_of(found)
    assert job.headers == {"a": "1", "b": "3", "c": "four"}
    assert {name: text.text for name, text in job.computed_headers.items()} == {"d": "${five}"}


@pytest.mark.parametrize(
    ("cycle", "retries", "backoff_ms"),
    [
        ("R5/PT10M", 5, (600_000,)),
        ("PT1M,PT10M , PT1H", 4, (60_000, 600_000, 3_600_000)),
        ("PT5S", 2, (5_000,)),
        ("R3/P1D", 3, (86_400_000,)),
    ],
)
def test_a_retry_cycle_says_how_often_and_after_which_waits(
    cycle: str, retries: int, backoff_ms: tuple[int, ...]
) -> None:
    part = f"<camunda:failedJobRetryTimeCycle>{cycle}</camunda:failedJobRetryTimeCycle>"
    job = job_of(element("serviceTask", part, **{"class": "Pay"}))
    assert (job.retries, job.backoff_ms) == (retries, backoff_ms)


@pytest.mark.parametrize(
    "cycle",
    ["R/PT1M", "often", "${cycle}", "PT1M,,PT2M", "R0/PT1M", "PT1M," * 200 + "PT1M"],
)
def test_a_retry_cycle_that_cannot_be_read_is_an_error(cycle: str) -> None:
    part = f"<camunda:failedJobRetryTimeCycle>{cycle}</camunda:failedJobRetryTimeCycle>"
    assert codes(beside("serviceTask", part, **{"class": "A"})) == [("unsupported-extension", "x")]


# --- scripts ---


def scripted(script: str, script_format: str, **attributes: str) -> CompiledResource:
    inner = tag("script", script)
    node = tag("scriptTask", inner, id="x", scriptFormat=script_format, **camunda(**attributes))
    return vendor_resource(start("s"), node, chain("s", "x"))


@pytest.mark.parametrize(("script", "language"), [("${a + 1}", "juel"), ("a + 1", "feel")])
def test_juel_and_feel_scripts_run_inline(script: str, language: str) -> None:
    made = scripted(script, language, resultVariable="b")
    found = script_of(made.process("p").element("x"))
    assert found.expression.evaluate(Environment(lookup=lambda _: 1)) == 2
    assert found.result_variable == "b"


def test_other_scripts_are_work_for_a_worker_of_their_language() -> None:
    made = scripted("a + 1", "Groovy", resultVariable="b")
    job = job_of(made.process("p").element("x"))
    assert (job.type, job.headers) == ("script.groovy", {"script": "a + 1", "resultVariable": "b"})


def test_a_juel_script_that_calls_java_is_work_for_a_worker() -> None:
    made = scripted("${bean.run(1)}", "juel")
    assert job_of(made.process("p").element("x")).type == "script.juel"


def test_a_script_in_a_file_of_its_own_is_named_to_the_worker() -> None:
    job = job_of(scripted("", "groovy", resource="a.groovy").process("p").element("x"))
    assert job.headers == {"resource": "a.groovy"}


# --- mappings ---


def value_of(parameter: str) -> object:
    io = f"<camunda:inputOutput>{parameter}</camunda:inputOutput>"
    found = element("userTask", io)
    assert isinstance(found, e.UserTask)
    (mapping,) = (*found.inputs, *found.outputs)
    assert mapping.target == ("a",)
    return mapping.source.evaluate(Environment(lookup=lambda name: f"<{name}>"))


@pytest.mark.parametrize("tag_name", ["inputParameter", "outputParameter"])
@pytest.mark.parametrize(
    ("content", "value"),
    [
        ("12", "12"),
        ("", None),
        ("text", "text"),
        ("${b}", "<b>"),
        ("x ${b}", "x <b>"),
        ('<camunda:script scriptFormat="juel">${b}</camunda:script>', "<b>"),
        ('<camunda:script scriptFormat="feel">1 + 1</camunda:script>', 2),
        (
            "<camunda:list><camunda:value>1</camunda:value><camunda:value>${b}</camunda:value>"
            "</camunda:list>",
            ["1", "<b>"],
        ),
        (
            '<camunda:map><camunda:entry key="k">${b}</camunda:entry>'
            '<camunda:entry key="l"><camunda:list/></camunda:entry></camunda:map>',
            {"k": "<b>", "l": []},
        ),
    ],
)
def test_a_parameter_is_a_text_an_expression_a_list_or_a_map(
    tag_name: str, content: str, value: object
) -> None:
    assert value_of(f'<camunda:{tag_name} name="a">{content}</camunda:{tag_name}>') == value


def test_a_parameter_computed_by_another_language_is_an_error() -> None:
    script = '<camunda:script scriptFormat="groovy">1</camunda:script>'
    io = f'<camunda:inputOutput><camunda:inputParameter name="a">{script}'
    io += "</camunda:inputParameter></camunda:inputOutput>"
    assert codes(beside("userTask", io)) == [("unsupported-extension", "x")]


# --- user tasks ---


def test_a_user_task_says_who_until_when_and_with_which_form() -> None:
    found = element(
        "userTask",
        assignee="${boss}",
        candidateUsers="ann, ${deputy}",
        candidateGroups="sales",
        dueDate="P2D",
        followUpDate="${later}",
        priority="60",
        formKey="embedded:app:a.html",
    )
    assert isinstance(found, e.UserTask)
    assert [written(text) for text in (found.assignee, found.candidate_users)] == [
        "=${boss}",
        "=ann, ${deputy}",
    ]
    assert (found.candidate_groups, found.due_date) == ("sales", "P2D")
    assert written(found.follow_up_date) == "=${later}"
    assert (found.priority, found.form_key) == ("60", "embedded:app:a.html")


# --- call activities ---


def call(*content: str, **attributes: str) -> e.CallActivity:
    node = tag(
        "callActivity", extensions(*content), id="x", calledElement="q", **camunda(**attributes)
    )
    found = vendor_model(start("s"), node, chain("s", "x")).element("x")
    assert isinstance(found, e.CallActivity)
    return found


def test_a_call_passes_and_takes_nothing_by_itself() -> None:
    found = call()
    assert (found.process_id, found.version, found.passes) == ("q", None, ())
    assert not found.propagate_all_parent_variables
    assert not found.propagate_all_child_variables
    assert not found.inherits_business_key


def test_a_call_passes_and_takes_what_it_names() -> None:
    found = call(
        '<camunda:in source="a" target="b"/><camunda:in sourceExpression="${c}" target="d"/>'
        '<camunda:in businessKey="${execution.processBusinessKey}"/>'
        '<camunda:out source="e" target="f"/>'
    )
    assert [mapping.target for mapping in found.passes or ()] == [("b",), ("d",)]
    assert [mapping.target for mapping in found.outputs] == [("f",)]
    assert written(found.business_key) == "=${execution.processBusinessKey}"


def test_a_call_may_pass_and_take_everything() -> None:
    found = call('<camunda:in variables="all"/><camunda:out variables="all"/>')
    assert found.propagate_all_parent_variables
    assert found.propagate_all_child_variables


def test_a_call_may_be_bound_to_a_version() -> None:
    assert call(calledElementBinding="version", calledElementVersion="3").version == 3
    assert call(calledElementBinding="latest", calledElementVersion="3").version is None


def test_a_call_may_be_bound_to_its_deployment_or_to_a_version_tag() -> None:
    assert call(calledElementBinding="deployment").same_deployment
    assert call(calledElementBinding="versionTag", calledElementVersionTag="1").version_tag == "1"


@pytest.mark.parametrize(
    "attributes",
    [
        {"calledElementBinding": "versionTag"},
        {"calledElementBinding": "versionTag", "calledElementVersionTag": "${tag}"},
        {"calledElementBinding": "version", "calledElementVersion": "${v}"},
        {"caseRef": "c"},
        {"variableMappingClass": "A"},
    ],
)
def test_a_call_that_cannot_be_bound_is_an_error(attributes: dict[str, str]) -> None:
    node = tag("callActivity", id="x", calledElement="q", **camunda(**attributes))
    made = vendor_resource(start("s"), node, chain("s", "x"))
    assert codes(made) == [("unsupported-extension", "x")]


@pytest.mark.parametrize(
    "part",
    [
        '<camunda:in variables="all" local="true"/>',
        "<camunda:in target='a'/>",
        '<camunda:out variables="all"/><camunda:out source="a" target="b"/>',
    ],
)
def test_what_travels_otherwise_is_an_error(part: str) -> None:
    node = tag("callActivity", extensions(part), id="x", calledElement="q")
    made = vendor_resource(start("s"), node, chain("s", "x"))
    assert codes(made) == [("unsupported-extension", "x")]


# --- flows, messages, errors, timers ---


@pytest.mark.parametrize(
    ("condition", "language", "value"),
    [("${1 + 1}", None, 2), ("#{3}", None, 3), ("2 ** 2", "feel", 4)],
)
def test_a_condition_is_juel_unless_it_names_another_language(
    condition: str, language: str | None, value: int
) -> None:
    drawn = tag("conditionExpression", condition, language=language)
    conditional = tag("sequenceFlow", drawn, id="f", sourceRef="t", targetRef="x")
    model = vendor_model(start("s"), task("t"), task("x"), chain("s", "t"), conditional)
    compiled = model.flows[model.flow_index["f"]].condition
    assert compiled is not None
    assert compiled.evaluate(Environment()) == value


@pytest.mark.parametrize(
    ("condition", "attributes", "code"),
    [
        ("approved", {}, "not-an-expression"),
        ("a", {"language": "groovy"}, "expression-language"),
        ("${a}", {"camunda:resource": "a.groovy"}, "unsupported-extension"),
    ],
)
def test_a_condition_that_cannot_be_evaluated_is_an_error(
    condition: str, attributes: dict[str, str], code: str
) -> None:
    drawn = tag("conditionExpression", condition, **attributes)
    conditional = tag("sequenceFlow", drawn, id="f", sourceRef="t", targetRef="x")
    made = vendor_resource(start("s"), task("t"), task("x"), chain("s", "t"), conditional)
    assert codes(made) == [(code, "f")]


def test_a_message_is_correlated_by_business_key_else_by_instance() -> None:
    receive = tag("receiveTask", id="x", messageRef="m")
    made = vendor_resource(message("m", "Paid"), start("s"), receive, chain("s", "x"))
    found = made.process("p").element("x")
    assert isinstance(found, e.ReceiveTask)
    key = found.trigger.correlation_key
    assert key is not None
    environment = Environment()
    environment.facts = {"businessKey": None, "processInstanceId": "a"}
    assert key.evaluate(environment) == "a"
    environment.facts = {"businessKey": "order-7", "processInstanceId": "a"}
    assert key.evaluate(environment) == "order-7"


def test_an_error_event_names_the_variables_of_code_and_message() -> None:
    event = tag(
        "errorEventDefinition",
        errorRef="e",
        **camunda(errorCodeVariable="code", errorMessageVariable="text"),
    )
    model = vendor_model(
        error("e", "E1"),
        start("s"),
        task("t"),
        boundary("b", "t", event),
        task("x"),
        chain("s", "t"),
        flow("b", "x"),
    )
    found = model.element("b")
    assert isinstance(found, e.BoundaryEvent)
    assert found.trigger == e.ErrorTrigger(code="E1", code_variable="code", message_variable="text")


def test_an_escalation_event_names_the_variable_of_its_code() -> None:
    event = tag(
        "escalationEventDefinition", escalationRef="e", **camunda(escalationCodeVariable="code")
    )
    model = vendor_model(
        tag("escalation", id="e", escalationCode="E1"),
        start("s"),
        sub_process("t", start("i")),
        boundary("b", "t", event),
        task("x"),
        chain("s", "t"),
        flow("b", "x"),
    )
    found = model.element("b")
    assert isinstance(found, e.BoundaryEvent)
    assert found.trigger == e.EscalationTrigger(code="E1", code_variable="code")


def throwing(kind: str, *content: str, **attributes: str) -> CompiledResource:
    event = tag(
        "messageEventDefinition", extensions(*content), messageRef="m", **camunda(**attributes)
    )
    node = tag(kind, event, id="x")
    return vendor_resource(message("m", "Paid"), start("s"), node, chain("s", "x"))


@pytest.mark.parametrize("kind", ["intermediateThrowEvent", "endEvent"])
def test_a_message_that_a_worker_sends_is_a_job(kind: str) -> None:
    field = '<camunda:field name="a" stringValue="1"/>'
    found = throwing(kind, field, type="external", topic="send").process("p").element("x")
    assert isinstance(found, e.IntermediateThrowEvent | e.EndEvent)
    assert found.job is not None
    assert (found.job.type, found.job.headers) == ("send", {"a": "1"})


@pytest.mark.parametrize("kind", ["intermediateThrowEvent", "endEvent"])
def test_a_message_that_an_expression_sends_is_an_error(kind: str) -> None:
    assert codes(throwing(kind, expression="${1}")) == [("unsupported-extension", "x")]


def test_cron_is_that_of_quartz() -> None:
    timer = tag("timerEventDefinition", tag("timeCycle", "0 0 9 ? * 7 2030"))
    assert vendor_model(start("s", timer), task("x"), chain("s", "x")).quartz
    five = tag("timerEventDefinition", tag("timeCycle", "0 0 9 * *"))
    assert codes(vendor_resource(start("s", five), task("x"), chain("s", "x"))) == [
        ("bad-timer-cycle", "s")
    ]


# --- nothing is silent ---


@pytest.mark.parametrize("name", ["asyncBefore", "asyncAfter", "exclusive", "modelerTemplate"])
def test_what_needs_nothing_is_accepted(name: str) -> None:
    assert isinstance(element("userTask", **{name: "true"}), e.UserTask)


@pytest.mark.parametrize(
    ("kind", "attributes"),
    [
        ("serviceTask", {"class": "A", "jobPriority": "5"}),
        ("userTask", {"topic": "t"}),
        ("userTask", {"formRefBinding": "latest"}),
        ("userTask", {"decisionRef": "d"}),
        ("task", {"assignee": "ann"}),
    ],
)
def test_what_has_no_effect_is_a_warning(kind: str, attributes: dict[str, str]) -> None:
    made = beside(kind, **attributes)
    assert made.deployable
    assert codes(made) == [("no-effect", "x")]


@pytest.mark.parametrize(
    "part",
    [
        '<camunda:executionListener class="A" event="start"/>',
        '<camunda:taskListener class="A" event="create"/>',
        '<camunda:formData><camunda:formField id="f"/></camunda:formData>',
        "<camunda:failedJobRetryTimeCycle>R3/PT1M</camunda:failedJobRetryTimeCycle>",
    ],
)
def test_what_is_not_run_beside_the_task_is_a_warning(part: str) -> None:
    made = beside("userTask", part)
    assert made.deployable
    assert codes(made) == [("no-effect", "x")]


@pytest.mark.parametrize(
    ("kind", "part", "attributes"),
    [
        ("serviceTask", '<camunda:errorEventDefinition id="e"/>', {"class": "A"}),
        ("serviceTask", "<camunda:connector><camunda:inputOutput/></camunda:connector>", {}),
        ("userTask", "<camunda:somethingNew>a</camunda:somethingNew>", {}),
        ("userTask", "", {"somethingNew": "a"}),
    ],
)
def test_what_would_run_wrong_is_an_error(kind: str, part: str, attributes: dict[str, str]) -> None:
    made = beside(kind, part, **attributes)
    assert codes(made) == [("unsupported-extension", "x")]


def test_a_warning_about_a_part_names_the_element_that_people_see() -> None:
    event = tag("timerEventDefinition", tag("timeDuration", "PT1S"), id="d", **camunda(new="1"))
    caught = tag("intermediateCatchEvent", event, id="c")
    made = vendor_resource(start("s"), caught, chain("s", "c"))
    assert codes(made) == [("unsupported-extension", "c")]


def test_attributes_of_root_elements_are_looked_at() -> None:
    own = {"camunda:errorMessage": "declined", "camunda:topic": "t"}
    root = tag("error", id="e", errorCode="E1", **own)
    assert codes(vendor_resource(root, start("s"))) == [("no-effect", "e")]


def test_attributes_of_the_process_are_looked_at() -> None:
    own = camunda(historyTimeToLive="5", versionTag="1", candidateStarterUsers="ann")
    content = vendor_file(tag("process", start("s"), id="p", isExecutable="true", **own))
    made = compiled_resource(content)
    assert codes(made) == [("no-effect", "p")]
    assert made.process("p").version_tag == "1"


# --- decisions ---


def decision_of(found: e.AnyElement) -> e.DecisionCall:
    assert isinstance(found, e.BusinessRuleTask)
    assert found.decision is not None
    return found.decision


@pytest.mark.parametrize(
    ("mapping", "result"),
    [
        ({}, "result_list"),
        ({"mapDecisionResult": "resultList"}, "result_list"),
        ({"mapDecisionResult": "singleResult"}, "single_result"),
        ({"mapDecisionResult": "singleEntry"}, "single_entry"),
        ({"mapDecisionResult": "collectEntries"}, "collect_entries"),
    ],
)
def test_a_decision_by_reference_is_evaluated_inline(
    mapping: dict[str, str], result: e.DecisionResult
) -> None:
    found = element("businessRuleTask", decisionRef="Rate", resultVariable="rate", **mapping)
    assert decision_of(found) == e.DecisionCall(
        decision_id="Rate", result_variable="rate", result=result
    )


def test_an_expression_may_name_the_decision() -> None:
    assert (
        written(decision_of(element("businessRuleTask", decisionRef="${rule}")).decision_id)
        == "=${rule}"
    )


@pytest.mark.parametrize(
    ("attributes", "bound"),
    [
        ({"decisionRefBinding": "latest"}, {}),
        ({"decisionRefBinding": "deployment"}, {"same_deployment": True}),
        ({"decisionRefBinding": "version", "decisionRefVersion": "3"}, {"version": 3}),
        (
            {"decisionRefBinding": "versionTag", "decisionRefVersionTag": "v1"},
            {"version_tag": "v1"},
        ),
    ],
)
def test_a_decision_is_bound_to_a_version(
    attributes: dict[str, str], bound: dict[str, int | str | bool]
) -> None:
    call = decision_of(element("businessRuleTask", decisionRef="Rate", **attributes))
    found = {
        "version": call.version,
        "version_tag": call.version_tag,
        "same_deployment": call.same_deployment,
    }
    assert found == {"version": None, "version_tag": None, "same_deployment": False} | bound


@pytest.mark.parametrize(
    "attributes",
    [
        {"mapDecisionResult": "firstEntry"},
        {"decisionRefBinding": "version"},
        {"decisionRefBinding": "version", "decisionRefVersion": "${v}"},
        {"decisionRefBinding": "versionTag", "decisionRefVersionTag": "${v}"},
        {"decisionRefTenantId": "t"},
    ],
)
def test_what_is_said_of_a_decision_and_not_executed_is_an_error(
    attributes: dict[str, str],
) -> None:
    made = beside("businessRuleTask", decisionRef="Rate", **attributes)
    assert only_finding(made).code == "unsupported-extension"


def test_a_decision_by_reference_comes_before_other_work() -> None:
    made = beside("businessRuleTask", decisionRef="Rate", type="external", topic="rules")
    assert only_finding(made).code == "no-effect"
    found = made.process("p").element("x")
    assert decision_of(found).decision_id == "Rate"
    assert isinstance(found, e.BusinessRuleTask)
    assert found.job is None


CONNECTOR = "<camunda:connector><camunda:connectorId>c</camunda:connectorId></camunda:connector>"


def test_what_is_beside_a_connector_has_no_effect() -> None:
    made = beside("serviceTask", CONNECTOR, **{"class": "A"})
    assert codes(made) == [("no-effect", "x")]


def test_the_message_of_an_event_is_not_thrown_by_a_connector() -> None:
    definition = tag("messageEventDefinition", extensions(CONNECTOR), messageRef="m")
    made = vendor_resource(
        message("m", "M"), start("s"), tag("endEvent", definition, id="x"), chain("s", "x")
    )
    assert codes(made) == [("unsupported-extension", "x")]


@pytest.mark.parametrize("attributes", ['variables="all"', 'businessKey="k"'])
def test_a_signal_passes_only_what_it_names(attributes: str) -> None:
    definition = tag(
        "signalEventDefinition", extensions(f"<camunda:in {attributes}/>"), signalRef="sig"
    )
    made = vendor_resource(
        '<bpmn:signal id="sig" name="S"/>',
        start("s"),
        tag("endEvent", definition, id="x"),
        chain("s", "x"),
    )
    assert codes(made) == [("unsupported-extension", "x")]
