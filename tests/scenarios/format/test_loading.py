"""A file of scenarios is checked against its models before anything runs."""

from pathlib import Path

import pytest

from scenarios.errors import ScenarioFileError
from scenarios.loading import load
from scenarios.models import ModelFiles
from tests.support.models import bpmn, chain, process, service_task, start, user_task
from tests.support.yaml_scenarios import problems

MODEL = bpmn(
    process(
        "p", start("s"), service_task("Pay", type="charge-card"), user_task("Ask"),
        chain("s", "Pay", "Ask"),
    )
)  # fmt: skip
ONE = "scenarios: {name: a, steps: [start: p]}\n"


@pytest.mark.parametrize(
    ("mocks", "said"),
    [
        ("jobs: {charge-crd: {complete: {}}}", "Did you mean 'charge-card'?"),
        ("tasks: {Aks: {complete: {}}}", "No model has a user task 'Aks'. Did you mean 'Ask'?"),
        ("processes: {p: {complete: {}}}", "The process 'p' has a model"),
    ],
)
def test_a_mock_that_nobody_can_ask_is_told(tmp_path: Path, mocks: str, said: str) -> None:
    ((line, found),) = problems(tmp_path, MODEL, f"mocks:\n  {mocks}\n{ONE}")
    assert (line, said in found) == (3, True), found


def test_a_job_type_that_is_computed_may_be_any(tmp_path: Path) -> None:
    computed = bpmn(process("p", start("s"), service_task("Pay", type="=kind"), chain("s", "Pay")))
    file = tmp_path / "f.yaml"
    (tmp_path / "m.bpmn").write_bytes(computed)
    file.write_text(f"models: m.bpmn\nmocks: {{jobs: {{x: {{complete: {{}}}}}}}}\n{ONE}")
    assert len(load(file, ModelFiles())) == 1


def test_two_scenarios_have_two_names(tmp_path: Path) -> None:
    text = "scenarios:\n  - {name: a, steps: []}\n  - {name: a, steps: []}\n"
    ((line, said),) = problems(tmp_path, MODEL, text)
    assert (line, said) == (4, "The scenario of line 3 has the same name, 'a'.")


def test_a_model_that_is_not_there_is_told_where_it_is_named(tmp_path: Path) -> None:
    file = tmp_path / "f.yaml"
    file.write_text(f"# a comment\nmodels: [nothing.bpmn]\n{ONE}")
    with pytest.raises(ScenarioFileError) as raised:
        load(file, ModelFiles())
    (problem,) = raised.value.problems
    assert problem.place.line == 2
    assert problem.message == (
        "The file 'nothing.bpmn' cannot be read: No such file or directory."
        f" It is looked for in {tmp_path}."
    )


def test_a_model_that_is_misspelt_is_told_with_the_file_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("models").mkdir()
    Path("tests").mkdir()
    Path("models/loan.bpmn").write_bytes(MODEL)
    Path("tests/f.yaml").write_text(f"models: ../models/laon.bpmn\n{ONE}")
    with pytest.raises(ScenarioFileError) as raised:
        load(Path("tests/f.yaml"), ModelFiles())
    assert raised.value.problems[0].message.endswith(
        " It is looked for in models. Did you mean 'loan.bpmn'?"
    )


def test_a_zone_that_nobody_knows_is_told(tmp_path: Path) -> None:
    ((line, said),) = problems(tmp_path, MODEL, f"zone: Europe/Berlinn\n{ONE}")
    assert line == 2
    assert "Berlinn" in said


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(ScenarioFileError, match="cannot be read: No such file"):
        load(tmp_path / "nothing.yaml", ModelFiles())


def test_a_file_without_a_scenario_is_none(tmp_path: Path) -> None:
    assert problems(tmp_path, MODEL, "scenarios: []\n") == [(2, "There is no scenario.")]
    assert problems(tmp_path, MODEL, "scenarios:\n") == [(2, "Expected a list, found nothing.")]
