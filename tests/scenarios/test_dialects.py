"""Models of Camunda 7 and Flowable, as their modellers draw them, run unchanged."""

import pytest

from engine import commands as c
from engine.lifecycle import InstanceState
from engine.model.elements import ProcessModel
from engine.values import decode_object
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    boundary,
    chain,
    compiled_resource,
    end,
    error,
    exclusive,
    extensions,
    flow,
    message,
    start,
    sub_process,
    tag,
    task,
)
from tests.support.runner import START_MS, Runner
from tests.support.vendor_models import NAMESPACES, vendor_file, vendor_model

MINUTE = 60_000
DAY = 24 * 60 * MINUTE


def external(element_id: str, topic: str, *content: str) -> str:
    own = {"camunda:type": "external", "camunda:topic": topic}
    return tag("serviceTask", extensions(*content), id=element_id, **own)


def valued(element_id: str, expression: str, result: str) -> str:
    own = {"camunda:expression": expression, "camunda:resultVariable": result}
    return tag("serviceTask", id=element_id, **own)


def juel_flow(source: str, target: str, condition: str) -> str:
    drawn = tag("conditionExpression", condition)
    return tag("sequenceFlow", drawn, id=f"{source}-{target}", sourceRef=source, targetRef=target)


def inputs_and_outputs(inputs: dict[str, str], outputs: dict[str, str]) -> str:
    inner = "".join(
        f'<camunda:{kind} name="{name}">{text}</camunda:{kind}>'
        for kind, pairs in (("inputParameter", inputs), ("outputParameter", outputs))
        for name, text in pairs.items()
    )
    return f"<camunda:inputOutput>{inner}</camunda:inputOutput>"


def fail(run: Runner, job_type: str, backoff_ms: int | None = None) -> None:
    job = run.job(job_type)
    run.accept(
        c.FailJob(job_id=job.job_id, attempt=job.attempt, message="no", backoff_ms=backoff_ms)
    )


# --- work ---


def test_an_external_task_is_a_job_and_its_result_decides_the_way(scenario: Scenario) -> None:
    run = scenario(
        vendor_model(
            start("s"),
            external("pay", "payment"),
            exclusive("paid", default="paid-no"),
            end("yes"),
            end("no"),
            chain("s", "pay", "paid"),
            juel_flow("paid", "yes", "${amount &gt; 100 and state eq 'PAID'}"),
            flow("paid", "no"),
        )
    )
    run.start("p", variables='{"amount": 250}')
    run.complete("payment", '{"state": "PAID"}')
    assert "yes" in run.path()
    assert run.state() is InstanceState.COMPLETED


def test_a_value_expression_runs_without_a_worker(scenario: Scenario) -> None:
    run = scenario(
        vendor_model(
            start("s"),
            valued("twice", "${amount * 2}", "double"),
            valued("who", "${execution.processInstanceId}/${execution.currentActivityId}", "who"),
            valued("key", "${execution.processBusinessKey}", "key"),
            end("e"),
            chain("s", "twice", "who", "key", "e"),
        )
    )
    run.accept(
        c.StartInstance(
            process_id="p", instance_id="a", business_key="order-7", variables='{"amount": 21}'
        )
    )
    assert run.result() == '{"amount":21,"double":42,"who":"a/who","key":"order-7"}'


def test_a_failed_job_waits_as_its_retry_cycle_says(scenario: Scenario) -> None:
    cycle = "<camunda:failedJobRetryTimeCycle>PT1M,PT10M</camunda:failedJobRetryTimeCycle>"
    run = scenario(
        vendor_model(
            start("s"), external("pay", "payment", cycle), end("e"), chain("s", "pay", "e")
        )
    )
    run.start("p")
    assert run.job("payment").retries_left == 3
    fail(run, "payment")
    assert run.jobs("payment") == []
    run.elapse(MINUTE)
    fail(run, "payment")
    run.elapse(9 * MINUTE)
    assert run.jobs("payment") == []
    run.elapse(MINUTE)
    assert run.job("payment").attempt == 3
    fail(run, "payment")
    assert run.incident().kind == "JOB_RETRIES_EXHAUSTED"


