"""The JSON Schema of the format, for editors: made of the Structs, as `reading.py` reads them.

`python -m scenarios.json_schema` writes it anew; `torpor test --schema` prints it.
"""

import inspect
import json
import typing
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import Meta

from scenarios.format.file import ScenarioFile
from scenarios.format.parts import Part, Pattern
from scenarios.format.steps import AnyStep
from scenarios.reading import given_type, keys_of, without_none

Node: TypeAlias = dict[str, Any]

FILE = Path(__file__).with_name("scenario.schema.json")
_TEXT: Node = {"type": ["string", "number", "boolean"]}
_PLACEHOLDER: Node = {"type": "string", "pattern": r"\$\{"}
_SCALARS: dict[Any, Node] = {
    "json": {},
    "duration": {"type": "string", "pattern": r"^-?P|\$\{"},
    "instant": {"type": "string"},
    "condition": _TEXT,
    str: _TEXT,
    int: {"anyOf": [{"type": "integer"}, _PLACEHOLDER]},
    bool: {"anyOf": [{"type": "boolean"}, _PLACEHOLDER]},
}


def schema() -> Node:
    """The schema of a file of scenarios."""
    definitions: dict[str, Node] = {}
    root = _part(ScenarioFile, definitions)
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Scenarios for torpor test",
        **root,
        "definitions": dict(sorted(definitions.items())),
    }


def schema_text() -> str:
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def _part(kind: type[Part], definitions: dict[str, Node]) -> Node:
    keys = keys_of(kind)
    properties = {key: _described(field.type, definitions) for key, field in keys.items()}
    node: Node = {
        "description": inspect.getdoc(kind),
        "type": "object",
        "properties": properties,
        "required": [key for key, field in keys.items() if field.required],
        "additionalProperties": False,
    }
    for key, field in keys.items():
        _, optional = without_none(given_type(field.type)[0])
        if optional and (field.required or key in kind.nullable):
            node["properties"][key] = _with_description(
                {"anyOf": [node["properties"][key], {"type": "null"}]}, field.type
            )
    return node


def _described(kind: Any, definitions: dict[str, Node]) -> Node:
    return _with_description(_node(kind, definitions), kind)


def _with_description(node: Node, kind: Any) -> Node:
    about = [each for each in typing.get_args(kind)[1:] if isinstance(each, Meta)]
    described = next((each.description for each in about if each.description), None)
    extra = next((each.extra_json_schema for each in about if each.extra_json_schema), None) or {}
    if described is None:
        return {**node, **extra}
    return {"description": described, **node, **extra}


def _node(kind: Any, definitions: dict[str, Node]) -> Node:
    kind, title = given_type(kind)
    kind, _ = without_none(kind)
    kind, inner = given_type(kind)
    scalar = _SCALARS.get(title or inner or kind)
    if scalar is not None:
        return dict(scalar)
    origin = typing.get_origin(kind)
    if origin is tuple:
        item = _node(typing.get_args(kind)[0], definitions)
        return {"anyOf": [{"type": "array", "items": item}, item]}
    if origin is dict:
        return {"type": "object", "additionalProperties": _value(kind, definitions)}
    if kind == AnyStep:
        kinds = typing.get_args(AnyStep)
        return {"anyOf": [_reference(each, definitions) for each in kinds]}
    return _reference(kind, definitions)


def _value(kind: Any, definitions: dict[str, Node]) -> Node:
    """What the names of a mapping stand for; null where that means something."""
    inner = typing.get_args(kind)[1]
    node = _node(inner, definitions)
    _, optional = without_none(given_type(inner)[0])
    return {"anyOf": [node, {"type": "null"}]} if optional else node


def _reference(kind: type[Part], definitions: dict[str, Node]) -> Node:
    if kind.__name__ not in definitions:
        definitions[kind.__name__] = {}  # it may contain itself
        definitions[kind.__name__] = _part(kind, definitions)
    reference = {"$ref": f"#/definitions/{kind.__name__}"}
    return {"anyOf": [_TEXT, reference]} if issubclass(kind, Pattern) else reference


if __name__ == "__main__":
    FILE.write_text(schema_text(), encoding="utf-8")
