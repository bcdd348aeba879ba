"""The files of one deployment, compiled together: processes and decisions, told by the root."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

import msgspec

from engine import commands as c
from engine.decisions import (
    DMN_FILE,
    CompiledDecisions,
    compile_documents,
    dmn_document,
)
from engine.definitions import DefinitionKind
from engine.errors import DefinitionError, Finding
from engine.model.compile import CompiledResource, compile_document, refused
from engine.model.elements import ProcessModel
from engine.model.report import quote
from engine.model.xml import BPMN_FILE, Refusal, XmlDocument, read_document
from engine.settings import SEMANTICS, Settings

_KINDS: Final = (BPMN_FILE, DMN_FILE)

DEFINITIONS_MAX: Final = 500
"""How many processes and decisions are deployed at once: each is a command for every partition."""

CompiledFile: TypeAlias = CompiledResource | CompiledDecisions


class Definition(msgspec.Struct, frozen=True, kw_only=True):
    """One process or decision of a deployment. `model` is that of a process."""

    kind: DefinitionKind
    id: str
    name: str | None
    line: int | None
    version_tag: str | None
    model: ProcessModel | None = None


def compile_files(
    resources: Iterable[c.Resource], settings: Settings, bytes_max: int | None = None
) -> list[CompiledFile]:
    """Read, check and compile files that may be gzip-compressed, in their order.

    The namespace of the root element tells what a file is; its name tells nothing. Raises
    DefinitionError when all of them together have more than `bytes_max` bytes.
    """
    left = bytes_max
    compiled: dict[str, CompiledFile | None] = {}
    decisions: dict[str, XmlDocument] = {}
    for resource in resources:
        name = resource.name
        document = read_document(resource.content, settings.model_bytes_max, _KINDS)
        if isinstance(document, Refusal):
            compiled[name] = refused(name, document)
            continue
        if left is not None:
            left -= len(document.content)
            if left < 0:
                raise DefinitionError((_too_large(f"They have more than {bytes_max} bytes."),))
        if document.kind is DMN_FILE:
            compiled[name] = None
            decisions[name] = document
        else:
            compiled[name] = compile_document(name, document, SEMANTICS)
    trees = [(name, dmn_document(document)) for name, document in decisions.items()]
    compiled.update({each.name: each for each in compile_documents(trees)})
    return [each for each in compiled.values() if each is not None]


def _too_large(why: str) -> Finding:
    return Finding(
        severity="error",
        code="too-large",
        message=f"All files together are too much to deploy at once. {why} Deploy some of them"
        " alone.",
    )


def definitions_of(file: CompiledFile) -> Iterator[Definition]:
    """All that a file defines, in document order."""
    if isinstance(file, CompiledDecisions):
        for decision in file.model.invocables:
            yield Definition(
                kind=DefinitionKind.DECISION,
                id=decision.id,
                name=decision.name,
                line=decision.line,
                version_tag=decision.version_tag,
            )
        return
    for model in file.processes:
        yield Definition(
            kind=DefinitionKind.PROCESS,
            id=model.process_id,
            name=model.name,
            line=None,
            version_tag=model.version_tag,
            model=model,
        )


def require_deployable(files: Sequence[CompiledFile]) -> None:
    """Raise DefinitionError, with all findings of all files, unless every one may be deployed."""
    findings = [finding for file in files for finding in file.findings]
    if sum(1 for file in files for _ in definitions_of(file)) > DEFINITIONS_MAX:
        findings.append(
            _too_large(f"They define more than {DEFINITIONS_MAX} processes and decisions.")
        )
    findings.extend(duplicates(files))
    if any(finding.severity == "error" for finding in findings):
        raise DefinitionError(tuple(findings))


def duplicates(files: Iterable[CompiledFile]) -> Iterator[Finding]:
    """Each process or decision that a file before defines, too: neither would be the latest."""
    first: dict[tuple[DefinitionKind, str], str] = {}
    for file in files:
        for definition in definitions_of(file):
            other = first.setdefault((definition.kind, definition.id), file.name)
            if other != file.name:
                yield _duplicate(definition, file.name, other)


def _duplicate(definition: Definition, file: str, other: str) -> Finding:
    return Finding(
        severity="error",
        code=f"duplicate-{definition.kind}",
        message=f"The {definition.kind} {quote(definition.id)} is also defined by {quote(other)}."
        " Deploy one of the two.",
        resource=file,
        element=definition.id,
        name=definition.name,
        line=definition.line,
    )
