"""Task listeners of Camunda 8: jobs that every change of a user task waits for."""

from typing import Any

import pytest

from engine import commands as c
from engine import state as s
from engine.lifecycle import InstanceState
from engine.records import Job, ReplyStatus, Task, Topic
from engine.values import decode_object, encode
from tests.scenarios.conftest import Scenario
from tests.support.listening import line, only
from tests.support.models import (
    boundary,
    chain,
    compiled,
    end,
    error,
    error_event,
    extension,
    extensions,
    flow,
    start,
    tag,
    task,
)
from tests.support.runner import Runner

ASSIGNED = extension("assignmentDefinition", assignee="=who", candidateGroups="sales, legal")


def listening(*more: str, **listeners: str) -> str:
    """The user task `t` with listeners: event=job types, spaces between them."""
    found = [
        extension("taskListener", eventType=event, type=job_type)
        for event, job_types in listeners.items()
        for job_type in job_types.split()
    ]
    return tag("userTask", extensions(extension("taskListeners", *found), *more), id="t")


def answer(run: Runner, job_type: str, variables: str = "{}", **result: Any) -> None:
    job = only(run, job_type)
    run.accept(
        c.CompleteJob(
            job_id=job.job_id, attempt=job.attempt, variables=variables, result=encode(result)
        )
    )


def refuse(run: Runner, job_type: str, result: str, variables: str = "{}") -> str:
    job = only(run, job_type)
    code, detail = run.reject(
        c.CompleteJob(job_id=job.job_id, attempt=job.attempt, variables=variables, result=result)
    )
    assert code == "INVALID_ARGUMENT"
    return detail


def told(job: Job, name: str) -> str:
    return job.headers[f"io.camunda.zeebe:{name}"]


def records(run: Runner) -> list[Task | None]:
    return [item.record for item in run.publications if item.topic is Topic.TASKS]  # type: ignore[misc]  # of that topic


def test_a_task_is_offered_after_its_listeners_and_then_assigned(scenario: Scenario) -> None:
    around = [
        extension("executionListener", eventType=event, type=job_type)
        for event, job_type in (("start", "s0"), ("end", "e0"))
    ]
    started = extension("executionListeners", *around)
    run = scenario(line(listening(ASSIGNED, started, creating="c", assigning="a", completing="z")))
    run.start("p", variables='{"who": "ann"}')
    for job_type in ("s0", "c"):
        assert run.tasks() == []
        assert only(run, job_type).headers["torpor:listenerEvent"] in {"start", "creating"}
        run.complete(job_type)
    found = run.task("t")
    assert (found.state, found.assignee, found.candidate_groups) == (
        "assigning",
        None,
        ("sales", "legal"),
    )
    assert told(run.job("a"), "assignee") == "ann"
    assert told(run.job("a"), "userTaskKey") == found.task_id
    run.complete("a")
    assert (run.task("t").state, run.task("t").assignee) == ("assigned", "ann")
    run.complete_task("t", '{"answer": 42}')
    assert run.task("t").state == "completing"
    assert decode_object(only(run, "z").variables)["answer"] == "42"
    assert "answer" not in run.variables()
    run.complete("z", '{"checked": true}')
    assert run.tasks() == []
    run.complete("e0")
    assert decode_object(run.result() or "") == {"who": '"ann"', "answer": "42", "checked": "true"}
    assert [effect.type for effect in run.effects() if effect.type.startswith("Task")] == [
        "TaskCreated",
        "TaskAssigned",
        "TaskCompleted",
    ]
    run.assert_nothing_left()


def test_nobody_is_assigned_where_nobody_is_named(scenario: Scenario) -> None:
    run = scenario(line(listening(ASSIGNED, assigning="a")))
    run.start("p", variables='{"who": null}')
    assert run.jobs() == []
    run.complete_task("t")
    assert run.state() is InstanceState.COMPLETED


