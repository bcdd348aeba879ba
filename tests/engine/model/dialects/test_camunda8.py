"""The `zeebe:` extensions, as Camunda Modeler writes them and as Zeebe reads them."""

from pathlib import Path

import pytest
from lxml import etree

from engine.expressions import Environment, Expression
from engine.model import elements as e
from engine.model.compile import CompiledResource
from engine.model.dialects import choose, plain
from engine.model.dialects.camunda8 import DIALECT
from schemas.topics import JOB_TYPE_MAX, escape_job_type
from tests.support.findings import codes, only_finding
from tests.support.models import (
    bpmn,
    catch,
    chain,
    compiled,
    compiled_resource,
    error_event,
    event_gateway,
    extension,
    extensions,
    process,
    resource,
    start,
    sub_process,
    tag,
    task,
    terminate_event,
    timer,
    user_task,
)

ORDER = Path(__file__).parents[3] / "models" / "order.bpmn"


MAPPING = extension("ioMapping", extension("input", source="=1", target="a"))


def order() -> e.ProcessModel:
    return compiled_resource(ORDER.read_bytes()).process("order")


def extended(kind: str, *content: str, element_id: str = "x", **attributes: str) -> str:
    return tag(kind, extensions(*content), id=element_id, **attributes)


def beside(kind: str, *content: str) -> CompiledResource:
    """One element of this kind with these extensions, behind a start event."""
    return resource(start("s"), extended(kind, *content), chain("s", "x"))


def element(kind: str, *content: str) -> e.AnyElement:
    made = beside(kind, *content)
    assert made.findings == ()
    return made.process("p").element("x")


def job_of(found: e.AnyElement) -> e.JobDefinition:
    assert isinstance(found, e.ServiceTask | e.SendTask | e.BusinessRuleTask | e.ScriptTask)
    assert found.job is not None
    return found.job


def texts(*found: e.Text | None) -> list[str | None]:
    return [text if isinstance(text, str | None) else f"={text.text}" for text in found]


# --- which dialect ---


def definitions(inner: str = "", **attributes: str) -> etree._Element:
    root = etree.fromstring(bpmn(inner))
    for name, value in attributes.items():
        root.set(f"{{http://camunda.org/schema/modeler/1.0}}{name}", value)
    return root


def test_a_file_for_camunda_cloud_is_read_as_camunda_8() -> None:
    assert choose(definitions(executionPlatform="Camunda Cloud")) is DIALECT


def test_a_file_with_zeebe_extensions_is_read_as_camunda_8() -> None:
    assert choose(definitions(extended("process", extension("versionTag")))) is DIALECT


def test_a_file_that_only_declares_the_namespace_is_plain() -> None:
    assert choose(definitions(executionPlatform="something else")) is plain.DIALECT


# --- jobs ---


@pytest.mark.parametrize("kind", ["serviceTask", "sendTask", "businessRuleTask", "scriptTask"])
def test_a_task_definition_makes_a_job(kind: str) -> None:
    job = job_of(element(kind, extension("taskDefinition", type="pay", retries="7")))
    assert (job.type, job.retries, job.headers) == ("pay", 7, {})


def test_a_job_is_tried_three_times_unless_the_model_says_otherwise() -> None:
    assert job_of(element("serviceTask", extension("taskDefinition", type="pay"))).retries == 3


def test_type_and_retries_may_be_expressions() -> None:
    job = job_of(order().element("remind"))
    assert texts(job.type) == ['=channel + "-reminder"']
    assert not isinstance(job.retries, int)
    assert job.retries.text == "attempts"


def test_headers_win_over_properties_of_the_same_name() -> None:
    assert job_of(order().element("remind")).headers == {"template": "reminder", "owner": "sales"}
    properties = extension("properties", extension("property", name="a", value="1"))
    headers = extension("taskHeaders", extension("header", key="a", value="2"))
    definition = extension("taskDefinition", type="t")
    assert job_of(element("serviceTask", properties, headers, definition)).headers == {"a": "2"}


