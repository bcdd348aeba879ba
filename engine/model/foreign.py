"""Extensions of vendors whose dialect was not chosen: drawn to mean something, not executed."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from lxml import etree

from engine.model.dialects.dialect import Dialect
from engine.model.report import Report, quote
from engine.model.source import ProcessSource
from engine.model.vocabulary import EXECUTABLE_NAMESPACES
from engine.model.xml import BPMN, UTF16, may_contain, uses

_EXTENSION_ELEMENTS: Final = f"{{{BPMN}}}extensionElements"
_DECLARED: Final = re.compile(rb"""\bxmlns(?::[^\s=]+)?\s*=\s*["']([^"']*)["']""")
_STANDARD: Final = frozenset(
    {
        BPMN,
        "http://www.omg.org/spec/BPMN/20100524/DI",
        "http://www.omg.org/spec/DD/20100524/DC",
        "http://www.omg.org/spec/DD/20100524/DI",
        "http://www.w3.org/2001/XMLSchema",
        "http://www.w3.org/2001/XMLSchema-instance",
        "http://camunda.org/schema/modeler/1.0",
    }
)
"""Namespaces in which nothing is an extension: of the format itself, and of the modeler's notes."""


def check_foreign_extensions(
    processes: Iterable[ProcessSource], dialect: Dialect, content: bytes, report: Report
) -> None:
    """Report the elements that carry such extensions.

    In a file of another dialect they are leftovers, a warning. In a file without a dialect they are
    what the model was made for, an error. What no dialect knows is a warning for each namespace:
    a vendor's notes, or a namespace that is misspelt.
    """
    if _declares_unknown(content):
        _check_unknown_namespaces(processes, dialect, report)
    vendors = {
        namespace: vendor
        for namespace, vendor in EXECUTABLE_NAMESPACES.items()
        if namespace not in dialect.namespaces and may_contain(content, namespace)
    }
    if not vendors:
        return
    report_one = report.warning if dialect.namespaces else report.error
    for process in processes:
        if not any(uses(process.xml, namespace) for namespace in vendors):
            continue
        for element in (process, *process.nodes):
            vendor = _vendor(element.xml, vendors)
            if vendor is not None:
                report_one(
                    "foreign-extension",
                    f"The {element.tag} carries extensions of {vendor}, which are not executed."
                    f" The file is read as {dialect.name}: remove them, or model what they do"
                    " otherwise.",
                    element,
                )


def _declares_unknown(content: bytes) -> bool:
    """Whether a file has any namespace that is not looked for otherwise. Most have none."""
    if content.startswith(UTF16):
        return True
    declared = {found.decode("utf-8", "replace") for found in _DECLARED.findall(content)}
    return not declared <= {*_STANDARD, *EXECUTABLE_NAMESPACES}


def _check_unknown_namespaces(
    processes: Iterable[ProcessSource], dialect: Dialect, report: Report
) -> None:
    known = {*_STANDARD, *dialect.namespaces, *EXECUTABLE_NAMESPACES}
    for process in processes:
        for element in (process, *process.nodes):
            for namespace in _namespaces(element.xml):
                if namespace not in known:
                    known.add(namespace)
                    report.warning(
                        "unknown-namespace",
                        f"Extensions of the namespace {quote(namespace)} have no effect, here and"
                        " wherever else they stand. Look whether it is spelt right, or leave them"
                        " to the tool that wrote them.",
                        element,
                    )


def _vendor(xml: etree._Element, vendors: dict[str, str]) -> str | None:
    return next((vendors[each] for each in _namespaces(xml) if each in vendors), None)


def _namespaces(xml: etree._Element) -> Iterator[str]:
    """Those of an element's attributes, then of its extension elements."""
    names = [str(name) for name in xml.keys()]  # noqa: SIM118  # an element is no mapping
    container = xml.find(_EXTENSION_ELEMENTS)
    if container is not None:
        names += [str(child.tag) for child in container.iterchildren(etree.Element)]
    for name in names:
        if name.startswith("{"):
            yield name[1:].partition("}")[0]