@pytest.mark.parametrize(
    ("command", "assignee"),
    [
        (c.ClaimTask(task_id="", user="bob"), "bob"),
        (c.AssignTask(task_id="", assignee="bob"), "bob"),
    ],
    ids=["claim", "assign"],
)
def test_listeners_are_asked_whoever_assigns(
    scenario: Scenario, command: Any, assignee: str
) -> None:
    run = scenario(line(listening(assigning="a b")))
    run.start("p")
    task_id = run.task("t").task_id
    fields = {name: getattr(command, name) for name in command.__struct_fields__}
    run.accept(type(command)(**{**fields, "task_id": task_id}))
    assert (run.task("t").state, run.task("t").assignee) == ("assigning", None)
    assert run.effects("TaskAssigned") == []
    for job_type in ("a", "b"):
        assert told(only(run, job_type), "assignee") == assignee
        assert told(only(run, job_type), "changedAttributes") == '["assignee"]'
        run.complete(job_type)
    assert run.task("t").assignee == assignee
    assert len(run.effects("TaskAssigned")) == 1
    run.accept(c.AssignTask(task_id=task_id))
    assert "io.camunda.zeebe:assignee" not in only(run, "a").headers
    run.complete("a")
    run.complete("b")
    assert run.task("t").assignee is None


def test_the_reply_tells_a_change_that_has_to_wait_from_one_that_is_made(
    scenario: Scenario,
) -> None:
    run = scenario(line(listening(assigning="a", updating="u", completing="z", canceling="x")))
    run.start("p")
    task_id = run.task("t").task_id

    def told(command: c.AnyCommand) -> str | None:
        reply = run.send(command)
        assert reply is not None
        assert reply.status is ReplyStatus.ACCEPTED
        return reply.result

    assert told(c.ClaimTask(task_id=task_id, user="ann")) == '{"change":"assigning"}'
    run.complete("a")
    assert told(c.ClaimTask(task_id=task_id, user="ann")) is None
    assert told(c.UpdateTask(task_id=task_id, priority=1)) == '{"change":"updating"}'
    run.complete("u")
    (wait,) = run.waits(s.TaskWait)
    scope = f"a:{wait.owner}"
    set_n = c.SetVariables(instance_id="a", element_instance_id=scope, variables='{"n": 2}')
    assert told(set_n) == '{"change":"updating"}'
    run.complete("u")
    assert told(c.SetVariables(instance_id="a", variables='{"n": 3}')) is None
    assert told(c.CompleteTask(task_id=task_id)) == '{"change":"completing"}'
    instance_id = task_id.partition(":")[0]
    none = c.SetVariables(instance_id="a", element_instance_id=scope)
    assert told(none) is None
    assert told(c.TerminateInstance(instance_id=instance_id)) == '{"change":"terminating"}'
    run.complete("x")
    assert run.state() is InstanceState.TERMINATED


def test_a_change_whose_listener_is_stuck_names_its_incident(scenario: Scenario) -> None:
    run = scenario(line(listening(completing="z")))
    run.start("p")
    task_id = run.task("t").task_id
    run.complete_task("t")
    run.accept(c.FailJob(job_id=only(run, "z").job_id, attempt=1, retries=0))
    _, detail = run.reject(c.ClaimTask(task_id=task_id, user="ann"))
    assert detail.endswith(f"yet to answer: resolve incident a:{run.incident().key} first")


def test_a_task_takes_one_change_at_a_time(scenario: Scenario) -> None:
    run = scenario(line(listening(completing="z")))
    run.start("p")
    task_id = run.task("t").task_id
    run.complete_task("t")
    commands: list[c.AnyCommand] = [
        c.CompleteTask(task_id=task_id),
        c.ClaimTask(task_id=task_id, user="ann"),
        c.AssignTask(task_id=task_id),
        c.UpdateTask(task_id=task_id, priority=1),
        c.ThrowError(task_id=task_id, code="E"),
        c.ThrowEscalation(task_id=task_id, code="E"),
    ]
    for command in commands:
        assert run.reject(command) == (
            "INVALID_STATE",
            f"Expected task {task_id} with no change under way, found it completing: "
            f"a listener has yet to answer, job {only(run, 'z').job_id}",
        )
    run.complete("z")
    assert run.state() is InstanceState.COMPLETED


