"""From bytes to a model: versions of the standard, references, imports, findings, hostile files."""

import contextlib
import gzip
import hashlib
import time
from itertools import pairwise

import pytest

from engine.decisions import CompiledDecisions, compile_decisions
from engine.decisions.source import NAMESPACES
from engine.expressions import EvaluationError
from engine.settings import Settings
from engine.values import Value
from tests.engine.expressions.evaluating import environment
from tests.support.decisions import (
    camunda7,
    compiled,
    compiled_anyway,
    component,
    decide,
    decision,
    dmn,
    found,
    input_data,
    item,
    knowledge,
    knows,
    literal,
    needs,
    tag,
    text,
)
from tests.support.decisions import table as make_table

SMALL = dmn(decision("d", literal("1")))


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_every_version_of_the_standard_is_read(namespace: str) -> None:
    content = SMALL.replace(b"https://www.omg.org/spec/DMN/20230324/MODEL/", namespace.encode())
    assert decide(content, "d") == 1


def test_a_file_is_known_by_the_checksum_of_its_inflated_bytes() -> None:
    result = compiled(gzip.compress(SMALL))
    assert result.content == SMALL
    assert result.checksum == hashlib.sha256(SMALL).hexdigest()
    assert [each.id for each in result.decisions] == ["d"]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "bad-xml"),
        (SMALL[:-5], "bad-xml"),
        (b"<definitions/>", "not-dmn"),
        (b'<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"/>', "not-dmn"),
        (b"<!DOCTYPE d>" + SMALL, "doctype"),
        (b" " * 5_000_000, "too-large"),
        (dmn("<decision/>" * 40_001), "too-large"),
        (dmn(), "no-decisions"),
    ],
)
def test_files_that_cannot_be_read(content: bytes, code: str) -> None:
    result = compiled_anyway(content)
    assert [finding.code for finding in result.findings] == [code]
    assert not result.deployable
    assert result.decisions == ()


def test_elements_of_other_namespaces_are_not_read() -> None:
    noise = '<di:x xmlns:di="urn:x"><decision id="e" name="e"/></di:x>'
    assert [each.id for each in compiled(dmn(decision("d", literal("1")), noise)).decisions] == [
        "d"
    ]


@pytest.mark.parametrize(
    ("parts", "finding"),
    [
        (
            [decision("a", literal("1"), needs("b"))],
            ("error", "unknown-reference", "a"),
        ),
        (
            [decision("a", literal("1"), knows("b"))],
            ("error", "unknown-reference", "a"),
        ),
        (
            [decision("a", literal("1")), tag("decisionService", "<outputDecision/>", id="s")],
            ("error", "unknown-reference", "s"),
        ),
        (
            [decision("a", literal("1"), needs("a"))],
            ("error", "requirement-chain", "a"),
        ),
        (
            [decision("a", literal("1")), decision("a", literal("2"))],
            ("error", "duplicate-id", "a"),
        ),
        (
            [decision("a", literal("1")), "<decision/>"],
            ("error", "missing-id", None),
        ),
        (
            [decision("a", literal("1")), tag("import", namespace="urn:x", name="x")],
            ("error", "unknown-import", None),
        ),
        (
            [decision("a", literal("1")), tag("import", importType="urn:xsd", name="x")],
            ("warning", "no-effect", None),
        ),
    ],
)
def test_findings(parts: list[str], finding: tuple[str, str, str | None]) -> None:
    assert finding in found(dmn(*parts))


def test_decisions_that_require_each_other_are_found() -> None:
    content = dmn(
        decision("a", literal("1"), needs("b")),
        decision("b", literal("1"), needs("c")),
        decision("c", literal("1"), needs("a")),
    )
    assert "requirement-chain" in [code for _, code, _ in found(content)]


def chain(length: int) -> bytes:
    names = [f"d{number}" for number in range(length)]
    following = [
        decision(name, literal(f"{before} + 1"), needs(before)) for before, name in pairwise(names)
    ]
    return dmn(decision("d0", literal("0")), *following)


def test_a_chain_of_decisions_has_a_longest_length() -> None:
    assert decide(chain(50), "d49") == 49
    assert ("error", "requirement-chain", "d50") in found(chain(51))
    assert ("error", "requirement-chain", "d50") in found(chain(2_000))


def test_a_finding_says_where_and_how_to_put_it_right() -> None:
    content = dmn("\n", decision("The decision", literal("1 +")))
    finding = compiled_anyway(content).findings[0]
    assert (finding.resource, finding.element, finding.name) == (
        "test.dmn",
        "Thedecision",
        "The decision",
    )
    assert finding.line == 2
    assert finding.message.startswith("The literal expression '1 +' is no FEEL expression:")
    assert finding.message.endswith("Correct it at that character.")


