"""Work for workers: jobs completed, failed, tried again, stale, canceled; scripts."""

import re

import pytest

from engine import commands as c
from engine.lifecycle import InstanceState
from engine.records import Topic
from engine.settings import Settings
from engine.state import JobWait
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    boundary,
    chain,
    compiled,
    end,
    flow,
    script_task,
    service_task,
    start,
    timer,
)
from tests.support.runner import Runner

MINUTE = 60_000


def one_job(scenario: Scenario, **fields: str | None) -> Runner:
    task = service_task("work", type="pay", headers={"unit": "EUR"}, **fields)  # type: ignore[arg-type]  # texts only
    run = scenario(compiled(start("s"), task, end("e"), chain("s", "work", "e")))
    run.start("p", variables='{"amount": 0.10}')
    return run


def test_a_service_task_publishes_a_job_with_all_that_a_worker_needs(scenario: Scenario) -> None:
    run = one_job(scenario)
    job = run.job("pay")
    assert (job.attempt, job.retries_left, job.headers) == (1, 3, {"unit": "EUR"})
    assert job.variables == '{"amount":0.1}'
    assert (job.instance_id, job.element_id, job.process_id, job.version) == ("a", "work", "p", 1)
    publication = next(item for item in run.publications if item.topic is Topic.JOBS)
    assert (publication.key, publication.suffix, publication.partition) == ("a", "pay", None)
    assert [effect.type for effect in run.effects()] == ["InstanceStarted", "JobCreated"]


def test_a_completed_job_hands_its_variables_to_the_process(scenario: Scenario) -> None:
    run = one_job(scenario)
    run.complete("pay", '{"paid": true}')
    assert run.state() is InstanceState.COMPLETED
    assert run.result() == '{"amount":0.1,"paid":true}'
    assert [effect.type for effect in run.effects()] == [
        "InstanceStarted",
        "JobCreated",
        "JobCompleted",
        "InstanceCompleted",
    ]
    run.assert_nothing_left()


def test_a_job_type_from_an_expression_goes_to_the_common_topic(scenario: Scenario) -> None:
    run = scenario(
        compiled(start("s"), service_task("work", type='="ship-" + country'), chain("s", "work"))
    )
    run.start("p", variables='{"country": "de"}')
    publication = next(item for item in run.publications if item.topic is Topic.JOBS)
    assert publication.suffix is None
    assert run.job("ship-de").element_id == "work"


def test_retries_may_come_from_an_expression(scenario: Scenario) -> None:
    run = scenario(compiled(start("s"), service_task("work", retries="=n * 2"), chain("s", "work")))
    run.start("p", "a", '{"n": 4}')
    assert run.job("work").retries_left == 8
    run.start("p", "b", '{"n": 0.25}')
    assert run.incident("b").kind == "EXPRESSION_FAILED"
    assert run.incident("b").step == "run"


def test_a_failed_job_with_retries_left_is_published_again_at_once(scenario: Scenario) -> None:
    run = one_job(scenario)
    job = run.job("pay")
    run.accept(c.FailJob(job_id=job.job_id, attempt=1, message="no network"))
    again = run.job("pay")
    assert (again.job_id, again.attempt, again.retries_left) == (job.job_id, 2, 2)
    failed = run.effects("JobFailed")[0]
    assert failed.error is not None
    assert failed.error.message == "no network"
    run.complete("pay")
    assert run.state() is InstanceState.COMPLETED


def test_a_back_off_delays_the_next_attempt_by_an_instant_that_never_moves(
    scenario: Scenario,
) -> None:
    run = one_job(scenario)
    job = run.job("pay")
    run.accept(c.FailJob(job_id=job.job_id, attempt=1, backoff_ms=5 * MINUTE))
    assert run.jobs("pay") == []
    (wait,) = run.waits(JobWait)
    assert wait.retry_at == run.now + 5 * MINUTE
    assert run.reject(c.CompleteJob(job_id=job.job_id, attempt=1))[0] == "STALE_ATTEMPT"
    run.elapse(5 * MINUTE - 1)
    assert run.jobs("pay") == []
    run.elapse(1)
    assert run.job("pay").attempt == 2
    run.complete("pay")
    run.assert_nothing_left()


def test_a_worker_may_say_how_many_retries_are_left(scenario: Scenario) -> None:
    run = one_job(scenario)
    run.accept(c.FailJob(job_id=run.job("pay").job_id, attempt=1, retries=10))
    assert run.job("pay").retries_left == 10


def test_a_failure_may_bring_variables_for_the_next_attempt(scenario: Scenario) -> None:
    run = one_job(scenario)
    job = run.job("pay")
    run.accept(c.FailJob(job_id=job.job_id, attempt=1, variables='{"seen": 1}'))
    assert run.job("pay").variables == '{"amount":0.1,"seen":1}'
    assert run.variables() == {"amount": "0.1"}