def test_a_worker_may_ask_for_another_wait_than_the_model_does(scenario: Scenario) -> None:
    cycle = "<camunda:failedJobRetryTimeCycle>R5/P1D</camunda:failedJobRetryTimeCycle>"
    run = scenario(
        vendor_model(
            start("s"), external("pay", "payment", cycle), end("e"), chain("s", "pay", "e")
        )
    )
    run.start("p")
    fail(run, "payment", backoff_ms=0)
    assert run.job("payment").attempt == 2
    fail(run, "payment")
    run.elapse(DAY)
    assert run.job("payment").attempt == 3


def test_fields_with_expressions_are_headers_of_the_job(scenario: Scenario) -> None:
    field = (
        '<flowable:field name="requestUrl"><flowable:expression>'
        "https://example.org/${id}</flowable:expression></flowable:field>"
        '<flowable:field name="requestMethod" stringValue="GET"/>'
    )
    node = tag("serviceTask", extensions(field), id="call", **{"flowable:type": "http"})
    run = scenario(vendor_model(start("s"), node, end("e"), chain("s", "call", "e"), platform=None))
    run.start("p", variables='{"id": 7}')
    assert run.job("http").headers == {
        "requestMethod": "GET",
        "requestUrl": "https://example.org/7",
    }


def test_a_field_that_cannot_be_evaluated_is_an_incident(scenario: Scenario) -> None:
    field = '<camunda:field name="to" expression="${adress}"/>'
    run = scenario(
        vendor_model(start("s"), external("m", "mail", field), end("e"), chain("s", "m", "e"))
    )
    run.start("p")
    assert "'adress'" in run.incident().message
    run.resolve(variables='{"adress": "a@example.org"}')
    assert run.job("mail").headers == {"to": "a@example.org"}


# --- variables ---


def test_inputs_are_local_and_all_else_is_written_outward(scenario: Scenario) -> None:
    io = inputs_and_outputs({"limit": "${max}", "text": "n ${n}"}, {"price": "${raw * 2}"})
    run = scenario(
        vendor_model(
            start("s"),
            sub_process(
                "sub",
                start("i"),
                external("quote", "quote", io),
                task("j"),
                chain("i", "quote", "j"),
            ),
            end("e"),
            chain("s", "sub", "e"),
        )
    )
    run.start("p", variables='{"max": 9, "n": 1}')
    assert run.job("quote").variables == '{"max":9,"n":1,"limit":9,"text":"n 1"}'
    run.complete("quote", '{"raw": 21, "limit": 1}')
    assert run.result() == '{"max":9,"n":1,"raw":21,"price":42}'


def test_lists_and_maps_of_parameters_are_values(scenario: Scenario) -> None:
    parameters = (
        '<camunda:inputOutput><camunda:outputParameter name="order"><camunda:map>'
        '<camunda:entry key="id">${id}</camunda:entry><camunda:entry key="tags"><camunda:list>'
        "<camunda:value>new</camunda:value><camunda:value>${id + 1}</camunda:value>"
        "</camunda:list></camunda:entry></camunda:map></camunda:outputParameter>"
        "</camunda:inputOutput>"
    )
    node = tag("task", extensions(parameters), id="t")
    run = scenario(vendor_model(start("s"), node, end("e"), chain("s", "t", "e")))
    run.start("p", variables='{"id": 7}')
    assert run.result() == '{"id":7,"order":{"id":7,"tags":["new",8]}}'


# --- people ---


def test_a_user_task_is_described_by_juel(scenario: Scenario) -> None:
    own = {
        "camunda:assignee": "${order.getOwner()}",
        "camunda:candidateGroups": "sales, ${region}",
        "camunda:dueDate": "P2D",
        "camunda:followUpDate": "${dateTime().plusDays(1)}",
        "camunda:priority": "${empty region ? 10 : 60}",
        "camunda:formKey": "app:approve.html",
    }
    node = tag("userTask", id="approve", **own)
    run = scenario(vendor_model(start("s"), node, end("e"), chain("s", "approve", "e")))
    run.start("p", variables='{"order": {"owner": "ann"}, "region": "north"}')
    found = run.task("approve")
    assert (found.assignee, found.candidate_groups) == ("ann", ("sales", "north"))
    assert (found.due_at, found.priority) == (START_MS + 2 * DAY, 60)
    assert found.follow_up_at == START_MS + DAY
    assert found.form_key == "app:approve.html"
    run.complete_task("approve")
    run.assert_nothing_left()


# --- calls ---


CALLED = vendor_model(
    start("s"), external("work", "work"), end("e"), chain("s", "work", "e"), process_id="called"
)


