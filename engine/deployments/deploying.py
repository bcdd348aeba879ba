"""Deploying: all resources or none, versions by content, and the word of it to every partition."""

import msgspec
from msgspec.structs import replace

from engine import commands as c
from engine.aggregates import Activation, DeployedVersion, DeploymentsState, PendingDeployment
from engine.deployments.timer_starts import replace_starts
from engine.errors import DefinitionError, Finding
from engine.model.compile import CompiledResource, compile_resource, require_deployable
from engine.model.elements import (
    MessageTrigger,
    ProcessModel,
    SignalTrigger,
    StartEvent,
    parts_of,
)
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
    """One process of a deployment; not `new`: its latest version has this very content."""

    model: ProcessModel
    version: DeployedVersion
    new: bool


def deploy(
    context: Context, state: DeploymentsState, command: c.DeployResources
) -> Outcome | Rejection:
    """Compile everything, then give versions to what is new; the answer comes when all have it.

    Content that is known already is answered at once, unless its activation is still under way.
    """
    problem = _problem(command)
    if problem is not None:
        return problem
    resources: list[CompiledResource] = []
    room = CONTENT_FACTOR * context.settings.model_bytes_max
    for resource in command.resources:
        compiled = compile_resource(resource.name, resource.content, context.settings, SEMANTICS)
        room -= len(compiled.content)
        if room < 0:
            detail = f"expected resources of at most {CONTENT_FACTOR} times the limit of a model"
            return Rejection(RejectionCode.TOO_LARGE, detail)
        resources.append(compiled)
    try:
        require_deployable(resources)
    except DefinitionError as error:
        return _invalid(error.findings)
    return _accept(context, state, resources)


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


def _accept(
    context: Context, state: DeploymentsState, resources: list[CompiledResource]
) -> Outcome:
    deployed: list[_Deployed] = []
    contents: list[Content] = []
    versions = dict(state.versions)
    for resource in resources:
        found = [_version(versions, model, resource.checksum) for model in resource.processes]
        for each in found:
            if each.new:
                known = versions.get(each.model.process_id, ())
                versions[each.model.process_id] = (*known, each.version)
        if any(each.new for each in found):
            contents.append(Content(checksum=resource.checksum, resource=resource.content))
        deployed.extend(found)
    findings = [finding for resource in resources for finding in resource.findings]
    result = _result(deployed, findings)
    state = replace(state, versions=versions)
    state, timers = replace_starts(context, state, [each.model for each in deployed if each.new])
    outcome = Outcome(state=state, contents=tuple(contents), timers=timers, result=result)
    return _activate(context, outcome, state, deployed)


def _version(
    versions: dict[str, tuple[DeployedVersion, ...]], model: ProcessModel, checksum: str
) -> _Deployed:
    known = versions.get(model.process_id, ())
    if known and known[-1].checksum == checksum:
        return _Deployed(model=model, version=known[-1], new=False)
    number = known[-1].version + 1 if known else 1
    version = DeployedVersion(version=number, checksum=checksum, semantics=model.semantics)
    return _Deployed(model=model, version=version, new=True)


def _activate(
    context: Context, outcome: Outcome, state: DeploymentsState, deployed: list[_Deployed]
) -> Outcome:
    """Tell every partition of what is new, and wait for their answers, if there are any to come."""
    assert outcome.result is not None
    number = context.offset << 16
    waiting = tuple(
        Activation(
            process_id=each.model.process_id,
            version=each.version.version,
            partitions=_waited_for(context, state, each),
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
        new=tuple((each.model.process_id, each.version.version) for each in deployed if each.new),
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
            for each in deployed
            if each.new
            for partition in range(context.partitions)
        ),
        timers=(*outcome.timers, timer),
        answers_later=True,
    )


def _waited_for(context: Context, state: DeploymentsState, deployed: _Deployed) -> tuple[int, ...]:
    """The partitions that have yet to activate a version: all, or what an earlier one waits for."""
    if deployed.new:
        return tuple(range(context.partitions))
    named = (deployed.model.process_id, deployed.version.version)
    for pending in state.pending:
        for activation in pending.waiting:
            if (activation.process_id, activation.version) == named:
                return activation.partitions
    return ()


def _activation(deployed: _Deployed, number: int, partition: int) -> c.ActivateVersion:
    return c.ActivateVersion(
        partition=partition,
        deployment=number,
        process_id=deployed.model.process_id,
        version=deployed.version.version,
        checksum=deployed.version.checksum,
        semantics=deployed.version.semantics,
        message_starts=_message_starts(deployed.model),
        signal_starts=_signal_starts(deployed.model),
        version_tag=deployed.model.version_tag,
        condition_starts=tuple(
            deployed.model.elements[index].id for index in deployed.model.condition_starts
        ),
    )


def _message_starts(model: ProcessModel) -> tuple[tuple[str, str], ...]:
    return _starts(model, model.message_starts, MessageTrigger)


def _signal_starts(model: ProcessModel) -> tuple[tuple[str, str], ...]:
    return _starts(model, model.signal_starts, SignalTrigger)


def _starts(
    model: ProcessModel, indexes: tuple[int, ...], kind: type[MessageTrigger | SignalTrigger]
) -> tuple[tuple[str, str], ...]:
    """(name, start element id) of what messages or signals start."""
    pairs: list[tuple[str, str]] = []
    for index in indexes:
        element = model.elements[index]
        assert isinstance(element, StartEvent)
        for trigger in parts_of(element.trigger):
            if isinstance(trigger, kind):
                assert isinstance(trigger.name, str), "the compiler evaluates such names"
                pairs.append((trigger.name, element.id))
    return tuple(pairs)


def _result(deployed: list[_Deployed], findings: list[Finding]) -> str:
    return _json(
        {
            "deployed": [
                {
                    "kind": "process",
                    "id": each.model.process_id,
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
