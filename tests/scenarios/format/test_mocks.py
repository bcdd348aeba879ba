"""Mocks answer by themselves, as soon as they are asked."""

from pathlib import Path

import pytest

from tests.support.models import (
    boundary,
    bpmn,
    call_activity,
    chain,
    end,
    error,
    error_event,
    exclusive,
    flow,
    process,
    service_task,
    start,
    timer,
    user_task,
)
from tests.support.yaml_scenarios import failures, ran

MODEL = bpmn(
    process(
        "p", start("s"), service_task("pay", type="payment", retries="3"),
        user_task("ask", name="Ask them"), end("e"), chain("s", "pay", "ask", "e"),
        boundary("failed", "pay", error_event("E")), end("f"), flow("failed", "f"),
        boundary("told", "ask", timer(cycle="R/PT1H"), interrupting=False),
        service_task("remind"), end("r"), chain("told", "remind", "r"),
    ),
    error("E", "no-money"),
)  # fmt: skip
CALLS = bpmn(
    process(
        "p", start("s"), call_activity("c", "other"), end("e"), chain("s", "c", "e"),
        boundary("failed", "c", error_event("E")), end("f"), flow("failed", "f"),
    ),
    error("E", "no"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("mocks", "steps"),
    [
        ("jobs: {payment: {complete: {a: 1}}}",
         ["{start: p, expect: {waiting at: ask, variables: {a: 1}}}"]),
        ("jobs: {pay: {complete: '={b: n * 2, c: now()}'}}",
         ["{start: p, variables: {n: 2.50}, expect: {variables: {b: 5}}}"]),
        ("jobs: {payment: {throw error: no-money, variables: {x: 1}}}",
         ["{start: p, expect: {state: completed, completed: failed}}"]),
        ("jobs: {payment: {fail: never, retries: 0}}",
         ["{start: p, expect: {incidents: {element: pay, message: never}}}"]),
        ("jobs: {payment: [{fail: once}, {fail: twice}, {complete: {}}]}",
         ["{start: p, expect: {waiting at: ask}}"]),
        ("{jobs: {payment: {complete: {}}}, tasks: {Ask them: {complete: {d: 4}}}}",
         ["{start: p, expect: {state: completed, completed: [pay, ask]}}"]),
        ("jobs: {payment: {complete: {}}, remind: {complete: {}}}",
         ["start: p", "{elapse: PT3H, expect: {path contains: [remind, remind, remind]}}"]),
    ],
)  # fmt: skip
def test_a_mock_answers(tmp_path: Path, mocks: str, steps: list[str]) -> None:
    head = f"mocks: {mocks}\n" if mocks.startswith("{") else f"mocks: {{{mocks}}}\n"
    assert failures(tmp_path, MODEL, *steps, head=head) == []


def test_a_mock_of_a_task_leaves_it_to_its_listeners(tmp_path: Path) -> None:
    heard = {"creating": "seen", "completing": "check"}
    model = bpmn(
        process(
            "p", start("s"), user_task("ask", listeners=heard), end("e"), chain("s", "ask", "e")
        )
    )
    tasks = "tasks: {ask: [{complete: {n: 1}}, {complete: {n: 2}}]}"
    steps = [
        "{start: p, expect: {jobs: seen, tasks: []}}",
        "{complete job: seen, expect: {jobs: {type: check, variables: {n: 1}}}}",
        "{complete job: check, result: {denied: true, deniedReason: 'no'},"
        " expect: {effects: TaskChangeDenied, jobs: {type: check, variables: {n: 2}}}}",
        "{complete job: check, expect: {state: completed, variables: {n: 2}}}",
    ]
    assert failures(tmp_path, model, *steps, head=f"mocks: {{{tasks}}}\n") == []


@pytest.mark.parametrize(
    ("answer", "steps"),
    [
        ("{complete: {v: 1}}", ["{start: p, expect: {state: completed, variables: {v: 1}}}"]),
        ("{throw error: 'no'}", ["{start: p, expect: {completed: failed}}"]),
        ("null", ["{start: p, expect: {waiting at: c, jobs: process:other}}",
                  "{complete job: process:other, expect: {state: completed}}"]),
    ],
)  # fmt: skip
def test_a_called_process_may_be_mocked(tmp_path: Path, answer: str, steps: list[str]) -> None:
    head = f"mocks: {{processes: {{other: {answer}}}}}\n"
    assert failures(tmp_path, CALLS, *steps, head=head) == []


def test_mocks_of_a_scenario_count_before_those_of_the_file(tmp_path: Path) -> None:
    head = "mocks: {jobs: {payment: {complete: {}}}}\n"
    own = "mocks: {jobs: {payment: null}}"
    text = f"{head}scenarios:\n  - name: one\n    {own}\n    steps:\n      - "
    (done,) = ran(tmp_path, MODEL, text + "{start: p, expect: {waiting at: pay}}\n")
    assert done.passed, done.failures


@pytest.mark.parametrize(
    ("mocks", "said"),
    [
        ("{jobs: {payment: {complete: '=[1]'}}}", "gives no names and values, but [1]."),
        ("{jobs: {payment: {complete: '=number(\"x\")'}}}", "gives no names and values, but null."),
        ("{jobs: {payment: {complete: {}}}, tasks: {ask: {fail: x}}}", "only jobs do"),
    ],
)
def test_an_answer_that_is_none_is_told(tmp_path: Path, mocks: str, said: str) -> None:
    (failure,) = failures(tmp_path, MODEL, "start: p", head=f"mocks: {mocks}\n")
    assert said in failure.what
    assert failure.place.line == 2


def test_mocks_that_keep_a_loop_going_are_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scenarios.mocking.ANSWERS_MAX", 50)
    model = bpmn(
        process("p", start("s"), exclusive("x"), service_task("a"), chain("s", "x", "a", "x"))
    )
    (failure,) = failures(tmp_path, model, "start: p", head="mocks: {jobs: {a: {complete: {}}}}\n")
    assert failure.what == "Mocks gave more than 50 answers, and were asked again."
