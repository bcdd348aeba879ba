"""The `flowable:` and `activiti:` extensions, which mean the same."""

import pytest
from lxml import etree

from engine.model import elements as e
from engine.model.compile import CompiledResource
from engine.model.dialects import choose, flowable
from tests.support.findings import codes, only_finding
from tests.support.models import chain, compiled_resource, extensions, start, tag
from tests.support.vendor_models import vendor_file, vendor_resource

PREFIXES = ("flowable", "activiti")


def made_with(
    kind: str, *content: str, prefix: str = "flowable", attributes: dict[str, str]
) -> CompiledResource:
    own = {f"{prefix}:{name}": value for name, value in attributes.items()}
    node = tag(kind, extensions(*content), id="x", **own)
    return vendor_resource(start("s"), node, chain("s", "x"), platform=None)


def job_of(made: CompiledResource) -> e.JobDefinition:
    assert made.findings == ()
    found = made.process("p").element("x")
    assert isinstance(found, e.ServiceTask | e.SendTask | e.ScriptTask)
    assert found.job is not None
    return found.job


@pytest.mark.parametrize("prefix", PREFIXES)
def test_a_file_with_these_extensions_is_read_as_flowable(prefix: str) -> None:
    content = vendor_file(tag("process", id="p", **{f"{prefix}:new": "1"}))
    assert choose(etree.fromstring(content)) is flowable.DIALECT


def test_a_process_is_executable_unless_it_says_otherwise() -> None:
    silent = tag("process", start("s", ""), id="p", **{"flowable:async": "true"})
    assert compiled_resource(vendor_file(silent)).process("p").process_id == "p"
    denying = tag("process", start("t"), id="q", isExecutable="false")
    made = compiled_resource(vendor_file(silent, denying))
    assert codes(made) == [("not-executable", "q")]


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize(
    ("attributes", "job_type"),
    [
        ({"type": "external-worker", "topic": "pay"}, "pay"),
        ({"class": "com.example.Pay"}, "com.example.Pay"),
        ({"delegateExpression": "${payment}"}, "payment"),
        ({"expression": "#{payment.charge()}"}, "payment.charge"),
        ({"type": "http"}, "http"),
    ],
)
def test_work_that_the_engine_cannot_do_is_a_job(
    prefix: str, attributes: dict[str, str], job_type: str
) -> None:
    made = made_with("serviceTask", prefix=prefix, attributes=attributes)
    assert job_of(made).type == job_type


def test_fields_are_headers_and_their_expressions_too() -> None:
    made = made_with(
        "serviceTask",
        '<flowable:field name="requestMethod"><flowable:string><![CDATA[GET]]></flowable:string>'
        '</flowable:field><flowable:field name="requestUrl"><flowable:expression>'
        "https://example.org/${id}</flowable:expression></flowable:field>"
        '<flowable:field name="to" stringValue="a@example.org"/>',
        attributes={"type": "http"},
    )
    job = job_of(made)
    assert job.headers == {"requestMethod": "GET", "to": "a@example.org"}
    assert job.computed_headers["requestUrl"].text == "https://example.org/${id}"


@pytest.mark.parametrize("name", ["resultVariable", "resultVariableName"])
def test_a_value_expression_is_evaluated_inline(name: str) -> None:
    made = made_with("serviceTask", attributes={"expression": "${1 + 1}", name: "two"})
    found = made.process("p").element("x")
    assert isinstance(found, e.ServiceTask)
    assert found.script is not None
    assert found.script.result_variable == "two"


def test_a_user_task_has_people() -> None:
    made = made_with("userTask", attributes={"assignee": "${boss}", "candidateGroups": "a,b"})
    found = made.process("p").element("x")
    assert isinstance(found, e.UserTask)
    assert not isinstance(found.assignee, str | None)
    assert (found.assignee.text, found.candidate_groups) == ("${boss}", "a,b")


def test_a_call_may_inherit_variables_and_business_key() -> None:
    names = ("inheritVariables", "inheritBusinessKey", "sameDeployment")
    own = {f"flowable:{name}": "true" for name in names}
    mapped = extensions('<flowable:in source="a" target="b"/><flowable:out source="c" target="d"/>')
    node = tag("callActivity", mapped, id="x", calledElement="q", **own)
    made = vendor_resource(start("s"), node, chain("s", "x"), platform=None)
    found = made.process("p").element("x")
    assert isinstance(found, e.CallActivity)
    assert found.propagate_all_parent_variables
    assert found.inherits_business_key
    assert found.same_deployment
    assert [mapping.target for mapping in (*(found.passes or ()), *found.outputs)] == [
        ("b",),
        ("d",),
    ]


