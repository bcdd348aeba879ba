"""docs/testing.md and README name every step and key, and show what really is printed."""

import re
from pathlib import Path

import pytest

from scenarios.format.expectations import Expect
from scenarios.format.file import Scenario, ScenarioFile
from scenarios.format.parts import Part
from scenarios.reading import VERBS, keys_of
from tests.support.command_line import torpor

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    return PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]


def rows(title: str) -> list[str]:
    """The first cell of each row of the section's tables."""
    return [row.split("|")[1] for row in section(title).splitlines() if row.startswith("| `")]


def block(text: str, first: str) -> str:
    """The indented block that begins with a line."""
    lines = text.splitlines()
    begin = lines.index(f"    {first}")
    shown = []
    for line in lines[begin:]:
        if line and not line.startswith("    "):
            break
        shown.append(line.removeprefix("    "))
    return "\n".join(shown).strip()


def timeless(text: str) -> str:
    return re.sub(r"in \d+\.\d s", "in 0.1 s", text).strip()


def test_every_verb_and_its_keys_are_named() -> None:
    table = section("Steps")
    named = [re.search(r"`([a-z -]+)(?::|`)", row) for row in rows("Steps")]
    assert {each[1] for each in named if each} == set(VERBS) - {"expect"}
    for verb, kind in VERBS.items():
        for key in set(keys_of(kind)) - {verb, "expect", "rejected", "instance"}:
            assert f"`{key}`" in table, f"{verb}: {key}"


@pytest.mark.parametrize(
    ("title", "kinds"),
    [("Expectations", (Expect,)), ("The file", (ScenarioFile, Scenario))],
)
def test_every_key_is_named(title: str, kinds: tuple[type[Part], ...]) -> None:
    named = set(re.findall(r"`([a-z ]+)`", " ".join(rows(title))))
    known = {key for kind in kinds for key in keys_of(kind)}
    assert named == known - {"instance"}
    assert "take `instance`" in section("Steps")


def test_the_complete_file_is_the_example() -> None:
    shown = re.search(r"```yaml\n(.*?)```", section("A complete file"), re.DOTALL)
    assert shown is not None
    example = ROOT / "examples" / "scenarios" / "order.yaml"
    assert shown[1] == example.read_text(encoding="utf-8")


def test_what_fails_is_shown_as_it_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = section("When it fails")
    shown = re.search(r"```yaml\n(.*?)```", text, re.DOTALL)
    assert shown is not None
    monkeypatch.chdir(tmp_path)
    Path("order.yaml").write_text(shown[1], encoding="utf-8")
    Path("order.bpmn").write_bytes((ROOT / "examples" / "order" / "order.bpmn").read_bytes())
    done = torpor("test", "order.yaml", code=1)
    assert timeless(block(text, "order.yaml")) == timeless(done.out)


def test_the_readme_shows_what_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    files = [str(each.relative_to(ROOT)) for each in (ROOT / "examples/scenarios").glob("*.yaml")]
    assert timeless(block(README, files[0])) == timeless(torpor("test", *files).out)


def test_the_scenario_of_the_readme_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = re.search(r"```yaml\n(.*?)```", README, re.DOTALL)
    assert shown is not None
    (tmp_path / "order").mkdir()
    (tmp_path / "scenarios").mkdir()
    example = (ROOT / "examples" / "order" / "order.bpmn").read_bytes()
    (tmp_path / "order" / "order.bpmn").write_bytes(example)
    (tmp_path / "scenarios" / "s.yaml").write_text(shown[1], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    torpor("test", "scenarios/s.yaml")
