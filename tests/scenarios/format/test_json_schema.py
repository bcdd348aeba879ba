"""The JSON Schema for editors is that of the Structs, and accepts what is accepted."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from scenarios import json_schema
from scenarios.json_schema import schema
from scenarios.reading import VERBS

ROOT = Path(__file__).parents[3]
FILES = [
    *sorted((ROOT / "tests" / "scenarios" / "yaml").glob("*.yaml")),
    *sorted((ROOT / "examples" / "scenarios").glob("*.yaml")),
]
TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "number": (int, float),
    "integer": int,
    "boolean": bool,
    "null": type(None),
}
SCHEMA = schema()


class Loader(yaml.SafeLoader):
    """YAML 1.2 as editors read it: dates are texts."""


Loader.yaml_implicit_resolvers = {
    first: [each for each in known if not each[0].endswith(":timestamp")]
    for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def accepts(node: dict[str, Any], value: Any) -> bool:
    """As much of JSON Schema as the format uses."""
    if "$ref" in node:
        name = node["$ref"].removeprefix("#/definitions/")
        return accepts(SCHEMA["definitions"][name], value)
    kinds = node.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(isinstance(value, TYPES[kind]) for kind in kinds):
        return False
    checks = [
        "anyOf" not in node or any(accepts(each, value) for each in node["anyOf"]),
        value in node.get("enum", [value]),
        not isinstance(value, str) or bool(re.search(node.get("pattern", ""), value)),
    ]
    if isinstance(value, dict):
        known, other = node.get("properties", {}), node.get("additionalProperties", {})
        checks += [key in value for key in node.get("required", [])]
        checks += [
            accepts(known[key], item)
            if key in known
            else other is not False and accepts(other, item)
            for key, item in value.items()
        ]
    if isinstance(value, list):
        checks += [accepts(node.get("items", {}), item) for item in value]
    return all(checks)


def test_the_file_is_the_one_that_the_format_gives() -> None:
    assert json_schema.FILE.read_text(encoding="utf-8") == json_schema.schema_text(), (
        "python -m scenarios.json_schema"
    )


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_it_accepts_our_own_files_which_name_it(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert accepts(SCHEMA, yaml.load(text, Loader))
    named = re.search(r"^# yaml-language-server: \$schema=(\S+)$", text, re.MULTILINE)
    assert named is not None
    assert (file.parent / named[1]).resolve() == json_schema.FILE


@pytest.mark.parametrize(
    "text",
    [
        "{models: [], scenarios: [{name: a, steps: [{strat: p}]}]}",
        "{models: [], scenarios: [{name: a, steps: [{start: p, varibles: {}}]}]}",
        "{models: [], scenarios: [{name: a, steps: [{elapse: 3 days}]}]}",
        "{models: [], scenarios: [{name: a, steps: [{expect: {state: done}}]}]}",
        "{models: [], scenarios: [{name: a}]}",
        "{models: []}",
        "{models: [], scenarios: [], mock: {}}",
    ],
)
def test_it_refuses_what_is_refused(text: str) -> None:
    assert not accepts(SCHEMA, yaml.load(text, Loader))


def test_every_step_is_there_with_what_it_is() -> None:
    node = SCHEMA["definitions"]["Scenario"]["properties"]["steps"]["anyOf"][0]["items"]
    steps = [each["$ref"].rpartition("/")[2] for each in node["anyOf"]]
    assert steps == [kind.__name__ for kind in VERBS.values()]
    for name in steps:
        assert SCHEMA["definitions"][name]["description"].endswith(".")


def test_it_is_json() -> None:
    assert json.loads(json_schema.schema_text()) == SCHEMA