def calling(*content: str) -> str:
    return tag("callActivity", extensions(*content), id="call", calledElement="${'cal'}led")


def test_a_call_passes_what_it_names_and_takes_what_it_names(scenario: Scenario) -> None:
    travels = (
        '<camunda:in source="a" target="b"/><camunda:in sourceExpression="${a + 1}" target="c"/>'
        '<camunda:in source="missing" target="d"/>'
        '<camunda:in businessKey="${execution.processBusinessKey}-1"/>'
        '<camunda:out source="x" target="y"/>'
        '<camunda:out sourceExpression="${x * 10}" target="z"/>'
    )
    run = scenario(
        CALLED, vendor_model(start("s"), calling(travels), end("e"), chain("s", "call", "e"))
    )
    run.accept(
        c.StartInstance(process_id="p", instance_id="a", business_key="order", variables='{"a": 1}')
    )
    job = run.job("work")
    assert (job.variables, job.business_key) == ('{"b":1,"c":2,"d":null}', "order-1")
    run.complete("work", '{"x": 5, "other": true}')
    assert run.result() == '{"a":1,"y":5,"z":50}'
    run.assert_nothing_left()


@pytest.mark.parametrize(
    ("out", "taken"),
    [
        ('<camunda:out source="x" target="y"/>', '{"y":5,"why":"no"}'),
        ('<camunda:out variables="all"/>', '{"x":5,"other":1,"why":"no"}'),
        ("", '{"why":"no"}'),
    ],
)
def test_a_call_takes_what_it_names_even_if_an_error_leaves_it(
    scenario: Scenario, out: str, taken: str
) -> None:
    called = vendor_model(
        start("s"),
        external("first", "first"),
        external("work", "work"),
        chain("s", "first", "work"),
        process_id="called",
    )
    caller = vendor_model(
        start("s"),
        calling(out, inputs_and_outputs({}, {"late": "${nothing}"})),
        boundary("caught", "call", tag("errorEventDefinition")),
        chain("s", "call"),
    )
    run = scenario(called, caller)
    run.start("p")
    run.complete("first", '{"x": 5, "other": 1}')
    job = run.job("work")
    run.accept(c.ThrowError(job_id=job.job_id, attempt=1, code="BAD", variables='{"why": "no"}'))
    assert run.result() == taken
    run.assert_nothing_left()


def test_a_call_passes_and_takes_everything_or_nothing(scenario: Scenario) -> None:
    everything = '<camunda:in variables="all"/><camunda:out variables="all"/>'
    mapped = inputs_and_outputs({}, {"twice": "${x * 2}"})
    for content, passed, result in (
        (everything, '{"a":1}', '{"a":1,"x":5}'),
        (everything + mapped, '{"a":1}', '{"a":1,"x":5,"twice":10}'),
        ("", "{}", '{"a":1}'),
    ):
        run = scenario(
            CALLED, vendor_model(start("s"), calling(content), end("e"), chain("s", "call", "e"))
        )
        run.accept(
            c.StartInstance(process_id="p", instance_id="a", business_key="k", variables='{"a": 1}')
        )
        job = run.job("work")
        assert (job.variables, job.business_key) == (passed, None)
        run.complete("work", '{"x": 5}')
        assert run.result() == result


def test_an_output_that_fails_after_a_call_is_tried_again_without_calling(
    scenario: Scenario,
) -> None:
    out = '<camunda:out sourceExpression="${x * factor}" target="y"/>'
    run = scenario(
        CALLED, vendor_model(start("s"), calling(out), end("e"), chain("s", "call", "e"))
    )
    run.start("p")
    run.complete("work", '{"x": 5}')
    assert "'factor'" in run.incident().message
    run.resolve(variables='{"factor": 3}')
    assert run.result() == '{"factor":3,"y":15}'
    assert run.jobs("work") == []


def test_a_call_bound_to_a_version_runs_that_one(scenario: Scenario) -> None:
    other = vendor_model(
        start("s"), external("new", "new"), end("e"), chain("s", "new", "e"), process_id="called"
    )
    own = {"camunda:calledElementBinding": "version", "camunda:calledElementVersion": "1"}
    node = tag("callActivity", id="call", calledElement="called", **own)
    run = scenario(CALLED, other, vendor_model(start("s"), node, end("e"), chain("s", "call", "e")))
    run.start("p")
    assert run.job("work").version == 1
    assert run.jobs("new") == []