@pytest.mark.parametrize("kind", ["serviceTask", "sendTask", "businessRuleTask", "scriptTask"])
def test_a_task_without_a_job_type_is_an_error(kind: str) -> None:
    with_version = extended("process", extension("versionTag", value="1"), element_id="other")
    made = compiled_resource(
        bpmn(with_version, process("p", start("s"), tag(kind, id="x"), chain("s", "x")))
    )
    assert ("job-type-missing", "x") in codes(made)


@pytest.mark.parametrize(
    ("kind", "named"),
    [("scriptTask", "<zeebe:script "), ("businessRuleTask", "<zeebe:calledDecision ")],
)
def test_what_the_engine_could_do_itself_is_named_where_there_is_no_work(
    kind: str, named: str
) -> None:
    (finding,) = beside(kind, extension("properties")).findings
    assert f", or let the engine do it by {named}" in finding.message


def test_nothing_but_a_worker_does_a_service_task() -> None:
    (finding,) = beside("serviceTask", extension("properties")).findings
    assert finding.message.endswith('Name one by <zeebe:taskDefinition type="..."/>.')


@pytest.mark.parametrize("job_type", ["", "  "])
def test_an_empty_job_type_is_an_error(job_type: str) -> None:
    made = beside("serviceTask", extension("taskDefinition", type=job_type))
    assert codes(made) == [("job-type-missing", "x")]


@pytest.mark.parametrize("retries", ["many", "-1", "0", "1.5", "99999999", "٣"])
def test_retries_that_are_no_number_are_an_error(retries: str) -> None:
    made = beside("serviceTask", extension("taskDefinition", type="pay", retries=retries))
    assert codes(made) == [("bad-retries", "x")]


@pytest.mark.parametrize("job_type", ["x" * 200, "ü" * 25, "io.camunda:http-json:1"])
def test_a_job_type_that_fits_the_name_of_a_topic_is_fine(job_type: str) -> None:
    job = job_of(element("serviceTask", extension("taskDefinition", type=job_type)))
    assert len(escape_job_type(job_type)) <= JOB_TYPE_MAX
    assert job.type == job_type


@pytest.mark.parametrize("job_type", ["x" * 201, "ü" * 26, "-" * 60])
def test_a_job_type_that_may_not_fit_the_name_of_a_topic_is_an_error(job_type: str) -> None:
    made = beside("serviceTask", extension("taskDefinition", type=job_type))
    assert codes(made) == [("bad-job-type", "x")]


def test_an_expression_that_does_not_compile_is_an_error_with_its_line() -> None:
    finding = only_finding(beside("serviceTask", "\n", extension("taskDefinition", type="=1 +")))
    assert (finding.code, finding.element) == ("expression-syntax", "x")
    assert finding.line is not None
    assert finding.line > 4


# --- mappings ---


def mapped(kind: str, direction: str, source: str, target: str) -> e.Mapping:
    mapping = extension("ioMapping", extension(direction, source=source, target=target))
    found = element(kind, mapping)
    (made,) = found.inputs if direction == "input" else found.outputs  # type: ignore[union-attr]  # an activity
    assert isinstance(made, e.Mapping)
    return made


@pytest.mark.parametrize("kind", ["userTask", "task", "manualTask"])
@pytest.mark.parametrize("direction", ["input", "output"])
def test_a_mapping_has_an_expression_and_a_path(kind: str, direction: str) -> None:
    mapping = mapped(kind, direction, "=order.total", "invoice.amount")
    assert mapping.source.text == "order.total"
    assert mapping.target == ("invoice", "amount")


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("text", "text"),
        ("", ""),
        ("12", 12),
        ("-1.5", None),
        ('with "quotes" and \\', 'with "quotes" and \\'),
        ("1 2", "1 2"),
    ],
)
def test_a_static_input_is_a_text_or_a_number(source: str, value: object) -> None:
    found = mapped("userTask", "input", source, "a").source.evaluate(Environment())
    assert (str(found) == source) if value is None else (found == value)


