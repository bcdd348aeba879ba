"""`torpor test`: what it prints, for people and for programs, and how it ends."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from scenarios.json_schema import schema_text
from tests.support.command_line import torpor
from tests.support.models import (
    bpmn,
    call_activity,
    chain,
    end,
    flow,
    process,
    service_task,
    start,
    user_task,
)

MODEL = bpmn(
    process(
        "p", start("s"), service_task("pay", type="payment"), user_task("ask", name="Ask them"),
        end("e"), chain("s", "pay", "ask", "e"),
    )
)  # fmt: skip
TEXT = """\
models: model.bpmn
scenarios:
  - name: It begins
    steps:
      - start: p
        expect: {waiting at: pay}
  - name: It is paid
    steps:
      - start: p
      - complete job: payment
        expect:
          waiting at: pay
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("model.bpmn").write_bytes(MODEL)
    Path("s.yaml").write_text(TEXT, encoding="utf-8")
    return Path("s.yaml")


def timeless(text: str) -> str:
    return re.sub(r"in \d+\.\d s", "in 0.1 s", text)


def test_scenarios_are_told_with_their_paths_failures_and_coverage(file: Path) -> None:
    done = torpor("test", str(file), code=1)
    assert (
        timeless(done.out)
        == """\
s.yaml
  ✓ It begins
      s → [pay]
  ✗ It is paid
      s → pay → [Ask them]
      s.yaml:12: It does not wait where expected.
        expected: pay
        found:    Ask them (task)

Coverage
  p (model.bpmn): elements 3/4, flows 2/3, 71 %
    never reached: e
    never taken: Ask them → e

1 of 2 scenarios failed, in 0.1 s
"""
    )


def test_it_ends_with_0_when_all_pass_and_the_filter_leaves_out_the_rest(file: Path) -> None:
    done = torpor("test", str(file), "-k", "BEGIN")
    assert (
        timeless(done.out)
        == "s.yaml\n  ✓ It begins\n      s → [pay]\n\n1 scenario passed, in 0.1 s\n"
    )


def test_a_filter_that_fits_nothing_is_usage(file: Path) -> None:
    done = torpor("test", str(file), "-k", "other", code=2)
    assert done.err == "torpor: no scenario has 'other' in its name\n"


def test_coverage_may_be_asked_for(file: Path) -> None:
    file.write_text(TEXT.replace("waiting at: pay\n", "waiting at: ask\n"), encoding="utf-8")
    torpor("test", str(file), "--coverage-min", "71")
    done = torpor("test", str(file), "--coverage-min", "72.5", code=1)
    assert "Coverage is 71.4 %, expected at least 72.5 % of all elements and flows" in done.out
    torpor("test", str(file), "-k", "begins", "--coverage-min", "100")


def test_the_json_form_says_all_of_it(file: Path) -> None:
    found = torpor("test", str(file), "--json", code=1).json()
    assert (found["passed"], found["failed"], found["covered"]) == (1, 1, 71.43)
    first, second = found["scenarios"]
    assert (first["name"], first["passed"], first["line"], first["failures"]) == (
        "It begins", True, 3, [],
    )  # fmt: skip
    assert second["instances"] == [
        {"id": "p", "process": "p", "state": "running", "path": ["s", "pay"],
         "waiting": ["Ask them"]}
    ]  # fmt: skip
    assert second["failures"] == [
        {"file": "s.yaml", "line": 12, "message": "It does not wait where expected.",
         "expected": ["pay"], "found": ["Ask them (task)"], "hint": None}
    ]  # fmt: skip
    (covered,) = found["coverage"]
    assert covered["missing_elements"] == [{"id": "e", "label": "e"}]
    assert covered["missing_flows"] == [{"id": "ask-e", "label": "Ask them → e"}]


def test_a_file_that_is_wrong_is_told_and_the_others_run(file: Path) -> None:
    Path("t.yaml").write_text("models: model.bpmn\nscenario: []\n", encoding="utf-8")
    done = torpor("test", "t.yaml", str(file), "-k", "begins", code=1)
    assert done.out.startswith(
        "t.yaml\n  t.yaml:2: The key 'scenario' means nothing here. Did you mean 'scenarios'?\n"
    )
    assert "✓ It begins" in done.out
    assert done.out.endswith("2 problems in the files\n")
    found = torpor("test", "t.yaml", "--json", code=1).json()
    assert [problem["line"] for problem in found["problems"]] == [2, 1]


def test_findings_of_models_are_told_as_lint_does(file: Path) -> None:
    dangling = bpmn(process("p", start("s"), user_task("t"), chain("s", "t"), flow("t", "u")))
    Path("model.bpmn").write_bytes(dangling)
    done = torpor("test", str(file), code=1)
    assert done.out.startswith(torpor("lint", "model.bpmn", code=1).out)
    assert "s.yaml: model.bpmn cannot be deployed: put the errors right." in done.out
    assert "✗" not in done.out
    (finding,) = torpor("test", str(file), "--json", code=1).json()["findings"]
    assert finding["code"] == "dangling-reference"


