"""What people are shown of an instance's path."""

from typing import Any

from consumers.cli.history import DETAIL_MAX, rows
from engine import events as e
from engine.records import Transition

START = e.InstanceStart(
    process_id="order", version=1, root_id="a", counter=0, start_command_id="c", started_at=0
)


def transition(command_type: str, *events: e.AnyEvent, **changed: Any) -> Transition:
    fields: dict[str, Any] = {
        "instance_id": "a",
        "root_id": "a",
        "process_id": "order",
        "version": 1,
        "partition": 0,
        "offset": 1,
        "index": 0,
        "time": 1_700_000_000_000,
        "command_id": "c",
        "command_type": command_type,
        "first_sequence": 0,
        "part": 1,
        "parts": 1,
        "events": events,
        **changed,
    }
    return Transition(**fields)


BEGUN = transition(
    "StartInstance",
    e.InstanceChanged(state="RUNNING", start=START),
    e.ElementActivated(key=1, element_id="order", scope=0),
    e.VariablesSet(scope=1, variables={"amount": "740"}),
    e.ElementActivated(key=2, element_id="wait", scope=1),
    e.TimerArmed(key=3, owner=2, element_id="late", due_ms=1_700_000_060_000),
    e.JobOpened(key=4, owner=2, type="pay", attempt=1, retries_left=3),
    actor="ada",
)


def test_each_event_is_a_line_and_the_command_stands_at_the_first() -> None:
    found = list(rows([BEGUN]))
    assert found[0][:3] == ("2023-11-14 22:13:20Z", "StartInstance by ada", "InstanceChanged")
    assert [row[:2] for row in found[1:]] == [("", "")] * 5
    assert [row[2:] for row in found[2:]] == [
        ("VariablesSet", "order", "amount=740"),
        ("ElementActivated", "wait", ""),
        ("TimerArmed", "late", "due 2023-11-14 22:14:20Z"),
        ("JobOpened", "wait", "pay"),
    ]


def test_an_event_without_an_element_is_about_that_of_its_owner() -> None:
    ended = transition(
        "CompleteJob",
        e.JobClosed(key=4, reason="completed"),
        e.TimerClosed(key=3),
        e.ElementCompleted(key=2),
        e.ConditionEvaluated(scope=1, flow_id="large", expression="amount > 500", result=True),
        e.FlowTaken(flow_id="large", scope=1),
    )
    assert [row[2:] for row in rows([BEGUN, ended])][6:] == [
        ("JobClosed", "wait", "completed"),
        ("TimerClosed", "late", ""),
        ("ElementCompleted", "wait", ""),
        ("ConditionEvaluated", "", "large, amount > 500 is true"),
        ("FlowTaken", "", "large"),
    ]


def test_a_task_is_shown_with_whom_it_is_assigned_to() -> None:
    details = e.TaskDetails(assignee="ann")
    states = {"created": details, "assigning": details, "assigned": e.TaskDetails()}
    changed = (
        e.TaskChanged(key=5, owner=2, state=state, details=each) for state, each in states.items()
    )
    assert [row[2:] for row in rows([BEGUN, transition("ClaimTask", *changed)])][6:] == [
        ("TaskChanged", "wait", "created, to ann"),
        ("TaskChanged", "wait", "assigning, to ann"),
        ("TaskChanged", "wait", "assigned, to nobody"),
    ]


def test_a_transition_in_parts_has_its_command_once_and_long_texts_are_cut() -> None:
    long = e.VariablesSet(scope=1, variables={"text": "x" * 1_000})
    first, second = (transition("SetVariables", long, part=part, parts=2) for part in (1, 2))
    found = list(rows([first, second]))
    assert [row[1] for row in found] == ["SetVariables", ""]
    assert {len(row[4]) for row in found} == {DETAIL_MAX}
