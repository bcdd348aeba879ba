"""What each step does, and what it says where it cannot be done."""

from pathlib import Path

import pytest

from tests.support.models import (
    ad_hoc,
    boundary,
    bpmn,
    catch,
    chain,
    conditional_event,
    end,
    error,
    error_event,
    escalation,
    escalation_event,
    flow,
    message,
    message_event,
    process,
    service_task,
    signal,
    signal_event,
    start,
    timer,
    user_task,
)
from tests.support.yaml_scenarios import failures

WORK = bpmn(
    process(
        "p",
        start("s"),
        start("late", timer(duration="PT1H")),
        service_task("pay", type="payment", retries="2"),
        user_task("ask", name="Ask them"),
        end("e"),
        chain("s", "pay", "ask", "e"),
        flow("late", "pay"),
        boundary("failed", "pay", error_event("E")),
        end("f"),
        flow("failed", "f"),
        boundary("slow", "ask", escalation_event("X"), interrupting=False),
        end("told"),
        flow("slow", "told"),
    ),
    error("E", "no-money"),
    escalation("X", "slow"),
)
WAITS = bpmn(
    process(
        "p", start("s"), catch("m", message_event("M")), catch("g", signal_event("G")), end("e"),
        chain("s", "m", "g", "e"),
    ),
    process("q", start("hot", conditional_event("=heat > 30")), user_task("t"), chain("hot", "t")),
    message("M", "paid", key="=k"),
    signal("G", "go"),
)  # fmt: skip
CHOICE = bpmn(
    process(
        "p", start("s"), ad_hoc("some", service_task("a"), service_task("b")), end("e"),
        chain("s", "some", "e"),
    )
)  # fmt: skip


@pytest.mark.parametrize(
    ("model", "steps"),
    [
        (WORK, ["{start: p, expect: {waiting at: pay}}"]),
        (WORK, ["{start: p, id: x, version: 1, business key: k}",
                "{expect: {instances: {id: x, business key: k}}}",
                "{expect: {instance: k, state: running}}"]),
        (WORK, ["{start: p, variables: {n: 1.5}, expect: {variables: {n: 1.50}}}"]),
        (WORK, ["{elapse: PT1H, expect: {completed: late, waiting at: pay}}"]),
        (WORK, ["{fire timer: late, expect: {completed: late}}"]),
        (WORK, ["{advance to: 2026-01-05T10:00:00Z, expect: {completed: late}}"]),
        (WORK, ["start: p", "{complete job: payment, variables: {a: 1}}",
                "{expect: {waiting at: Ask them, variables: {a: 1}}}"]),
        (WORK, ["start: p", "complete job: pay", "{complete task: ask, variables: {b: 2}}",
                "{expect: {state: completed, path: [s, pay, Ask them, e]}}"]),
        (WORK, ["start: p", "complete job: pay",
                "{claim task: ask, user: ann, expect: {tasks: {assignee: ann}}}",
                "{claim task: ask, user: bob, where: {assignee: ann}, rejected: INVALID_STATE}",
                "{assign task: Ask them, assignee: bob, expect: {effects: TaskAssigned}}",
                "{assign task: ask, assignee: null}", "{claim task: ask, user: bob}",
                "{update task: ask, due: 2026-01-06, follow up: 2026-01-05T10:00, priority: 9,"
                " candidate users: [a], candidate groups: [b, c]}",
                "{expect: {tasks: {due: 2026-01-06T00:00:00Z, follow up: 2026-01-05T10:00:00Z,"
                " priority: 9, candidate users: a, candidate groups: [c, b]}}}",
                "{update task: ask, clear: [due, follow up], candidate users: []}",
                "{expect: {tasks: {assignee: bob, candidate users: []}, effects: TaskUpdated}}"]),
        (WORK, ["start: p", "{fail job: payment, message: no, expect: {jobs: {attempt: 2}}}",
                "{fail job: payment, message: never, expect: {incidents: {message: never}}}",
                "{resolve incident: pay, retries: 3, variables: {c: 3}}",
                "{expect: {jobs: {retries: 3, variables: {c: 3}}}}"]),
        (WORK, ["start: p", "{fail job: payment, backoff: PT1H, expect: {jobs: []}}",
                "{elapse: PT1H, expect: {instance: p, jobs: {attempt: 2}}}"]),
        (WORK, ["start: p", "{throw error: no-money, expect: {completed: failed}}"]),
        (WORK, ["start: p", "complete job: pay", "{throw escalation: slow, task: ask}",
                "{expect: {completed: told, waiting at: ask}}"]),
        (WORK, ["start: p", "complete job: pay", "{throw escalation: slow}",
                "{expect: {completed: told}}"]),
        (WORK, ["start: p", "{set variables: {x: 1}, element: pay, local: true}",
                "{expect: {no variables: x}}", "{set variables: {y: 1}}",
                "{expect: {variables: {y: 1}}}"]),
        (WORK, ["start: p", "{terminate: p, reason: enough}", "{expect: {state: terminated}}"]),
        (WORK, ["start: p", "{terminate: null, expect: {state: terminated}}"]),
        (WORK, ["start: p", "start: p", "{complete job: pay, instance: p-2}",
                "{expect: {instance: p-2, waiting at: ask}}", "{expect: {waiting at: pay}}"]),
        (WORK, ["deploy: model.bpmn", "{start: p, version: 2, rejected: NOT_FOUND}"]),
        (WORK, ["{send: {type: StartInstance, process_id: p, instance_id: x}}",
                "{send: {type: SetVariables, instance_id: x, variables: {n: 0.10}}}",
                "{expect: {variables: {n: 0.1}}}"]),
        (WORK, ["{send: {type: TerminateInstance, instance_id: x},"
                " rejected: {code: NOT_FOUND, detail: x}}"]),
        (WAITS, ["{start: p, variables: {k: 7}, expect: {messages: {name: paid, key: 7}}}",
                 "{publish message: paid, key: 7, variables: {v: 1}}",
                 "{expect: {signals: go, variables: {v: 1}}}",
                 "{broadcast signal: go, variables: {w: 1}}", "{expect: {state: completed}}"]),
        (WAITS, ["{publish message: paid, key: 7, ttl: PT1H, id: m}", "elapse: PT1H",
                 "{start: p, variables: {k: '7'}, expect: {waiting at: m}}"]),
        (WAITS, ["{evaluate conditions: {heat: 31}, expect: {waiting at: t}}"]),
        (CHOICE, ["start: p", "{activate: [a, b], expect: {jobs: [a, b]}}", "complete job: a",
                  "{complete job: b, expect: {state: completed}}"]),
        (CHOICE, ["start: p", "{activate: a, in: some}", "{complete ad-hoc: null}",
                  "{expect: {completed: [e]}}"]),
    ],
)  # fmt: skip
def test_a_step_does_what_it_says(tmp_path: Path, model: bytes, steps: list[str]) -> None:
    assert failures(tmp_path, model, *steps) == []


