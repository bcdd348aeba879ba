"""Scenarios in YAML for tests of their own: run a text, look at what became of it.

(done,) = ran(tmp_path, MODEL, '''
    scenarios:
      - name: it waits
        steps:
          - {start: p, expect: {waiting at: t}}
''')
assert done.passed
"""

from pathlib import Path
from textwrap import dedent

from scenarios.contents import Contents
from scenarios.coverage import Coverage
from scenarios.errors import ScenarioFileError
from scenarios.loading import Case, load
from scenarios.models import ModelFiles
from scenarios.running import Failure, Run, run
from scenarios.simulation import VARIANTS
from tests.support.checked import CheckedSimulation


def named(element: str, name: str) -> str:
    """An element with the name that people give it in the diagram."""
    return element.replace(' id="', f' name="{name}" id="', 1)


def written(folder: Path, model: bytes, text: str) -> Path:
    """A file of scenarios about a model, which lies beside it."""
    (folder / "model.bpmn").write_bytes(model)
    file = folder / "scenarios.yaml"
    file.write_text("models: model.bpmn\n" + dedent(text), encoding="utf-8")
    return file


def loaded(folder: Path, model: bytes, text: str) -> list[Case]:
    return load(written(folder, model, text), ModelFiles())


def ran(folder: Path, model: bytes, text: str, coverage: Coverage | None = None) -> list[Run]:
    """What became of each scenario."""
    contents, coverage = Contents(), coverage or Coverage()
    return [
        run(case, VARIANTS[0], contents, coverage, CheckedSimulation)
        for case in loaded(folder, model, text)
    ]


def failures(folder: Path, model: bytes, *steps: str, head: str = "") -> list[Failure]:
    """What is wrong with the one scenario that has these steps, a line each."""
    body = "".join(f"      - {step}\n" for step in steps)
    text = f"{dedent(head)}scenarios:\n  - name: one\n    steps:\n{body}"
    (done,) = ran(folder, model, text)
    return list(done.failures)


def problems(folder: Path, model: bytes, text: str) -> list[tuple[int, str]]:
    """(line, sentence) of all that is wrong with a file."""
    try:
        loaded(folder, model, text)
    except ScenarioFileError as error:
        return [(problem.place.line, problem.message) for problem in error.problems]
    raise AssertionError("nothing is wrong with it")