def test_a_result_is_refused_where_nothing_is_to_be_decided(scenario: Scenario) -> None:
    run = one_job(scenario)
    job = run.job("pay")
    code, detail = run.reject(c.CompleteJob(job_id=job.job_id, attempt=1, result='{"a": 1}'))
    assert (code, "no result" in detail) == ("INVALID_ARGUMENT", True)
    assert run.jobs() == [job]


def test_no_retries_left_is_an_incident_that_resolving_opens_again(scenario: Scenario) -> None:
    run = one_job(scenario, retries="1")
    job = run.job("pay")
    run.accept(c.FailJob(job_id=job.job_id, attempt=1, message="card refused"))
    incident = run.incident()
    assert incident.kind == "JOB_RETRIES_EXHAUSTED"
    assert "card refused" in incident.message
    assert run.jobs() == []
    run.resolve(retries=2, variables='{"amount": 7}')
    again = run.job("pay")
    assert (again.job_id, again.attempt, again.retries_left) == (job.job_id, 2, 2)
    assert again.variables == '{"amount":7}'
    run.complete("pay")
    assert run.state() is InstanceState.COMPLETED
    assert [effect.type for effect in run.effects()].count("IncidentResolved") == 1
    run.assert_nothing_left()


def test_a_stale_attempt_is_rejected_with_what_was_expected(scenario: Scenario) -> None:
    run = one_job(scenario)
    job = run.job("pay")
    run.accept(c.FailJob(job_id=job.job_id, attempt=1))
    for command in (
        c.CompleteJob(job_id=job.job_id, attempt=1),
        c.FailJob(job_id=job.job_id, attempt=1),
        c.ThrowError(job_id=job.job_id, attempt=1, code="E"),
    ):
        code, detail = run.reject(command)
        assert code == "STALE_ATTEMPT"
        assert detail == f"Expected attempt 2 of job {job.job_id}, found 1"


def test_an_answer_to_a_failed_attempt_is_told_when_or_how_there_is_another(
    scenario: Scenario,
) -> None:
    run = one_job(scenario)
    job = run.job("pay")
    run.accept(c.FailJob(job_id=job.job_id, attempt=1, retries=2, backoff_ms=60_000))
    code, detail = run.reject(c.CompleteJob(job_id=job.job_id, attempt=1))
    found = f"Expected an open attempt of job {job.job_id}, found attempt 1 failed"
    assert code == "STALE_ATTEMPT"
    assert re.fullmatch(f"{found}: the next try is at [-0-9]+T[.:0-9]+Z", detail)
    run.elapse(60_000)
    run.accept(c.FailJob(job_id=job.job_id, attempt=2, retries=0))
    for attempt in (1, 2):
        refused = run.reject(c.CompleteJob(job_id=job.job_id, attempt=attempt))
        stopped = f"{found.replace('attempt 1', 'attempt 2')}: resolve incident"
        assert refused == (code, f"{stopped} a:{run.incident().key} first")


def test_a_completed_job_cannot_be_completed_again(scenario: Scenario) -> None:
    run = scenario(
        compiled(start("s"), service_task("one"), service_task("two"), chain("s", "one", "two"))
    )
    run.start("p")
    job = run.job("one")
    run.complete("one")
    code, detail = run.reject(c.CompleteJob(job_id=job.job_id, attempt=1))
    assert (code, detail) == ("NOT_FOUND", f"Expected an open job {job.job_id}, found none")


def test_what_an_id_names_is_told_where_something_else_was_expected(scenario: Scenario) -> None:
    run = one_job(scenario)
    job = run.job("pay")
    code, detail = run.reject(c.CompleteTask(task_id=job.job_id))
    assert code == "NOT_FOUND"
    assert detail == f"Expected an open task {job.job_id}, found a job of type 'pay'"


def test_an_unknown_job_and_a_malformed_id_are_told_apart(scenario: Scenario) -> None:
    run = one_job(scenario)
    assert run.reject(c.CompleteJob(job_id="a:1", attempt=1))[0] == "NOT_FOUND"
    assert run.reject(c.CompleteJob(job_id="nobody:1", attempt=1))[0] == "NOT_FOUND"
    assert run.reject(c.CompleteJob(job_id="a", attempt=1))[0] == "INVALID_ARGUMENT"


def test_variables_of_a_job_must_be_a_json_object(scenario: Scenario) -> None:
    run = one_job(scenario)
    job = run.job("pay")
    for text in ("[]", "1", "nonsense", '{"a": NaN}', ""):
        command = c.CompleteJob(job_id=job.job_id, attempt=1, variables=text)
        assert run.reject(command)[0] == "INVALID_ARGUMENT"
    run.complete("pay")
    assert run.state() is InstanceState.COMPLETED