def version_of_called(name: str, tag_text: str | None = None) -> ProcessModel:
    own = {} if tag_text is None else {"camunda:versionTag": tag_text}
    drawn = tag(
        "process",
        start("s"),
        external(name, name),
        end("e"),
        chain("s", name, "e"),
        id="called",
        isExecutable="true",
        **own,
    )
    return compiled_resource(vendor_file(drawn)).process("called")


def test_a_call_bound_to_its_deployment_does_not_see_what_came_later(scenario: Scenario) -> None:
    own = {"camunda:calledElementBinding": "deployment"}
    node = tag("callActivity", id="call", calledElement="called", **own)
    run = scenario(
        CALLED,
        version_of_called("second"),
        vendor_model(start("s"), node, end("e"), chain("s", "call", "e")),
        version_of_called("third"),
    )
    run.start("p")
    assert [job.type for job in run.jobs()] == ["second"]


def test_a_call_bound_to_a_tag_runs_the_latest_version_with_it(scenario: Scenario) -> None:
    own = {"camunda:calledElementBinding": "versionTag", "camunda:calledElementVersionTag": "1"}
    node = tag("callActivity", id="call", calledElement="called", **own)
    caller = vendor_model(start("s"), node, end("e"), chain("s", "call", "e"))
    run = scenario(caller, version_of_called("untagged"))
    run.start("p")
    incident = run.incident()
    assert incident.message == (
        "Expected the process 'called' with the version tag '1' to be deployed, found none"
    )
    for name, its_tag in (("first", "1"), ("second", "1"), ("third", "2")):
        run.deploy(version_of_called(name, its_tag))
    run.resolve()
    assert [job.type for job in run.jobs()] == ["second"]


# --- messages, errors, timers ---


def waiting_for_payment() -> object:
    event = tag("messageEventDefinition", messageRef="m")
    return vendor_model(
        message("m", "Paid"),
        start("s"),
        tag("intermediateCatchEvent", event, id="paid"),
        end("e"),
        chain("s", "paid", "e"),
    )


def test_a_message_finds_the_instance_by_its_business_key(scenario: Scenario) -> None:
    run = scenario(waiting_for_payment())
    run.accept(c.StartInstance(process_id="p", instance_id="a", business_key="order-7"))
    run.accept(c.PublishMessage(name="Paid", correlation_key="order-8"))
    assert run.state() is InstanceState.RUNNING
    run.accept(c.PublishMessage(name="Paid", correlation_key="order-7", variables='{"n": 1}'))
    assert run.result() == '{"n":1}'


def test_without_a_business_key_a_message_finds_the_instance_by_its_id(scenario: Scenario) -> None:
    run = scenario(waiting_for_payment())
    run.start("p", "a")
    run.accept(c.PublishMessage(name="Paid", correlation_key="a"))
    assert run.state() is InstanceState.COMPLETED


def test_a_caught_error_leaves_its_code_and_message(scenario: Scenario) -> None:
    own = {"camunda:errorCodeVariable": "code", "camunda:errorMessageVariable": "text"}
    run = scenario(
        vendor_model(
            error("e", "E1"),
            start("s"),
            external("pay", "payment"),
            boundary("b", "pay", tag("errorEventDefinition", errorRef="e", **own)),
            end("ok"),
            end("failed"),
            chain("s", "pay", "ok"),
            flow("b", "failed"),
        )
    )
    run.start("p")
    job = run.job("payment")
    run.accept(c.ThrowError(job_id=job.job_id, attempt=job.attempt, code="E1", message="declined"))
    assert run.result() == '{"code":"E1","text":"declined"}'


def test_an_error_that_is_thrown_has_the_message_of_the_model(scenario: Scenario) -> None:
    own = {"camunda:errorMessageVariable": "text"}
    thrown = tag("errorEventDefinition", errorRef="e")
    run = scenario(
        vendor_model(
            tag("error", id="e", errorCode="E1", **{"camunda:errorMessage": "Not ${n}"}),
            start("s"),
            sub_process("sub", start("i"), tag("endEvent", thrown, id="t"), chain("i", "t")),
            boundary("b", "sub", tag("errorEventDefinition", errorRef="e", **own)),
            end("failed"),
            chain("s", "sub"),
            flow("b", "failed"),
        )
    )
    run.start("p")
    assert "'n'" in run.incident().message
    run.resolve(variables='{"n": 7}')
    assert run.result() == '{"n":7,"text":"Not 7"}'


