"""The correlation keys of a file (BPMN 8.4.2): properties, and where messages have their values."""

from typing import Final

import msgspec

from engine.model.parse import Catalogue, resolve
from engine.model.report import Report, quote
from engine.model.source import SourceElement, children

KEYS_MAX: Final = 100
"""Of a file."""


class CorrelationKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key, its properties, and where each message that it is for has their values."""

    drawn: SourceElement
    properties: tuple[str, ...]
    paths: dict[str, tuple[SourceElement, ...]]
    partly: frozenset[str]
    """The messages that have only some of the properties."""


def read_keys(catalogue: Catalogue, report: Report) -> tuple[CorrelationKey, ...]:
    """The keys of a file, in document order."""
    if len(catalogue.correlation_keys) > KEYS_MAX:
        report.error(
            "too-large", f"The file has more than {KEYS_MAX} correlation keys. Split the model."
        )
        return ()
    paths = {each.id: _paths(each, catalogue) for each in catalogue.correlation_properties.values()}
    return tuple(
        _read_key(drawn, paths, catalogue, report) for drawn in catalogue.correlation_keys.values()
    )


def _paths(drawn: SourceElement, catalogue: Catalogue) -> dict[str, SourceElement]:
    """Of a property: the message path of each message, by the message's id."""
    found: dict[str, SourceElement] = {}
    for part in children(drawn.xml):
        message = resolve(catalogue.messages, (part.xml.get("messageRef") or "").strip())
        path = next((each for each in children(part.xml) if each.tag == "messagePath"), None)
        if part.tag == "correlationPropertyRetrievalExpression" and message and path:
            found.setdefault(message.id, path)
    return found


def _read_key(
    drawn: SourceElement,
    paths: dict[str, dict[str, SourceElement]],
    catalogue: Catalogue,
    report: Report,
) -> CorrelationKey:
    properties: list[str] = []
    for part in children(drawn.xml):
        if part.tag != "correlationPropertyRef":
            continue
        reference = "".join(part.xml.itertext()).strip()
        found = resolve(catalogue.correlation_properties, reference)
        if found is None:
            report_dangling("correlation property", reference, part, report)
        else:
            properties.append(found.id)
    tables = [paths[each] for each in properties]
    smallest = min(tables, key=len, default={})
    whole = {
        message: tuple(table[message] for table in tables)
        for message in smallest
        if all(message in table for table in tables)
    }
    partly = frozenset(message for table in tables for message in table if message not in whole)
    return CorrelationKey(drawn=drawn, properties=tuple(properties), paths=whole, partly=partly)


def report_dangling(what: str, reference: str, at: SourceElement, report: Report) -> None:
    """Something refers to what the file does not have."""
    report.error(
        "dangling-reference",
        f"There is no {what} {quote(reference)}. Refer to one of the file.",
        at,
    )
