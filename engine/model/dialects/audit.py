"""What becomes of every extension of a vendor: one table each, so that none of them is passed over.

The translation reads what its table calls translated; the rest is reported from here.
"""

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

import msgspec
from lxml import etree

from engine.model.report import Report
from engine.model.source import SourceElement, local_name, source_element

Effect = Literal["translated", "accepted", "warned", "refused"]


class Rule(NamedTuple):
    """What one extension means on elements with these tags; None: on any.

    `accepted`: nothing is needed for it. `warned`: it has no effect. `refused`: without it the
    model would run wrong. `advice` is a sentence for the modeller. The `harmless` values of an
    attribute ask for nothing.
    """

    effect: Effect
    tags: frozenset[str] | None = None
    advice: str = "Remove it."
    harmless: frozenset[str] = frozenset()


Rules = Mapping[str, tuple[Rule, ...]]


class Vocabulary(msgspec.Struct, frozen=True, kw_only=True):
    """A vendor's extensions. `prefixes` are namespaces and how people know them."""

    prefixes: dict[str, str]
    attributes: Rules
    elements: Rules


def audit(vocabulary: Vocabulary, roots: Iterable[SourceElement], report: Report) -> None:
    """Report each extension in these elements, and inside them, that is not translated."""
    for root in roots:
        for xml in root.xml.iter(etree.Element):
            tag = local_name(xml)
            if tag is not None:
                _audit_attributes(vocabulary, xml, tag, report)
            if tag == "extensionElements":
                _audit_elements(vocabulary, xml, report)


def _audit_attributes(
    vocabulary: Vocabulary, xml: etree._Element, tag: str, report: Report
) -> None:
    for name, value in xml.attrib.items():
        namespace, _, local = str(name)[1:].partition("}")
        prefix = vocabulary.prefixes.get(namespace)
        if prefix is not None and str(value).strip():
            rule = _rule(vocabulary.attributes.get(local), tag)
            if rule is None or str(value).strip() not in rule.harmless:
                _report(rule, f"{prefix}:{local}", xml, report)


def _audit_elements(vocabulary: Vocabulary, container: etree._Element, report: Report) -> None:
    owner = container.getparent()
    tag = local_name(owner) if owner is not None else None
    if owner is None or tag is None:
        return
    for xml in container.iterchildren(etree.Element):
        namespace, _, local = str(xml.tag)[1:].partition("}")
        prefix = vocabulary.prefixes.get(namespace)
        if prefix is not None and (len(xml) or xml.attrib or (xml.text or "").strip()):
            rule = _rule(vocabulary.elements.get(local), tag)
            _report(rule, f"{prefix}:{local}", owner, report, xml.sourceline or 0)


def _rule(rules: tuple[Rule, ...] | None, tag: str) -> Rule | None:
    """The rule for an element; None: nobody knows the extension."""
    if rules is None:
        return None
    for rule in rules:
        if rule.tags is None or tag in rule.tags:
            return rule
    return Rule("warned", None, f"It means nothing on a {tag}: remove it.")


_PARTS = ("EventDefinition", "LoopCharacteristics", "Expression")


def _place(xml: etree._Element) -> SourceElement:
    """The element that a finding names: one that people see as such in the diagram."""
    tag = local_name(xml) or ""
    while tag.endswith(_PARTS) or not xml.get("id"):
        parent = xml.getparent()
        parent_tag = local_name(parent) if parent is not None else None
        if parent is None or parent_tag is None:
            break
        xml, tag = parent, parent_tag
    return source_element(xml, tag)


def _report(
    rule: Rule | None, name: str, xml: etree._Element, report: Report, line: int = 0
) -> None:
    if rule is None:
        report.error(
            "unsupported-extension",
            f"{name} is not known to this engine. Remove it, or model what it does otherwise.",
            _place(xml),
            line,
        )
    elif rule.effect == "warned":
        report.warning("no-effect", f"{name} has no effect. {rule.advice}", _place(xml), line)
    elif rule.effect == "refused":
        report.error(
            "unsupported-extension",
            f"{name} is not executed by this engine. {rule.advice}",
            _place(xml),
            line,
        )