def test_a_cron_timer_counts_weekdays_as_quartz_does(scenario: Scenario) -> None:
    # START_MS is Tuesday, 14 November 2023, 22:13:20 UTC. 4 is Wednesday for Quartz.
    cycle = tag("timerEventDefinition", tag("timeCycle", "0 0 0 ? * 4"))
    run = scenario(
        vendor_model(
            start("s"),
            tag("userTask", id="wait"),
            boundary("remind", "wait", cycle, interrupting=False),
            task("note"),
            end("e"),
            chain("s", "wait", "e"),
            flow("remind", "note"),
        )
    )
    run.start("p")
    run.elapse(2 * 60 * MINUTE)
    assert run.path().count("note") == 1
    run.elapse(6 * DAY)
    assert run.path().count("note") == 1
    run.elapse(DAY)
    assert run.path().count("note") == 2


def test_a_script_in_juel_runs_inline_and_one_in_groovy_is_a_job(scenario: Scenario) -> None:
    own = {"camunda:resultVariable": "b"}
    run = scenario(
        vendor_model(
            start("s"),
            tag("scriptTask", tag("script", "${a + 1}"), id="x", scriptFormat="juel", **own),
            tag("scriptTask", tag("script", "a + 1"), id="y", scriptFormat="groovy", **own),
            end("e"),
            chain("s", "x", "y", "e"),
        )
    )
    run.start("p", variables='{"a": 1}')
    job = run.job("script.groovy")
    assert job.variables == '{"a":1,"b":2}'
    assert job.headers == {"resultVariable": "b", "script": "a + 1"}
    run.complete("script.groovy", '{"b": 3}')
    assert run.result() == '{"a":1,"b":3}'


# --- loops ---


def looped(own: dict[str, str], *content: str, done: str | None = None) -> str:
    inner = "" if done is None else tag("completionCondition", done)
    return tag("multiInstanceLoopCharacteristics", extensions(*content), inner, **own)


@pytest.mark.parametrize("sequential", [True, False])
def test_iterations_see_the_counts_of_their_loop(scenario: Scenario, *, sequential: bool) -> None:
    loop = looped({"camunda:collection": "orders", "isSequential": str(sequential).lower()})
    counts = "${nrOfInstances * 100 + nrOfActiveInstances * 10 + nrOfCompletedInstances}"
    node = tag(
        "serviceTask",
        extensions(
            f'<camunda:inputOutput><camunda:outputParameter name="counts">{counts}'
            "</camunda:outputParameter></camunda:inputOutput>"
        ),
        loop,
        id="ship",
        **{"camunda:type": "external", "camunda:topic": "ship"},
    )
    run = scenario(vendor_model(start("s"), node, end("e"), chain("s", "ship", "e")))
    run.start("p", variables='{"orders": ["x", "y", "z"], "counts": 0}')
    assert "nrOfInstances" not in decode_object(run.job("ship").variables)
    seen = []
    for _ in range(3):
        run.complete("ship")
        if run.state() is InstanceState.RUNNING:
            seen.append(run.variables()["counts"])
    assert seen == (["310", "311"] if sequential else ["330", "321"])
    run.assert_nothing_left()


def test_a_task_runs_for_each_item_and_counts_from_0(scenario: Scenario) -> None:
    loop = looped(
        {"camunda:collection": "orders", "camunda:elementVariable": "order"},
        done="${nrOfCompletedInstances == 2}",
    )
    node = tag(
        "serviceTask", loop, id="ship", **{"camunda:type": "external", "camunda:topic": "ship"}
    )
    run = scenario(vendor_model(start("s"), node, end("e"), chain("s", "ship", "e")))
    run.start("p", variables='{"orders": ["x", "y", "z"]}')
    seen = [decode_object(job.variables) for job in run.jobs("ship")]
    assert [(own["order"], own["loopCounter"]) for own in seen] == [
        ('"x"', "0"),
        ('"y"', "1"),
        ('"z"', "2"),
    ]
    run.complete("ship", '{"last": 1}')
    run.complete("ship", '{"last": 2}')
    assert run.state() is InstanceState.COMPLETED
    assert run.result() == '{"orders":["x","y","z"],"last":2}'
    run.assert_nothing_left()


