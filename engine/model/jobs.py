"""Work for a worker: its type, how often it may be tried, and headers."""

import re
import string
from typing import Final, TypedDict

from msgspec.structs import replace

from engine.expressions import Expression
from engine.model.composites import compose_skip
from engine.model.dialects import juel
from engine.model.elements import DecisionCall, JobDefinition, ScriptDefinition
from engine.model.extensions import DecisionSource, Extensions, Formula, JobSource
from engine.model.parse import resolve
from engine.model.reading import Reading
from engine.model.report import quote
from engine.model.source import Node, SourceElement
from engine.model.vocabulary import RESERVED


def read_job(reading: Reading, node: SourceElement, extensions: Extensions) -> JobDefinition | None:
    """The job of a task. None, and a finding, if it has no type or an impossible one."""
    source = extensions.job
    if source is None and reading.dialect.implied_names:
        source = JobSource(type=Formula(_implied_type(reading, node), "static", node.line))
    job_type = reading.formulas.text(source.type, node, "job type") if source else None
    retries = _retries(reading, node, source.retries) if source else None
    # An extension that is refused may be what should have said it.
    refused = reading.report.refuses("unsupported-extension", node)
    if not refused and (source is None or source.type is None):
        reading.report.error(
            "job-type-missing",
            f"The {node.tag} has no job type, so no worker can do it. Name one by"
            f" {reading.dialect.names_work}{_instead(reading, node)}.",
            node,
        )
    if isinstance(job_type, str) and not _fits_topic_name(job_type):
        reading.report.error(
            "bad-job-type",
            f"The job type {quote(job_type)} is too long for the name of a topic. Use at most"
            f" {_JOB_TYPE_MAX} letters, digits, dots, hyphens and underscores; any other character"
            " counts four times or more.",
            node,
        )
    if source is None or job_type is None or retries is None:
        return None
    headers, computed = _read_headers(reading, node, extensions)
    return JobDefinition(
        type=job_type,
        retries=retries,
        headers=headers,
        computed_headers=computed,
        backoff_ms=source.backoff_ms,
        keeps_results=source.keeps_results,
    )


def _instead(reading: Reading, node: SourceElement) -> str:
    inline = reading.dialect.replaces_work.get(node.tag)
    return f", or let the engine do it by {inline}" if inline else ""


def _read_headers(
    reading: Reading, node: SourceElement, extensions: Extensions
) -> tuple[dict[str, str], dict[str, Expression]]:
    """Those that are texts, and those that are computed when the job is made."""
    headers: dict[str, str] = dict(extensions.headers)
    computed: dict[str, Expression] = {}
    for name in (*extensions.headers, *extensions.computed_headers):
        if name.startswith(RESERVED):
            reading.report.error(
                "reserved-header",
                f"The header {quote(name)} begins as those that the engine gives. Rename it.",
                node,
            )
    for name, formula in extensions.computed_headers.items():
        call = reading.formulas.foreign_call(formula)
        if call is not None:
            _report_foreign_header(reading, node, formula, call)
            headers[name] = formula.text
            continue
        expression = reading.formulas.expression(formula, node, f"header {name}")
        if expression is not None:
            computed[name] = expression
    return headers, computed


def _report_foreign_header(
    reading: Reading, node: SourceElement, formula: Formula, call: str
) -> None:
    reading.report.warning(
        "not-evaluated",
        f"The header {quote(formula.text)} calls {quote(call)}, which exists only in Java. The"
        " worker gets the text as it is.",
        node,
        formula.line,
    )


class Work(TypedDict):
    """What a task does: one of them, inline or by a worker; and when it does nothing."""

    job: JobDefinition | None
    script: ScriptDefinition | None
    skip: Expression | None


def read_skip(reading: Reading, node: Node, extensions: Extensions) -> Expression | None:
    """When a task is passed over. None: never, or what is drawn is in error."""
    if extensions.skip is None:
        return None
    skip = reading.formulas.expression(extensions.skip, node, "skip expression")
    return None if skip is None else compose_skip(skip)


class RuleWork(Work):
    """What a task does that may evaluate a decision."""

    decision: DecisionCall | None


def read_rule_work(reading: Reading, node: Node, extensions: Extensions) -> RuleWork | None:
    """A decision, if the dialect has one, else what `read_work` reads. None, and a finding."""
    source = extensions.decision
    if source is None:
        work = read_work(reading, node, extensions)
        return None if work is None else RuleWork(**work, decision=None)
    if extensions.job is not None:
        reading.report.error(
            "decision-and-job",
            f"The {node.tag} has both a decision and a job type. Keep one of them.",
            node,
        )
    decision_id = reading.formulas.text(source.decision_id, node, "decision id")
    if source.decision_id is None:
        reading.report.error(
            "decision-missing",
            f"The {node.tag} names no decision. Give it the id of the decision to evaluate.",
            node,
        )
    if decision_id is None:
        return None
    call = DecisionCall(
        decision_id=decision_id,
        version=source.version,
        version_tag=source.version_tag,
        same_deployment=source.same_deployment,
        result=source.result,
        result_variable=source.result_variable,
        needs_hit=_needs_hit(reading, node, source),
    )
    skip = read_skip(reading, node, extensions)
    return RuleWork(job=None, script=None, decision=call, skip=skip)


