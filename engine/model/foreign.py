"""Extensions of a vendor whose dialect was not chosen: drawn to mean something, not executed."""

from collections.abc import Iterable

from lxml import etree

from engine.model.dialects.dialect import Dialect
from engine.model.report import Report
from engine.model.source import ProcessSource
from engine.model.vocabulary import EXECUTABLE_NAMESPACES
from engine.model.xml import BPMN

_EXTENSION_ELEMENTS = f"{{{BPMN}}}extensionElements"


def check_foreign_extensions(
    processes: Iterable[ProcessSource], dialect: Dialect, content: bytes, report: Report
) -> None:
    """Report the elements that carry such extensions.

    In a file of another dialect they are leftovers, a warning. In a file without a dialect they are
    what the model was made for, an error.
    """
    vendors = {
        namespace: vendor
        for namespace, vendor in EXECUTABLE_NAMESPACES.items()
        if namespace not in dialect.namespaces and namespace.encode() in content
    }
    if not vendors:
        return
    report_one = report.warning if dialect.namespaces else report.error
    for process in processes:
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


def _vendor(xml: etree._Element, vendors: dict[str, str]) -> str | None:
    container = xml.find(_EXTENSION_ELEMENTS)
    names = [str(name) for name in xml.attrib]
    if container is not None:
        names += [str(child.tag) for child in container]
    for name in names:
        vendor = vendors.get(name[1:].partition("}")[0]) if name.startswith("{") else None
        if vendor is not None:
            return vendor
    return None
