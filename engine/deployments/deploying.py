"""Deploying: all resources or none, versions by content, and the word of it to every partition."""

import msgspec
from msgspec.structs import replace

from engine import commands as c
from engine.aggregates import Activation, DeployedVersion, DeploymentsState, PendingDeployment
from engine.decisions import CompiledDecisions
from engine.definitions import DefinitionKind, Starts
from engine.deployments.files import (
    CompiledFile,
    Definition,
    compile_files,
    definitions_of,
    require_deployable,
)
from engine.deployments.references import missing_references
from engine.deployments.starts import starts_of
from engine.deployments.timer_starts import replace_starts
from engine.errors import DefinitionError, Finding
from engine.outcome import Content, Context, Outcome, Send, TimerChange
from engine.rejections import Rejection, RejectionCode
from engine.routing import DEPLOYMENTS
from engine.settings import SEMANTICS

TOO_LARGE = "too-large"
"""The code of findings about size."""

CONTENT_FACTOR = 3
"""How many times the limit of one model all resources of a deployment may have: with their writes
they stay below what one commit may hold."""


class _Deployed(msgspec.Struct, frozen=True, kw_only=True):
    """One definition of a deployment; not `new`: its latest version has this very content."""

    definition: Definition
    version: DeployedVersion
    new: bool

    @property
    def named(self) -> tuple[str, int]:
        """Its id and its version."""
        return self.definition.id, self.version.version


def deploy(
    context: Context, state: DeploymentsState, command: c.DeployResources
) -> Outcome | Rejection:
    """Compile everything, then give versions to what is new; the answer comes when all have it.

    Content that is known already is answered at once, unless its activation is still under way.
    """
    problem = _problem(command)
    if problem is not None:
        return problem
    settings = context.settings
    try:
        files = compile_files(
            command.resources, settings, settings.model_bytes_max * CONTENT_FACTOR
        )
        require_deployable(files)
    except DefinitionError as error:
        return _invalid(error.findings)
    return _accept(context, state, files)


def _problem(command: c.DeployResources) -> Rejection | None:
    names = [resource.name for resource in command.resources]
    if not names:
        return Rejection(RejectionCode.INVALID_ARGUMENT, "expected a resource, found none")
    for position, name in enumerate(names):
        if name in names[:position]:
            detail = f"expected every resource to have its own name, found {name!r} twice"
            return Rejection(RejectionCode.INVALID_ARGUMENT, detail)
    return None


def _invalid(findings: tuple[Finding, ...]) -> Rejection:
    """All findings for programs, and the first error in a sentence for people."""
    errors = [finding for finding in findings if finding.severity == "error"]
    first = errors[0]
    place = [first.resource or None, first.element, first.line and f"line {first.line}"]
    detail = f"{', '.join(str(part) for part in place if part)}: {first.message}"
    if len(errors) > 1:
        detail += f" ({len(errors)} errors in all)"
    large = all(finding.code == TOO_LARGE for finding in errors)
    code = RejectionCode.TOO_LARGE if large else RejectionCode.INVALID_MODEL
    return Rejection(code, detail, _json({"findings": [_finding_json(each) for each in findings]}))


def _accept(context: Context, state: DeploymentsState, files: list[CompiledFile]) -> Outcome:
    deployed: list[_Deployed] = []
    needed: dict[str, None] = {}
    for file in files:
        found = [_version(state, definition, file) for definition in definitions_of(file)]
        new = [each for each in found if each.new]
        for each in new:
            state = _with_version(state, each)
        if new:
            needed |= dict.fromkeys((*_imports(file), file.checksum))
        deployed.extend(found)
    models = [each.definition.model for each in deployed if each.new]
    state, timers = replace_starts(context, state, [model for model in models if model])
    outcome = Outcome(
        state=state,
        contents=tuple(
            Content(checksum=file.checksum, resource=file.content)
            for file in files
            if file.checksum in needed
        ),
        timers=timers,
        result=_result(deployed, _findings(state, files)),
    )
    return _activate(context, outcome, state, deployed)


def _findings(state: DeploymentsState, files: list[CompiledFile]) -> list[Finding]:
    """All warnings, file by file. What is deployed by now is known to be there."""
    known = {DefinitionKind.PROCESS: state.versions, DefinitionKind.DECISION: state.decisions}
    missing = missing_references(files, known)
    return [
        finding
        for file in files
        for finding in (*file.findings, *(each for each in missing if each.resource == file.name))
    ]


def _imports(file: CompiledFile) -> tuple[str, ...]:
    return file.imports if isinstance(file, CompiledDecisions) else ()


