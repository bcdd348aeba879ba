"""What stands inside of a vendor's extension elements, so that nothing is passed over there because
it is misspelt. What a known name means is for the dialect that reads it.
"""

from collections.abc import Mapping

import msgspec
from lxml import etree

from engine.model.report import Report, quote
from engine.model.source import enclosing
from engine.model.spelling import did_you_mean
from engine.model.xml import BPMN


class Shape(msgspec.Struct, frozen=True):
    """What an extension element may hold: attributes, and elements by their local names.

    `warned` are attributes that mean nothing to this engine, each with a sentence on what to do.
    """

    attributes: tuple[str, ...] = ()
    children: tuple[str, ...] = ()
    warned: Mapping[str, str] = {}


class Shapes(msgspec.Struct, frozen=True, kw_only=True):
    """Those of a vendor. `prefixes` are namespaces and how people know them.

    `elements` may stand in extensionElements, `parts` inside of these or of each other.
    """

    prefixes: Mapping[str, str]
    elements: Mapping[str, Shape]
    parts: Mapping[str, Shape]


def audit_extension(xml: etree._Element, shapes: Shapes, report: Report) -> None:
    """Report every name in an extension element, and its own, that nobody knows."""
    _audit(xml, shapes, shapes.elements, report)


def _audit(xml: etree._Element, shapes: Shapes, known: Mapping[str, Shape], report: Report) -> None:
    namespace, _, name = str(xml.tag).rpartition("}")
    prefix = shapes.prefixes.get(namespace[1:])
    shown = f"{prefix}:{name}" if prefix else name
    shape = known.get(name)
    if shape is None:
        hint = did_you_mean(name, known, f"{prefix}:" if prefix else "")
        _report_unknown(shown, hint, xml, report)
        return
    if xml.attrib:
        _audit_attributes(xml, shapes, shown, shape, report)
    if len(xml):
        parts = {child: shapes.parts[child] for child in shape.children}
        for child in xml.iterchildren(etree.Element):
            namespace = str(child.tag).rpartition("}")[0][1:]
            # Some tools write parts without a prefix, as if they were BPMN's.
            if namespace in shapes.prefixes or namespace in ("", BPMN):
                _audit(child, shapes, parts, report)


def _audit_attributes(
    xml: etree._Element, shapes: Shapes, name: str, shape: Shape, report: Report
) -> None:
    for key, value in xml.attrib.items():
        namespace, _, local = str(key).rpartition("}")
        if namespace and namespace[1:] not in shapes.prefixes:
            continue
        if local in shape.warned:
            if str(value).strip() not in ("", "false"):
                report.warning(
                    "no-effect",
                    f"{local} of {name} has no effect: {shape.warned[local]}",
                    enclosing(xml),
                    xml.sourceline or 0,
                )
        elif local not in shape.attributes:
            what = f"The attribute {quote(local)} of {name}"
            _report_unknown(what, did_you_mean(local, shape.attributes), xml, report)


def _report_unknown(what: str, hint: str, xml: etree._Element, report: Report) -> None:
    report.error(
        "unsupported-extension",
        f"{what} is not known to this engine.{hint or ' Remove it.'}",
        enclosing(xml),
        xml.sourceline or 0,
    )