# --- imports ---

LIBRARY = dmn(
    item("tAge", type_="number"),
    input_data("person age", "tAge"),
    knowledge("add one", ["n"], literal("n + 1")),
    decision("Is adult", literal("person age >= 18"), needs("(person age)")),
    namespace="urn:library",
)


def importing(logic: str, requirements: str) -> bytes:
    return dmn(
        tag("import", namespace="urn:library", name="the library"),
        decision("d", logic, requirements),
    )


def imported(name: str, kind: str) -> str:
    required = tag(f"required{kind}", href=f"urn:library#{name}")
    return tag(
        "knowledgeRequirement" if kind == "Knowledge" else "informationRequirement", required
    )


def evaluated(content: bytes, library: CompiledDecisions, **variables: int) -> object:
    return compiled(content, library).model.evaluate("d", dict(variables), environment())


def test_what_is_imported_is_known_by_the_name_of_its_import() -> None:
    library = compiled(LIBRARY)
    calls = importing(literal("the library.add one(4)"), imported("addone", "Knowledge"))
    assert evaluated(calls, library) == 5
    asks = importing(literal("the library.Is adult"), imported("Isadult", "Decision"))
    variables = {"person age": 20}
    assert compiled(asks, library).model.evaluate("d", variables, environment()) is True
    given: dict[str, Value] = {"the library": {"person age": 10}}
    assert compiled(asks, library).model.evaluate("d", given, environment()) is False


def test_several_nodes_of_an_import_share_its_name() -> None:
    library = compiled(LIBRARY)
    requirements = imported("Isadult", "Decision") + imported("addone", "Knowledge")
    logic = literal("[the library.Is adult, the library.add one(1)]")
    model = compiled(importing(logic, requirements), library).model
    assert model.evaluate("d", {"person age": 20}, environment()) == [True, 2]


def test_types_are_imported_with_their_prefix() -> None:
    library = compiled(LIBRARY)
    content = importing(literal("[5 instance of the library.tAge]"), "")
    assert evaluated(content, library) == [True]
    typed = importing(literal('"x"', typeRef="the library.tAge"), "")
    assert evaluated(typed, library) is None


def test_what_an_import_does_not_have_is_found() -> None:
    library = compiled(LIBRARY)
    content = importing(literal("1"), imported("nothing", "Decision"))
    result = compile_decisions("test.dmn", content, Settings(), [library])
    assert [finding.code for finding in result.findings] == ["unknown-reference"]


# --- hostile files ---


def nested(name: str, depth: int) -> str:
    return f"<{name}>" * depth + f"</{name}>" * depth


def empty_contexts(count: int) -> str:
    entries = (
        tag("contextEntry", tag("variable", name=f"a b {n}"), tag("context")) for n in range(count)
    )
    return tag("context", *entries)


def endless_values() -> str:
    return tag("output", tag("outputValues", text("for i in 1..9**9 return i")))