def test_a_static_output_is_an_error() -> None:
    mapping = extension("ioMapping", extension("output", source="static", target="a"))
    assert codes(beside("userTask", mapping)) == [("not-an-expression", "x")]


@pytest.mark.parametrize("target", ["", "two words", "a.", ".a", "a..b", "1a", "a-b"])
def test_a_target_that_is_no_path_is_an_error(target: str) -> None:
    mapping = extension("ioMapping", extension("input", source="=1", target=target))
    assert codes(beside("userTask", mapping)) == [("bad-mapping-target", "x")]


@pytest.mark.parametrize("target", ["a", "_a1.b", "größe"])
def test_a_target_may_be_any_name(target: str) -> None:
    assert mapped("userTask", "input", "=1", target).target == tuple(target.split("."))


def test_outputs_of_a_catch_event_and_mappings_of_a_sub_process_are_read() -> None:
    model = compiled(
        start("s"),
        catch("c", timer(duration="PT1S"), outputs={"a": "=b"}),
        sub_process("sub", start("i"), inputs={"x": "=y"}, outputs={"z": "=w"}),
        chain("s", "c", "sub"),
    )
    caught, sub = model.element("c"), model.element("sub")
    assert isinstance(caught, e.IntermediateCatchEvent)
    assert isinstance(sub, e.SubProcess)
    assert [mapping.target for mapping in caught.outputs] == [("a",)]
    assert [mapping.target for mapping in (*sub.inputs, *sub.outputs)] == [("x",), ("z",)]


@pytest.mark.parametrize("kind", ["intermediateThrowEvent", "endEvent"])
@pytest.mark.parametrize("direction", ["input", "output"])
def test_a_throw_or_end_event_without_a_trigger_maps_both_ways(kind: str, direction: str) -> None:
    assert mapped(kind, direction, "=b", "a").target == ("a",)


def test_outputs_of_an_end_event_that_ends_more_than_itself_are_an_error() -> None:
    mapping = extension("ioMapping", extension("output", source="=1", target="a"))
    ending = tag("endEvent", extensions(mapping), terminate_event(), id="x")
    assert codes(resource(start("s"), ending, chain("s", "x"))) == [("mapping-not-executed", "x")]


def test_inputs_of_a_condition_that_an_event_gateway_asks_are_an_error() -> None:
    condition = tag("conditionalEventDefinition", tag("condition", "=b &gt; 1"))
    made = resource(
        start("s"),
        event_gateway("g"),
        tag("intermediateCatchEvent", extensions(MAPPING), condition, id="x"),
        catch("late", timer(duration="PT1S")),
        chain("s", "g", "x"),
        chain("g", "late"),
    )
    assert codes(made) == [("mapping-not-executed", "x")]


@pytest.mark.parametrize(
    "event",
    [
        extended("startEvent", MAPPING),
        tag("boundaryEvent", extensions(MAPPING), error_event(), id="x", attachedToRef="t"),
    ],
)
def test_inputs_of_an_event_without_a_scope_are_an_error(event: str) -> None:
    made = resource(tag("task", id="t"), event)
    assert ("mapping-not-executed", "x") in codes(made)


# --- scripts ---


def test_a_script_is_evaluated_into_its_variable() -> None:
    refund = order().element("refund")
    assert isinstance(refund, e.ScriptTask)
    assert refund.job is None
    assert refund.script is not None
    assert (refund.script.expression.text, refund.script.result_variable) == (
        "total * 1.1",
        "refund",
    )


def test_a_script_needs_a_result_variable() -> None:
    made = beside("scriptTask", extension("script", expression="=1"))
    assert codes(made) == [("result-variable-missing", "x")]


