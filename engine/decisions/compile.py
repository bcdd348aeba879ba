"""From deployed files to decision models: the door to this package.

All of it is pure and total: whatever the bytes, the answer is a model and findings. The same bytes
give the same model, so a partition may compile a stored file again at any time.
"""

from collections.abc import Iterable, Sequence

import msgspec

from engine.decisions.graph import Decision
from engine.decisions.items import declare_types, entry_names, restrict_types
from engine.decisions.model import DecisionModel
from engine.decisions.nodes import Import, Nodes
from engine.decisions.place import Shared
from engine.decisions.platform import platform_of
from engine.decisions.source import NAMESPACES, DmnDocument, Source, read_dmn
from engine.decisions.types import Types
from engine.errors import Finding
from engine.expressions.parsing.cursor import NameTree
from engine.expressions.surroundings import Surroundings
from engine.model.report import Report, quote
from engine.model.xml import Refusal
from engine.settings import Settings


class CompiledDecisions(msgspec.Struct, frozen=True, kw_only=True):
    """A file, compiled: its decisions, and findings.

    `content` are the inflated bytes, `checksum` their SHA-256 in hex; both are empty for a file
    that was not even read. A decision with an error is in the model, but fails when evaluated.
    `imports` are the checksums of the files that it needs, each after what it needs itself.
    """

    name: str
    checksum: str
    content: bytes
    model: DecisionModel
    findings: tuple[Finding, ...]
    imports: tuple[str, ...] = ()

    @property
    def deployable(self) -> bool:
        return all(finding.severity != "error" for finding in self.findings)

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """The decisions of the file, in document order."""
        return self.model.decisions


def compile_decisions(
    name: str, content: bytes, settings: Settings, imports: Sequence[CompiledDecisions] = ()
) -> CompiledDecisions:
    """Read, check and compile a DMN file, which may be gzip-compressed.

    `imports` are files that it may import from, found by their namespaces.
    """
    document = read_dmn(content, settings.model_bytes_max)
    if isinstance(document, Refusal):
        report = Report(name)
        report.error(document.code, document.message, line=document.line)
        return CompiledDecisions(
            name=name, checksum="", content=b"", model=NO_MODEL, findings=report.findings()
        )
    return compile_document(name, document, imports)


def compile_stored(contents: Sequence[bytes]) -> DecisionModel:
    """The model of the last of these files, which were deployed: each imports from those before.

    A file that cannot be read has a model without decisions.
    """
    compiled: list[CompiledDecisions] = []
    for content in contents:
        document = read_dmn(content, len(content))
        if isinstance(document, Refusal):
            return NO_MODEL
        compiled.append(compile_document("", document, compiled, is_imported=True))
    return compiled[-1].model


NO_MODEL = DecisionModel("", {}, Types(), {})


def compile_document(
    name: str,
    document: DmnDocument,
    imports: Sequence[CompiledDecisions] = (),
    *,
    is_imported: bool = False,
) -> CompiledDecisions:
    """As `compile_decisions`, of a file that was read already.

    `is_imported`: others import from it, so it may be without decisions of its own.
    """
    report = Report(name)
    # Once each: tools write some of them on every decision, and warnings are not to become errors.
    for unknown in {each.extension: each for each in reversed(document.unknown)}.values():
        report.warning(
            "no-effect",
            f"{unknown.extension} has no effect in a decision model, here or elsewhere. Remove it.",
            unknown,
        )
    found = _find_imports(document.root, report, imports)
    model = _compile_model(
        document.root, report, {prefix: each.model for prefix, each in found.items()}
    )
    if not model.decisions and not report.errors and not is_imported:
        report.error("no-decisions", "The file has no decision. Add one, or do not deploy it.")
    needed = [checksum for each in found.values() for checksum in (*each.imports, each.checksum)]
    return CompiledDecisions(
        name=name,
        checksum=document.checksum,
        content=document.content,
        model=model,
        findings=report.findings(),
        imports=tuple(dict.fromkeys(needed)),
    )


def _compile_model(
    definitions: Source, report: Report, imported: dict[str, DecisionModel]
) -> DecisionModel:
    types = Types({prefix: model.types for prefix, model in imported.items()})
    shared = Shared(report, types, platform_of(definitions), definitions.get("expressionLanguage"))
    declare_types(definitions, shared)
    around = Surroundings(NameTree.of(_dotted_names(definitions, imported)), types.feel_types())
    restrict_types(definitions, shared, around)
    imports = [Import(prefix, model.namespace, model.nodes) for prefix, model in imported.items()]
    nodes = Nodes(definitions, shared, around, imports).compile()
    return DecisionModel(definitions.get("namespace") or "", nodes, types, imported)


def imported_namespaces(definitions: Source) -> list[str]:
    """The namespaces of the decision models from which a file imports."""
    return [
        element.get("namespace") or ""
        for element in definitions.all("import")
        if element.get("importType") in (None, *NAMESPACES)
    ]


def _find_imports(
    definitions: Source, report: Report, available: Sequence[CompiledDecisions]
) -> dict[str, CompiledDecisions]:
    """The imported files by their prefixes."""
    imported: dict[str, CompiledDecisions] = {}
    for element in definitions.all("import"):
        namespace = element.get("namespace") or ""
        found = [each for each in available if each.model.namespace == namespace]
        if element.get("importType") not in (None, *NAMESPACES):
            report.warning(
                "no-effect", "Only decision models are imported. Remove it.", line=element.line
            )
        elif len(found) == 1:
            imported[element.get("name") or ""] = found[0]
        elif found:
            names = ", ".join(quote(each.name) for each in found)
            report.error(
                "ambiguous-import",
                f"The model {quote(namespace)} to be imported is in several files: {names}. Give"
                " each a namespace of its own.",
                line=element.line,
            )
        else:
            report.error(
                "unknown-import",
                f"The model {quote(namespace)} is not there to be imported. Deploy it together with"
                " this one; two models cannot import each other.",
                line=element.line,
            )
    return imported


def compile_documents(documents: Iterable[tuple[str, DmnDocument]]) -> list[CompiledDecisions]:
    """The files of one deployment, by name: each after those from which it imports.

    Of files that import each other the first is compiled without the others: an error.
    """
    waiting = {name: (document, imported_namespaces(document.root)) for name, document in documents}
    wanted = {namespace for _, namespaces in waiting.values() for namespace in namespaces}
    order = list(waiting)
    compiled: dict[str, CompiledDecisions] = {}
    while waiting:
        ahead = {document.root.get("namespace") or "" for document, _ in waiting.values()}
        ready = [
            name
            for name, (_, namespaces) in waiting.items()
            if not any(namespace in ahead for namespace in namespaces)
        ]
        for name in ready or list(waiting)[:1]:
            document, _ = waiting.pop(name)
            is_imported = (document.root.get("namespace") or "") in wanted
            compiled[name] = compile_document(
                name, document, tuple(compiled.values()), is_imported=is_imported
            )
    return [compiled[name] for name in order]


def _dotted_names(definitions: Source, imported: dict[str, DecisionModel]) -> list[str]:
    """Every name of several words that may follow a dot."""
    names = entry_names(definitions)
    for model in imported.values():
        names += [node.name for node in model.nodes.values()]
        names += [decision.result for decision in model.decisions]
    return names