def test_a_cardinality_may_be_a_plain_number(scenario: Scenario) -> None:
    loop = tag("multiInstanceLoopCharacteristics", tag("loopCardinality", "3"))
    node = tag("userTask", loop, id="t", **{"camunda:assignee": "mia"})
    run = scenario(vendor_model(start("s"), node, chain("s", "t")))
    run.start("p")
    assert len(run.tasks()) == 3


def test_the_outputs_of_iterations_are_written_outward(scenario: Scenario) -> None:
    io = inputs_and_outputs({}, {"last": "${item}"})
    loop = looped({"camunda:collection": "${list}", "camunda:elementVariable": "item"})
    node = tag("task", extensions(io), loop, id="t")
    sub = sub_process("sub", start("i"), node, chain("i", "t"))
    run = scenario(vendor_model(start("s"), sub, end("e"), chain("s", "sub", "e")))
    run.start("p", variables='{"list": [1, 2]}')
    assert run.result() == '{"list":[1,2],"last":2}'


def test_variables_of_iterations_are_aggregated(scenario: Scenario) -> None:
    aggregation = (
        '<flowable:variableAggregation target="reviews"><variable source="score"/>'
        '<variable source="who" target="by"/>'
        '<variable sourceExpression="${score * 10}" target="points"/>'
        '<variable source="nobody"/></flowable:variableAggregation>'
    )
    loop = looped({"flowable:collection": "people", "flowable:elementVariable": "who"}, aggregation)
    node = tag("userTask", loop, id="review", **{"flowable:assignee": "${who}"})
    run = scenario(
        vendor_model(start("s"), node, end("e"), chain("s", "review", "e"), platform=None)
    )
    run.start("p", variables='{"people": ["ann", "bob"]}')
    assert [found.assignee for found in run.tasks()] == ["ann", "bob"]
    run.complete_task("review", '{"score": 1}')
    run.complete_task("review", '{"score": 2}')
    result = decode_object(run.result() or "")
    assert result["reviews"] == (
        '[{"score":1,"by":"ann","points":10,"nobody":null},'
        '{"score":2,"by":"bob","points":20,"nobody":null}]'
    )


def test_an_iteration_that_is_cancelled_has_no_place_in_an_aggregation(scenario: Scenario) -> None:
    aggregation = (
        '<flowable:variableAggregation target="reviews"><variable source="score"/>'
        "</flowable:variableAggregation>"
    )
    done = "${nrOfCompletedInstances == 2}"
    loop = looped({"flowable:collection": "people"}, aggregation, done=done)
    node = tag("userTask", loop, id="review")
    run = scenario(
        vendor_model(start("s"), node, end("e"), chain("s", "review", "e"), platform=None)
    )
    run.start("p", variables='{"people": ["ann", "bob", "cid"]}')
    run.complete_task("review", '{"score": 1}')
    run.complete_task("review", '{"score": 2}')
    assert decode_object(run.result() or "")["reviews"] == '[{"score":1},{"score":2}]'


def registry_event(key: str, source: str, target: str) -> str:
    return extensions(
        "<flowable:eventType>paid</flowable:eventType>",
        f'<flowable:eventCorrelationParameter name="order" value="{key}"/>' if key else "",
        f'<flowable:eventOutParameter source="{source}" target="{target}"/>',
    )


def test_an_event_of_the_registry_meets_who_waits_for_its_key(scenario: Scenario) -> None:
    node = tag("receiveTask", registry_event("${order}", "amount", "total"), id="wait")
    run = scenario(vendor_model(start("s"), node, end("e"), chain("s", "wait", "e"), platform=None))
    run.start("p", variables='{"order": "o-1"}')
    run.accept(c.PublishMessage(name="paid", correlation_key="o-2"))
    assert run.state() is InstanceState.RUNNING
    content = '{"amount": 5, "other": 6}'
    run.accept(c.PublishMessage(name="paid", correlation_key="o-1", variables=content))
    assert run.result() == '{"order":"o-1","total":5}'


def test_an_event_of_the_registry_starts_a_process(scenario: Scenario) -> None:
    begins = tag("startEvent", registry_event("", "amount", "total"), id="s")
    work = tag("serviceTask", id="w", **{"flowable:class": "a.B"})
    run = scenario(vendor_model(begins, work, chain("s", "w"), platform=None))
    run.accept(c.PublishMessage(name="paid", variables='{"amount": 5}'))
    assert decode_object(run.job("a.B").variables)["total"] == "5"


