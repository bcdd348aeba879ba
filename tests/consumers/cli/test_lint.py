"""`torpor lint`: no server, all findings, 1 when there is an error."""

from pathlib import Path

import pytest

from tests.support.command_line import torpor
from tests.support.decisions import decision, dmn, literal
from tests.support.models import (
    bpmn,
    chain,
    decision_task,
    end,
    flow,
    process,
    start,
    user_task,
)

GOOD = bpmn(process("p", start("s"), user_task("t"), end("e"), chain("s", "t", "e")))
DANGLING = bpmn(
    process("p", start("s"), user_task("t"), end("e"), chain("s", "t", "e"), flow("t", "nowhere"))
)
UNREACHABLE = bpmn(
    process("p", start("s"), user_task("t"), user_task("u"), end("e"), chain("s", "t", "e"))
)


def written(folder: Path, name: str, content: bytes) -> str:
    file = folder / name
    file.write_bytes(content)
    return str(file)


def test_a_file_without_findings_is_ok(tmp_path: Path) -> None:
    file = written(tmp_path, "good.bpmn", GOOD)
    done = torpor("lint", file)
    assert (done.out, done.err) == (f"{file}: ok\n", "")
    assert torpor("lint", file, "--json").json() == {"file": file, "ok": True, "findings": []}


def test_an_error_ends_with_1_and_is_shown_with_element_and_line(tmp_path: Path) -> None:
    done = torpor("lint", written(tmp_path, "bad.bpmn", DANGLING), code=1)
    first, head, row = done.out.splitlines()
    assert first.endswith("bad.bpmn: 1 error, 0 warnings")
    assert head.split() == ["LINE", "SEVERITY", "ELEMENT", "WHAT", "IS", "WRONG", "CODE"]
    line, severity, element, *_, code = row.split()
    assert (severity, element, code) == ("error", "t-nowhere", "dangling-reference")
    assert line.isdigit()


def test_warnings_alone_are_shown_and_do_not_count(tmp_path: Path) -> None:
    file = written(tmp_path, "doubtful.bpmn", UNREACHABLE)
    assert "0 errors, 1 warning" in torpor("lint", file).out
    found = torpor("lint", file, "--json").json()
    assert found["ok"] is True
    assert [each["severity"] for each in found["findings"]] == ["warning"]


def test_every_file_is_checked_whatever_the_others_are(tmp_path: Path) -> None:
    good = written(tmp_path, "good.bpmn", GOOD)
    bad = written(tmp_path, "bad.bpmn", DANGLING)
    empty = written(tmp_path, "empty.bpmn", b"")
    found = torpor("lint", bad, good, empty, "--json", code=1).lines()
    assert [(each["file"], each["ok"]) for each in found] == [
        (bad, False),
        (good, True),
        (empty, False),
    ]
    (finding,) = found[0]["findings"]
    assert set(finding) >= {"severity", "element", "line", "code", "message"}
    assert finding["element"] == "t-nowhere"


def test_decisions_are_checked_by_what_they_are_and_not_by_their_name(tmp_path: Path) -> None:
    good = written(tmp_path, "rate.xml", dmn(decision("Rate", literal("1"))))
    bad = written(tmp_path, "bad.bpmn", dmn(decision("Rate", literal("1 +"))))
    assert torpor("lint", good).out == f"{good}: ok\n"
    (finding,) = torpor("lint", bad, "--json", code=1).json()["findings"]
    assert (finding["element"], finding["line"], finding["code"]) == (
        "Rate",
        1,
        "expression-syntax",
    )


def test_what_is_called_is_looked_for_in_all_files(tmp_path: Path) -> None:
    caller = written(
        tmp_path,
        "caller.bpmn",
        bpmn(process("p", start("s"), decision_task("t", "Rate"), chain("s", "t"))),
    )
    rate = written(tmp_path, "rate.dmn", dmn(decision("Rate", literal("1"))))
    (finding,) = torpor("lint", caller, "--json").json()["findings"]
    assert (finding["severity"], finding["code"], finding["element"]) == (
        "warning",
        "unknown-decision",
        "t",
    )
    assert torpor("lint", caller, rate).out == f"{caller}: ok\n{rate}: ok\n"


def test_the_example_is_fit_to_be_deployed() -> None:
    assert torpor("lint", "examples/order/order.bpmn").out == "examples/order/order.bpmn: ok\n"


def test_strict_makes_warnings_count(tmp_path: Path) -> None:
    doubtful = written(tmp_path, "doubtful.bpmn", UNREACHABLE)
    assert "0 errors, 1 warning" in torpor("lint", "--strict", doubtful, code=1).out
    torpor("lint", "--strict", written(tmp_path, "good.bpmn", GOOD))


def test_a_folder_stands_for_all_models_below_it(tmp_path: Path) -> None:
    inner, hidden = tmp_path / "a" / "b", tmp_path / ".hidden"
    inner.mkdir(parents=True)
    hidden.mkdir()
    good, bad = written(tmp_path, "good.bpmn", GOOD), written(inner, "bad.bpmn", DANGLING)
    written(hidden, "bad.bpmn", DANGLING)
    written(tmp_path, "notes.txt", b"no model")
    lines = torpor("lint", str(tmp_path), good, code=1).out.splitlines()
    assert [line for line in lines if str(tmp_path) in line] == [
        f"{bad}: 1 error, 0 warnings",
        f"{good}: ok",
    ]


def test_a_folder_without_models_is_a_wrong_use(tmp_path: Path) -> None:
    assert "There is no .bpmn or .dmn file in" in torpor("lint", str(tmp_path), code=2).err


@pytest.mark.parametrize("suffix", [".bpmn20.xml", ".bpmn.xml", ".dmn.xml", ".dmn11.xml"])
def test_models_of_other_engines_are_found_by_what_their_names_end_with(
    tmp_path: Path, suffix: str
) -> None:
    content = dmn(decision("d", literal("1"))) if "dmn" in suffix else GOOD
    model = written(tmp_path, f"model{suffix}", content)
    written(tmp_path, "pom.xml", b"<project/>")
    assert torpor("lint", str(tmp_path)).out == f"{model}: ok\n"


def test_what_two_files_define_is_a_warning_for_a_deployment_takes_one(tmp_path: Path) -> None:
    first = written(tmp_path, "first.bpmn", GOOD)
    second = written(tmp_path, "second.bpmn", UNREACHABLE)
    done = torpor("lint", first, second)
    assert f"{first}: ok\n" in done.out
    assert f"The process 'p' is also defined by '{first}'." in " ".join(done.out.split())
    torpor("lint", "--strict", first, written(tmp_path, "third.bpmn", GOOD), code=1)
