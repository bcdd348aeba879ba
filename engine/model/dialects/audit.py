"""What becomes of every extension of a vendor: one table each, so that none of them is passed over.

The translation reads what its table calls translated; the rest is reported from here.
"""

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

import msgspec
from lxml import etree

from engine.model.dialects.shapes import Shape, Shapes, audit_extension
from engine.model.report import Report
from engine.model.source import SourceElement, enclosing, local_name
from engine.model.spelling import did_you_mean

Effect = Literal["translated", "accepted", "warned", "refused"]


class Rule(NamedTuple):
    """What one extension means on elements with these tags; None: on any.

    `accepted`: nothing is needed for it. `warned`: it has no effect. `refused`: without it the
    model would run wrong. `advice` is a sentence for the modeller. The `harmless` values of an
    attribute, or texts of an element, ask for nothing.
    """

    effect: Effect
    tags: frozenset[str] | None = None
    advice: str = "Remove it."
    harmless: frozenset[str] = frozenset()


Rules = Mapping[str, tuple[Rule, ...]]


class Vocabulary(msgspec.Struct, frozen=True, kw_only=True):
    """A vendor's extensions. `prefixes` are namespaces and how people know them.

    `shapes` and `parts` say what the elements hold, as in `Shapes`.
    """

    prefixes: dict[str, str]
    attributes: Rules
    elements: Rules
    shapes: Mapping[str, Shape] = {}
    parts: Mapping[str, Shape] = {}

    def inside(self) -> Shapes:
        """What stands inside of the elements."""
        return Shapes(prefixes=self.prefixes, elements=self.shapes, parts=self.parts)


def audit(vocabulary: Vocabulary, roots: Iterable[SourceElement], report: Report) -> None:
    """Report each extension in these elements, and inside them, that is not translated."""
    shapes = vocabulary.inside()
    for root in roots:
        for xml in root.xml.iter(etree.Element):
            tag = local_name(xml)
            if tag is not None:
                _audit_attributes(vocabulary, xml, tag, report)
            if tag == "extensionElements":
                _audit_elements(vocabulary, shapes, xml, report)


def _audit_attributes(
    vocabulary: Vocabulary, xml: etree._Element, tag: str, report: Report
) -> None:
    for name, value in xml.attrib.items():
        namespace, _, local = str(name)[1:].partition("}")
        prefix = vocabulary.prefixes.get(namespace)
        if prefix is not None and str(value).strip():
            rule = _rule(vocabulary.attributes.get(local), tag)
            if rule is None or str(value).strip() not in rule.harmless:
                if rule is None:
                    _report_unknown(prefix, local, vocabulary.attributes, xml, report)
                else:
                    _report(rule, f"{prefix}:{local}", xml, report)


def _audit_elements(
    vocabulary: Vocabulary, shapes: Shapes, container: etree._Element, report: Report
) -> None:
    owner = container.getparent()
    tag = local_name(owner) if owner is not None else None
    if owner is None or tag is None:
        return
    for xml in container.iterchildren(etree.Element):
        namespace, _, local = str(xml.tag)[1:].partition("}")
        prefix = vocabulary.prefixes.get(namespace)
        if prefix is None:
            continue
        rule = _rule(vocabulary.elements.get(local), tag)
        if rule is None:
            _report_unknown(prefix, local, vocabulary.elements, xml, report)
        elif (xml.text or "").strip() in rule.harmless:
            continue
        elif len(xml) or xml.attrib or (xml.text or "").strip():
            _report(rule, f"{prefix}:{local}", owner, report, xml.sourceline or 0)
            if rule.effect != "refused" and local in shapes.elements:
                audit_extension(xml, shapes, report)


def _rule(rules: tuple[Rule, ...] | None, tag: str) -> Rule | None:
    """The rule for an element; None: nobody knows the extension."""
    if rules is None:
        return None
    for rule in rules:
        if rule.tags is None or tag in rule.tags:
            return rule
    return Rule("warned", None, f"It means nothing on a {tag}: remove it.")


def _report_unknown(
    prefix: str, name: str, known: Iterable[str], xml: etree._Element, report: Report
) -> None:
    hint = did_you_mean(name, known, f"{prefix}:")
    report.error(
        "unsupported-extension",
        f"{prefix}:{name} is not known to this engine."
        f"{hint or ' Remove it, or model what it does otherwise.'}",
        enclosing(xml),
        xml.sourceline or 0,
    )


def _report(rule: Rule, name: str, xml: etree._Element, report: Report, line: int = 0) -> None:
    if rule.effect == "warned":
        report.warning("no-effect", f"{name} has no effect. {rule.advice}", enclosing(xml), line)
    elif rule.effect == "refused":
        report.error(
            "unsupported-extension",
            f"{name} is not executed by this engine. {rule.advice}",
            enclosing(xml),
            line,
        )