@pytest.mark.parametrize("value", ["false", "key"])
def test_values_that_ask_for_nothing_are_silent(value: str) -> None:
    name = "calledElementType" if value == "key" else "sameDeployment"
    node = tag("callActivity", id="x", calledElement="q", **{f"flowable:{name}": value})
    made = vendor_resource(start("s"), node, chain("s", "x"), platform=None)
    assert made.findings == ()


@pytest.mark.parametrize(
    ("kind", "attributes", "code"),
    [
        ("manualTask", {"skipExpression": "${true}"}, "no-effect"),
        ("userTask", {"businessCalendarName": "holidays"}, "unsupported-extension"),
        ("userTask", {"somethingNew": "a"}, "unsupported-extension"),
        ("userTask", {"category": "a"}, "no-effect"),
        ("userTask", {"topic": "a"}, "no-effect"),
        ("task", {"assignee": "a"}, "no-effect"),
    ],
)
def test_nothing_is_passed_over(kind: str, attributes: dict[str, str], code: str) -> None:
    made = made_with(kind, attributes=attributes)
    assert codes(made) == [(code, "x")]
    assert made.deployable is (code == "no-effect")


def test_what_has_no_effect_is_told_to_be_removed() -> None:
    (finding,) = made_with("userTask", attributes={"category": "a"}).findings
    assert finding.message == (
        "flowable:category has no effect. Remove it: tasks have an assignee and candidates."
    )


@pytest.mark.parametrize(
    ("part", "code"),
    [
        ('<flowable:taskListener event="create" class="A"/>', "no-effect"),
        ('<flowable:formProperty id="f"/>', "no-effect"),
        ("<flowable:eventType>e</flowable:eventType>", "unsupported-extension"),
    ],
)
def test_no_extension_element_is_passed_over(part: str, code: str) -> None:
    assert codes(made_with("userTask", part, attributes={"async": "true"})) == [(code, "x")]


def data_object(kind: str, value: str) -> CompiledResource:
    drawn = tag("dataObject", extensions(f"<flowable:value>{value}</flowable:value>"), id="o",
                itemSubjectRef=f"xsd:{kind}")  # fmt: skip
    return vendor_resource(drawn, start("s"), platform=None)


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("string", "5", '"5"'),
        ("int", "5", "5"),
        ("double", "5.50", "5.5"),
        ("boolean", "True", "true"),
        ("datetime", "2020-01-01", '"2020-01-01"'),
    ],
)
def test_a_data_object_has_a_value_of_its_type(kind: str, value: str, text: str) -> None:
    made = data_object(kind, value)
    assert made.findings == ()
    assert made.process("p").data == (e.DataObject(name="o", value=text),)


@pytest.mark.parametrize(("kind", "value"), [("int", "five"), ("boolean", "1"), ("long", "true")])
def test_a_value_of_another_type_is_an_error(kind: str, value: str) -> None:
    assert codes(data_object(kind, value)) == [("unsupported-extension", "o")]


# --- decisions ---


def field(name: str, value: str, prefix: str, kind: str = "string") -> str:
    return (
        f'<{prefix}:field name="{name}"><{prefix}:{kind}>{value}</{prefix}:{kind}></{prefix}:field>'
    )


def decision_task(*fields: tuple[str, str], prefix: str = "flowable") -> CompiledResource:
    content = [field(name, value, prefix) for name, value in fields]
    return made_with("serviceTask", *content, prefix=prefix, attributes={"type": "dmn"})


KEY = ("decisionTableReferenceKey", "Rate")


@pytest.mark.parametrize("prefix", PREFIXES)
def test_a_decision_task_is_evaluated_inline(prefix: str) -> None:
    made = decision_task(KEY, ("decisionTaskThrowErrorOnNoHits", "true"), prefix=prefix)
    assert made.findings == ()
    found = made.process("p").element("x")
    assert isinstance(found, e.ServiceTask)
    assert (found.job, found.decision) == (
        None,
        e.DecisionCall(decision_id="Rate", result="outputs", needs_hit=True),
    )


def test_a_decision_task_may_keep_to_its_deployment() -> None:
    found = decision_task(KEY, ("sameDeployment", "true")).process("p").element("x")
    assert isinstance(found, e.ServiceTask)
    assert found.decision is not None
    assert found.decision.same_deployment


