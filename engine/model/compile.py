"""From a deployed file to process models: the one door to this package.

`compile_resource` is pure and total: whatever the bytes, it answers with models and findings. The
same bytes give the same models, so a partition may compile a stored resource again at any time.
"""

from collections.abc import Container

import msgspec

from engine.errors import Finding
from engine.expressions import Expression
from engine.model.compensation import find_handlers
from engine.model.composites import compose_skipping_flow
from engine.model.correlation import check_subscriptions
from engine.model.correlation_keys import NO_KEYS, read_keys
from engine.model.data import NO_DATA, declared, input_sets, names_of_several_words, read_data
from engine.model.dialects import choose, languages
from engine.model.elements import (
    PROCESS,
    AnyElement,
    ConditionTrigger,
    MessageTrigger,
    ProcessModel,
    SequenceFlow,
    SignalTrigger,
    TimerTrigger,
    parts_of,
    trigger_of,
)
from engine.model.extensions import Extensions
from engine.model.foreign import check_foreign_extensions
from engine.model.formulas import Formulas
from engine.model.lexical import check_values
from engine.model.listeners import read_listeners
from engine.model.parse import ID_MAX, read_definitions
from engine.model.readers import KINDS, read_element
from engine.model.reading import Reading, Shared
from engine.model.report import Report, quote
from engine.model.source import Flow, ProcessSource
from engine.model.starts import alternative_starts, joint_starts
from engine.model.validate import CONDITIONAL, validate_process
from engine.model.validate.outputs import check_outputs
from engine.model.visibility import show_outputs
from engine.model.xml import (
    ELEMENTS_MAX,
    Refusal,
    XmlDocument,
    count_elements,
    read_document,
)
from engine.settings import SEMANTICS, Settings


class CompiledResource(msgspec.Struct, frozen=True, kw_only=True):
    """A file, compiled: its executable processes, none of them if there is an error, and findings.

    `content` are the inflated bytes, `checksum` their SHA-256 in hex; both are empty for a file
    that was not even read.
    """

    name: str
    checksum: str
    content: bytes
    processes: tuple[ProcessModel, ...]
    findings: tuple[Finding, ...]

    @property
    def deployable(self) -> bool:
        return all(finding.severity != "error" for finding in self.findings)

    def process(self, process_id: str) -> ProcessModel:
        """The process with this id. Raises KeyError."""
        for model in self.processes:
            if model.process_id == process_id:
                return model
        raise KeyError(process_id)


def compile_resource(
    name: str, content: bytes, settings: Settings, semantics: int = SEMANTICS
) -> CompiledResource:
    """Read, check and compile a BPMN file, which may be gzip-compressed.

    `semantics` is the version of the rules that its processes were, or are being, deployed under.
    """
    document = read_document(content, settings.model_bytes_max)
    if isinstance(document, Refusal):
        return refused(name, document)
    return compile_document(name, document, semantics)


def refused(name: str, refusal: Refusal) -> CompiledResource:
    """What there is of a file that could not be read: one finding."""
    report = Report(name)
    report.error(refusal.code, refusal.message, line=refusal.line)
    return CompiledResource(
        name=name, checksum="", content=b"", processes=(), findings=report.findings()
    )


def compile_document(
    name: str, document: XmlDocument, semantics: int = SEMANTICS
) -> CompiledResource:
    """As `compile_resource`, of a BPMN file that was read already."""
    report = Report(name)
    processes = _compile_document(document, report, semantics)
    return CompiledResource(
        name=name,
        checksum=document.checksum,
        content=document.content,
        processes=processes,
        findings=report.findings(),
    )


def _compile_document(
    document: XmlDocument, report: Report, semantics: int
) -> tuple[ProcessModel, ...]:
    dialect = choose(document.root)
    if any(count_elements(document.root, name) > ELEMENTS_MAX for name in dialect.namespaces):
        report.error(
            "too-large",
            f"The model has more than {ELEMENTS_MAX} extension elements. Split the model.",
        )
        return ()
    if dialect.prepare is not None:
        dialect.prepare(document.root)
    definitions = read_definitions(
        document.root, report, KINDS, executable_by_default=dialect.executable_by_default
    )
    check_values(definitions.processes, document.content, report)
    check_foreign_extensions(definitions.processes, dialect, document.content, report)
    if dialect.audit is not None:
        dialect.audit((*definitions.processes, *definitions.catalogue.roots()), report)
    for process in definitions.processes:
        process.quartz, process.bare_exits = dialect.quartz, dialect.bare_exits
    data = [
        read_data(process, definitions.catalogue) if dialect.data_flows else NO_DATA
        for process in definitions.processes
    ]
    correlation = read_keys(definitions.catalogue, report) if dialect.correlates else NO_KEYS
    formulas = Formulas(report, dialect.example, names_of_several_words(data))
    shared = Shared()
    models = [
        _compile_process(
            Reading(
                process=process,
                catalogue=definitions.catalogue,
                dialect=dialect,
                formulas=formulas,
                shared=shared,
                report=report,
                data=each,
                correlation=correlation,
            ),
            semantics,
        )
        for process, each in zip(definitions.processes, data, strict=True)
    ]
    return () if report.errors else tuple(model for model in models if model is not None)


