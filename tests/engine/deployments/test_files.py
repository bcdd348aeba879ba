"""The files of one deployment: told by their roots, compiled together, deployable or not."""

import gzip

import pytest

from engine import commands as c
from engine.decisions import CompiledDecisions
from engine.definitions import DefinitionKind
from engine.deployments.files import (
    DEFINITIONS_MAX,
    CompiledFile,
    compile_files,
    definitions_of,
    require_deployable,
)
from engine.errors import DefinitionError
from engine.model.compile import CompiledResource
from engine.settings import Settings
from tests.support.decisions import decision, dmn, knowledge, literal, tag
from tests.support.models import bpmn, process, start

PROCESS = bpmn(process("p", start("s")))
DECISION = dmn(decision("Rate", literal("1")))


def files(*contents: bytes, bytes_max: int | None = None) -> list[CompiledFile]:
    resources = [
        c.Resource(name=f"{number}.xml", content=content) for number, content in enumerate(contents)
    ]
    return compile_files(resources, Settings(), bytes_max)


def refusal(*contents: bytes) -> list[tuple[str, str, str | None, int | None]]:
    with pytest.raises(DefinitionError) as error:
        require_deployable(files(*contents))
    return [
        (finding.resource, finding.code, finding.element, finding.line)
        for finding in error.value.findings
    ]


def test_the_root_element_tells_what_a_file_is_and_its_name_tells_nothing() -> None:
    first, second, third = files(DECISION, PROCESS, gzip.compress(DECISION))
    assert isinstance(first, CompiledDecisions)
    assert isinstance(second, CompiledResource)
    assert isinstance(third, CompiledDecisions)
    assert third.checksum == first.checksum


@pytest.mark.parametrize("version", ["20151101/dmn.xsd", "20180521/MODEL/"])
def test_every_version_of_the_standard_is_known(version: str) -> None:
    content = DECISION.replace(
        b"https://www.omg.org/spec/DMN/20230324/MODEL/",
        f"http://www.omg.org/spec/DMN/{version}".encode(),
    )
    assert isinstance(files(content)[0], CompiledDecisions)


def test_another_root_is_refused_with_both_that_are_read() -> None:
    (file,) = files(b"<html/>")
    (finding,) = file.findings
    assert finding.code == "not-bpmn"
    assert "BPMN 2.0 or DMN 1.1 to 1.5" in finding.message


def test_what_is_defined_is_told_with_its_kind() -> None:
    found = [each for file in files(PROCESS, DECISION) for each in definitions_of(file)]
    assert [(each.kind, each.id) for each in found] == [
        (DefinitionKind.PROCESS, "p"),
        (DefinitionKind.DECISION, "Rate"),
    ]


def test_a_model_may_import_from_one_that_comes_later() -> None:
    importing = dmn(
        tag("import", name="lib", namespace="urn:lib", importType=""),
        decision("Twice", literal("lib.Rate * 2"), needs_imported("urn:lib", "Rate")),
    )
    library = dmn(decision("Rate", literal("21")), namespace="urn:lib")
    first, second = files(importing, library)
    assert first.findings == ()
    assert isinstance(first, CompiledDecisions)
    assert first.imports == (second.checksum,)
    require_deployable([first, second])


def needs_imported(namespace: str, name: str) -> str:
    return tag("informationRequirement", tag("requiredDecision", href=f"{namespace}#{name}"))


def test_a_library_needs_no_decision_of_its_own() -> None:
    importing = dmn(tag("import", name="lib", namespace="urn:lib"), decision("Rate", literal("1")))
    library = dmn(knowledge("Double", ["x"], literal("x * 2")), namespace="urn:lib")
    require_deployable(files(importing, library))
    assert refusal(library) == [("0.xml", "no-decisions", None, None)]


def test_a_missing_import_is_an_error_with_its_line() -> None:
    importing = dmn(tag("import", name="lib", namespace="urn:lib"), decision("Rate", literal("1")))
    assert refusal(importing) == [("0.xml", "unknown-import", None, 1)]


def test_models_that_import_each_other_are_refused() -> None:
    ours = dmn(
        tag("import", name="b", namespace="urn:b"),
        decision("A", literal("1")),
        namespace="urn:a",
    )
    theirs = dmn(
        tag("import", name="a", namespace="urn:a"),
        decision("B", literal("1")),
        namespace="urn:b",
    )
    assert refusal(ours, theirs) == [("0.xml", "unknown-import", None, 1)]


def test_an_import_that_several_files_could_be_is_refused() -> None:
    importing = dmn(tag("import", name="lib", namespace="urn:lib"), decision("Rate", literal("1")))
    libraries = [dmn(decision(name, literal("1")), namespace="urn:lib") for name in ("A", "B")]
    assert refusal(importing, *libraries) == [("0.xml", "ambiguous-import", None, 1)]


def test_files_without_errors_may_be_deployed() -> None:
    require_deployable(files(PROCESS, DECISION))


def test_a_refusal_carries_the_findings_of_all_files() -> None:
    warned = bpmn(process("a", start("s")), process("b", executable=False))
    found = refusal(warned, b"", dmn(decision("Rate", literal("1 +"))))
    assert [(file, code) for file, code, _, _ in found] == [
        ("0.xml", "not-executable"),
        ("1.xml", "bad-xml"),
        ("2.xml", "expression-syntax"),
    ]


def test_two_files_may_not_define_the_same_process_or_decision() -> None:
    again = bpmn(process("p", start("other")))
    also = dmn(decision("Rate", literal("2")))
    assert refusal(PROCESS, DECISION, again, also) == [
        ("2.xml", "duplicate-process", "p", None),
        ("3.xml", "duplicate-decision", "Rate", 1),
    ]


def test_a_decision_may_have_the_id_of_a_process() -> None:
    require_deployable(files(PROCESS, dmn(decision("p", literal("1")))))


def test_all_files_together_have_a_limit() -> None:
    limit = len(PROCESS) + len(DECISION)
    assert len(files(PROCESS, DECISION, bytes_max=limit)) == 2
    with pytest.raises(DefinitionError) as refused:
        files(PROCESS, DECISION, bytes_max=limit - 1)
    assert [finding.code for finding in refused.value.findings] == ["too-large"]


def test_what_is_deployed_at_once_has_a_limit() -> None:
    literals = [decision(f"D{number}", literal("1")) for number in range(DEFINITIONS_MAX)]
    require_deployable(files(dmn(*literals)))
    assert refusal(dmn(*literals), PROCESS) == [("", "too-large", None, None)]
