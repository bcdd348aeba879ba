"""Processes and decisions that are called and are not there: warnings, for they may come later."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from engine.definitions import DefinitionKind
from engine.deployments.files import CompiledFile, definitions_of
from engine.errors import Finding
from engine.model.compile import CompiledResource
from engine.model.elements import AnyElement, CallActivity
from engine.model.report import quote


def missing_references(
    files: Sequence[CompiledFile], known: Mapping[DefinitionKind, Collection[str]]
) -> list[Finding]:
    """A warning for each element that calls what is neither in the files nor `known`.

    What only an expression names is not looked for; nor is anything as long as a file has errors,
    for it may be what that one defines.
    """
    if not all(file.deployable for file in files):
        return []
    there = {(kind, each) for kind, ids in known.items() for each in ids}
    there |= {(each.kind, each.id) for file in files for each in definitions_of(file)}
    return [
        _missing(file.name, element, kind, called)
        for file in files
        if isinstance(file, CompiledResource)
        for model in file.processes
        for element in model.elements
        for kind, called in _calls(element)
        if (kind, called) not in there
    ]


def _calls(element: AnyElement) -> Iterator[tuple[DefinitionKind, str]]:
    """What an element calls, by a name that is known now."""
    if isinstance(element, CallActivity) and isinstance(element.process_id, str):
        yield DefinitionKind.PROCESS, element.process_id
    decision = getattr(element, "decision", None)
    if decision is not None and isinstance(decision.decision_id, str):
        yield DefinitionKind.DECISION, decision.decision_id


def _missing(file: str, element: AnyElement, kind: DefinitionKind, called: str) -> Finding:
    return Finding(
        severity="warning",
        code=f"unknown-{kind}",
        message=f"The {kind} {quote(called)} that is called is not in these files, and not known to"
        " be deployed. Deploy it before it is called, or correct its id.",
        resource=file,
        element=element.id,
        name=element.name,
        line=element.line or None,
    )
