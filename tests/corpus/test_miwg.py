"""Every model of the interchange corpus is answered, and what is executable among them runs.

Where the corpus is absent, this skips. `python -m tests.corpus` prints the counts alone.
"""

import time
from pathlib import Path

import pytest

from engine.errors import Finding
from engine.model.compile import CompiledResource
from tests.corpus.counts import compiled, count
from tests.corpus.files import corpus, model_files
from tests.support.command_line import torpor

FILES = model_files()
OF_THE_FILE = frozenset({"no-executable-process", "bad-xml", "not-bpmn", "too-large"})
"""Codes of findings that may be about no element."""

pytestmark = pytest.mark.skipif(not FILES, reason=f"there is no corpus in {corpus()}")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_model_of_the_corpus_is_answered_with_what_a_modeller_can_act_on(path: Path) -> None:
    for marked in (False, True):
        begin = time.process_time()
        made = compiled(path, marked=marked)
        assert time.process_time() - begin < 1
        assert made.processes or made.findings
        assert bool(made.processes) == made.deployable
        for finding in made.findings:
            _assert_helps(finding, made)


def _assert_helps(finding: Finding, made: CompiledResource) -> None:
    """It says where, what, and how to put it right: a sentence each."""
    assert finding.line, finding
    assert finding.element or finding.code in OF_THE_FILE, finding
    assert finding.message.count(". ") >= 1, finding
    assert finding.message.endswith((".", "'")), finding
    assert finding.resource == made.name


def test_lint_answers_all_of_them_in_one_run() -> None:
    done = torpor("lint", "--json", *map(str, FILES), code=1)
    answers = done.lines()
    assert [answer["file"] for answer in answers] == [str(path) for path in FILES]
    for answer in answers:
        errors = [each for each in answer["findings"] if each["severity"] == "error"]
        assert answer["ok"] == (not errors)
        assert all(set(each) >= FIELDS for each in answer["findings"])


FIELDS = {"severity", "element", "name", "line", "code", "message"}


def test_what_is_executable_runs_to_an_end_or_a_wait(capsys: pytest.CaptureFixture[str]) -> None:
    counts = count()
    with capsys.disabled():
        print(f"\n{counts}")  # noqa: T201  # the score is what this test is for
    assert counts.files == len(FILES)
    assert counts.ok >= 14
    assert counts.ok_marked >= 44
    assert counts.executable >= 75
    assert counts.ends.get("incident", 0) == 0
    assert sum(counts.ends.values()) == counts.executable


def test_the_executable_models_of_activiti_are_deployable_as_they_are() -> None:
    of_activiti = [path for path in FILES if b"http://activiti.org/bpmn" in path.read_bytes()]
    deployable = [path for path in of_activiti if compiled(path, marked=False).deployable]
    # Those that are not have conditions in XPath.
    assert len(deployable) >= 5
