"""What each expectation accepts, and what it says where it is not met."""

import re
from pathlib import Path

import pytest

import engine.effects
from scenarios.format.expectations import EFFECTS
from tests.support.models import (
    boundary,
    bpmn,
    catch,
    chain,
    end,
    extension,
    extensions,
    flow,
    listener,
    message,
    message_event,
    parallel,
    process,
    service_task,
    signal,
    signal_event,
    start,
    timer,
    user_task,
)
from tests.support.yaml_scenarios import failures

MODEL = bpmn(
    process(
        "p",
        start("s"),
        parallel("all"),
        service_task("pay", type="payment", headers={"a": "1", "b": "2"}, inputs={"sum": "=n"}),
        user_task("ask", name="Ask  them", assignee="ann", candidate_groups="x, y",
                  candidate_users="u", due_date="2026-01-06T00:00:00Z", priority="70"),
        catch("m", message_event("M")),
        catch("g", signal_event("G")),
        end("e"),
        chain("s", "all", "pay", "e"),
        chain("all", "ask", "e"),
        chain("all", "m", "e"),
        chain("all", "g", "e"),
        boundary("soon", "ask", timer(duration="P1D"), interrupting=False),
        flow("soon", "e"),
    ),
    message("M", "paid", key="=k"),
    signal("G", "go"),
)  # fmt: skip
TASK = bpmn(
    process("p", start("s"), user_task("ask"), end("e"), chain("s", "ask", "e")),
)
EFFECTS_FOLDER = Path(engine.effects.__file__).parent
START = "{start: p, variables: {n: 7, k: K, o: {a: [1, null]}}}"


@pytest.mark.parametrize(
    "expect",
    [
        "state: Running",
        "waiting at: [pay, Ask them, g, m]",
        "active: ask",
        "path: [s, all]",
        "path contains: all",
        "completed: [all, s]",
        "not completed: [pay, e]",
        "variables: {n: 7.0, o: {a: [1, null]}}",
        "no variables: [sum, x]",
        "holds: ['=n > 6 and k = \"K\"', count(o.a) = 2]",
        "jobs: payment",
        "jobs: {element: pay, headers: {b: 2}, variables: {sum: 7}, retries: 3, attempt: 1}",
        "tasks: Ask them",
        "tasks: {assignee: ann, candidate users: u, candidate groups: [y, x], priority: 70,"
        " due: 2026-01-06T01:00:00+01:00, variables: {n: 7}}",
        "tasks: {element: ask, form: null, follow up: ~}",
        "instances: {process: p, business key: null}",
        "effects: [{type: InstanceStarted, element: null}, {type: JobCreated, message: null}]",
        "incidents: []",
        "timers: {element: soon, due: 2026-01-06T09:00:00Z}",
        "messages: {name: paid, key: K, element: m}",
        "signals: {name: go, element: g}",
        "instances: {process: p, id: p, state: running}",
        "effects: [InstanceStarted, {type: JobCreated, element: pay}, TaskCreated]",
        "{instance: p, state: running}",
    ],
)
def test_what_is_so_is_accepted(tmp_path: Path, expect: str) -> None:
    step = expect if expect.startswith("{") else f"{{{expect}}}"
    assert failures(tmp_path, MODEL, f"{START[:-1]}, expect: {step}}}") == []


