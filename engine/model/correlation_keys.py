"""The correlation keys of a file (BPMN 8.4.2): properties, and where messages have their values."""

from typing import Final

import msgspec

from engine.model.parse import Catalogue, resolve
from engine.model.report import Report, quote
from engine.model.source import SourceElement, children

PATHS_MAX: Final = 50_000
"""Of all properties of all keys of a file: each key has those of all of its properties."""


class CorrelationKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key, its properties, and where each message that it is for has their values.

    `partly` are the messages that have only some of the properties.
    """

    drawn: SourceElement
    properties: tuple[str, ...]
    paths: dict[str, tuple[SourceElement, ...]]
    partly: frozenset[str]


class CorrelationKeys(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of a file, by the ids of the messages that have all, or only some of them."""

    by_message: dict[str, list[CorrelationKey]] = {}
    partly: dict[str, CorrelationKey] = {}


NO_KEYS: Final = CorrelationKeys()


def read_keys(catalogue: Catalogue, report: Report) -> CorrelationKeys:
    """The keys of a file, in document order."""
    paths = {each.id: _paths(each, catalogue) for each in catalogue.correlation_properties.values()}
    keys, room = CorrelationKeys(), PATHS_MAX
    for drawn in catalogue.correlation_keys.values():
        properties = _properties(drawn, catalogue, report)
        room -= sum(len(paths[each]) for each in properties)
        if room < 0:
            report.error(
                "too-large",
                f"The correlation keys have more than {PATHS_MAX} message paths in all. Split the"
                " model.",
                drawn,
            )
            return NO_KEYS
        key = _read_key(drawn, properties, paths)
        for message in key.paths:
            keys.by_message.setdefault(message, []).append(key)
        for message in key.partly:
            keys.partly.setdefault(message, key)
    return keys


def _paths(drawn: SourceElement, catalogue: Catalogue) -> dict[str, SourceElement]:
    """Of a property: the message path of each message, by the message's id."""
    found: dict[str, SourceElement] = {}
    for part in children(drawn.xml):
        message = resolve(catalogue.messages, (part.xml.get("messageRef") or "").strip())
        path = next((each for each in children(part.xml) if each.tag == "messagePath"), None)
        if part.tag == "correlationPropertyRetrievalExpression" and message and path:
            found.setdefault(message.id, path)
    return found


def _properties(drawn: SourceElement, catalogue: Catalogue, report: Report) -> tuple[str, ...]:
    """The ids of a key's properties."""
    properties: dict[str, None] = {}
    for part in children(drawn.xml):
        if part.tag != "correlationPropertyRef":
            continue
        reference = "".join(part.xml.itertext()).strip()
        found = resolve(catalogue.correlation_properties, reference)
        if found is None:
            report_dangling("correlation property", reference, part, report)
        else:
            properties[found.id] = None
    return tuple(properties)


def _read_key(
    drawn: SourceElement, properties: tuple[str, ...], paths: dict[str, dict[str, SourceElement]]
) -> CorrelationKey:
    tables = [paths[each] for each in properties]
    smallest = min(tables, key=len, default={})
    whole = {
        message: tuple(table[message] for table in tables)
        for message in smallest
        if all(message in table for table in tables)
    }
    partly = frozenset(message for table in tables for message in table if message not in whole)
    return CorrelationKey(drawn=drawn, properties=properties, paths=whole, partly=partly)


def report_dangling(what: str, reference: str, at: SourceElement, report: Report) -> None:
    """Something refers to what the file does not have."""
    report.error(
        "dangling-reference",
        f"There is no {what} {quote(reference)}. Refer to one of the file.",
        at,
    )