def test_warnings_do_not_keep_scenarios_from_running(file: Path) -> None:
    Path("model.bpmn").write_bytes(
        bpmn(process("p", start("s"), service_task("pay"), user_task("u"), chain("s", "pay")))
    )
    done = torpor("test", str(file), "-k", "begins")
    assert done.out.startswith("model.bpmn: 1 warning, see torpor lint model.bpmn\n")
    assert "✓ It begins" in done.out
    assert "warning" not in torpor("test", str(file), "-k", "begins", "-q").out


def test_a_process_that_a_scenario_mocks_is_not_missing(file: Path) -> None:
    calling = bpmn(process("p", start("s"), call_activity("pay", "billing"), chain("s", "pay")))
    Path("model.bpmn").write_bytes(calling)
    assert "1 warning" in torpor("test", str(file), "-k", "begins", code=1).out
    mocked = "    mocks: {processes: {billing: null}}\n"
    file.write_text(TEXT.replace("  - name: It is paid\n", f"  - name: It is paid\n{mocked}"))
    assert "warning" not in torpor("test", str(file), "-k", "paid", code=1).out
    assert "warning" not in torpor("test", str(file), code=1).out


def test_quiet_prints_only_what_failed(file: Path) -> None:
    done = torpor("test", str(file), "--quiet", code=1)
    assert (
        timeless(done.out)
        == """\
s.yaml
  ✗ It is paid
      s → pay → [Ask them]
      s.yaml:12: It does not wait where expected.
        expected: pay
        found:    Ask them (task)
1 of 2 scenarios failed, in 0.1 s
"""
    )
    assert timeless(torpor("test", str(file), "-q", "-k", "begins").out) == (
        "1 scenario passed, in 0.1 s\n"
    )


def test_a_mock_that_nobody_asked_is_noted_at_the_end(file: Path) -> None:
    mocks = "mocks: {jobs: {payment: {complete: {}}}, tasks: {ask: {complete: {}}}}\n"
    steps = "scenarios:\n  - name: a\n    steps:\n      - start: p\n"
    file.write_text(f"models: model.bpmn\n{mocks}{steps}", encoding="utf-8")
    assert "never used" not in torpor("test", str(file)).out
    own = "    mocks: {tasks: {ask: null}, jobs: {pay: {complete: {}}}}\n"
    file.write_text(f"models: model.bpmn\n{mocks}{steps}{own}", encoding="utf-8")
    done = torpor("test", str(file))
    assert "\ns.yaml: the mock 'pay' was never used\n1 scenario passed" in done.out
    assert torpor("test", str(file), "--json").json()["notes"] == [
        "s.yaml: the mock 'pay' was never used"
    ]
    assert "never used" not in torpor("test", str(file), "-k", "a").out


def test_thorough_runs_every_variant_and_names_the_one_that_failed(file: Path) -> None:
    found = torpor("test", str(file), "--thorough", "--json", code=1).json()
    assert [each["variants"] for each in found["scenarios"]] == [6, 1]


def test_a_report_for_ci_can_be_written(file: Path, tmp_path: Path) -> None:
    torpor("test", str(file), "--junit", "report.xml", code=1)
    suite = ElementTree.parse(tmp_path / "report.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "1", "0")
    first, second = suite
    assert (first.get("classname"), first.get("name"), len(first)) == ("s.yaml", "It begins", 0)
    assert second[0].get("message") == "It does not wait where expected."
    assert second[0].text == "s.yaml:12\nexpected: pay\nfound: Ask them (task)"
    done = torpor("test", str(file), "--junit", "nowhere/report.xml", code=2)
    assert "cannot be written" in done.err


def test_the_schema_of_the_format_can_be_printed() -> None:
    assert torpor("test", "--schema").out == schema_text()


def test_files_must_be_named_and_be_there() -> None:
    assert "Missing argument 'FILE|FOLDER...'" in torpor("test", code=2).err
    assert "does not exist" in torpor("test", "nothing.yaml", code=2).err


def test_a_folder_stands_for_all_scenarios_below_it(file: Path, tmp_path: Path) -> None:
    assert torpor("test", str(tmp_path), "-k", "begins").out.startswith(str(tmp_path / file))


def test_long_paths_are_folded_and_repeated_elements_counted(file: Path) -> None:
    ids = [f"step{number}" for number in range(200)]
    Path("model.bpmn").write_bytes(
        bpmn(process("p", start("s"), *(user_task(each) for each in ids), chain("s", *ids)))
    )
    steps = "".join(f"      - complete task: {each}\n" for each in ids)
    file.write_text(
        f"models: model.bpmn\nscenarios:\n  - name: a\n    steps:\n      - start: p\n{steps}",
        encoding="utf-8",
    )
    done = torpor("test", str(file))
    assert max(len(line) for line in done.out.splitlines()) <= 100
    assert "... 141 more ..." in done.out
