"""Work in models of Camunda 7: its jobs, their variables, and who does user tasks."""

from engine import commands as c
from engine.lifecycle import InstanceState
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    chain,
    end,
    exclusive,
    extensions,
    flow,
    start,
    sub_process,
    tag,
    task,
)
from tests.support.runner import START_MS, Runner
from tests.support.vendor_models import (
    external,
    inputs_and_outputs,
    juel_flow,
    valued,
    vendor_model,
)

MINUTE = 60_000
DAY = 24 * 60 * MINUTE


def fail(run: Runner, job_type: str, backoff_ms: int | None = None) -> None:
    job = run.job(job_type)
    run.accept(
        c.FailJob(job_id=job.job_id, attempt=job.attempt, message="no", backoff_ms=backoff_ms)
    )


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
