"""User tasks, and tasks that pass through."""

import pytest

from engine import commands as c
from engine.lifecycle import InstanceState
from engine.records import Topic
from tests.scenarios.conftest import Scenario
from tests.support.models import (
    boundary,
    chain,
    compiled,
    end,
    flow,
    start,
    task,
    timer,
    user_task,
)


def test_a_user_task_is_published_with_all_that_describes_it(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            user_task(
                "approve",
                name="Approve the order",
                assignee="=boss",
                candidate_groups="=groups",
                candidate_users="ann, bob",
                due_date='=now() + duration("P1D")',
                follow_up_date="2024-01-01T08:00:00+01:00",
                priority="=70 + 1",
                form_key="approve-form",
            ),
            chain("s", "approve"),
        )
    )
    run.start("p", variables='{"boss": "eve", "groups": ["sales", "legal"]}')
    found = run.task("approve")
    assert (found.name, found.assignee, found.form_key) == (
        "Approve the order",
        "eve",
        "approve-form",
    )
    assert found.candidate_groups == ("sales", "legal")
    assert found.candidate_users == ("ann", "bob")
    assert found.due_at == run.now + 24 * 3600 * 1000
    assert found.follow_up_at == 1_704_092_400_000
    assert (found.priority, found.created_at, found.revision) == (71, run.now, 1)
    assert found.variables == '{"boss":"eve","groups":["sales","legal"]}'
    assert run.effects("TaskCreated")[0].task is not None


def test_completing_a_task_ends_its_record_and_goes_on(scenario: Scenario) -> None:
    run = scenario(compiled(start("s"), user_task("approve"), end("e"), chain("s", "approve", "e")))
    run.start("p")
    task_id = run.task("approve").task_id
    run.complete_task("approve", '{"approved": true}')
    assert run.state() is InstanceState.COMPLETED
    assert run.result() == '{"approved":true}'
    last = [item for item in run.publications if item.topic is Topic.TASKS][-1]
    assert (last.key, last.record) == (task_id, None)
    assert [effect.type for effect in run.effects()][1:3] == ["TaskCreated", "TaskCompleted"]
    run.assert_nothing_left()


def test_of_two_completions_of_a_task_one_is_rejected(scenario: Scenario) -> None:
    run = scenario(
        compiled(start("s"), user_task("one"), user_task("two"), chain("s", "one", "two"))
    )
    run.start("p")
    task_id = run.task("one").task_id
    run.complete_task("one")
    code, detail = run.reject(c.CompleteTask(task_id=task_id))
    assert (code, detail) == ("NOT_FOUND", f"Expected an open task {task_id}, found none")
    assert run.task("two").state == "created"


def test_a_task_left_by_another_way_is_withdrawn(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            user_task("approve"),
            boundary("late", "approve", timer(duration="P1D")),
            user_task("escalate"),
            chain("s", "approve"),
            flow("late", "escalate"),
        )
    )
    run.start("p")
    run.elapse(24 * 3600 * 1000)
    assert [found.element_id for found in run.tasks()] == ["escalate"]
    assert len(run.effects("TaskCanceled")) == 1


def test_a_description_that_is_no_use_is_an_incident(scenario: Scenario) -> None:
    run = scenario(
        compiled(start("s"), user_task("approve", due_date="=due"), chain("s", "approve"))
    )
    run.start("p", variables='{"due": "tomorrow"}')
    incident = run.incident()
    assert incident.kind == "EXPRESSION_FAILED"
    assert "'due'" in incident.message
    assert "tomorrow" in incident.message
    run.resolve(variables='{"due": "2026-05-01"}')
    assert run.task("approve").due_at == 1_777_593_600_000


@pytest.mark.parametrize("priority", ["=1.5", '="high"', "=2147483648", "=[1]"])
def test_a_priority_that_is_no_number_of_its_size_is_an_incident(
    scenario: Scenario, priority: str
) -> None:
    run = scenario(
        compiled(start("s"), user_task("approve", priority=priority), chain("s", "approve"))
    )
    run.start("p")
    assert run.incident().kind == "EXPRESSION_FAILED"


@pytest.mark.parametrize("expression", ["=missing", "=null", '=""'])
def test_an_assignee_that_is_null_or_empty_is_nobody(scenario: Scenario, expression: str) -> None:
    run = scenario(
        compiled(start("s"), user_task("approve", assignee=expression), chain("s", "approve"))
    )
    run.start("p")
    assert run.task("approve").assignee is None


def test_manual_and_abstract_tasks_pass_through(scenario: Scenario) -> None:
    run = scenario(
        compiled(start("s"), task("one", kind="manualTask"), task("two"), chain("s", "one", "two"))
    )
    run.start("p")
    assert run.path() == ["s", "one", "two", "p"]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"candidate_groups": "=1"}, "a list of texts"),
        ({"candidate_users": '=["ann", 2]'}, "a list of texts"),
        ({"assignee": "=[1]"}, "a text"),
    ],
)
def test_people_that_are_no_texts_are_an_incident(
    scenario: Scenario, fields: dict[str, str], expected: str
) -> None:
    task = user_task("approve", **fields)  # type: ignore[arg-type]  # texts only
    run = scenario(compiled(start("s"), task, chain("s", "approve")))
    run.start("p")
    assert expected in run.incident().message


def test_what_is_null_is_left_out(scenario: Scenario) -> None:
    run = scenario(
        compiled(
            start("s"),
            user_task("approve", candidate_groups="=null", due_date="=null", priority="=null"),
            chain("s", "approve"),
        )
    )
    run.start("p")
    found = run.task("approve")
    assert (found.candidate_groups, found.due_at, found.priority) == ((), None, 50)


def test_answers_to_tasks_that_nobody_has_are_refused(scenario: Scenario) -> None:
    run = scenario(compiled(start("s"), user_task("approve"), chain("s", "approve")))
    run.start("p")
    task_id = run.task("approve").task_id
    assert run.reject(c.ThrowError(task_id="a:1", code="E"))[0] == "NOT_FOUND"
    assert run.reject(c.ThrowError(task_id=task_id, code="E", variables="1"))[0] == (
        "INVALID_ARGUMENT"
    )
    assert run.reject(c.CompleteTask(task_id=task_id, variables="[]"))[0] == "INVALID_ARGUMENT"
    big = '{"x": "' + "y" * 600_000 + '"}'
    assert run.reject(c.CompleteTask(task_id=task_id, variables=big))[0] == "TOO_LARGE"
    assert run.reject(c.ThrowError(task_id=task_id, code="E", variables=big))[0] == "TOO_LARGE"