def _needs_hit(reading: Reading, node: Node, source: DecisionSource) -> bool | Expression:
    if isinstance(source.needs_hit, bool):
        return source.needs_hit
    found = reading.formulas.expression(source.needs_hit, node, "decisionTaskThrowErrorOnNoHits")
    return found or False


def read_work(reading: Reading, node: Node, extensions: Extensions) -> Work | None:
    """An inline expression, if the dialect has one, and a job otherwise. None, and a finding."""
    script = extensions.script
    if script is not None and script.otherwise is not None:
        call = reading.formulas.foreign_call(script.expression)
        if call is not None:
            job_source = _named_by(script.otherwise, call, script.expression)
            if script.otherwise.type is None and _is_of_engine(call):
                _report_engine_call(reading, node, job_source, script.expression)
            extensions, script = replace(extensions, job=job_source), None
    if script is None:
        job = read_job(reading, node, extensions)
        skip = read_skip(reading, node, extensions)
        return None if job is None else Work(job=job, script=None, skip=skip)
    expression = reading.formulas.expression(script.expression, node, "expression")
    if expression is None:
        return None
    if not script.result_variable and not script.may_discard:
        reading.report.error(
            "result-variable-missing",
            "The result goes nowhere. Give it a result variable.",
            node,
        )
    inline = ScriptDefinition(expression=expression, result_variable=script.result_variable)
    return Work(job=None, script=inline, skip=read_skip(reading, node, extensions))


def _named_by(source: JobSource, call: str, expression: Formula) -> JobSource:
    """Work without a type is named by the call, or by all of the text if that does more."""
    if source.type is not None:
        return source
    text = juel.inner(expression.text)
    whole = text.startswith(call) and text.endswith(")")
    return replace(source, type=Formula(call if whole else text, "static", expression.line))


def _is_of_engine(call: str) -> bool:
    """Whether a call goes to what another engine offers in Java, and not to a bean of the user."""
    return call.partition(".")[0] in _ENGINE_OBJECTS


def _report_engine_call(
    reading: Reading, node: Node, source: JobSource, expression: Formula
) -> None:
    job_type = "" if source.type is None else source.type.text
    reading.report.warning(
        "not-evaluated",
        f"{quote(expression.text)} calls the Java API of another engine. It becomes a job of the"
        f" type {quote(job_type)}, so a worker of that type must do it; or model what it does, by"
        " messages, call activities or a decision.",
        node,
        expression.line,
    )


_ENGINE_OBJECTS: Final = frozenset(
    {
        "execution", "task", "delegateExecution", "delegateTask", "processEngine", "runtimeService",
        "taskService", "repositoryService", "historyService", "managementService",
        "identityService", "formService", "externalTaskService", "caseService", "filterService",
        "authorizationService", "decisionService", "dynamicBpmnService", "cmmnRuntimeService",
        "processMigrationService", "dmnDecisionService", "dmnRuleService",
    }
)  # fmt: skip
"""What expressions of Camunda 7, Flowable and Activiti find there without any bean of the user."""


def _implied_type(reading: Reading, node: SourceElement) -> str:
    """Of a task in plain BPMN: its implementation, the name of its operation, else its id."""
    implementation = (node.xml.get("implementation") or "").strip()
    if implementation and not implementation.startswith("##"):
        return implementation
    reference = (node.xml.get("operationRef") or "").strip()
    operation = resolve(reading.catalogue.operations, reference) if reference else None
    return (operation.name or operation.id) if operation else node.id


_JOB_TYPE_MAX: Final = 200
_PLAIN_JOB_TYPE: Final = re.compile(r"[A-Za-z0-9._-]+")


def _fits_topic_name(job_type: str) -> bool:
    """Whether the type, escaped to Kafka's alphabet, leaves room for the namespace in a name."""
    if _PLAIN_JOB_TYPE.fullmatch(job_type) and "--" not in job_type:
        return len(job_type) <= _JOB_TYPE_MAX
    plain = sum(character in _UNESCAPED for character in job_type)
    return plain + 4 * (len(job_type.encode()) - plain) <= _JOB_TYPE_MAX


_UNESCAPED: Final = frozenset(string.ascii_letters + string.digits + "._")
_RETRIES_DEFAULT: Final = 3  # as in Zeebe
_RETRIES_MAX: Final = 1_000_000


def _retries(
    reading: Reading, node: SourceElement, formula: Formula | None
) -> int | Expression | None:
    if formula is None:
        return _RETRIES_DEFAULT
    if formula.language != "static":
        return reading.formulas.expression(formula, node, "number of retries")
    text = formula.text
    if text.isascii() and text.isdigit() and len(text) <= 7 and 0 < int(text) <= _RETRIES_MAX:
        return int(text)
    reading.report.error(
        "bad-retries",
        f"The number of retries {quote(text)} is no whole number from 1 to {_RETRIES_MAX}."
        " Write one, or an expression that begins with '='.",
        node,
        formula.line,
    )
    return None