def test_a_script_task_is_either_a_script_or_a_job() -> None:
    script = extension("script", expression="=1", resultVariable="a")
    made = beside("scriptTask", script, extension("taskDefinition", type="t"))
    assert codes(made) == [("script-and-job", "x")]


# --- user tasks ---


def test_a_user_task_says_who_until_when_and_with_which_form() -> None:
    approve = order().element("approve")
    assert isinstance(approve, e.UserTask)
    assert texts(approve.assignee, approve.candidate_users, approve.candidate_groups) == [
        "=salesperson",
        "=[owner, deputy]",
        "sales, managers",
    ]
    assert texts(approve.due_date, approve.follow_up_date, approve.priority, approve.form_key) == [
        '=now() + duration("P2D")',
        "2030-01-02T08:00:00+01:00",
        "60",
        "approval_form",
    ]
    assert [mapping.target for mapping in approve.outputs] == [("decision", "approved")]


@pytest.mark.parametrize("attribute", ["formId", "formKey", "externalReference"])
def test_a_form_is_named_in_one_of_three_ways(attribute: str) -> None:
    task = element("userTask", extension("formDefinition", **{attribute: "the_form"}))
    assert isinstance(task, e.UserTask)
    assert task.form_key == "the_form"


def test_an_expression_of_another_language_is_taken_literally_with_a_warning() -> None:
    made = resource(start("s"), user_task("u", assignee="${initiator}"), chain("s", "u"))
    assert made.deployable
    assert codes(made) == [("not-evaluated", "u")]


# --- call activities ---


def test_a_call_activity_names_its_process_and_what_travels() -> None:
    ship = order().element("ship")
    assert isinstance(ship, e.CallActivity)
    assert ship.process_id == "shipping"
    assert ship.propagate_all_parent_variables
    assert not ship.propagate_all_child_variables


def test_the_called_process_may_be_an_expression() -> None:
    call = element("callActivity", extension("calledElement", processId="=carrier"))
    assert isinstance(call, e.CallActivity)
    assert texts(call.process_id) == ["=carrier"]


@pytest.mark.parametrize("content", ["", extension("calledElement")])
def test_a_call_activity_without_a_process_is_an_error(content: str) -> None:
    assert codes(beside("callActivity", content)) == [("called-process-missing", "x")]


def test_a_call_may_be_bound_to_its_deployment_or_to_a_version_tag() -> None:
    together = element(
        "callActivity", extension("calledElement", processId="p", bindingType="deployment")
    )
    tagged = element(
        "callActivity",
        extension("calledElement", processId="p", bindingType="versionTag", versionTag="1.2"),
    )
    assert isinstance(together, e.CallActivity)
    assert isinstance(tagged, e.CallActivity)
    assert (together.same_deployment, together.version_tag) == (True, None)
    assert (tagged.same_deployment, tagged.version_tag) == (False, "1.2")


def test_a_called_process_may_be_given_a_business_id() -> None:
    given = element("callActivity", extension("calledElement", processId="p", businessId="=order"))
    none = element("callActivity", extension("calledElement", processId="p", businessId=""))
    assert isinstance(given, e.CallActivity)
    assert isinstance(none, e.CallActivity)
    assert texts(given.business_key) == ["=order"]
    assert (none.business_key, none.inherits_business_key) == (None, True)


def test_a_process_may_have_a_version_tag() -> None:
    tagged = extensions(extension("versionTag", value="1.2"))
    assert compiled(tagged, start("s")).version_tag == "1.2"
    assert compiled(start("s")).version_tag is None
    too_long = extensions(extension("versionTag", value="x" * 256))
    assert codes(resource(too_long, start("s"))) == [("version-tag-too-long", "p")]


@pytest.mark.parametrize("binding", ["somehow", "versionTag"])
def test_a_binding_that_names_no_version_is_an_error(binding: str) -> None:
    called = extension("calledElement", processId="p", bindingType=binding)
    assert codes(beside("callActivity", called)) == [("unsupported-extension", "x")]


