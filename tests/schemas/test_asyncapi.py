"""The AsyncAPI document is made of the records, and refers to what is there."""

from typing import Any

import pytest

from engine.records import Topic
from schemas.asyncapi import CHANNELS, as_yaml, document
from schemas.catalogue import FOLDER
from schemas.generate import ASYNCAPI, of_the_client
from schemas.topics import SCHEMAS


def test_committed_document_is_the_generated_one() -> None:
    assert ASYNCAPI.read_text() == as_yaml(document()), "run python -m schemas.generate"


def test_every_topic_with_records_is_described() -> None:
    assert {*Topic, SCHEMAS} - set(CHANNELS) == {Topic.DEAD_LETTERS, SCHEMAS}


def references(node: Any) -> list[str]:
    if isinstance(node, dict):
        own = [node["$ref"]] if "$ref" in node else []
        return own + [found for part in node.values() for found in references(part)]
    if isinstance(node, list):
        return [found for part in node for found in references(part)]
    return []


def test_every_reference_leads_somewhere() -> None:
    whole = document()
    for reference in references(whole):
        if reference.startswith("./"):
            assert (FOLDER.parent / reference).is_file()
            continue
        node: Any = whole
        for part in reference.removeprefix("#/").split("/"):
            node = node[part]


def test_every_record_of_clients_is_described() -> None:
    described = set(document()["components"]["messages"])
    assert described == {name.removesuffix(".avsc") for name in of_the_client()} | {"Transition"}


@pytest.mark.parametrize(
    ("node", "text"),
    [
        ({"a": "b: c", "$d": True}, 'a: "b: c"\n"$d": true\n'),
        ({"a": {"b": [{"c": 1}, "x"]}}, 'a:\n  b:\n    -\n      c: 1\n    - "x"\n'),
        ({"a": "one\n\ntwo"}, "a: |-\n  one\n\n  two\n"),
        ({"a": {}, "b": []}, "a: {}\nb: []\n"),
    ],
)
def test_values_are_written_as_yaml(node: Any, text: str) -> None:
    assert as_yaml(node) == text