def pool(*parts: str, condition: str | None = None, ordering: str | None = None) -> str:
    """An ad-hoc sub-process of Flowable."""
    until = "" if condition is None else tag("completionCondition", condition)
    return tag("adHocSubProcess", *parts, until, id="pool", ordering=ordering)


def test_an_ad_hoc_sub_process_of_flowable_completes_by_its_condition(scenario: Scenario) -> None:
    run = scenario(
        vendor_model(
            start("s"),
            pool(
                tag("userTask", id="one", **{"flowable:assignee": "kermit"}),
                tag("userTask", id="two"),
                condition="${completed}",
            ),
            chain("s", "pool"),
            platform=None,
        )
    )
    run.start("p", variables='{"completed": false}')
    run.activate("pool", "one", "two")
    run.complete_task("two")
    assert run.active() == ["pool", "one"]
    run.complete_task("one", '{"completed": true}')
    assert run.path() == ["s", "two", "one", "pool", "p"]
    run.assert_nothing_left()


def test_an_ad_hoc_sub_process_of_flowable_without_a_condition_stays(scenario: Scenario) -> None:
    run = scenario(
        vendor_model(
            start("s"),
            pool(tag("userTask", id="one", **{"flowable:assignee": "kermit"})),
            chain("s", "pool"),
            platform=None,
        )
    )
    run.start("p")
    run.activate("pool", "one")
    run.complete_task("one")
    assert run.active() == ["pool"]
    run.activate("pool")
    assert run.state() is InstanceState.COMPLETED
    run.assert_nothing_left()


# --- written by hand ---


def decided(*, bare_first: bool) -> tuple[str, ...]:
    """A gateway with one flow that says nothing, before or behind one with a condition."""
    flows = [flow("x", "rest"), juel_flow("x", "small", "${n &lt; 10}")]
    return (
        start("s"),
        exclusive("x"),
        end("small"),
        end("rest"),
        chain("s", "x"),
        *(flows if bare_first else reversed(flows)),
    )


@pytest.mark.parametrize("bare_first", [False, True])
def test_in_camunda_7_the_one_flow_without_a_condition_is_the_default(
    scenario: Scenario, *, bare_first: bool
) -> None:
    for number, taken in ((5, "small"), (50, "rest")):
        run = scenario(vendor_model(*decided(bare_first=bare_first)))
        run.start("p", variables=f'{{"n": {number}}}')
        assert run.path() == ["s", "x", taken, "p"]


@pytest.mark.parametrize("bare_first", [False, True])
def test_in_flowable_a_flow_without_a_condition_is_true_where_it_stands(
    scenario: Scenario, *, bare_first: bool
) -> None:
    own = {"flowable:candidateStarterUsers": "ada"}
    drawn = tag("process", *decided(bare_first=bare_first), id="p", isExecutable="true", **own)
    run = scenario(compiled_resource(vendor_file(drawn)).process("p"))
    run.start("p", variables='{"n": 5}')
    assert run.path() == ["s", "x", "rest" if bare_first else "small", "p"]


def test_flows_without_ids_and_errors_without_definitions_run(scenario: Scenario) -> None:
    content = f"""
        <definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
            xmlns:flowable="{NAMESPACES["flowable"]}" targetNamespace="http://example.org">
          <process id="p">
            <startEvent id="s"/>
            <sequenceFlow sourceRef="s" targetRef="sub"/>
            <subProcess id="sub">
              <startEvent id="i"/>
              <sequenceFlow sourceRef="i" targetRef="wait"/>
              <receiveTask id="wait"/>
              <sequenceFlow sourceRef="wait" targetRef="fail"/>
              <endEvent id="fail"><errorEventDefinition errorRef="late"/></endEvent>
            </subProcess>
            <boundaryEvent id="b" attachedToRef="sub">
              <errorEventDefinition errorRef="late"/>
            </boundaryEvent>
            <sequenceFlow sourceRef="b" targetRef="e"/>
            <endEvent id="e"/>
          </process>
        </definitions>"""
    made = compiled_resource(content.encode())
    assert made.deployable, made.findings
    run = scenario(made.process("p"))
    run.accept(c.StartInstance(process_id="p", instance_id="a", business_key="7"))
    run.accept(c.PublishMessage(name="wait", correlation_key="7"))
    assert run.path() == ["s", "i", "wait", "b", "e", "p"]
    run.assert_nothing_left()
