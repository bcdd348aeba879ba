"""YAML without guesses: what is written is what is meant, or it is an error."""

from decimal import Decimal

import pytest

from engine.values import Value
from scenarios import tree
from scenarios.errors import ScenarioFileError
from scenarios.tree import Scalar, Table, UnclearScalarError, parse, value_of


def value(text: str) -> Value:
    return value_of(parse("f.yaml", f"x: {text}\n".encode()).entries[0].value)  # type: ignore[union-attr]  # a mapping


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", 1),
        ("-0.10", Decimal("-0.1")),
        ("1e3", 1000),
        ("12345678901234567890123456789.5", Decimal("12345678901234567890123456789.5")),
        ("true", True),
        ("False", False),
        ("null", None),
        ("", None),
        ("~", None),
        ("2026-01-05", "2026-01-05"),
        ("12:30", "12:30"),
        ("'no'", "no"),
        ('"007"', "007"),
        ("norway", "norway"),
        ("1.2.3", "1.2.3"),
        ("[1, {a: b}]", [1, {"a": "b"}]),
        ("|\n  two\n  lines\n", "two\nlines\n"),
    ],
)
def test_a_value_is_json_and_exact(text: str, expected: Value) -> None:
    found = value(text)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no", 'Write false, or the text "no" in quotes'),
        ("On", "Write true"),
        ("007", "is no number of JSON"),
        ("1_000", "is no number of JSON"),
        ("+1", "is no number of JSON"),
        (".5", "is no number of JSON"),
        ("0x1F", "is no number of JSON"),
        (".inf", "is no number of JSON"),
        (".NaN", "is no number of JSON"),
        ("1e99999", "out of range"),
    ],
)
def test_what_parsers_differ_about_needs_quotes(text: str, said: str) -> None:
    with pytest.raises(UnclearScalarError, match=said.replace(".", r"\.")) as raised:
        value(text)
    assert raised.value.line == 1


def test_lines_are_those_of_the_file() -> None:
    found = parse("f.yaml", b"a: 1\n\n# a comment\nb:\n  - x\n")
    assert isinstance(found, Table)
    assert [(entry.key, entry.line) for entry in found.entries] == [("a", 1), ("b", 4)]


def test_a_scalar_keeps_its_text() -> None:
    found = parse("f.yaml", b"a: 0010\nb: '1'\n")
    assert isinstance(found, Table)
    assert found.entries[0].value == Scalar("0010", plain=True, line=1)
    assert found.entries[1].value == Scalar("1", plain=False, line=2)


def test_aliases_are_followed() -> None:
    found = parse("f.yaml", b"a: &x {n: 1}\nb: *x\n")
    assert value_of(found) == {"a": {"n": 1}, "b": {"n": 1}}


@pytest.mark.parametrize(
    ("content", "line", "said"),
    [
        (b"", 1, "The file is empty"),
        (b"a: 1\na: 2\n", 2, "The key 'a' stands here twice"),
        (b"a: [1\nb: 2\n", 2, "This is not YAML"),
        (b"a: b: c\n", 1, "need quotes"),
        (b"a: !!python/object:os.system x\n", 1, "Tags such as"),
        (b"? [a]\n: b\n", 1, "A key must be a text"),
        (b"a: &x {n: 1}\nb: {<<: *x}\n", 2, "Merge keys"),
        (b"a: *nothing\n", 1, "undefined alias"),
        (b"a: 1\n--- \nb: 2\n", 2, "but found another document"),
        (b"a:\n\t- b\n", 2, "indented by a tab"),
        (b"<?xml version='1.0'?>", 1, "This is XML"),
        (b"\xff", 0, "not YAML in UTF-8"),
        (b"[" * 100_000, 1, "exceeded maximum nesting depth"),
    ],
)
def test_what_is_no_yaml_is_said_with_its_line(content: bytes, line: int, said: str) -> None:
    with pytest.raises(ScenarioFileError) as raised:
        parse("f.yaml", content)
    (problem,) = raised.value.problems
    assert said in problem.message
    assert problem.place.line == line


def test_a_few_lines_cannot_stand_for_billions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "NODES_MAX", 1_000)
    lines = ["a0: &a0 [x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    with pytest.raises(ScenarioFileError, match="more than 1000 nodes"):
        parse("f.yaml", "\n".join(lines).encode())


def test_a_file_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "BYTES_MAX", 10)
    with pytest.raises(ScenarioFileError, match="Split it"):
        parse("f.yaml", b"a: 1234567890")
