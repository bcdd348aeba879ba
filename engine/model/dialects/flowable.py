"""Flowable and Activiti: the `flowable:` and `activiti:` attributes and extension elements.

Both namespaces mean the same, and Flowable reads them alike. Reference: flowable-bpmn-converter.
"""

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Final

from lxml import etree
from msgspec.structs import replace

from engine.model.dialects import activiti, flowable_events, flowable_send_events, juel
from engine.model.dialects.activiti import JOB_TASKS, Site
from engine.model.dialects.audit import audit
from engine.model.dialects.dialect import Dialect
from engine.model.dialects.flowable_audit import NAMESPACES, VOCABULARY
from engine.model.extensions import (
    NOTHING,
    AdHocSource,
    DecisionSource,
    Extensions,
    Formula,
    LoopSource,
    MappingSource,
    MapSource,
)
from engine.model.report import Report, quote
from engine.model.source import SourceElement, is_true
from engine.model.spelling import did_you_mean
from engine.model.xml import BPMN
from engine.values import ValueDecodeError, decode, encode

_Translate = Callable[[Extensions, Site], Extensions]


def _work(extensions: Extensions, site: Site) -> Extensions:
    if site.text("type") == "dmn":
        return replace(extensions, decision=_decision(site))
    if site.text("type") == "case":
        site.refuse("A case is not executed: only processes are called. Call one instead.")
    worked = activiti.read_work(site, extensions, external="external-worker")
    if site.text("type") == flowable_events.SENDING:
        return flowable_events.read_sending(worked, site)
    return _external_parameters(worked, site)


def _external_parameters(extensions: Extensions, site: Site) -> Extensions:
    """What goes to a worker beside all that it sees, and what is taken of its results.

    Without out parameters that is everything.
    """
    passes = activiti.travels(site, "externalWorkerInParameter")
    takes = activiti.travels(site, "externalWorkerOutParameter")
    job = extensions.job
    if takes and job is not None:
        job = replace(job, keeps_results=True)
    return replace(extensions, job=job, inputs=passes, outputs=takes)


def _decision(site: Site) -> DecisionSource:
    """A decision task: all that it says is in fields."""
    fields = {field.get("name") or "": field for field in site.parts("field")}
    for name, field in fields.items():
        if name not in _DECISION_FIELDS:
            hint = did_you_mean(name, _DECISION_FIELDS)
            site.refuse(
                f"The field {quote(name)} of a decision task is not executed."
                f"{hint or ' Name the decision by its decisionTableReferenceKey.'}",
                field.sourceline or site.line,
            )
    texts = {name: activiti.field_formula(site, field) for name, field in fields.items()}
    keys = [texts[name] for name in _DECISION_KEYS if name in texts and texts[name].text]
    if len(keys) > 1:
        site.refuse(
            "The task names both a decision table and a decision service. Keep one of them.",
            keys[1].line,
        )
    return DecisionSource(
        decision_id=keys[0] if keys else None,
        same_deployment=_says_true(site, texts.get("sameDeployment")),
        result="outputs",
        needs_hit=_needs_hit(texts.get("decisionTaskThrowErrorOnNoHits")),
    )


def _needs_hit(formula: Formula | None) -> bool | Formula:
    if formula is None or formula.language == "static":
        return formula is not None and formula.text.lower() == "true"
    return formula


def _says_true(site: Site, formula: Formula | None) -> bool:
    if formula is not None and formula.language != "static":
        site.refuse(
            f"The expression {quote(formula.text)} in a field of a decision task is not evaluated."
            " Write true or false.",
            formula.line,
        )
    return formula is not None and formula.text.lower() == "true"


_DECISION_KEYS: Final = ("decisionTableReferenceKey", "decisionServiceReferenceKey")
_DECISION_FIELDS: Final = (
    *_DECISION_KEYS, "decisionTaskThrowErrorOnNoHits", "fallbackToDefaultTenant", "sameDeployment",
)  # fmt: skip


def _script(extensions: Extensions, site: Site) -> Extensions:
    return activiti.read_script(site, extensions)


def _task(extensions: Extensions, site: Site) -> Extensions:
    task = activiti.read_task(site)
    id_variable = site.text("taskIdVariableName", "activeTaskIdVariableName")
    return replace(extensions, task=replace(task, id_variable=id_variable))


def _call(extensions: Extensions, site: Site) -> Extensions:
    call = activiti.read_call(site)
    everything = call.propagate_all_parent_variables or is_true(site.text("inheritVariables"))
    return replace(
        extensions,
        call=replace(
            call,
            propagate_all_parent_variables=everything,
            business_key=activiti.passed_business_key(site) or site.formula("businessKey"),
            inherits_business_key=is_true(site.text("inheritBusinessKey")),
            same_deployment=is_true(site.text("sameDeployment")),
            id_variable=site.text("idVariableName"),
        ),
    )


def _loop(extensions: Extensions, site: Site) -> Extensions:
    return replace(extensions, loop=_aggregated(site, activiti.read_loop(site)))


def _aggregated(site: Site, loop: LoopSource) -> LoopSource:
    """Variable aggregations: to each of them every iteration adds an object of what it names."""
    aggregations = {
        part.get("target") or "": _aggregation(site, part)
        for part in site.parts("variableAggregation")
    }
    if not aggregations:
        return loop
    targets = tuple(aggregations)
    several = len(targets) > 1
    # Flowable gathers what completed iterations left, whatever became of the others.
    return replace(
        loop,
        output=MapSource(tuple(aggregations.items())) if several else aggregations[targets[0]],
        output_collection=targets[0],
        gathered=targets if several else (),
        skips_missing=True,
    )


