"""Attributes of BPMN that are no value of their type: whatever they were to mean, nobody knows."""

import re
from collections.abc import Iterable
from typing import Final

from lxml import etree

from engine.model.report import Report, quote
from engine.model.source import SourceElement, enclosing, local_name
from engine.model.vocabulary import BOOLEANS, INTEGERS
from engine.model.xml import may_contain

_BOOLEAN: Final = frozenset({"true", "false", "1", "0"})
_CHECKED: Final = tuple(sorted(BOOLEANS | INTEGERS))
_INTEGER: Final = re.compile(r"[+-]?[0-9]+")


def check_values(processes: Iterable[SourceElement], content: bytes, report: Report) -> None:
    """Report what is neither true nor false, or no number, in processes and all inside of them.

    `content` is the file that they stand in: few of the names do.
    """
    names = [f"@{name}" for name in _CHECKED if may_contain(content, name)]
    if not names:
        return
    checked = etree.XPath(f"descendant-or-self::*[{' or '.join(names)}]")
    for process in processes:
        for xml in checked(process.xml):
            if local_name(xml) is not None:
                _check(xml, report)


def _check(xml: etree._Element, report: Report) -> None:
    for key in xml.attrib:
        name = str(key)
        if name in BOOLEANS:
            check_boolean(xml, name, report)
        elif name in INTEGERS and not _INTEGER.fullmatch((xml.get(name) or "").strip()):
            _report(xml, name, "no whole number. Write one", report)


def check_boolean(xml: etree._Element, name: str, report: Report) -> bool:
    """Whether the attribute is absent, true or false. If not, that is a finding."""
    value = xml.get(name)
    if value is None or value.strip() in _BOOLEAN:
        return True
    _report(xml, name, 'neither true nor false. Write "true" or "false"', report)
    return False


def _report(xml: etree._Element, name: str, wrong: str, report: Report) -> None:
    report.error(
        "bad-attribute",
        f"The {name} {quote(xml.get(name) or '')} of the {local_name(xml)} is {wrong}.",
        enclosing(xml),
        xml.sourceline or 0,
    )