@pytest.mark.parametrize(
    ("expect", "what", "expected", "found"),
    [
        ("state: completed", "The state is not as expected.", ("completed",),
         ("running", "pay (job payment)", "Ask them (task; soon: timer, due 2026-01-06T09:00:00Z)",
          "m (message paid, key 'K')", "g (signal go)")),
        ("waiting at: [pay, ask, m]", "It does not wait where expected.", ("pay", "Ask them", "m"),
         ("pay (job payment)", "Ask them (task; soon: timer, due 2026-01-06T09:00:00Z)",
          "m (message paid, key 'K')", "g (signal go)")),
        ("active: e", "Not everything is active that should be.", ("e",),
         ("pay", "Ask them", "m", "g")),
        ("path: [s, pay]", "The path is not as expected.", ("s → pay",), ("s → all",)),
        ("path contains: [all, s]", "The path does not go as expected.", ("all → s",),
         ("s → all",)),
        ("completed: [s, pay]", "Not everything has completed that should have.", ("pay",),
         ("s → all",)),
        ("not completed: [pay, all]", "Something has completed that should not have.",
         ("not all",), ("s → all",)),
        ("variables: {n: '7', x: 1}", "The variables are not as expected.",
         ('n: "7"', "x: 1"), ("n: 7", "no x. There are: n, k, o")),
        ("variables: {o: {a: [1]}}", "The variables are not as expected.",
         ('o: {"a":[1]}',), ('o: {"a":[1,null]}',)),
        ("no variables: n", "There are variables that should not be there.", ("no n",), ("n: 7",)),
        ("holds: n > 7", "A condition does not hold.", ("n > 7",),
         ("it is false", "n: 7", 'k: "K"', 'o: {"a":[1,null]}')),
        ("holds: x > 7", "A condition does not hold.", ("x > 7",),
         ("The condition 'x > 7' gives null, not true or false; missing: x.", "n: 7", 'k: "K"',
          'o: {"a":[1,null]}')),
        ("jobs: []", "The open jobs are not as expected.", ("no open jobs",),
         ("payment, element: pay",)),
        ("jobs: {type: payment, headers: {a: 2}}", "The open jobs are not as expected.",
         ('payment, headers: {"a":"2"}',), ('payment, element: pay, headers: {"a":"1","b":"2"}',)),
        ("jobs: [payment, payment]", "The open jobs are not as expected.", ("payment", "payment"),
         ("payment, element: pay",)),
        ("tasks: {assignee: bob}", "The open user tasks are not as expected.",
         ("assignee: bob",), ("Ask them, assignee: ann",)),
        ("tasks: {element: ask, assignee: null}", "The open user tasks are not as expected.",
         ("ask, assignee: null",), ("Ask them, assignee: ann",)),
        ("tasks: {element: ask, due: null}", "The open user tasks are not as expected.",
         ("ask, due: null",), ("Ask them, due: 2026-01-06T00:00:00Z",)),
        ("tasks: {element: ask, form: f}", "The open user tasks are not as expected.",
         ("ask, form: f",), ("Ask them, form: null",)),
        ("messages: {name: paid, key: null}", "The messages waited for are not as expected.",
         ("paid, key: null",), ("paid, key: K, element: m",)),
        ("tasks: {candidate groups: x}", "The open user tasks are not as expected.",
         ('candidate groups: ["x"]',), ('Ask them, candidate groups: ["x","y"]',)),
        ("incidents: pay", "The open incidents are not as expected.", ("pay",),
         ("no open incidents",)),
        ("timers: {element: soon, due: 2026-01-06}", "The timers are not as expected.",
         ("soon, due: 2026-01-06",), ("soon, due: 2026-01-06T09:00:00Z",)),
        ("messages: {key: k}", "The messages waited for are not as expected.", ("key: k",),
         ("paid, key: K, element: m",)),
        ("signals: [stop]", "The signals waited for are not as expected.", ("stop",),
         ("go, element: g",)),
        ("instances: {process: p, state: failed}", "The instances are not as expected.",
         ("p, state: failed",), ("p, state: running",)),
        ("effects: [TaskCreated, JobCreated]", "The effects do not go as expected.",
         ("TaskCreated", "JobCreated"),
         ("InstanceStarted", "JobCreated, element: pay", "TaskCreated, element: Ask them")),
    ],
)  # fmt: skip
def test_what_is_not_so_is_told(
    tmp_path: Path, expect: str, what: str, expected: tuple[str, ...], found: tuple[str, ...]
) -> None:
    (failure,) = failures(tmp_path, MODEL, f"{START[:-1]}, expect: {{{expect}}}}}")
    assert (failure.what, failure.expected, failure.found) == (what, expected, found)


@pytest.mark.parametrize(
    ("expect", "said"),
    [
        ("waiting at: Ask me", "No element of 'p' is 'Ask me'. Did you mean 'Ask them'?"),
        ("not completed: payy", "Did you mean 'pay'?"),
        ("jobs: {element: payy}", "No element is 'payy'. Did you mean 'pay'?"),
        ("effects: {type: JobCreated, element: payy}", "Did you mean 'pay'?"),
        ("{instance: q, state: running}", "No instance is called 'q'."),
    ],
)
def test_a_misspelt_name_never_passes(tmp_path: Path, expect: str, said: str) -> None:
    step = expect if expect.startswith("{") else f"{{{expect}}}"
    (failure,) = failures(tmp_path, MODEL, f"{START[:-1]}, expect: {step}}}")
    assert said in failure.what