def _aggregation(site: Site, aggregation: etree._Element) -> MapSource:
    said = {name for name, value in aggregation.attrib.items() if value not in ("", "false")}
    if said != {"target"}:
        site.refuse(
            "An aggregation is executed with a target, and without what runs only in Java, is"
            " transient, or gives an overview meanwhile. Remove its other attributes.",
            aggregation.sourceline or site.line,
        )
    # Flowable writes its variables without a prefix, as if they were BPMN's.
    parts = aggregation.iterchildren(etree.Element)
    return MapSource(tuple(_aggregated_entry(site, part) for part in parts))


def _aggregated_entry(site: Site, part: etree._Element) -> tuple[str, Formula]:
    line = part.sourceline or site.line
    source, expression = part.get("source") or "", part.get("sourceExpression")
    target = part.get("target") or source
    if not target:
        site.refuse("The variable of the aggregation has no target. Give it one.", line)
    value = juel.value(expression, line) if expression else juel.variable(source, line)
    return target, value


def _data_object(extensions: Extensions, site: Site) -> Extensions:
    """What the variable is at first, of the type that the object's item subject names."""
    values = site.parts("value")
    if not values:
        return extensions
    text = activiti.text_of(values[0]).strip()
    kind = (site.element.xml.get("itemSubjectRef") or "").rpartition(":")[2].lower()
    value = _TEXTS_OF_KINDS.get(kind, encode)(text)
    if value is None:
        site.refuse(
            f"The value {quote(text)} is no {kind}. Write one, or give the object another type.",
            values[0].sourceline or site.line,
        )
    return replace(extensions, value=value)


def _number(text: str) -> str | None:
    try:
        value = decode(text)
    except ValueDecodeError:
        return None
    is_number = isinstance(value, int | Decimal) and not isinstance(value, bool)
    return encode(value) if is_number else None


def _boolean(text: str) -> str | None:
    return text.lower() if text.lower() in ("true", "false") else None


_TEXTS_OF_KINDS: Final[dict[str, Callable[[str], str | None]]] = {
    **dict.fromkeys(("int", "integer", "long", "double", "float"), _number),
    "boolean": _boolean,
}
"""Types whose values are no texts in JSON."""


def _ad_hoc(extensions: Extensions, site: Site) -> Extensions:
    """Without a condition it stays, whatever was done in it, until it is told to complete."""
    never = Formula("false", "feel", site.line)
    return replace(extensions, ad_hoc=AdHocSource(completion=never))


def _error(extensions: Extensions, site: Site) -> Extensions:
    return replace(extensions, code_variable=site.text("errorVariableName"))


# --- the table ---

_TRANSLATIONS: Final[dict[str, _Translate]] = {
    **dict.fromkeys(sorted(JOB_TASKS), _work),
    "scriptTask": _script,
    "userTask": _task,
    "callActivity": _call,
    "multiInstanceLoopCharacteristics": _loop,
    "errorEventDefinition": _error,
    "dataObject": _data_object,
    "adHocSubProcess": _ad_hoc,
    **dict.fromkeys(sorted(flowable_events.WAITING), flowable_events.read_waiting),
}
"""Tag of the element -> its translation."""


def _extensions(element: SourceElement, report: Report) -> Extensions:
    if element.tag == "message":
        return flowable_events.read_key(activiti.site_of(element, report, NAMESPACES))
    site = activiti.site_of(element, report, NAMESPACES)
    extensions = replace(NOTHING, skip=_skip(site))
    translate = _TRANSLATIONS.get(element.tag)
    if translate is not None:
        extensions = translate(extensions, site)
    return _indexed(extensions, element)


def _skip(site: Site) -> Formula | None:
    """When a task is passed over. Some tools write `false` everywhere."""
    formula = site.formula("skipExpression")
    if formula is not None and formula.text in ("true", "false"):
        return replace(formula, language="feel")
    return formula


def _indexed(extensions: Extensions, element: SourceElement) -> Extensions:
    """The variable that holds an iteration's number, for whoever does not call it loopCounter."""
    loop = element.xml.find(f"{{{BPMN}}}multiInstanceLoopCharacteristics")
    if loop is None:
        return extensions
    names = [loop.get(f"{{{each}}}elementIndexVariable") or "" for each in NAMESPACES]
    name = next((name.strip() for name in names if name.strip()), None)
    if name is None:
        return extensions
    counter = MappingSource(source=juel.variable("loopCounter"), target=name, line=element.line)
    return replace(extensions, inputs=(counter, *extensions.inputs))


def _prepare(root: etree._Element) -> None:
    flowable_send_events.expand(root, NAMESPACES)
    flowable_events.prepare(root, NAMESPACES)
    flowable_events.end_cycles(root, NAMESPACES)


def _audit(roots: Iterable[SourceElement], report: Report) -> None:
    audit(VOCABULARY, roots, report)


DIALECT = Dialect(
    name="Flowable",
    namespaces=NAMESPACES,
    platforms=(),
    extensions=_extensions,
    formula=juel.formula,
    condition=juel.formula,
    executable_by_default=True,
    writes_outward=True,
    quartz=True,
    bare_exits="true",
    loose_references=True,
    data_flows=True,
    prepare=_prepare,
    example="${{{}}}",
    names_work='flowable:type="external-worker" with flowable:topic, or flowable:class',
    audit=_audit,
    skips_flows=True,
)
