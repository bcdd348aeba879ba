"""The `language` of an expression wins over the dialect's."""

import pytest
from lxml import etree

from engine.model.dialects import camunda7, camunda8, languages
from engine.model.extensions import Formula
from engine.model.source import SourceElement


def drawn(text: str, language: str | None) -> SourceElement:
    xml = etree.Element("conditionExpression")
    xml.text = text
    if language is not None:
        xml.set("language", language)
    return SourceElement(tag="conditionExpression", id="", name=None, line=3, xml=xml)


@pytest.mark.parametrize(
    ("language", "of_camunda_7", "of_camunda_8"),
    [
        (None, "juel", "feel"),
        ("", "juel", "feel"),
        ("juel", "juel", "juel"),
        ("https://www.omg.org/spec/DMN/20191111/FEEL/", "feel", "feel"),
    ],
)
def test_an_expression_may_name_its_language(
    language: str | None, of_camunda_7: str, of_camunda_8: str
) -> None:
    found = [
        languages.condition(dialect, drawn("${a}", language))
        for dialect in (camunda7.DIALECT, camunda8.DIALECT)
    ]
    assert found == [Formula("${a}", name, 3) for name in (of_camunda_7, of_camunda_8)]  # type: ignore[arg-type]  # names of languages


@pytest.mark.parametrize("language", ["groovy", "http://www.w3.org/1999/XPath"])
def test_other_languages_are_not_executed(language: str) -> None:
    assert languages.condition(camunda7.DIALECT, drawn("a", language)) is None