def _compile_process(reading: Reading, semantics: int) -> ProcessModel | None:
    """The model, or None if this or an earlier process of the file has an error."""
    process = reading.process
    find_handlers(process, reading.report)
    extensions = reading.dialect.extensions(process, reading.report)
    version_tag = _version_tag(reading, extensions)
    check_subscriptions(reading)
    listeners = read_listeners(reading, process, extensions)
    data = declared(process, PROCESS, reading.data, reading.dialect, reading.report)
    elements = {
        node.index: element
        for node in process.nodes
        if node.runnable and (element := read_element(reading, node)) is not None
    }
    flows = [flow for drawn in process.flows if (flow := _compile_flow(reading, drawn)) is not None]
    elements = show_outputs(elements, flows)
    validate_process(process, elements, reading.report)
    if reading.dialect.outputs_pass_scopes:
        check_outputs(process, elements, reading.report)
    if reading.report.errors:
        return None
    joint = joint_starts(process)
    return ProcessModel(
        process_id=process.id,
        name=process.name,
        semantics=semantics,
        elements=tuple(elements.values()),
        flows=tuple(flows),
        starts=process.plain_starts(PROCESS),
        message_starts=_triggered_starts(process, elements, MessageTrigger),
        timer_starts=_triggered_starts(process, elements, TimerTrigger),
        signal_starts=_triggered_starts(process, elements, SignalTrigger),
        condition_starts=_triggered_starts(process, elements, ConditionTrigger),
        joint_starts=joint,
        alternative_starts=alternative_starts(process),
        writes_outward=reading.dialect.writes_outward,
        quartz=reading.dialect.quartz,
        version_tag=version_tag,
        fails_uncaught=extensions.fails_uncaught,
        events=process.event_starts(PROCESS),
        conditional=_asks_at_changes(process, elements, joint),
        data=data,
        listeners=listeners,
        input_sets=input_sets(process, reading.data, reading.dialect),
        element_index=process.node_index,
        flow_index=process.flow_index,
    )


def _asks_at_changes(
    process: ProcessSource, elements: dict[int, AnyElement], joint: Container[int]
) -> bool:
    """Whether an instance may ever have to ask anything anew when variables change."""
    return any(getattr(element, "asks_data", False) for element in elements.values()) or any(
        isinstance(part, ConditionTrigger)
        for element in elements.values()
        if element.index in joint or not process.begins_at(process.nodes[element.index])
        for part in parts_of(trigger_of(element))
    )


def _version_tag(reading: Reading, extensions: Extensions) -> str | None:
    tag = extensions.version_tag
    if tag is not None and len(tag) > ID_MAX:
        reading.report.error(
            "version-tag-too-long",
            f"The version tag has more than {ID_MAX} characters. Shorten it.",
            reading.process,
        )
    return tag or None


def _compile_flow(reading: Reading, flow: Flow) -> SequenceFlow | None:
    condition = _condition(reading, flow)
    if flow.source is None or flow.target is None:
        return None
    condition = _skipping(reading, flow, condition)
    return SequenceFlow(
        index=flow.index,
        id=flow.id,
        source=flow.source,
        target=flow.target,
        condition=condition,
        name=flow.name,
    )


def _condition(reading: Reading, flow: Flow) -> Expression | None:
    drawn = flow.condition
    if drawn is None:
        return None
    formula = languages.condition(reading.dialect, drawn)
    if formula is None:
        reading.report.error(
            "expression-language",
            f"The condition is written in {quote(drawn.xml.get('language') or '')}, which is not"
            " executed. Rewrite it in FEEL or JUEL and remove the language.",
            flow,
            drawn.line,
        )
        return None
    return reading.formulas.expression(formula, flow, "condition")


def _skipping(reading: Reading, flow: Flow, condition: Expression | None) -> Expression | None:
    """The condition, with what a dialect says about skipping it."""
    # Most flows have nothing of a vendor's, and there are many.
    extended = reading.dialect.skips_flows and any(str(name)[0] == "{" for name in flow.xml.attrib)
    formula = reading.dialect.extensions(flow, reading.report).skip if extended else None
    if formula is None:
        return condition
    source = reading.process.nodes[flow.source or 0]
    if source.tag not in CONDITIONAL or source.default == flow.index:
        reading.report.warning(
            "no-effect",
            "The skip expression has no effect: the flow is the default, or its condition is never"
            " asked. Remove it.",
            flow,
        )
        return condition
    skip = reading.formulas.expression(formula, flow, "skip expression")
    return condition if skip is None else compose_skipping_flow(skip, condition)


def _triggered_starts(
    process: ProcessSource,
    elements: dict[int, AnyElement],
    kind: type[MessageTrigger | TimerTrigger | SignalTrigger | ConditionTrigger],
) -> tuple[int, ...]:
    return tuple(
        node.index
        for node in process.beginnings()
        if any(isinstance(part, kind) for part in parts_of(trigger_of(elements[node.index])))
    )