def _version(state: DeploymentsState, definition: Definition, file: CompiledFile) -> _Deployed:
    known = _versions(state, definition.kind).get(definition.id, ())
    imports = _imports(file)
    if known and (known[-1].checksum, known[-1].imports) == (file.checksum, imports):
        return _Deployed(definition=definition, version=known[-1], new=False)
    version = DeployedVersion(
        version=known[-1].version + 1 if known else 1,
        checksum=file.checksum,
        semantics=SEMANTICS,
        imports=imports,
    )
    return _Deployed(definition=definition, version=version, new=True)


def _versions(
    state: DeploymentsState, kind: DefinitionKind
) -> dict[str, tuple[DeployedVersion, ...]]:
    return state.versions if kind is DefinitionKind.PROCESS else state.decisions


def _with_version(state: DeploymentsState, deployed: _Deployed) -> DeploymentsState:
    definition = deployed.definition
    known = _versions(state, definition.kind)
    versions = {**known, definition.id: (*known.get(definition.id, ()), deployed.version)}
    if definition.kind is DefinitionKind.PROCESS:
        return replace(state, versions=versions)
    return replace(state, decisions=versions)


def _activate(
    context: Context, outcome: Outcome, state: DeploymentsState, deployed: list[_Deployed]
) -> Outcome:
    """Tell every partition of what is new, and wait for their answers, if there are any to come."""
    assert outcome.result is not None
    number = context.offset << 16
    waiting = tuple(
        Activation(
            process_id=each.definition.id,
            version=each.version.version,
            partitions=_waited_for(context, state, each),
            kind=each.definition.kind,
        )
        for each in deployed
    )
    waiting = tuple(activation for activation in waiting if activation.partitions)
    if not waiting:
        return outcome
    pending = PendingDeployment(
        number=number,
        command_id=context.command_id,
        result=outcome.result,
        waiting=waiting,
        new=_new(deployed, DefinitionKind.PROCESS),
        new_decisions=_new(deployed, DefinitionKind.DECISION),
        reply=context.reply,
        timer=number,
        actor=context.actor,
        traceparent=context.traceparent,
    )
    due = context.now + context.settings.activation_wait_ms
    timer = TimerChange(address=DEPLOYMENTS, timer=number, due_ms=due)
    return replace(
        outcome,
        state=replace(state, pending=(*state.pending, pending)),
        sends=tuple(
            Send(command=_activation(each, number, partition))
            for each in sorted(deployed, key=_is_process)
            if each.new
            for partition in range(context.partitions)
        ),
        timers=(*outcome.timers, timer),
        answers_later=True,
    )


def _is_process(deployed: _Deployed) -> bool:
    """Decisions are activated first: nothing that calls them runs a version before they are there.

    Which of two processes calls the other is not looked at.
    """
    return deployed.definition.kind is DefinitionKind.PROCESS


def _new(deployed: list[_Deployed], kind: DefinitionKind) -> tuple[tuple[str, int], ...]:
    return tuple(each.named for each in deployed if each.new and each.definition.kind is kind)


def _waited_for(context: Context, state: DeploymentsState, deployed: _Deployed) -> tuple[int, ...]:
    """The partitions that have yet to activate a version: all, or what an earlier one waits for."""
    if deployed.new:
        return tuple(range(context.partitions))
    named = (deployed.definition.kind, *deployed.named)
    for pending in state.pending:
        for activation in pending.waiting:
            if (activation.kind, activation.process_id, activation.version) == named:
                return activation.partitions
    return ()


def _activation(deployed: _Deployed, number: int, partition: int) -> c.ActivateVersion:
    definition, version = deployed.definition, deployed.version
    starts = Starts() if definition.model is None else starts_of(definition.model)
    return c.ActivateVersion(
        partition=partition,
        deployment=number,
        process_id=definition.id,
        version=version.version,
        checksum=version.checksum,
        semantics=version.semantics,
        message_starts=starts.messages,
        signal_starts=starts.signals,
        condition_starts=starts.conditions,
        joint_starts=starts.joint,
        alternative_starts=starts.alternatives,
        version_tag=definition.version_tag,
        kind=definition.kind,
        imports=version.imports,
    )


def _result(deployed: list[_Deployed], findings: list[Finding]) -> str:
    return _json(
        {
            "deployed": [
                {
                    "kind": each.definition.kind,
                    "id": each.definition.id,
                    "version": each.version.version,
                    "new": each.new,
                }
                for each in deployed
            ],
            "findings": [_finding_json(finding) for finding in findings],
        }
    )


def _finding_json(finding: Finding) -> dict[str, str | int | None]:
    return {
        "severity": finding.severity,
        "file": finding.resource,
        "element": finding.element,
        "name": finding.name,
        "line": finding.line,
        "code": finding.code,
        "message": finding.message,
    }


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