def test_a_completion_that_is_denied_leaves_the_task_as_it_was(scenario: Scenario) -> None:
    run = scenario(line(listening(ASSIGNED, completing="y z")))
    run.start("p", variables='{"who": "ann"}')
    run.complete_task("t", '{"amount": -1}')
    answer(run, "y", corrections={"priority": 90})
    answer(run, "z", denied=True, deniedReason="the amount is negative")
    found = run.task("t")
    assert (found.state, found.assignee, found.priority) == ("assigned", "ann", 50)
    assert "amount" not in decode_object(found.variables)
    effect = run.effects("TaskChangeDenied")[0]
    assert effect.task is not None
    assert (effect.task.denied, effect.task.reason) == ("completing", "the amount is negative")
    run.complete_task("t", '{"amount": 1}')
    answer(run, "y")
    answer(run, "z", denied=False)
    assert decode_object(run.result() or "")["amount"] == "1"
    run.assert_nothing_left()


def test_an_assignment_and_an_update_can_be_denied(scenario: Scenario) -> None:
    run = scenario(line(listening(ASSIGNED, assigning="a", updating="u")))
    run.start("p", variables='{"who": "ann"}')
    answer(run, "a", denied=True)
    assert (run.task("t").state, run.task("t").assignee) == ("created", None)
    run.accept(c.UpdateTask(task_id=run.task("t").task_id, priority=7))
    answer(run, "u", denied=True)
    assert (run.task("t").state, run.task("t").priority) == ("created", 50)
    run.complete_task("t")
    assert run.state() is InstanceState.COMPLETED


def test_a_listener_corrects_what_the_next_one_sees(scenario: Scenario) -> None:
    run = scenario(line(listening(updating="u v")))
    run.start("p")
    run.accept(c.UpdateTask(task_id=run.task("t").task_id, due_at=run.now, follow_up_at=run.now))
    answer(run, "u", type="userTask", corrections={
        "assignee": "bob", "dueDate": "2026-02-01T08:00:00Z", "followUpDate": "", "priority": 80,
        "candidateUsers": ["ann", "bob"], "candidateGroups": None,
    })  # fmt: skip
    job = only(run, "v")
    assert told(job, "dueDate") == "2026-02-01T08:00:00.000Z"
    assert told(job, "candidateUsers") == '["ann","bob"]'
    assert told(job, "changedAttributes") == ('["assignee","candidateUsers","dueDate","priority"]')
    assert run.task("t").assignee is None
    answer(run, "v", corrections={"candidateUsers": [], "assignee": ""})
    found = run.task("t")
    assert (found.assignee, found.candidate_users, found.due_at, found.follow_up_at) == (
        None,
        (),
        1_769_932_800_000,
        None,
    )
    assert (found.priority, found.state) == (80, "updated")


def test_a_listener_assigns_at_creation_whom_the_model_does_not(scenario: Scenario) -> None:
    run = scenario(line(listening(ASSIGNED, creating="c", assigning="a")))
    run.start("p", variables='{"who": null}')
    answer(run, "c", corrections={"assignee": "eve"})
    assert told(only(run, "a"), "assignee") == "eve"
    run.complete("a")
    assert run.task("t").assignee == "eve"


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ("[1]", "a result that is a JSON object"),
        ('{"deny": true}', "a result of denied, deniedReason, corrections, type, found 'deny'"),
        ('{"denied": 1}', "denied to be true or false"),
        ('{"corrections": [1]}', "corrections that are a JSON object"),
        ('{"corrections": {"name": "x"}}', "corrections of assignee, dueDate"),
        ('{"corrections": {"assignee": 1}}', "assignee as a text"),
        ('{"corrections": {"dueDate": "soon"}}', "dueDate as a date and time"),
        ('{"corrections": {"candidateUsers": "ann"}}', "candidateUsers as a list of texts"),
        ('{"corrections": {"candidateGroups": [1]}}', "candidateGroups as a list of texts"),
        ('{"corrections": {"candidateGroups": [""]}}', "the length of one of candidateGroups"),
        ('{"corrections": {"priority": 1.5}}', "priority as a whole number"),
        ('{"corrections": {"priority": 2147483648}}', "priority from"),
        ('{"denied": true, "corrections": {"priority": 1}}', "a denial alone"),
    ],
)
def test_an_answer_that_is_no_use_is_refused(
    scenario: Scenario, result: str, expected: str
) -> None:
    run = scenario(line(listening(completing="z")))
    run.start("p")
    run.complete_task("t")
    assert expected in refuse(run, "z", result)
    run.complete("z")
    assert run.state() is InstanceState.COMPLETED