HOSTILE = {
    "deep lists": dmn(decision("d", nested("list", 200))),
    "deep types": dmn(item("t", nested("itemComponent", 200)), decision("d", literal("1"))),
    "parentheses": dmn(decision("d", literal("(" * 10_000))),
    "power": dmn(decision("d", literal("9**99999999 + 9**99999999"))),
    "path": dmn(decision("d", literal("a." * 5_000 + "b"))),
    "wrong cells": dmn(decision("d", make_table(["a"] * 300, ["x"], [["("] * 301] * 20))),
    "requirements": dmn(
        *(decision(f"d{n}", literal("1"), needs("d0", "d1", "d2")) for n in range(2_000))
    ),
    "chain of types": dmn(
        *(item(f"a b {n}", type_=f"a b {n + 1}") for n in range(3_000)),
        decision("d", literal("1 instance of a b 0")),
    ),
    "long text": dmn(decision("d", literal("x" * 20_000))),
    "contexts": dmn(decision("d", empty_contexts(3_000))),
    "endless values": dmn(decision("d", make_table(["a"], [endless_values()], []))),
    "endless decision": dmn(decision("d", literal("for i in 1..9**9 return i"))),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_compiled_or_refused_in_time(name: str) -> None:
    started = time.process_time()
    result = compiled_anyway(HOSTILE[name])
    for each in result.decisions[:5]:
        with contextlib.suppress(EvaluationError):  # an incident, and nothing else
            result.model.evaluate(each.id, {}, environment())
    assert time.process_time() - started < 2


def test_the_expressions_of_a_file_have_a_length_in_all() -> None:
    texts = [literal('"' + "x" * 16_000 + '"') for _ in range(26)]
    findings = compiled_anyway(dmn(decision("d", tag("list", *texts)))).findings
    assert "400000 characters in all" in findings[0].message


def rules(count: int) -> bytes:
    """A table of rules whose cells are all different."""
    rows = [[f"{number}", f"a{number}", f"b{number}"] for number in range(count)]
    return dmn(decision("d", make_table(["a"], ["x", "y"], rows)))


def test_the_different_expressions_of_a_file_are_counted() -> None:
    assert compiled_anyway(rules(2_600)).deployable
    findings = compiled_anyway(rules(2_700)).findings
    assert len(findings) == 101
    assert all("8000 expressions" in finding.message for finding in findings)


def test_equal_cells_of_a_column_count_once() -> None:
    rows = [[f"> {number % 50}"] * 7 + ["1"] for number in range(2_000)]
    content = dmn(decision("d", make_table(["a"] * 7, ["x"], rows, "FIRST")))
    assert decide(content, "d", {"a": 1}) == 1


def test_the_same_bytes_give_the_same_findings() -> None:
    content = dmn(decision("d", make_table(["("], ["x"], [["[", "{"]])), item("t", type_="u"))
    assert compiled_anyway(content).findings == compiled_anyway(content).findings


def test_an_extension_that_is_not_read_is_a_warning_with_its_element_and_line() -> None:
    content = camunda7(decision("Rate", literal("1"))).replace(
        b'id="Rate"', b'id="Rate" camunda:historyTimeToLive="180" camunda:versionTag="v1"', 1
    )
    result = compiled(content)
    (finding,) = result.findings
    assert (finding.severity, finding.code, finding.element, finding.line) == (
        "warning",
        "no-effect",
        "Rate",
        1,
    )
    assert "camunda:historyTimeToLive" in finding.message
    assert result.model.invocables[0].version_tag == "v1"


def test_an_extension_that_stands_everywhere_is_one_warning_at_the_first() -> None:
    content = camunda7(*(decision(f"D{number}", literal("1")) for number in range(300)))
    result = compiled(content.replace(b"<decision ", b'<decision camunda:historyTimeToLive="1" '))
    assert [finding.element for finding in result.findings] == ["D0"]


def test_what_tools_keep_in_a_file_for_themselves_is_silent() -> None:
    content = camunda7(decision("Rate", literal("1"))).replace(
        b'id="Rate"', b'id="Rate" camunda:diagramRelationId="x"', 1
    )
    assert compiled(content).findings == ()


def test_a_type_that_is_only_itself_is_an_error_and_one_with_itself_inside_is_none() -> None:
    first, second = item("A", type_="B"), item("B", type_="A")
    content = dmn(first, second, item("X", type_="A"), decision("d", literal("1"), type_="A"))
    assert found(content) == [("error", "type-cycle", "A"), ("error", "type-cycle", "B")]
    lists = dmn(item("A", type_="A", collection=True), decision("d", literal("1"), type_="A"))
    assert found(lists) == [("error", "type-cycle", "A")]
    tree = item("Tree", component("below", type_="Trees"))
    trees = item("Trees", type_="Tree", collection=True)
    assert found(dmn(tree, trees, decision("d", literal("null"), type_="Trees"))) == []


def test_outputs_of_the_same_name_would_hide_each_other() -> None:
    logic = make_table(["n"], ["rate", "rate"], [["-", "1", "2"]])
    assert found(dmn(decision("d", logic))) == [("error", "duplicate-output", "d")]


@pytest.mark.parametrize(
    ("inside", "code"),
    [
        ("", "missing-part"),
        (tag("outputDecision", href="#s"), "unknown-reference"),
        (tag("outputDecision", href="#n"), "unknown-reference"),
        (
            tag("outputDecision", href="#d") + tag("inputData", href="#d"),
            "unknown-reference",
        ),
        (
            tag("outputDecision", href="#d") + tag("inputDecision", href="#n"),
            "unknown-reference",
        ),
    ],
)
def test_a_service_gives_decisions_of_what_it_takes(inside: str, code: str) -> None:
    service = tag("decisionService", inside, id="s", name="s")
    content = dmn(input_data("n"), decision("d", literal("1")), service)
    assert found(content) == [("error", code, "s")]