# --- what does not run ---


@pytest.mark.parametrize(
    ("kind", "name", "part"),
    [
        ("manualTask", "taskListeners", "taskListener"),
        ("userTask", "somethingNew", "part"),
    ],
)
def test_an_extension_that_does_not_run_is_an_error_that_names_it(
    kind: str, name: str, part: str
) -> None:
    made = beside(kind, extension(name, extension(part)), extension("taskDefinition", type="t"))
    finding = next(found for found in made.findings if found.code == "unsupported-extension")
    assert (finding.severity, finding.element) == ("error", "x")
    assert name in finding.message


def test_linked_resources_are_told_to_the_worker() -> None:
    linked = extension(
        "linkedResources",
        extension("linkedResource", resourceId="report", resourceType="RPA", linkName="Script"),
    )
    job = job_of(element("serviceTask", extension("taskDefinition", type="t"), linked))
    assert job.headers == {
        "linkedResources": '[{"resourceId":"report","resourceType":"RPA","linkName":"Script"}]'
    }


def test_several_forms_of_a_process_are_none_too_many() -> None:
    forms = extensions(extension("userTaskForm", id="a"), extension("userTaskForm", id="b"))
    assert resource(forms, start("s")).findings == ()


def listening(kind: str, tag_: str, event: str) -> CompiledResource:
    part = extension(tag_, eventType=event, type="a")
    return beside(kind, extension(f"{tag_}s", part), extension("taskDefinition", type="t"))


def test_listeners_are_jobs_by_the_event_with_the_headers_of_the_element() -> None:
    several = extension(
        "executionListeners",
        extension("executionListener", eventType="start", type="a", retries="5"),
        extension("executionListener", eventType="end", type="=kind"),
        extension("executionListener", eventType="start", type="b"),
    )
    headers = extension("taskHeaders", extension("header", key="k", value="v"))
    found = element("serviceTask", extension("taskDefinition", type="t"), headers, several)
    assert isinstance(found, e.ServiceTask)
    starts = found.listeners["start"]
    assert [(job.type, job.retries, job.headers) for job in starts] == [
        ("a", 5, {"k": "v"}), ("b", 3, {"k": "v"})
    ]  # fmt: skip
    assert [type(job.type) for job in found.listeners["end"]] == [Expression]


@pytest.mark.parametrize(
    ("kind", "name", "event", "code"),
    [
        ("serviceTask", "executionListener", "take", "unsupported-extension"),
        ("userTask", "taskListener", "deleting", "unsupported-extension"),
    ],
)
def test_a_listener_at_another_event_is_a_finding(
    kind: str, name: str, event: str, code: str
) -> None:
    assert code in [found for found, _ in codes(listening(kind, name, event))]


@pytest.mark.parametrize(
    ("kind", "tag_name", "event", "said"),
    [
        ("manualTask", "executionListener", "start",
         "The execution listener at 'start' of this manualTask has no type"),
        ("serviceTask", "executionListener", "end",
         "The execution listener at 'end' of this serviceTask has no type"),
        ("userTask", "taskListener", "completing",
         "The task listener at 'completing' of this userTask has no type"),
    ],
)  # fmt: skip
def test_a_listener_needs_a_type(kind: str, tag_name: str, event: str, said: str) -> None:
    parts = [extension(f"{tag_name}s", extension(tag_name, eventType=event))]
    if kind == "serviceTask":
        parts.append(extension("taskDefinition", type="t"))
    if kind == "userTask":
        parts.append(extension("userTask"))
    made = beside(kind, *parts)
    assert codes(made) == [("job-type-missing", "x")]
    assert made.findings[0].message.startswith(said)
    assert made.findings[0].message.endswith("Give it the attribute `type`.")