def test_an_expression_may_name_the_decision() -> None:
    key = field("decisionTableReferenceKey", "${rule}", "flowable", "expression")
    made = made_with("serviceTask", key, attributes={"type": "dmn"})
    found = made.process("p").element("x")
    assert isinstance(found, e.ServiceTask)
    assert found.decision is not None
    assert not isinstance(found.decision.decision_id, str)
    assert found.decision.decision_id.text == "${rule}"


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ((), "decision-missing"),
        ((("decisionTableReferenceKey", ""),), "decision-missing"),
        ((KEY, ("decisionServiceReferenceKey", "x")), "unsupported-extension"),
        ((KEY, ("decisionTableReferencKey", "x")), "unsupported-extension"),
        ((KEY, ("decisionTaskThrowErrorOnNoHits", "${strict")), "expression-syntax"),
        ((KEY, ("sameDeployment", "${same}")), "unsupported-extension"),
    ],
)
def test_a_decision_that_cannot_be_called_is_an_error(
    fields: tuple[tuple[str, str], ...], code: str
) -> None:
    assert codes(decision_task(*fields)) == [(code, "x")]


def test_a_case_is_refused() -> None:
    finding = only_finding(made_with("serviceTask", attributes={"type": "case"}))
    assert (finding.severity, finding.code) == ("error", "unsupported-extension")
    assert "case" in finding.message


def test_work_without_a_type_is_told_how_to_name_one() -> None:
    made = made_with("serviceTask", attributes={"async": "true"})
    assert "flowable:topic" in only_finding(made).message


@pytest.mark.parametrize("text", ["false", "true", "${skip}"])
def test_a_skip_expression_may_be_a_value(text: str) -> None:
    found = made_with("userTask", attributes={"skipExpression": text}).process("p").element("x")
    assert isinstance(found, e.UserTask)
    assert found.skip is not None
    assert found.skip.text == text


def test_a_skip_expression_that_is_a_text_is_an_error() -> None:
    made = made_with("userTask", attributes={"skipExpression": "yes"})
    assert codes(made) == [("not-an-expression", "x")]


@pytest.mark.parametrize("source", ["startEvent", "exclusiveGateway"])
def test_a_flow_that_is_taken_anyway_is_not_skipped(source: str) -> None:
    flow = tag(
        "sequenceFlow", id="f", sourceRef="a", targetRef="b", **{"flowable:skipExpression": "${x}"}
    )
    own = {"default": "f"} if source == "exclusiveGateway" else {}
    parts = () if source == "startEvent" else (start("s"), chain("s", "a"))
    made = vendor_resource(
        *parts, tag(source, id="a", **own), tag("endEvent", id="b"), flow, platform=None
    )
    assert codes(made) == [("no-effect", "f")]


@pytest.mark.parametrize("calendar", ["dueDate", "duration", "cycle"])
def test_the_calendars_that_are_always_there_need_nothing(calendar: str) -> None:
    own = {"dueDate": "P1D", "businessCalendarName": calendar}
    assert made_with("userTask", attributes=own).findings == ()


def test_an_in_may_pass_the_business_key() -> None:
    node = tag(
        "callActivity", extensions('<flowable:in businessKey="${k}"/>'), id="x", calledElement="q"
    )
    found = vendor_resource(start("s"), node, chain("s", "x"), platform=None).process("p")
    called = found.element("x")
    assert isinstance(called, e.CallActivity)
    assert not isinstance(called.business_key, str | None)
    assert called.business_key.text == "${k}"


@pytest.mark.parametrize(
    "own", ['target="a" createOverviewVariable="true"', 'targetExpression="${t}"', 'class="A"']
)
def test_an_aggregation_that_needs_more_is_an_error(own: str) -> None:
    loop = tag(
        "multiInstanceLoopCharacteristics",
        extensions(f"<flowable:variableAggregation {own}/>"),
        **{"flowable:collection": "c"},
    )
    node = tag("userTask", loop, id="x")
    made = vendor_resource(start("s"), node, chain("s", "x"), platform=None)
    assert not made.deployable
    assert "unsupported-extension" in {code for code, _ in codes(made)}


def test_a_cron_expression_has_no_end_date() -> None:
    cycle = tag("timeCycle", "0 0 0 ? * 4", **{"flowable:endDate": "2030-01-01T00:00:00Z"})
    event = tag("intermediateCatchEvent", tag("timerEventDefinition", cycle), id="x")
    made = vendor_resource(start("s"), event, chain("s", "x"), platform=None)
    assert ("unsupported-extension", "x") in codes(made)
