"""A DMN file as a tree of plain structs, the same for every version of the standard.

The only module here that touches the XML parser's objects.
"""

from collections.abc import Iterator
from typing import Final

import msgspec
from lxml import etree

from engine.model.xml import FileKind, Refusal, XmlDocument, read_document

NAMESPACES: Final = (
    "http://www.omg.org/spec/DMN/20151101/dmn.xsd",
    "http://www.omg.org/spec/DMN/20151101/dmn11.xsd",
    "http://www.omg.org/spec/DMN/20180521/MODEL/",
    "https://www.omg.org/spec/DMN/20191111/MODEL/",
    "http://www.omg.org/spec/DMN/20191111/MODEL/",
    "https://www.omg.org/spec/DMN/20211108/MODEL/",
    "https://www.omg.org/spec/DMN/20230324/MODEL/",
)
"""DMN 1.1 (and its draft, as Camunda 7.4 wrote it) to 1.5."""

ELEMENTS_MAX: Final = 40_000
"""A table of 2,000 rules and 8 columns has 34,000 elements, most of them with equal texts: it is
the number of different expressions that bounds the time to compile them."""

DMN_FILE: Final = FileKind(
    "DMN 1.1 to 1.5",
    frozenset(f"{{{name}}}definitions" for name in NAMESPACES),
    "not-dmn",
    ELEMENTS_MAX,
)
_FOREIGN: Final = {
    "{http://camunda.org/schema/1.0/dmn}inputVariable": "camunda:inputVariable",
    "{http://camunda.org/schema/1.0/dmn}versionTag": "camunda:versionTag",
    "{http://camunda.org/schema/zeebe/1.0}versionTag": "zeebe:versionTag",
    "{http://camunda.org/schema/modeler/1.0}executionPlatform": "executionPlatform",
    "{http://camunda.org/schema/modeler/1.0}executionPlatformVersion": "executionPlatformVersion",
}
"""Attributes and elements of other namespaces that mean something, and their names here."""


_VENDORS: Final = {
    "http://camunda.org/schema/1.0/dmn": "camunda",
    "http://camunda.org/schema/zeebe/1.0": "zeebe",
    "http://flowable.org/dmn": "flowable",
    "http://activiti.org/dmn": "activiti",
}
_OF_A_VENDOR: Final = " or ".join(f"namespace-uri()='{namespace}'" for namespace in _VENDORS)
_EXTENDED: Final = etree.XPath(f"//*[{_OF_A_VENDOR} or @*[{_OF_A_VENDOR}]]")
"""The elements that are extensions, or have one; found without a Python object for every other."""

_NOTES: Final = frozenset({"diagramRelationId", "modelerTemplate", "modelerTemplateVersion"})
"""What tools keep in a file for themselves."""


class Source(msgspec.Struct, frozen=True):
    """An element of the file. `text` is what stands in a text or typeRef element, else ""."""

    tag: str
    attributes: dict[str, str]
    text: str
    children: tuple["Source", ...]
    line: int

    def get(self, attribute: str) -> str | None:
        """An attribute; None where it is absent or blank."""
        return (self.attributes.get(attribute) or "").strip() or None

    def child(self, tag: str) -> "Source | None":
        """The first child with this tag."""
        return next(self.all(tag), None)

    def all(self, tag: str) -> Iterator["Source"]:
        """The children with this tag."""
        return (child for child in self.children if child.tag == tag)

    def expression_text(self) -> str:
        """The content of its text element."""
        text = self.child("text")
        return "" if text is None else text.text

    def type_ref(self) -> str | None:
        """The name of its type, written as an attribute or (in item definitions) as an element."""
        child = self.child("typeRef")
        return self.get("typeRef") or (child.text if child is not None and child.text else None)


class Unknown(msgspec.Struct, frozen=True):
    """An extension that means nothing here: on which element it stands, and how people know it."""

    id: str
    name: str | None
    line: int
    extension: str


class DmnDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A parsed DMN file."""

    root: Source
    content: bytes
    checksum: str
    unknown: tuple[Unknown, ...] = ()


def read_dmn(content: bytes, bytes_max: int) -> DmnDocument | Refusal:
    """Inflate, check and parse a DMN file of at most `bytes_max` bytes."""
    document = read_document(content, bytes_max, (DMN_FILE,))
    return document if isinstance(document, Refusal) else dmn_document(document)


def dmn_document(document: XmlDocument) -> DmnDocument:
    """A file of the kind DMN_FILE, as a tree."""
    namespace = etree.QName(document.root).namespace or ""
    return DmnDocument(
        root=_tree(document.root, f"{{{namespace}}}"),
        content=document.content,
        checksum=document.checksum,
        unknown=tuple(_unknown(document.root)),
    )


def _unknown(root: etree._Element) -> Iterator[Unknown]:
    """The extensions of engines' own namespaces that are not read."""
    found = _EXTENDED(root)
    for xml in found if isinstance(found, list) else ():
        for name in (str(xml.tag), *map(str, xml.attrib)):
            namespace, _, local = name[1:].partition("}")
            prefix = _VENDORS.get(namespace)
            if prefix is None or name in _FOREIGN or local in _NOTES:
                continue
            owner = next((each for each in (xml, *xml.iterancestors()) if each.get("id")), root)
            yield Unknown(
                owner.get("id") or "",
                owner.get("name"),
                xml.sourceline or 0,
                f"{prefix}:{local}",
            )


def _tree(xml: etree._Element, prefix: str) -> Source:
    """Recursion is bounded by the parser's own limit of 256 levels."""
    tag = _FOREIGN.get(str(xml.tag)) or str(xml.tag)[len(prefix) :]
    text = "".join(xml.itertext()).strip() if tag in ("text", "typeRef") else ""
    return Source(
        tag,
        {
            _FOREIGN.get(str(name), str(name)): str(value)
            for name, value in xml.attrib.items()
            if name in _FOREIGN or not str(name).startswith("{")
        },
        text,
        tuple(
            _tree(child, prefix)
            for child in xml
            if str(child.tag).startswith(prefix) or str(child.tag) in _FOREIGN
        ),
        xml.sourceline or 0,
    )