def test_a_header_of_the_engine_cannot_be_given() -> None:
    header = extension("taskHeaders", extension("header", key="torpor:listener", value="run:0"))
    made = beside("serviceTask", extension("taskDefinition", type="t"), header)
    assert codes(made) == [("reserved-header", "x")]


def test_listeners_of_a_sequence_flow_are_an_error() -> None:
    hearing = extension("executionListeners",
                        extension("executionListener", eventType="start", type="a"))  # fmt: skip
    way = tag("sequenceFlow", extensions(hearing), id="f", sourceRef="s", targetRef="e")
    assert codes(resource(start("s"), task("e"), way)) == [("unsupported-extension", "f")]


def test_an_empty_list_of_listeners_is_silent() -> None:
    assert isinstance(element("userTask", extension("executionListeners")), e.UserTask)


@pytest.mark.parametrize(
    ("kind", "name"), [("userTask", "taskHeaders"), ("manualTask", "taskDefinition")]
)
def test_an_extension_on_the_wrong_element_is_a_warning(kind: str, name: str) -> None:
    made = beside(kind, extension(name))
    assert made.deployable
    assert codes(made) == [("no-effect", "x")]


def test_an_extension_is_given_once() -> None:
    definition = extension("taskDefinition", type="t")
    assert codes(beside("serviceTask", definition, definition)) == [("duplicate-extension", "x")]


# --- decisions ---


def called_decision(**attributes: str | None) -> str:
    given = {"decisionId": "Rate", "resultVariable": "rate"} | attributes
    return extension("calledDecision", **given)


def decision_of(found: e.AnyElement) -> e.DecisionCall:
    assert isinstance(found, e.BusinessRuleTask)
    assert found.decision is not None
    return found.decision


def test_a_called_decision_is_evaluated_inline() -> None:
    found = element("businessRuleTask", called_decision())
    assert decision_of(found) == e.DecisionCall(decision_id="Rate", result_variable="rate")
    assert isinstance(found, e.BusinessRuleTask)
    assert found.job is None


def test_an_expression_may_name_the_decision() -> None:
    call = decision_of(element("businessRuleTask", called_decision(decisionId="=rule")))
    assert not isinstance(call.decision_id, str)
    assert call.decision_id.text == "rule"


@pytest.mark.parametrize(
    ("attributes", "version_tag", "same_deployment"),
    [
        ({"bindingType": "latest"}, None, False),
        ({"bindingType": "deployment"}, None, True),
        ({"bindingType": "versionTag", "versionTag": "v1"}, "v1", False),
        ({"versionTag": "v1"}, None, False),
    ],
)
def test_a_decision_is_bound_to_a_version(
    attributes: dict[str, str], version_tag: str | None, *, same_deployment: bool
) -> None:
    call = decision_of(element("businessRuleTask", called_decision(**attributes)))
    assert (call.version_tag, call.same_deployment) == (version_tag, same_deployment)


@pytest.mark.parametrize(
    ("extensions_", "code"),
    [
        ((called_decision(decisionId=None),), "decision-missing"),
        ((called_decision(resultVariable=None),), "result-variable-missing"),
        ((called_decision(bindingType="versionTag"),), "unsupported-extension"),
        ((called_decision(bindingType="newest"),), "unsupported-extension"),
        ((called_decision(decisionId="=1 +"),), "expression-syntax"),
        ((called_decision(), extension("taskDefinition", type="t")), "decision-and-job"),
    ],
)
def test_a_decision_that_cannot_be_called_is_an_error(
    extensions_: tuple[str, ...], code: str
) -> None:
    made = beside("businessRuleTask", *extensions_)
    assert codes(made) == [(code, "x")]
    assert not made.deployable


def test_a_called_decision_means_nothing_on_another_task() -> None:
    made = beside("serviceTask", called_decision(), extension("taskDefinition", type="t"))
    assert only_finding(made).code == "no-effect"