def test_variables_of_a_job_must_keep_to_the_instances_limit(scenario: Scenario) -> None:
    run = scenario(
        compiled(start("s"), service_task("work"), end("e"), chain("s", "work", "e")),
        settings=Settings(variables_bytes_max=100),
    )
    run.start("p", variables='{"n": 1}')
    big = '{"x": "' + "y" * 100 + '"}'
    command = c.CompleteJob(job_id=run.job("work").job_id, attempt=1, variables=big)
    code, detail = run.reject(command)
    assert code == "TOO_LARGE"
    assert "at most 100 bytes, found 105" in detail
    run.complete("work", '{"n": 2}')
    assert run.result() == '{"n":2}'


@pytest.mark.parametrize("number", [-1, 2**60])
@pytest.mark.parametrize("field", ["retries", "backoff_ms"])
def test_numbers_in_a_failure_keep_to_their_limits(
    scenario: Scenario, field: str, number: int
) -> None:
    run = one_job(scenario)
    command = c.FailJob(job_id=run.job("pay").job_id, attempt=1, **{field: number})  # type: ignore[arg-type]  # a number
    assert run.reject(command)[0] == "INVALID_ARGUMENT"


def test_a_long_message_of_a_failure_is_cut_and_not_refused(scenario: Scenario) -> None:
    run = one_job(scenario, retries="1")
    job = run.job("pay")
    run.accept(c.FailJob(job_id=job.job_id, attempt=1, message="trace " * 100_000))
    (failed,) = run.effects("JobFailed")
    assert failed.error is not None
    assert failed.error.message is not None
    assert len(failed.error.message) == 10_000
    assert failed.error.message.endswith("...")
    assert len(run.incident().message) == 10_000


@pytest.mark.parametrize("value", ['""', "null", '"' + "x" * 201 + '"', "[1]"])
def test_a_job_type_that_no_worker_can_take_is_an_incident(scenario: Scenario, value: str) -> None:
    run = scenario(compiled(start("s"), service_task("work", type="=type"), chain("s", "work")))
    run.start("p", variables=f'{{"type": {value}}}')
    assert (run.incident().kind, run.incident().step) == ("EXPRESSION_FAILED", "run")
    run.resolve(variables='{"type": "pay"}')
    assert run.job("pay").attempt == 1


def test_a_job_left_by_another_way_is_canceled_on_its_topic(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            service_task("work"),
            boundary("late", "work", timer(duration="PT1M")),
            end("e"),
            end("gave_up"),
            chain("s", "work", "e"),
            flow("late", "gave_up"),
        )
    )
    run.start("p")
    job = run.job("work")
    run.elapse(MINUTE)
    assert run.state() is InstanceState.COMPLETED
    canceled = run.records(Topic.JOBS)[-1]
    assert (canceled.job_id, canceled.attempt, canceled.canceled) == (job.job_id, 1, True)
    assert [effect.type for effect in run.effects()][-2:] == ["JobCanceled", "InstanceCompleted"]
    run.assert_nothing_left()


def test_a_job_that_waits_for_its_retry_goes_without_a_record_for_workers(
    scenario: Scenario,
) -> None:
    run = scenario(
        compiled(
            start("s"),
            service_task("work"),
            boundary("late", "work", timer(duration="PT1M")),
            chain("s", "work"),
        )
    )
    run.start("p")
    run.accept(c.FailJob(job_id=run.job("work").job_id, attempt=1, backoff_ms=10 * MINUTE))
    run.elapse(MINUTE)
    assert run.state() is InstanceState.COMPLETED
    assert [job.canceled for job in run.records(Topic.JOBS)] == [False]
    assert len(run.effects("JobCanceled")) == 1
    run.assert_nothing_left()


def test_an_inline_script_writes_its_value(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            script_task("add", "=a + b", result="sum"),
            script_task("twice", "=sum * 2", result="sum"),
            chain("s", "add", "twice"),
        )
    )
    run.start("p", variables='{"a": 0.1, "b": 0.2}')
    assert run.result() == '{"a":0.1,"b":0.2,"sum":0.6}'


def test_a_script_without_an_expression_is_a_job(scenario: Scenario) -> None:
    run = scenario(
        compiled(start("s"), service_task("work", kind="scriptTask"), chain("s", "work"))
    )
    run.start("p")
    run.complete("work")
    assert run.state() is InstanceState.COMPLETED


@pytest.mark.parametrize("kind", ["sendTask", "businessRuleTask"])
def test_send_and_business_rule_tasks_are_jobs(scenario: Scenario, kind: str) -> None:
    run = scenario(compiled(start("s"), service_task("work", kind=kind), chain("s", "work")))
    run.start("p")
    run.complete("work")
    assert run.state() is InstanceState.COMPLETED
