"""User tasks are claimed, assigned and updated while they are open."""

from typing import Any

import pytest

from engine import commands as c
from engine import state as s
from engine.records import Topic
from tests.scenarios.conftest import Scenario
from tests.support.models import chain, compiled, end, start, user_task
from tests.support.runner import Runner

DAY = 24 * 3600 * 1000


def waiting(scenario: Scenario, **fields: Any) -> tuple[Runner, str]:
    """An instance at its user task, and the task's id."""
    task = user_task("approve", **fields)
    run = scenario(compiled(start("s"), task, end("e"), chain("s", "approve", "e")))
    run.start("p")
    return run, run.task("approve").task_id


def records(run: Runner) -> int:
    return len([item for item in run.publications if item.topic is Topic.TASKS])


def test_a_task_is_claimed_once_and_by_one_user(scenario: Scenario) -> None:
    run, task_id = waiting(scenario, candidate_users="ann, bob")
    run.accept(c.ClaimTask(task_id=task_id, user="ann"))
    found = run.task("approve")
    assert (found.assignee, found.state, found.revision) == ("ann", "assigned", 2)
    assert found.candidate_users == ("ann", "bob")
    effect = run.effects("TaskAssigned")[0]
    assert effect.task is not None
    assert (effect.task.task_id, effect.task.assignee) == (task_id, "ann")
    assert run.reject(c.ClaimTask(task_id=task_id, user="bob")) == (
        "INVALID_STATE",
        f"Expected task {task_id} free, or assigned to 'bob', found it assigned to 'ann'",
    )
    before = records(run)
    run.accept(c.ClaimTask(task_id=task_id, user="ann"))
    assert (records(run), run.task("approve").revision) == (before, 2)


def test_a_task_is_assigned_whoever_has_it_and_to_nobody(scenario: Scenario) -> None:
    run, task_id = waiting(scenario, assignee="ann")
    run.accept(c.AssignTask(task_id=task_id, assignee="bob"))
    assert run.task("approve").assignee == "bob"
    for nobody in (None, ""):
        run.accept(c.AssignTask(task_id=task_id, assignee=nobody))
        assert run.task("approve").assignee is None
    assert [effect.task.assignee for effect in run.effects("TaskAssigned") if effect.task] == [
        "bob",
        None,
    ]
    run.accept(c.ClaimTask(task_id=task_id, user="eve"))
    assert run.task("approve").assignee == "eve"
    run.complete_task("approve")
    run.assert_nothing_left()


def test_an_update_changes_what_it_names_and_nothing_else(scenario: Scenario) -> None:
    run, task_id = waiting(scenario, candidate_groups="sales", due_date='=now() + duration("P1D")')
    due = run.now + 2 * DAY
    run.accept(c.UpdateTask(task_id=task_id, due_at=due, follow_up_at=DAY, priority=-7))
    found = run.task("approve")
    assert (found.due_at, found.follow_up_at, found.priority) == (due, DAY, -7)
    assert (found.candidate_groups, found.state, found.revision) == (("sales",), "updated", 2)
    run.accept(c.UpdateTask(task_id=task_id, candidate_users=("ann",), candidate_groups=()))
    found = run.task("approve")
    assert (found.candidate_users, found.candidate_groups, found.due_at) == (("ann",), (), due)
    run.accept(c.UpdateTask(task_id=task_id, clear=("due_at", "follow_up_at")))
    found = run.task("approve")
    assert (found.due_at, found.follow_up_at, found.revision) == (None, None, 4)
    assert len(run.effects("TaskUpdated")) == 3


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"clear": ("priority",)}, "clear to name due_at or follow_up_at, found 'priority'"),
        ({"clear": ("due_at",), "due_at": 1}, "due_at to be given or cleared, found both"),
        ({"due_at": 2**60}, "due_at from"),
        ({"follow_up_at": -(2**60)}, "follow_up_at from"),
        ({"priority": 2**31}, "priority from"),
        ({"candidate_users": ("ann", "")}, "the length of one of candidate_users"),
        ({"candidate_groups": ("x" * 1_001,)}, "the length of one of candidate_groups"),
        ({"candidate_groups": ("x",) * 1_001}, "the number of candidate_groups"),
    ],
)
def test_an_update_that_is_no_use_is_refused(
    scenario: Scenario, fields: dict[str, Any], expected: str
) -> None:
    run, task_id = waiting(scenario)
    code, detail = run.reject(c.UpdateTask(task_id=task_id, **fields))
    assert code == "INVALID_ARGUMENT"
    assert expected in detail
    assert run.task("approve").revision == 1


def test_a_claim_for_nobody_is_refused(scenario: Scenario) -> None:
    run, task_id = waiting(scenario)
    assert run.reject(c.ClaimTask(task_id=task_id, user=""))[0] == "INVALID_ARGUMENT"
    assert run.reject(c.AssignTask(task_id=task_id, assignee="x" * 1_001))[0] == "INVALID_ARGUMENT"


@pytest.mark.parametrize(
    "command",
    [c.ClaimTask(task_id="", user="ann"), c.AssignTask(task_id=""), c.UpdateTask(task_id="")],
    ids=lambda command: type(command).__name__,
)
def test_a_task_that_is_over_is_changed_no_more(
    scenario: Scenario, command: c.ClaimTask | c.AssignTask | c.UpdateTask
) -> None:
    run, task_id = waiting(scenario)
    run.complete_task("approve")
    assert run.reject(type(command)(**{**vars_of(command), "task_id": task_id}))[0] == "NOT_FOUND"
    assert run.reject(type(command)(**{**vars_of(command), "task_id": "none:1"}))[0] == "NOT_FOUND"
    bad = type(command)(**{**vars_of(command), "task_id": "bad"})
    assert run.reject(bad)[0] == "INVALID_ARGUMENT"


def vars_of(command: Any) -> dict[str, Any]:
    return {name: getattr(command, name) for name in command.__struct_fields__}


def test_a_repeated_command_id_changes_nothing_again(scenario: Scenario) -> None:
    run, task_id = waiting(scenario)
    run.send(c.ClaimTask(task_id=task_id, user="ann"), command_id="claim")
    run.accept(c.AssignTask(task_id=task_id))
    reply = run.send(c.ClaimTask(task_id=task_id, user="ann"), command_id="claim")
    assert reply is not None
    assert reply.status == "DUPLICATE"
    assert run.task("approve").assignee is None


def test_the_document_keeps_what_was_changed(scenario: Scenario) -> None:
    run, task_id = waiting(scenario)
    run.accept(c.AssignTask(task_id=task_id, assignee="ann"))
    (wait,) = run.waits(s.TaskWait)
    assert (wait.details.assignee, wait.revision) == ("ann", 2)
