"""From bytes that nobody vouches for to an XML tree: inflated within a bound, no DTD, no network.

The only module that calls the XML parser. What it refuses becomes one finding, because nothing
else can be said about such a file.
"""

import hashlib
import re
import zlib
from typing import Final

import msgspec
from lxml import etree

from engine.model.report import quote

BPMN: Final = "http://www.omg.org/spec/BPMN/20100524/MODEL"
_DEFINITIONS: Final = f"{{{BPMN}}}definitions"

MARKUP_MAX: Final = 250_000
"""How many `<` a file may hold. A tree node costs the parser up to 240 bytes, a `<a/>` four: with
this bound 4 MB of XML stay below 100 MB in memory. A model of 4 MB with its diagram has 140,000."""

ELEMENTS_MAX: Final = 15_000
"""How many elements of BPMN, and how many extension elements of a dialect, a file may hold: what
can be compiled within a second. A model of 1,000 tasks has about 8,000 of the first."""

_GZIP: Final = b"\x1f\x8b"
_GZIP_WINDOW: Final = 31  # zlib's code for "a gzip header, any window"
UTF16: Final = (b"\xff\xfe", b"\xfe\xff")
_UTF8_MARK: Final = b"\xef\xbb\xbf"
_DECLARED = re.compile(rb"""\s*<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
_SPACE = re.compile(rb"\s*")
# In each of these every `<` is the byte 3C, so the checks before parsing see what the parser sees.
_ENCODINGS: Final = frozenset(
    {"utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "iso-8859-15", "windows-1252"}
)


class Refusal(msgspec.Struct, frozen=True):
    """Why there is no tree: a finding's code and message, and the line where it is known."""

    code: str
    message: str
    line: int = 0


class FileKind(msgspec.Struct, frozen=True):
    """A kind of file: its name, its root elements, and its finding's code for any other root."""

    name: str
    roots: frozenset[str]
    code: str
    elements_max: int = ELEMENTS_MAX


BPMN_FILE: Final = FileKind("BPMN 2.0", frozenset({_DEFINITIONS}), "not-bpmn")


class XmlDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A parsed file. `content` are the inflated bytes, `checksum` their SHA-256 in hex."""

    kind: FileKind
    root: etree._Element
    content: bytes
    checksum: str


def read_document(
    content: bytes, bytes_max: int, kinds: tuple[FileKind, ...] = (BPMN_FILE,)
) -> XmlDocument | Refusal:
    """Inflate, check and parse a file of at most `bytes_max` bytes; its root says which kind."""
    inflated = inflate(content, bytes_max)
    if isinstance(inflated, Refusal):
        return inflated
    text = _readable(inflated)
    if isinstance(text, Refusal):
        return text
    root = _parse(*text)
    if isinstance(root, Refusal):
        return root
    kind = next((kind for kind in kinds if root.tag in kind.roots), None)
    if kind is None:
        return _wrong_root(root, kinds)
    if count_elements(root, etree.QName(root).namespace or "") > kind.elements_max:
        return _too_large(f"The model has more than {kind.elements_max} elements.")
    checksum = hashlib.sha256(inflated).hexdigest()
    return XmlDocument(kind=kind, root=root, content=inflated, checksum=checksum)


def parse_fragment(text: str) -> etree._Element | None:
    """The XML that stands inside a text of a file, read under the same bounds; None: it is none."""
    root = _parse(text.encode(), "utf-8")
    return None if isinstance(root, Refusal) else root


def _wrong_root(root: etree._Element, kinds: tuple[FileKind, ...]) -> Refusal:
    """Of several kinds the first one's code."""
    name, names = etree.QName(root), " or ".join(kind.name for kind in kinds)
    namespace = f"of {quote(name.namespace)}" if name.namespace else "without a namespace"
    return Refusal(
        kinds[0].code,
        f"The root element is {quote(name.localname)} {namespace}, not the definitions of"
        f" {names}. Save the model as {names}.",
        root.sourceline or 0,
    )


def count_elements(root: etree._Element, namespace: str) -> int:
    """How many elements of a namespace there are, without making a Python object of each."""
    count = root.xpath("count(//counted:*)", namespaces={"counted": namespace})
    return int(count) if isinstance(count, float) else 0


def _too_large(message: str) -> Refusal:
    return Refusal("too-large", f"{message} Split the model.")


def inflate(content: bytes, bytes_max: int) -> bytes | Refusal:
    """The bytes themselves, or what one gzip member holds, never more than `bytes_max` of it."""
    too_large = _too_large(f"The file is larger than {bytes_max} bytes.")
    if not content.startswith(_GZIP):
        return too_large if len(content) > bytes_max else content
    inflater = zlib.decompressobj(_GZIP_WINDOW)
    try:
        inflated = inflater.decompress(content, bytes_max + 1)
    except zlib.error as error:
        return Refusal("bad-gzip", f"The file is no valid gzip: {error}. Compress it again.")
    if len(inflated) > bytes_max:
        return too_large
    if not inflater.eof or inflater.unused_data:
        return Refusal("bad-gzip", "The gzip is cut off or followed by more. Compress it again.")
    return inflated


def uses(root: etree._Element, namespace: str) -> bool:
    """Whether anything in an element, or an attribute of its own, is named in a namespace."""
    found: bool = root.xpath("boolean(.//n:* | .//@n:*)", namespaces={"n": namespace})
    return found


def may_contain(content: bytes, text: str) -> bool:
    """Whether an ASCII text may stand in a file. One in UTF-16 is not looked into: it may."""
    return text.encode("ascii") in content or content.startswith(UTF16)


_DOCTYPE: Final = Refusal(
    "doctype", "The file has a DOCTYPE; a model needs none and entities are not read. Remove it."
)


def _readable(content: bytes) -> tuple[bytes, str] | Refusal:
    """The same text in an encoding that the checks can look into, and which it is."""
    if content.startswith(UTF16):
        try:
            text = content.decode("utf-16")
        except UnicodeDecodeError as error:
            return Refusal("bad-xml", f"The file is no valid UTF-16: {error.reason}.")
        return text.encode("utf-8"), "utf-8"
    content = content.removeprefix(_UTF8_MARK)
    declared = _DECLARED.match(content)
    encoding = declared[1].decode("ascii").lower() if declared else "utf-8"
    if encoding not in _ENCODINGS:
        return Refusal("bad-xml", f"The encoding {encoding} is not read. Save the file as UTF-8.")
    if content.lstrip()[:1] != b"<":
        return Refusal("bad-xml", _NO_XML)
    return content, encoding


_NO_XML: Final = (
    "The file is no XML: it does not begin with '<'. Give it as the modeler saved it. A scenario is"
    " run by `torpor test`."
)


def _begins_with_doctype(text: bytes) -> bool:
    """Whether a DOCTYPE stands before the root element, found without parsing what it declares."""
    position = 0
    while True:
        position = _SPACE.match(text, position).end()  # type: ignore[union-attr]  # matches always
        for opening, closing in (b"<!--", b"-->"), (b"<?", b"?>"):
            if text.startswith(opening, position):
                end = text.find(closing, position + len(opening))
                break
        else:
            return text.startswith(b"<!DOCTYPE", position)
        if end < 0:
            return False  # cut off: the parser will say where
        position = end + len(closing)


def _parse(text: bytes, encoding: str) -> etree._Element | Refusal:
    if text.count(b"<") > MARKUP_MAX:
        return _too_large(f"The file has more than {MARKUP_MAX} tags.")
    if _begins_with_doctype(text):
        return _DOCTYPE
    parser = etree.XMLParser(
        encoding=encoding,  # not the parser's own reading of the declaration
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,  # keeps libxml2's own bounds: 256 levels, 10 MB a text
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(text, parser)
    except etree.XMLSyntaxError as error:
        line = error.lineno or 0
        return Refusal("bad-xml", f"The file is no well-formed XML: {error.msg}.", line)
    if root.getroottree().docinfo.doctype:
        return _DOCTYPE
    return root
