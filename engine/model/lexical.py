"""Attributes of BPMN that are no value of their type: whatever they were to mean, nobody knows."""

import re
from typing import Final

from lxml import etree

from engine.model.report import Report, quote
from engine.model.source import SourceElement, enclosing, local_name
from engine.model.vocabulary import BOOLEANS, INTEGERS

_BOOLEAN: Final = frozenset({"true", "false", "1", "0"})
_CHECKED: Final = etree.XPath(
    f"descendant-or-self::*[{' or '.join(f'@{name}' for name in sorted(BOOLEANS | INTEGERS))}]"
)
"""The elements with such attributes; found without a Python object for every other."""

_INTEGER: Final = re.compile(r"[+-]?[0-9]+")


def check_values(process: SourceElement, report: Report) -> None:
    """Report what is neither true nor false, or no number, in a process and all inside of it."""
    for xml in _CHECKED(process.xml):
        for key in xml.attrib if local_name(xml) is not None else ():
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