def test_a_creation_cannot_be_denied_nor_its_assignee_corrected(scenario: Scenario) -> None:
    run = scenario(line(listening(ASSIGNED, creating="c")))
    run.start("p", variables='{"who": "ann"}')
    assert "creating a task cannot be denied" in refuse(run, "c", '{"denied": true}')
    assert "correct it at assigning" in refuse(run, "c", '{"corrections": {"assignee": "bob"}}')
    big = '{"x": "' + "y" * 600_000 + '"}'
    job = only(run, "c")
    too_large = c.CompleteJob(job_id=job.job_id, attempt=job.attempt, variables=big)
    assert run.reject(too_large)[0] == "TOO_LARGE"
    answer(run, "c", '{"seen": 1}')
    assert decode_object(run.task("t").variables)["seen"] == "1"


@pytest.mark.parametrize("local", [True, False])
def test_variables_that_are_set_at_a_task_are_an_update_of_it(
    scenario: Scenario, *, local: bool
) -> None:
    run = scenario(line(listening(updating="u")))
    run.start("p", variables='{"n": 1}')
    task_id = run.task("t").task_id
    (wait,) = run.waits(s.TaskWait)
    command = c.SetVariables(
        instance_id="a", element_instance_id=f"a:{wait.owner}", variables='{"n": 2}', local=local
    )
    run.accept(command)
    assert told(only(run, "u"), "changedAttributes") == '["variables"]'
    assert decode_object(only(run, "u").variables) == {"n": "2"}
    assert run.task("t").variables == '{"n":1}'
    assert run.reject(command)[0] == "INVALID_STATE"
    run.complete("u")
    assert run.variables() == {"n": "1" if local else "2"}
    assert run.task("t").variables == '{"n":2}'
    assert len(run.effects("TaskUpdated")) == 1
    run.accept(c.SetVariables(instance_id="a", variables='{"m": 1}'))
    assert run.jobs() == []
    run.accept(c.CompleteTask(task_id=task_id))


def test_a_listener_that_fails_holds_the_change_until_it_is_resolved(scenario: Scenario) -> None:
    run = scenario(line(listening(completing="z")))
    run.start("p")
    run.complete_task("t", '{"n": 1}')
    job = only(run, "z")
    run.accept(c.FailJob(job_id=job.job_id, attempt=1, retries=0, message="no"))
    assert run.reject(c.AssignTask(task_id=run.task("t").task_id))[0] == "INVALID_STATE"
    run.resolve(retries=1)
    answer(run, "z")
    assert decode_object(run.result() or "") == {"n": "1"}


def test_listeners_whose_type_fails_are_all_called_again(scenario: Scenario) -> None:
    run = scenario(line(listening(creating="a =kind", completing="=last")))
    run.start("p")
    run.complete("a")
    assert run.incident().kind == "EXPRESSION_FAILED"
    run.resolve(variables='{"kind": "b"}')
    run.complete("a")
    run.complete("b")
    run.complete_task("t", '{"done": true}')
    assert run.incident().kind == "EXPRESSION_FAILED"
    run.resolve(variables='{"last": "c"}')
    run.complete("c")
    assert decode_object(run.result() or "")["done"] == "true"
    run.assert_nothing_left()


def test_an_error_of_a_task_listener_is_caught_at_the_task(scenario: Scenario) -> None:
    model = compiled(
        error("E", "NO"), start("s"), listening(creating="c"), end("e"),
        boundary("b", "t", error_event("E")), task("other"), chain("s", "t", "e"),
        flow("b", "other"),
    )  # fmt: skip
    run = scenario(model)
    run.start("p")
    job = only(run, "c")
    run.accept(c.ThrowError(code="NO", job_id=job.job_id, attempt=job.attempt))
    assert "other" in run.path()
    assert records(run) == []
    assert run.effects("TaskCanceled") == []
    run.assert_nothing_left()


def test_a_task_that_is_interrupted_while_it_is_changed_withdraws_its_listener(
    scenario: Scenario,
) -> None:
    run = scenario(line(listening(completing="z")))
    run.start("p")
    run.complete_task("t")
    run.accept(c.TerminateInstance(instance_id="a"))
    assert records(run)[-1] is None
    assert len(run.effects("TaskCanceled")) == 1
    run.assert_nothing_left()