def test_a_name_of_several_elements_must_be_an_id(tmp_path: Path) -> None:
    model = bpmn(
        process("p", start("s"), user_task("a", name="Ask"), user_task("b", name="Ask"),
                chain("s", "a", "b"))
    )  # fmt: skip
    (failure,) = failures(tmp_path, model, "{start: p, expect: {completed: Ask}}")
    assert failure.what == "2 elements of 'p' are called 'Ask'."
    assert failure.hint == "Name one by its id: a, b."


def test_every_expectation_of_a_step_is_looked_at_and_told_in_its_order(tmp_path: Path) -> None:
    text = "{start: p, variables: {n: 1, k: K}, expect: {variables: {n: 2}, state: completed}}"
    first, second = failures(tmp_path, MODEL, text)
    assert {first.what, second.what} == {
        "The variables are not as expected.",
        "The state is not as expected.",
    }


def test_nothing_can_be_expected_of_an_instance_that_never_began(tmp_path: Path) -> None:
    assert failures(tmp_path, MODEL, "{expect: {instances: [], effects: []}}") == []
    (failure,) = failures(tmp_path, MODEL, "{expect: {state: running}}")
    assert failure.what == "No instance has begun yet."


def test_patterns_find_the_items_that_suit_all_of_them(tmp_path: Path) -> None:
    """The first pattern would fit either job, the second only the first one."""
    model = bpmn(
        process("p", start("s"), parallel("all"), service_task("a", type="x"),
                service_task("b", type="x"), chain("s", "all", "a"), chain("all", "b"))
    )  # fmt: skip
    expect = "{jobs: [{type: x}, {element: a}]}"
    assert failures(tmp_path, model, f"{{start: p, expect: {expect}}}") == []
    (failure,) = failures(tmp_path, model, "{start: p, expect: {jobs: [x, {element: s}]}}")
    assert failure.hint == "missing: element: s, not expected: x, element: b"


def test_an_instance_that_did_not_complete_has_no_variables_any_more(tmp_path: Path) -> None:
    (failure,) = failures(tmp_path, MODEL, START, "{terminate: null, expect: {variables: {n: 7}}}")
    assert failure.what.startswith("The instance has ended without completing")


def test_what_holds_a_process_as_a_whole_is_told(tmp_path: Path) -> None:
    hearing = extensions(extension("executionListeners", listener("start", "prepare")))
    model = bpmn(process("p", hearing, start("s"), end("e"), chain("s", "e")))
    (failure,) = failures(tmp_path, model, "{start: p, expect: {state: completed}}")
    assert failure.found == ("running", "p (job prepare)")
    done = "{complete job: prepare, expect: {state: completed}}"
    assert failures(tmp_path, model, "start: p", done) == []


def test_null_says_that_nobody_has_a_task(tmp_path: Path) -> None:
    nobody = "tasks: {element: ask, assignee: null}"
    steps = ("{start: p}", f"{{assign task: ask, assignee: null, expect: {{{nobody}}}}}")
    assert failures(tmp_path, TASK, *steps) == []
    (failure,) = failures(tmp_path, TASK, *steps, "{assign task: ask, assignee: bob}",
                          f"{{expect: {{{nobody}}}}}")  # fmt: skip
    assert failure.found == ("ask, assignee: bob",)


def test_null_chooses_the_task_that_nobody_has(tmp_path: Path) -> None:
    claim = "{claim task: ask, user: ann}"
    where = "{complete task: ask, where: {assignee: null}}"
    assert failures(tmp_path, TASK, "{start: p}", where) == []
    (failure,) = failures(tmp_path, TASK, "{start: p}", claim, where)
    assert failure.what == "None is open that is as `where` says."


def test_all_effects_of_instances_are_known() -> None:
    written = "".join(path.read_text("utf-8") for path in sorted(EFFECTS_FOLDER.glob("*.py")))
    told = set(re.findall(r'\.effect\(\s*"(\w+)"', written))
    told |= set(re.findall(r'^    "\w+": "([A-Z]\w+)",$', written, re.MULTILINE))
    assert told == set(EFFECTS)
