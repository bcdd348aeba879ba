"""Every model of the BPMN interchange corpus is answered; where the corpus is absent, this skips.

The corpus lies beside the project, as ../shared/corpus/miwg, and is no part of it.
"""

import re
import time
from pathlib import Path

import pytest

from engine.model.compile import compile_resource
from engine.settings import Settings

CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "miwg"
FILES = sorted(CORPUS.glob("*.bpmn"))

pytestmark = pytest.mark.skipif(not FILES, reason=f"there is no corpus in {CORPUS}")


def executable(content: bytes) -> bytes:
    """The same model with every process marked executable, so that all of it is compiled."""
    return re.sub(rb'isExecutable="false"', b'isExecutable="true"', content)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_model_of_the_corpus_is_answered(path: Path) -> None:
    content = path.read_bytes()
    for variant in (content, executable(content)):
        begin = time.process_time()
        made = compile_resource(path.name, variant, Settings())
        assert time.process_time() - begin < 1
        assert made.processes or made.findings
        assert bool(made.processes) == made.deployable
        assert all(finding.message.endswith((".", "'")) for finding in made.findings)


def test_the_executable_models_of_activiti_are_deployable_as_they_are() -> None:
    names = [path.name for path in FILES if b"http://activiti.org/bpmn" in path.read_bytes()]
    deployable = [
        path.name
        for path in FILES
        if path.name in names
        and compile_resource(path.name, path.read_bytes(), Settings()).deployable
    ]
    # Those that are not have conditions in XPath.
    assert len(deployable) >= 5


def test_the_simple_models_of_the_corpus_run() -> None:
    runnable = [
        path.name
        for path in FILES
        if "__A.1.0" in path.name
        and compile_resource(path.name, executable(path.read_bytes()), Settings()).deployable
    ]
    assert len(runnable) >= 5
