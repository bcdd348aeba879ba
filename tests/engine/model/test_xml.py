"""Bytes that nobody vouches for: read, or refused with one finding."""

import gzip
import hashlib
import zlib

import pytest

from engine.model.xml import (
    BPMN,
    ELEMENTS_MAX,
    MARKUP_MAX,
    Refusal,
    XmlDocument,
    count_elements,
    inflate,
    read_document,
)

LIMIT = 4 * 1024 * 1024
HEAD = f'<definitions xmlns="{BPMN}">'
SMALL = f"{HEAD}<process/></definitions>".encode()


def read(content: bytes) -> XmlDocument:
    document = read_document(content, LIMIT)
    assert isinstance(document, XmlDocument), document
    return document


def refused(content: bytes) -> Refusal:
    refusal = read_document(content, LIMIT)
    assert isinstance(refusal, Refusal)
    return refusal


def test_a_file_is_read_and_known_by_the_checksum_of_its_bytes() -> None:
    document = read(SMALL)
    assert len(document.root) == 1
    assert document.content == SMALL
    assert document.checksum == hashlib.sha256(SMALL).hexdigest()


def test_a_gzip_has_the_checksum_of_what_is_in_it() -> None:
    document = read(gzip.compress(SMALL))
    assert document.content == SMALL
    assert document.checksum == read(SMALL).checksum


def test_a_gzip_is_inflated_no_further_than_the_limit() -> None:
    bomb = gzip.compress(b" " * 20_000_000)
    assert refused(bomb).code == "too-large"


@pytest.mark.parametrize(
    "content",
    [
        gzip.compress(SMALL)[:-9],
        gzip.compress(SMALL) + b"more",
        gzip.compress(SMALL)[:10] + b"\xff" * 20,
        b"\x1f\x8b",
    ],
)
def test_a_broken_gzip_is_refused(content: bytes) -> None:
    assert refused(content).code == "bad-gzip"


def test_zlib_without_a_gzip_header_is_no_xml() -> None:
    assert refused(zlib.compress(SMALL)).code == "bad-xml"


def test_a_file_of_exactly_the_limit_is_read_and_one_byte_more_is_not() -> None:
    exact = SMALL + b" " * (LIMIT - len(SMALL))
    assert isinstance(inflate(exact, LIMIT), bytes)
    assert refused(exact + b" ").code == "too-large"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"   \n ",
        b"no xml at all",
        b"\x00\x01\x02\x03",
        b"<definitions",
        b"<!-- never closed",
        b"<?pi never closed",
        SMALL[:-3],
        SMALL + b"<second/>",
        b'<definitions xmlns="x">&undeclared;</definitions>',
        b"\xff\xfe<",
        b"\xff\xfe\x00\xd8",
    ],
)
def test_what_is_no_well_formed_xml_is_refused(content: bytes) -> None:
    assert refused(content).code == "bad-xml"


def test_the_line_of_a_syntax_error_is_told() -> None:
    assert refused(f"{HEAD}\n\n<process>\n</definitions>".encode()).line == 4


@pytest.mark.parametrize(
    "doctype",
    [
        "<!DOCTYPE definitions>",
        '<!DOCTYPE definitions SYSTEM "file:///etc/passwd">',
        '<!DOCTYPE definitions [<!ENTITY a "aaaa">]>',
        '<!DOCTYPE definitions [<!ENTITY % p SYSTEM "http://localhost/x">%p;]>',
    ],
)
@pytest.mark.parametrize("before", ["", '<?xml version="1.0"?>\n', "<!-- -->\n<?pi <x ?>\n "])
def test_a_doctype_is_refused(before: str, doctype: str) -> None:
    assert refused(f"{before}{doctype}{SMALL.decode()}".encode()).code == "doctype"
    assert refused(f"{before}{doctype}{SMALL.decode()}".encode("utf-16")).code == "doctype"


def test_a_doctype_in_text_is_only_text() -> None:
    inside = f"<!-- <!DOCTYPE a> -->{HEAD}<process><![CDATA[<!DOCTYPE a>]]></process></definitions>"
    assert len(read(inside.encode()).root) == 1


def test_an_external_entity_is_not_read() -> None:
    content = (
        '<!DOCTYPE definitions [<!ENTITY secret SYSTEM "file:///etc/hostname">]>'
        f"{HEAD}<process>&secret;</process></definitions>"
    )
    assert refused(content.encode()).code == "doctype"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "windows-1252"])
def test_the_encodings_that_tools_write_are_read(encoding: str) -> None:
    declared = encoding.removesuffix("-sig")
    text = f'<?xml version="1.0" encoding="{declared}"?>{HEAD}<process name="ä€"/></definitions>'
    text = text.replace("€", "") if encoding == "iso-8859-1" else text
    (process,) = read(text.encode(encoding)).root
    assert process.get("name") in ("ä€", "ä")


@pytest.mark.parametrize("encoding", ["UTF-7", "IBM037", "EUC-JP", "nonsense"])
def test_an_encoding_that_could_hide_markup_is_refused(encoding: str) -> None:
    content = f'<?xml version="1.0" encoding="{encoding}"?>{SMALL.decode()}'
    assert encoding.lower() in refused(content.encode()).message


def test_a_declaration_that_the_check_does_not_see_does_not_choose_the_encoding() -> None:
    padded = f'<?xml version="1.0" {" " * 300} encoding="UTF-7"?>{SMALL.decode()}'
    assert len(read(padded.encode()).root) == 1


@pytest.mark.parametrize("root", ["process", f'process xmlns="{BPMN}"', 'definitions xmlns="x"'])
def test_a_root_other_than_definitions_is_refused(root: str) -> None:
    assert refused(f"<{root}/>".encode()).code == "not-bpmn"


def test_a_wrong_root_is_named_in_one_short_sentence() -> None:
    message = refused(b'<definitions xmlns="http://example.org/other"/>').message
    assert "'definitions' of 'http://example.org/other'" in message
    assert len(message) < 200


def test_a_scenario_is_sent_to_the_command_that_runs_it() -> None:
    assert "`torpor test`" in refused(b"process: p").message


def test_nesting_200000_deep_is_refused() -> None:
    deep = HEAD.encode() + b"<a>" * 200_000
    assert refused(deep).code == "bad-xml"
    assert refused(deep + b"</a>" * 200_000 + b"</definitions>").code == "too-large"


def test_more_tags_than_a_model_can_have_are_refused_unparsed() -> None:
    many = HEAD.encode() + b"<a/>" * MARKUP_MAX + b"</definitions>"
    assert refused(many).code == "too-large"


def test_more_elements_than_can_be_compiled_in_time_are_refused() -> None:
    inner = b"<task/>" * ELEMENTS_MAX
    assert refused(HEAD.encode() + inner + b"</definitions>").code == "too-large"


def test_elements_are_counted_by_namespace() -> None:
    content = f'{HEAD}<process/><x:a xmlns:x="other"><process/></x:a></definitions>'
    root = read(content.encode()).root
    assert (count_elements(root, BPMN), count_elements(root, "other")) == (3, 1)