@pytest.mark.parametrize(
    ("model", "steps", "said"),
    [
        (WORK, ["start: q"], "No process 'q' is deployed."),
        (WORK, ["{start: p, at: lat}"], "No element of 'p' is 'lat'. Did you mean 'late'?"),
        (WORK, ["{start: p, id: a b}"], "The command was refused."),
        (WORK, ["{start: p, rejected: NOT_FOUND}"], "The command was not refused as expected."),
        (WORK, ["complete job: payment"], "No job 'payment' is open."),
        (WORK, ["start: p", "complete job: paymet"], "Did you mean 'payment'?"),
        (WORK, ["start: p", "fail job: other"], "No job 'other' is open."),
        (WORK, ["start: p", "complete task: ask"], "No user task 'ask' is open."),
        (WORK, ["start: p", "{claim task: ask, user: ann}"], "No user task 'ask' is open."),
        (WORK, ["start: p", "{complete job: pay, instance: q}"], "No instance is called 'q'."),
        (WORK, ["{throw error: x}"], "Nothing is open: name the one that throws"),
        (WORK, ["start: p", "start: p", "{throw error: x}"], "2 jobs and tasks are open"),
        (WORK, ["terminate: null"], "No instance has begun yet."),
        (WORK, ["start: p", "{set variables: {}, element: ask}"], "'Ask them' is not active."),
        (WORK, ["start: p", "resolve incident: null"], "No incident is open."),
        (WORK, ["start: p", "resolve incident: pay"], "No incident is open at 'pay'."),
        (WORK, ["deploy: nothing.bpmn"], "'nothing.bpmn' cannot be read: No such file"),
        (WORK, ["deploy: scenarios.yaml"], "The command was refused."),
        (WORK, ["advance to: 2026-01-05T08:59:59Z"], "It is later than 2026-01-05T08:59:59Z"),
        (WORK, ["elapse: -PT1H"], "Time does not go backwards."),
        (WORK, ["fire timer: lat"], "No timer 'lat' runs. Did you mean 'late'?"),
        (WORK, ["send: {type: Startinstance}"], "Did you mean 'StartInstance'?"),
        (WORK, ["send: {type: StartInstance, proces: p}"], "has no field 'proces'"),
        (WORK, ["start: p", "activate: a"], "No ad-hoc sub-process is active."),
        (CHOICE, ["start: p", "activate: x"], "No element of 'p' is 'x'"),
        (CHOICE, ["start: p", "{activate: a, in: a}"], "No ad-hoc sub-process 'a' is active."),
    ],
)  # fmt: skip
def test_a_step_that_cannot_be_done_says_why(
    tmp_path: Path, model: bytes, steps: list[str], said: str
) -> None:
    (found,) = failures(tmp_path, model, *steps)
    assert said in found.what
    assert found.place.line == 4 + len(steps)


def test_what_there_is_instead_is_told(tmp_path: Path) -> None:
    (found,) = failures(tmp_path, WORK, "start: p", "complete task: ask")
    assert found.found == ("pay (job payment)",)
    (found,) = failures(tmp_path, WORK, "start: p", "{start: p, id: p}")
    assert found.found == ("ALREADY_EXISTS: Expected no instance p, found it RUNNING",)
    assert found.hint == "If it must be refused, say so: `rejected: CODE`."


def test_an_incident_in_the_way_is_told(tmp_path: Path) -> None:
    (found,) = failures(tmp_path, WAITS, "start: p", "{expect: {state: completed}}")
    assert "EXPRESSION_FAILED" in " ".join((*found.found, found.hint))


def test_timers_without_end_are_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scenarios.world.RECORDS_MAX", 20)
    model = bpmn(process("p", start("s", timer(cycle="R/PT1S")), end("e"), chain("s", "e")))
    (found,) = failures(tmp_path, model, "elapse: P1D")
    assert found.what == "Timers fired more than 20 times: shorten the time that passes."
