"""From a deployed file to a decision model: the door to this package.

`compile_decisions` is pure and total: whatever the bytes, it answers with a model and findings. The
same bytes give the same model, so a partition may compile a stored file again at any time.
"""

from collections.abc import Sequence

import msgspec

from engine.decisions.graph import Decision
from engine.decisions.items import declare_types, entry_names, restrict_types
from engine.decisions.model import DecisionModel
from engine.decisions.nodes import Import, Nodes
from engine.decisions.place import Shared
from engine.decisions.platform import platform_of
from engine.decisions.source import NAMESPACES, Source, read_dmn
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
    """

    name: str
    checksum: str
    content: bytes
    model: DecisionModel
    findings: tuple[Finding, ...]

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
    report = Report(name)
    document = read_dmn(content, settings.model_bytes_max)
    if isinstance(document, Refusal):
        report.error(document.code, document.message, line=document.line)
        return CompiledDecisions(
            name=name, checksum="", content=b"", model=NO_MODEL, findings=report.findings()
        )
    model = _compile_document(document.root, report, [each.model for each in imports])
    return CompiledDecisions(
        name=name,
        checksum=document.checksum,
        content=document.content,
        model=model,
        findings=report.findings(),
    )


NO_MODEL = DecisionModel("", {}, Types(), {})


def _compile_document(
    definitions: Source, report: Report, available: list[DecisionModel]
) -> DecisionModel:
    imported = _imported(definitions, report, available)
    types = Types({prefix: model.types for prefix, model in imported.items()})
    shared = Shared(report, types, platform_of(definitions), definitions.get("expressionLanguage"))
    declare_types(definitions, shared)
    around = Surroundings(NameTree.of(_dotted_names(definitions, imported)), types.feel_types())
    restrict_types(definitions, shared, around)
    imports = [Import(prefix, model.namespace, model.nodes) for prefix, model in imported.items()]
    nodes = Nodes(definitions, shared, around, imports).compile()
    model = DecisionModel(definitions.get("namespace") or "", nodes, types, imported)
    if not model.decisions and not report.errors:
        report.error("no-decisions", "The file has no decision. Add one, or do not deploy it.")
    return model


def _imported(
    definitions: Source, report: Report, available: list[DecisionModel]
) -> dict[str, DecisionModel]:
    models = {model.namespace: model for model in available}
    imported: dict[str, DecisionModel] = {}
    for element in definitions.all("import"):
        namespace = element.get("namespace") or ""
        if element.get("importType") not in (None, *NAMESPACES):
            report.warning(
                "no-effect", "Only decision models are imported. Remove it.", line=element.line
            )
        elif namespace in models:
            imported[element.get("name") or ""] = models[namespace]
        else:
            report.error(
                "unknown-import",
                f"The model {quote(namespace)} is not there to be imported. Deploy it together with"
                " this one.",
                line=element.line,
            )
    return imported


def _dotted_names(definitions: Source, imported: dict[str, DecisionModel]) -> list[str]:
    """Every name of several words that may follow a dot."""
    names = entry_names(definitions)
    for model in imported.values():
        names += [node.name for node in model.nodes.values()]
        names += [decision.result for decision in model.decisions]
    return names
