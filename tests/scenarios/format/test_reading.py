"""What stands in a file is read by the types of the format, and all that is wrong is told."""

from pathlib import Path

import pytest

from scenarios.format import steps as f
from scenarios.format.steps import AnyStep
from tests.support.models import bpmn, chain, end, process, service_task, start, user_task
from tests.support.yaml_scenarios import loaded, problems

MODEL = bpmn(
    process(
        "p", start("s"), service_task("work"), user_task("ask"), end("e"),
        chain("s", "work", "ask", "e"),
    )
)  # fmt: skip


def steps(folder: Path, *lines: str) -> tuple[AnyStep, ...]:
    body = "".join(f"      - {line}\n" for line in lines)
    (case,) = loaded(folder, MODEL, f"scenarios:\n  - name: one\n    steps:\n{body}")
    return case.scenario.steps


def wrong(folder: Path, line: str) -> str:
    """The one thing that is wrong with a step, which stands in line 5."""
    text = f"scenarios:\n  - name: one\n    steps:\n      - {line}\n"
    ((at, said),) = problems(folder, MODEL, text)
    assert at == 5
    return said


def test_a_text_is_what_is_written(tmp_path: Path) -> None:
    (step,) = steps(tmp_path, "{publish message: 12, key: 007, id: no}")
    assert isinstance(step, f.PublishMessage)
    assert (step.name, step.key, step.id) == ("12", "007", "no")


def test_one_thing_may_stand_for_a_list_and_a_text_for_a_pattern(tmp_path: Path) -> None:
    (step,) = steps(tmp_path, "{expect: {jobs: work, waiting at: [work], tasks: []}}")
    assert isinstance(step, f.ExpectOnly)
    (job,) = step.expect.jobs or ()
    assert job.type == "work"
    assert step.expect.waiting_at == ("work",)
    assert step.expect.tasks == ()
    assert step.expect.timers is None


def test_lines_are_remembered(tmp_path: Path) -> None:
    text = "scenarios:\n  - name: one\n    steps:\n      - start: p\n        expect:\n"
    (case,) = loaded(tmp_path, MODEL, text + "          state: running\n          jobs: work\n")
    (step,) = case.scenario.steps
    assert isinstance(step, f.Start)
    assert step.expect is not None
    assert (step.line("start"), step.expect.line("jobs"), case.place.line) == (5, 8, 3)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{start: p, varibles: {}}", "'varibles' means nothing here. Did you mean 'variables'?"),
        ("{expect: {holds: '=amount >'}}", "The condition '=amount >' cannot be read: "),
        ("{start: p, xyz: {}}", "Known here are: expect, rejected, start, id"),
        ("{complete jbo: x}", "Did you mean 'complete job'?"),
        ("{}", "No step begins like this. Steps are: start, complete job"),
        ("{start: p, elapse: P1D}", "this has 'start' and 'elapse': make it two"),
        ("start p", "Expected a step, as in `start: order`, found 'start p'"),
        ("{start: [p]}", "Expected a text, found a list"),
        ("{start: }", "Expected a text, found nothing"),
        ("{start: p, version: one}", "Expected a whole number, found 'one'"),
        ("{start: p, version: true}", "Expected a whole number, found 'true'"),
        ("{start: p, variables: [1]}", "Expected names and values, found a list"),
        ("{start: p, variables: {x: yes}}", 'the text "yes" in quotes'),
        ("{set variables: {x: 1}, local: 1}", "Expected true or false, found '1'"),
        ("{elapse: 3 days}", "Expected a duration such as PT15M or P3D, found '3 days'"),
        ("{advance to: tomorrow}", "Expected an instant such as 2026-01-05T09:00:00Z"),
        ("{expect: {state: done}}", "a state is one of running, suspended, completed"),
        ("{expect: {jobs: }}", "Write [] if there must be none"),
        ("{expect: {variables: }}", "Nothing stands behind 'variables'"),
        ("{expect: {tasks: {elemnt: x}}}", "Did you mean 'element'?"),
        (
            "{expect: {effects: [TaskCreatd]}}",
            "There is no effect 'TaskCreatd'. Did you mean 'TaskCreated'?",
        ),
        ("{expect: {effects: {type: Xyz}}}", "There is no effect 'Xyz'. There are: Instance"),
        ("{expect: {tasks: {assignee: }}}", "behind 'assignee'. Write null if there must be none."),
        ("{expect: {tasks: {priority: null}}}", "Nothing stands behind 'priority'"),
        ("{expect: x}", "Expected a mapping with keys such as 'instance', 'state'"),
        ("{throw error: e, job: a, task: b}", "Name a job or a task: only one of them throws"),
        ("{start: p, rejected: {detail: x}}", "The key 'code' is missing here"),
    ],
)
def test_a_wrong_step_is_told_with_its_line(tmp_path: Path, line: str, said: str) -> None:
    assert said in wrong(tmp_path, line)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("{}", "found none of them"),
        ("{complete: {}, fail: x}", "found complete and fail"),
        ("{complete: 1}", "Expected names and values"),
        ("{complete: x}", "a text that begins with ="),
        ("{complete: = 1 +}", "The expression '= 1 +' cannot be read"),
        ("{compete: {}}", "Did you mean 'complete'?"),
    ],
)
def test_a_wrong_mock_is_told_with_its_line(tmp_path: Path, answer: str, said: str) -> None:
    text = f"mocks:\n  jobs:\n    work: {answer}\nscenarios: []\n"
    found = problems(tmp_path, MODEL, text)
    assert [line for line, _ in found] == [4]
    assert said in found[0][1]


def test_all_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    text = """\
    mock: {}
    scenarios:
      - nam: one
        steps:
          - {start: p, varibles: {}}
          - {elapse: x}
      - name: two
    """
    assert [line for line, _ in problems(tmp_path, MODEL, text)] == [2, 4, 6, 7, 4, 8]


def test_null_says_which_one_where_it_is_the_only_one(tmp_path: Path) -> None:
    first, second = steps(tmp_path, "{resolve incident: null}", "{terminate: }")
    assert isinstance(first, f.ResolveIncident)
    assert first.element is None
    assert isinstance(second, f.Terminate)
    assert second.instance is None


def test_expectations_of_a_whole_scenario_are_told_where_they_belong(tmp_path: Path) -> None:
    text = "scenarios:\n  - name: one\n    steps: [start: p]\n    expects: {state: completed}\n"
    assert problems(tmp_path, MODEL, text) == [
        (5, "The key 'expects' means nothing here: `expect` belongs to a step.")
    ]
