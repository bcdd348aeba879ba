"""Scenarios with examples run once for each of them."""

from pathlib import Path

import pytest

from scenarios.format import steps as f
from tests.support.models import bpmn, process, start
from tests.support.yaml_scenarios import loaded, problems

MODEL = bpmn(process("p", start("s")))


def text(name: str, step: str, examples: str) -> str:
    return f"scenarios:\n  - name: {name}\n    examples: {examples}\n    steps:\n      - {step}\n"


def test_each_example_is_a_scenario_with_its_values_in_place(tmp_path: Path) -> None:
    step = '{start: p, variables: {n: "${n}", text: "n is ${n}"}}'
    cases = loaded(tmp_path, MODEL, text("N is ${n}", step, "[{n: 1.50}, {n: [x, y]}]"))
    assert [case.name for case in cases] == ["N is 1.50", "N is x, y"]
    found = [case.scenario.steps[0] for case in cases]
    assert [each.variables for each in found if isinstance(each, f.Start)] == [
        {"n": 1.5, "text": "n is 1.50"},
        {"n": ["x", "y"], "text": "n is x, y"},
    ]


def test_a_name_without_placeholders_gets_the_values(tmp_path: Path) -> None:
    cases = loaded(tmp_path, MODEL, text("Start", "start: p", "[{a: 1, b: x}, {a: 2, b: {}}]"))
    assert [case.name for case in cases] == ["Start (a=1, b=x)", "Start (a=2, b)"]


def test_without_examples_a_placeholder_is_a_text(tmp_path: Path) -> None:
    step = "{start: p, variables: {x: '${x}'}}"
    (case,) = loaded(tmp_path, MODEL, f"scenarios:\n  - name: a\n    steps:\n      - {step}\n")
    (found,) = case.scenario.steps
    assert isinstance(found, f.Start)
    assert found.variables == {"x": "${x}"}


@pytest.mark.parametrize(
    ("step", "examples", "said"),
    [
        ("start: ${proces}", "[{process: p}]", "nothing of 'proces'. Did you mean 'process'?"),
        ("start: p${x}", "[{x: {}}]", "Only a text, or a list of them"),
        ("start: p", "[]", "Expected 1 to 10000 examples"),
        ("start: p", "[1]", "Expected names and values"),
    ],
)
def test_a_wrong_example_is_told(tmp_path: Path, step: str, examples: str, said: str) -> None:
    ((line, found),) = problems(tmp_path, MODEL, text("a", step, examples))
    assert said in found
    assert line in {4, 6}
